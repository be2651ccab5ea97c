package cartesian

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of senders.
const (
	columnTime = iota
	columnModel
	columnBetween
	columnInside
	columnBandwidth
)

var senderColumns = []engine.Column{
	columnTime: {Name: "exchange_time", Title: "exchange", Unit: "s", Wide: 10},
	columnModel: {Name: "exchange_time_model", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled,
		Legend: "modelled"},
	columnBetween:   {Name: "inter_node_time", Title: "between", Unit: "s", Wide: 9, Legend: "between nodes"},
	columnInside:    {Name: "intra_node_time", Title: "inside", Unit: "s", Wide: 9, Legend: "inside nodes"},
	columnBandwidth: {Name: "node_bandwidth", Title: "per node", Unit: "B/s", Wide: 11},
}

// bySenders compares ways to exchange the same data, by ranks and threads, senders and directions.
var bySenders = &engine.Study{
	Form: engine.Form{
		Name: "senders", Title: "Exchange by senders", Of: "an exchange", Item: "ranks × threads, senders",
		Metric:  "exchange_time",
		Absent:  "this workload has no table of senders",
		Columns: senderColumns,
		Charts: []engine.Chart{
			{Shape: engine.Bars, Y: []int{columnTime, columnModel}},
			{Shape: engine.Stack, Y: []int{columnBetween, columnInside}},
		},
		Brief: engine.Brief{Column: columnTime, After: " per exchange"},
	},
	Varying:  study.AnyKind("senders", "directions", "method", "copies", "packing", "ranks-per-node", "threads-per-rank", "rounds"),
	Observe:  observe,
	Complete: complete,
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, senderColumns, columnTime)
	if !ok {
		return nil
	}
	sc := &s.Scenario
	label := fmt.Sprintf("%d×%d, %d %s", s.Layout.RanksPerNode, s.Layout.ThreadsPerRank, sc.Int("senders"),
		sc.Text("directions"))
	series := sc.Text("method")
	if sc.Text("copies") == staged {
		series += ", staged"
	}
	if p := sc.Text("packing"); p != contiguous {
		series += ", " + p
	}
	return []engine.Row{{Key: fmt.Sprintf("%s %s %s", s.Kind, label, series), Label: label, Series: series, Kind: s.Kind,
		Cells: cells}}
}

// complete marks the fastest exchange of the present kind, and compares the present run with it.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "time of an exchange"}, {Title: "between nodes and inside"}}
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnTime]
	var best, worst *engine.Row
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind {
			continue
		}
		if best == nil || r.Cells[columnTime] < best.Cells[columnTime] {
			best = r
		}
		if worst == nil || r.Cells[columnTime] > worst.Cells[columnTime] {
			worst = r
		}
	}
	best.Flag = engine.Best
	text := fmt.Sprintf("%s: %s per exchange", nameOf(now), cluster.FromSeconds(v.Time))
	switch {
	case best != now:
		v.Why = fmt.Sprintf("%s. %s is %s× faster (%s).", text, nameOf(best), study.Figure(v.Time/best.Cells[columnTime]),
			s.Kind)
	case worst != now:
		v.Why = fmt.Sprintf("%s, %s× faster than %s (%s).", text, study.Figure(worst.Cells[columnTime]/v.Time),
			nameOf(worst), s.Kind)
	default:
		v.Why = fmt.Sprintf("%s (%s). Change senders to compare.", text, s.Kind)
	}
	if text := comparePacking(v.Rows, now, s.Layout.ThreadsPerRank, s.Scenario.Int("senders")); text != "" {
		v.Why += " " + text
	}
	if model := now.Cells[columnModel]; model > 0 {
		v.Glance = fmt.Sprintf("%s %s, %s modelled", cluster.FromSeconds(v.Time), now.Kind, cluster.FromSeconds(model))
	}
}

// comparePacking compares the present row with the row that packs the same data in the other way. It
// returns "" if there is none.
func comparePacking(rows []engine.Row, now *engine.Row, threads int, senders int64) string {
	method, packing, ok := cutPacking(now.Series)
	if !ok {
		return ""
	}
	for i := range rows {
		r := &rows[i]
		other, otherPacking, ok := cutPacking(r.Series)
		if !ok || r.Kind != now.Kind || r.Label != now.Label || other != method || otherPacking == packing {
			continue
		}
		one, all := now.Cells[columnTime], r.Cells[columnTime]
		if packing == scratch {
			one, all = all, one
		}
		if all < one {
			return fmt.Sprintf("The scratch copy wins (%s×): all %d threads pack it, and %d a derived datatype.",
				study.Figure(one/all), threads, senders)
		}
		return fmt.Sprintf("The derived datatype wins (%s×): its senders start no other threads, and wait for none.",
			study.Figure(all/one))
	}
	return ""
}

// cutPacking splits a series into the method and the packing. It returns false for contiguous data.
func cutPacking(series string) (method, packing string, ok bool) {
	for _, packing := range []string{derived, scratch} {
		if method, ok := strings.CutSuffix(series, ", "+packing); ok {
			return method, packing, true
		}
	}
	return "", "", false
}

// nameOf returns the name of a row's exchange.
func nameOf(r *engine.Row) string { return r.Label + ", " + r.Series }
