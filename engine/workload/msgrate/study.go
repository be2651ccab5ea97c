package msgrate

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of threads.
const (
	columnThreads = iota
	columnRate
	columnModel
	columnTime
	columnLatency
)

var threadColumns = []engine.Column{
	columnThreads: {Name: "threads", Unit: "1"},
	columnRate:    {Name: "message_rate", Title: "rate", Unit: "1/s", Wide: 11},
	columnModel: {Name: "message_rate_model", Title: "model", Unit: "1/s", Wide: 11, Kind: engine.Modelled,
		Legend: "modelled"},
	columnTime:    {Name: "message_time", Unit: "s"},
	columnLatency: {Name: "latency", Title: "one way", Unit: "s", Wide: 9},
}

// byThreads compares numbers of threads and their channels.
var byThreads = &engine.Study{
	Form: engine.Form{
		Name: "threads", Title: "Message rate", Of: "a message", Item: "threads, channels, VCIs", Metric: "message_rate",
		Absent:  "this workload has no table of threads",
		Columns: threadColumns,
		Charts: []engine.Chart{
			{Shape: engine.Curve, X: columnThreads, Y: []int{columnRate}, XLog: 2, YLog: 10, Join: true},
			{Shape: engine.Curve, X: columnThreads, Y: []int{columnLatency}, XLog: 2, YLog: 10, Join: true},
		},
		Brief: engine.Brief{Column: columnRate},
	},
	Varying:  study.AnyKind("channels", "vcis", "receive", "ranks-per-node", "threads-per-rank", "rounds"),
	Observe:  observe,
	Complete: complete,
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, threadColumns, columnRate)
	if !ok {
		return nil
	}
	sc := &s.Scenario
	threads := s.Layout.RanksPerNode * s.Layout.ThreadsPerRank
	cells[columnThreads] = float64(threads)
	series := seriesOf(sc)
	label := fmt.Sprintf("%d×%d %s", s.Layout.RanksPerNode, s.Layout.ThreadsPerRank, series)
	return []engine.Row{{Key: fmt.Sprintf("%s %s", s.Kind, label), Label: label, Series: series, Kind: s.Kind, Cells: cells}}
}

// seriesOf names a way to send and receive.
func seriesOf(s *engine.Scenario) string {
	if s.Layout().ThreadsPerRank == 1 {
		return "processes" + tasksOf(s)
	}
	series := s.Text("channels")
	if n := s.Int("vcis"); n != noMachine {
		series += fmt.Sprintf(", %d VCIs", n)
	}
	return series + tasksOf(s)
}

// tasksOf names the receivers of tasks.
func tasksOf(s *engine.Scenario) string {
	if how := s.Text("receive"); how != posted {
		return ", " + how
	}
	return ""
}

// complete compares the present rate with one thread, and with the best way for as many threads.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	study.Sort(v, columnThreads)
	v.Plots = []engine.Plot{{Title: "messages per second, over threads"}, {Title: "time one way, over threads"}}
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnTime]
	text := fmt.Sprintf("%s: %s million messages per second", now.Label, millions(now.Cells[columnRate]))
	var one, best *engine.Row
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind {
			continue
		}
		if r.Cells[columnThreads] == 1 {
			one = r
		}
		if r.Cells[columnThreads] == now.Cells[columnThreads] && (best == nil || r.Cells[columnRate] > best.Cells[columnRate]) {
			best = r
		}
	}
	if one != nil && one != now {
		text += fmt.Sprintf(", %s× the rate of one thread", study.Figure(now.Cells[columnRate]/one.Cells[columnRate]))
	}
	v.Why = fmt.Sprintf("%s (%s).", text, s.Kind)
	switch {
	case best != now:
		v.Why += fmt.Sprintf(" %s reaches %s× this rate.", best.Label, study.Figure(best.Cells[columnRate]/now.Cells[columnRate]))
	case one == nil || one == now:
		v.Why += " Change threads and channels to compare."
	}
	if model := now.Cells[columnModel]; model > 0 {
		v.Glance = fmt.Sprintf("%s million/s %s, %s modelled", millions(now.Cells[columnRate]), now.Kind,
			millions(model))
	}
}

// millions formats a rate.
func millions(rate float64) string { return study.Figure(rate / 1e6) }
