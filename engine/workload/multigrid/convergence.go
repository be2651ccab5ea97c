package multigrid

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/domain"
)

// Columns of the study of convergence.
const (
	columnCycle = iota
	columnResidual
	columnCells
	columnError
)

var convergenceColumns = []engine.Column{
	columnCycle:    {Name: "vcycles", Unit: "1"},
	columnResidual: {Name: "residual", Title: "residual", Unit: "1", Wide: 10},
	columnCells:    {Name: "cells", Title: "cells", Unit: "1", Wide: 8},
	columnError:    {Name: "error", Title: "error", Unit: "1", Wide: 10},
}

// convergence shows the residual after each cycle, and the error of each grid that has run.
var convergence = &engine.Study{
	Form: engine.Form{
		Name: study.ConvergenceName, Title: "Convergence", Of: "a solve", Item: "V-cycles", Metric: "residual",
		Absent:  "WORKLOAD has no iterative solver",
		Columns: convergenceColumns,
		Charts: []engine.Chart{
			{Shape: engine.Curve, X: columnCycle, Y: []int{columnResidual}, YLog: 10, Join: true},
			{Shape: engine.Curve, X: columnCells, Y: []int{columnError}, XLog: 2, YLog: 10},
		},
		Brief: engine.Brief{Column: columnResidual, After: " residual"},
	},
	Varying: study.AnyKind("variant", "boxes", "box", "vcycles", "agglomerate", "real-limit", "nodes", "ranks-per-node",
		"machine"),
	Observe:  residuals,
	Complete: orders,
}

// residuals returns a row for each cycle of the present run. The first row is the last cycle's,
// which has the error. The rows belong to the verified problem.
func residuals(s *engine.Snapshot) (rows []engine.Row) {
	p := s.Profile("residuals")
	if p == nil || s.Iteration == 0 {
		return nil
	}
	a, on := problemOf(s.Scenario.Int, s.Scenario.Text), workload.Site{Virtual: s.Kind == engine.Simulated}
	_, verified, _ := workload.Parts(on.Store(&s.Scenario, a.bytes(s.Layout.Ranks())),
		func(_ cluster.Store, small bool) (problem, error) {
			return a.part(small), nil
		})
	n := verified.boxes * verified.side
	for cycle := len(p.Values) - 1; cycle >= 0; cycle-- {
		cells := []float64{columnCycle: float64(cycle), columnResidual: p.Values[cycle], columnCells: float64(n),
			columnError: math.NaN()}
		if m, ok := s.Metric("error"); ok && cycle == len(p.Values)-1 {
			cells[columnError] = m.Value
		}
		rows = append(rows,
			engine.Row{Key: fmt.Sprintf("%s %d³ %d", s.Kind, n, cycle), Label: fmt.Sprint(cycle),
				Series: fmt.Sprintf("%d³", n), Kind: s.Kind, Cells: cells})
	}
	return rows
}

// orders sorts the cycles. It draws the error of a second-order method through the error of the
// finest grid.
func orders(v *engine.StudyView, _ *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "residual over f, per V-cycle"}, {Title: "error, over cells per side"}}
	study.Sort(v, columnCycle)
	if n := len(v.Rows); n > 0 {
		v.Plots[0].XRange = engine.Range{Max: max(v.Rows[n-1].Cells[columnCycle], 4)}
	}
	least := math.Inf(1)
	greatest := 0.
	finest := math.NaN()
	for i := range v.Rows {
		n, e := v.Rows[i].Cells[columnCells], v.Rows[i].Cells[columnError]
		if math.IsNaN(e) {
			continue
		}
		least = min(least, n)
		if n >= greatest {
			greatest, finest = n, e
		}
	}
	if greatest == 0 {
		return
	}
	second := func(n float64) float64 { return finest * (greatest / n) * (greatest / n) }
	v.Plots[1].Lines = []engine.Line{{Name: "O(h²)", Kind: engine.Modelled, Look: engine.Dashed,
		X: []float64{least / 2, greatest}, Y: []float64{second(least / 2), finest}}}
	if now := v.Present(); now != nil {
		v.Facts = []engine.Note{{Text: fmt.Sprintf("residual %.2g after %s V-cycles, error %.3g", now.Cells[columnResidual],
			now.Label, now.Cells[columnError]), Kind: now.Kind, Now: true}}
	}
}

// boxesOf returns the boxes of all levels and their ranks.
func boxesOf(s *engine.Scenario) *domain.Boxes {
	a := problemOf(s.Int, s.Text)
	l := s.Layout()
	d := &domain.Boxes{Ranks: l.Ranks()}
	for _, g := range shapes(a.boxes, a.side, a.threshold) {
		d.Grids = append(d.Grids,
			domain.Grid{Name: fmt.Sprintf("%d³", g.cells()), Boxes: [3]int{g.boxes, g.boxes, g.boxes},
				Cells: [3]int{g.side, g.side, g.side}})
	}
	return d
}

// finish adds the time that the adapter needs for the counted messages.
func finish(s *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	n, ok := s.Metric("adapter_messages")
	if gap := m.Classes[cluster.Remote].Gap; ok && gap > 0 {
		return []engine.Metric{{Name: "adapter_time", Value: n.Value * gap.Seconds(), Unit: "s", Kind: engine.Modelled}}
	}
	return nil
}
