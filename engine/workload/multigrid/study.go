package multigrid

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the ladder.
const (
	columnSolve = iota
	columnSmooth
	columnMove
	columnSync
	columnMessages
	columnRung
)

var ladderColumns = []engine.Column{
	columnSolve:    {Name: "solve_time", Title: "solve", Unit: "s", Wide: 9},
	columnSmooth:   {Name: "time_smooth", Title: "smooth", Unit: "s", Wide: 9, Legend: "smooth"},
	columnMove:     {Name: "time_move", Title: "move", Unit: "s", Wide: 9, Legend: "move"},
	columnSync:     {Name: "time_sync", Title: "sync", Unit: "s", Wide: 9, Legend: "sync"},
	columnMessages: {Name: "adapter_messages", Title: "messages", Unit: "1", Wide: 9},
	columnRung:     {Name: "rung", Unit: "1"},
}

// ladder compares the variants: a bar for each, which stays while the knob turns.
var ladder = &engine.Study{
	Form: engine.Form{
		Name: "ladder", Title: "The ladder", Of: "a solve", Item: "variant", Metric: "solve_time",
		Absent:  "this workload has no ladder of variants",
		Columns: ladderColumns,
		Charts: []engine.Chart{
			{Shape: engine.Bars, Y: []int{columnSolve}},
			{Shape: engine.Stack, Y: []int{columnSmooth, columnMove, columnSync}},
		},
		Brief: engine.Brief{Column: columnSolve, After: " a solve"},
	},
	Apart:    study.AnyKind("variant"),
	Observe:  observe,
	Complete: complete,
}

// observe is the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, ladderColumns, columnSolve)
	if !ok {
		return nil
	}
	name := s.Scenario.Text("variant")
	cells[columnRung] = float64(slices.Index(variants, variantOf(name)))
	return []engine.Row{{Key: fmt.Sprintf("%s %s", s.Kind, name), Label: name, Kind: s.Kind, Cells: cells}}
}

// complete stands the variants in the order of the ladder, and says what the present one
// costs beside bulk messages, and why.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "time of a solve"}, {Title: "where it goes, mean of the ranks"}}
	study.Sort(v, columnRung)
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnSolve]
	var bulk *engine.Row
	best := now
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind {
			continue
		}
		if r.Cells[columnSolve] < best.Cells[columnSolve] {
			best = r
		}
		if r.Label == "bulk" {
			bulk = r
		}
	}
	best.Flag = engine.Best
	v.Why = fmt.Sprintf("%s: a solve takes %s", now.Label, cluster.FromSeconds(v.Time))
	if bulk != nil && bulk != now {
		v.Why += fmt.Sprintf(", %s× of bulk's %s", study.Figure(v.Time/bulk.Cells[columnSolve]), cluster.FromSeconds(bulk.Cells[columnSolve]))
		v.Reference = bulk.Cells[columnSolve]
	}
	v.Why += "; " + injected(s, now) + "."
	v.Glance = fmt.Sprintf("%s %s", cluster.FromSeconds(v.Time), now.Label)
}

// injected says what the node's adapter has to do with it.
func injected(s *engine.Snapshot, now *engine.Row) string {
	n := now.Cells[columnMessages]
	smooth := cluster.FromSeconds(now.Cells[columnSmooth])
	if n < 1 || math.IsNaN(n) {
		return fmt.Sprintf("no message goes by an adapter, and smoothing takes %s", smooth)
	}
	text := fmt.Sprintf("a node gives its adapter %s messages a solve", study.Figure(n))
	if size, share := common(s); share > 0 {
		text += fmt.Sprintf(", %.0f %% of all of %s", 100*share, size)
	}
	return text + fmt.Sprintf(", and smoothing takes %s", smooth)
}

// common is the size that most messages have, and their share.
func common(s *engine.Snapshot) (size string, share float64) {
	for i := range s.Tallies {
		t := &s.Tallies[i]
		if t.Name != "messages" {
			continue
		}
		all, most := int64(0), int64(0)
		for row := range t.Rows {
			n := int64(0)
			for c := range t.Columns {
				n += t.Counts[row*len(t.Columns)+c]
			}
			if all += n; n > most {
				most, size = n, t.Rows[row]
			}
		}
		if all > 0 {
			return size, float64(most) / float64(all)
		}
	}
	return "", 0
}
