package reduction

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of settings.
const (
	columnTime = iota
	columnComm
	columnLocal
	columnModel
)

var settingColumns = []engine.Column{
	columnTime:  {Name: "reduction_time", Title: "reduction", Unit: "s", Wide: 11},
	columnComm:  {Name: "comm_time", Title: "communicate", Unit: "s", Wide: 13, Legend: "communicate"},
	columnLocal: {Name: "local_time", Title: "local", Unit: "s", Wide: 9, Legend: "local reduction"},
	columnModel: {Name: "local_time_model", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled},
}

// byReduction compares the settings of the knob reduction.
var byReduction = &engine.Study{
	Form: engine.Form{
		Name: "reductions", Title: "Who adds", Of: "a reduction", Item: "reduction, threads", Metric: "reduction_time",
		Absent:  "this workload has no table of reductions",
		Columns: settingColumns,
		Charts:  []engine.Chart{{Shape: engine.Stack, Y: []int{columnComm, columnLocal}}},
		Brief:   engine.Brief{Column: columnTime, After: " per reduction"},
	},
	Varying:  study.AnyKind("reduction", "threads-per-rank", "threading"),
	Observe:  observe,
	Complete: complete,
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, settingColumns, columnTime)
	if !ok {
		return nil
	}
	setting := s.Scenario.Text("reduction")
	label := fmt.Sprintf("%s, %d threads", setting, s.Layout.ThreadsPerRank)
	if s.Layout.ThreadsPerRank == 1 {
		label = setting + ", 1 thread"
	}
	return []engine.Row{{Key: fmt.Sprintf("%s %s", s.Kind, label), Label: label, Series: setting, Kind: s.Kind,
		Cells: cells}}
}

// reasons explain why a setting is the fastest.
var reasons = map[string]string{
	whole:      "one thread adds as fast as several, or starting them costs more than it saves",
	split:      "all threads add, and none is reserved for communication",
	overlapped: "the other threads add while the master communicates",
}

// complete marks the fastest reduction, and states who should add.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "time of a reduction by part"}}
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnTime]
	best, worst := now, now
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind {
			continue
		}
		if r.Cells[columnTime] < best.Cells[columnTime] {
			best = r
		}
		if r.Cells[columnTime] > worst.Cells[columnTime] {
			worst = r
		}
	}
	best.Flag = engine.Best
	v.Why = fmt.Sprintf("%s: %s per reduction; the local part takes %s of it (%s).", now.Label, cluster.FromSeconds(v.Time),
		study.Percent(now.Cells[columnLocal]/v.Time), now.Kind)
	switch {
	case best != now:
		v.Why += fmt.Sprintf(" %s is %s× faster: %s.", best.Label, study.Figure(v.Time/best.Cells[columnTime]),
			reasons[best.Series])
	case worst != now:
		v.Why += fmt.Sprintf(" %s is %s× slower: here %s.", worst.Label, study.Figure(worst.Cells[columnTime]/v.Time),
			reasons[now.Series])
	}
}
