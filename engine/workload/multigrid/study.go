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

// ladder compares the variants with one bar each. A bar stays when the knob changes.
var ladder = &engine.Study{
	Form: engine.Form{
		Name: "ladder", Title: "The ladder", Of: "a solve", Item: "variant", Metric: "solve_time",
		Absent:  "this workload has no variants to compare",
		Columns: ladderColumns,
		Charts: []engine.Chart{
			{Shape: engine.Bars, Y: []int{columnSolve}},
			{Shape: engine.Stack, Y: []int{columnSmooth, columnMove, columnSync}},
		},
		Brief: engine.Brief{Column: columnSolve, After: " per solve"},
	},
	Varying: study.AnyKind("variant"),
	Frame: func(s *engine.Scenario, _ *cluster.Machine, _ engine.Kind) engine.StudyView {
		v := engine.StudyView{Now: -1, Rows: paperRows(s)}
		v.Draw(boxesOf(s))
		return v
	},
	Observe:  observe,
	Complete: complete,
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, ladderColumns, columnSolve)
	if !ok {
		return nil
	}
	name := s.Scenario.Text("variant")
	cells[columnRung] = float64(slices.Index(variants, variantOf(name)))
	return []engine.Row{{Key: fmt.Sprintf("%s %s", s.Kind, name), Label: name, Kind: s.Kind, Cells: cells}}
}

// complete sorts the variants in the order of the ladder. It compares the present one with bulk
// messages and explains its time.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "time per solve"}, {Title: "parts of a solve, mean over ranks"}}
	study.Sort(v, columnRung)
	now := v.Present()
	if now == nil || now.Kind == engine.Published {
		return
	}
	v.Time = now.Cells[columnSolve]
	var bulk, paper *engine.Row
	best := now
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind {
			if r.Kind == engine.Published && r.Label == now.Label+", paper" {
				paper = r
			}
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
	v.Why = fmt.Sprintf("%s: %s per solve", now.Label, cluster.FromSeconds(v.Time))
	if bulk != nil && bulk != now {
		v.Why += fmt.Sprintf(", %s× bulk's %s", study.Figure(v.Time/bulk.Cells[columnSolve]),
			cluster.FromSeconds(bulk.Cells[columnSolve]))
		v.Reference = bulk.Cells[columnSolve]
	}
	if paper != nil {
		v.Why += fmt.Sprintf(" (paper: %s)", cluster.FromSeconds(paper.Cells[columnSolve]))
	}
	v.Why += ". " + explainLoad(s, now) + "."
	v.Glance = fmt.Sprintf("%s %s", cluster.FromSeconds(v.Time), now.Label)
}

// explainLoad describes the load on a node's adapter.
func explainLoad(s *engine.Snapshot, now *engine.Row) string {
	n := now.Cells[columnMessages]
	smooth := cluster.FromSeconds(now.Cells[columnSmooth])
	if n < 1 || math.IsNaN(n) {
		return fmt.Sprintf("No message uses an adapter. Each rank computes for %s", smooth)
	}
	text := fmt.Sprintf("Each node sends %[2]s messages per solve (%[1]d ranks)", s.Layout.Ranks(), formatCount(n))
	if size, share := commonSize(s); share > 0 {
		text += fmt.Sprintf(", %.0f %% of them %s", 100*share, size)
	}
	if m, ok := s.Metric("adapter_time"); ok {
		return text + fmt.Sprintf(". They occupy its adapter for %s, while each rank computes for %s",
			cluster.FromSeconds(m.Value), smooth)
	}
	return text + fmt.Sprintf(". Each rank computes for %s", smooth)
}

// formatCount formats a large number.
func formatCount(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.3g million", n/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.3g thousand", n/1e3)
	}
	return fmt.Sprintf("%.0f", n)
}

// commonSize returns the most frequent message size and its share of the messages.
func commonSize(s *engine.Snapshot) (size string, share float64) {
	t := s.Tally("messages")
	if t == nil {
		return "", 0
	}
	all, greatest := int64(0), int64(0)
	for row := range t.Rows {
		n := int64(0)
		for c := range t.Columns {
			n += t.At(row, c)
		}
		all += n
		if n > greatest {
			greatest, size = n, t.Rows[row]
		}
	}
	if all == 0 {
		return "", 0
	}
	return size, float64(greatest) / float64(all)
}
