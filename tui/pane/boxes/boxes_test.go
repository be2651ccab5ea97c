package boxes

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/domain"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

func TestBoxesLookLikeThis(t *testing.T) {
	runs.Looks(t, &Spec, runs.Last, panetest.Look{W: 76, H: 19, Alone: true}, false)
	tree := runs.Of("barneshut").On(t, "demo")
	panetest.Looks(t, &Spec, "the lowest level of a tree", nil, tree)
	h, p := panetest.Host(tree), &Pane{}
	panetest.Draw(p, h, panetest.Look{W: 76, H: 19})
	panetest.Act(t, p, h, "unfold", "row-up")
	golden.Text(t, "the level above", panetest.Draw(p, h, panetest.Look{W: 76, H: 19}))
}

// The domain has 16 ranks; its coarser grids leave ranks idle.
func TestPlanes(t *testing.T) {
	d := &domain.Boxes{Ranks: 16, Grids: []domain.Grid{
		{Name: "32³", Boxes: [3]int{4, 4, 4}, Cells: [3]int{8, 8, 8}},
		{Name: "16³", Boxes: [3]int{2, 2, 2}, Cells: [3]int{8, 8, 8}},
		{Name: "8³", Boxes: [3]int{1, 1, 1}, Cells: [3]int{8, 8, 8}},
	}}
	h := &pane.Host{
		Snap: &engine.Snapshot{Layout: cluster.Layout{Nodes: 4, RanksPerNode: 4, Model: cluster.Flat},
			Studies: []engine.StudyView{{Drawings: []engine.Drawing{d}}}},
		Theme: grid.Themes()[0], Keys: func(a string) string { return a },
	}
	p := &Pane{}
	act := map[string]func(*pane.Host){}
	for _, a := range p.Actions() {
		act[a.Name] = a.Do
	}
	var all strings.Builder
	draw := func(what string, w, rows int, ascii, mono bool) {
		g := grid.New(w, rows)
		g.ASCII, g.Mono = ascii, mono
		b := p.Draw(g.All(), h)
		all.WriteString("--- " + what + ": " + b.Title + " · " + b.Right + "\n" + g.PlainText() + "\n")
	}
	draw("the finest", 40, 12, false, false)
	draw("the same on a large screen", 120, 34, false, true)
	for range 5 {
		act["row-up"](h)
	}
	draw("its last plane, small", 9, 5, true, true)
	act["fold"](h)
	draw("coarser", 40, 10, true, true)
	act["fold"](h)
	act["fold"](h)
	draw("the coarsest, folded ranks", 10, 8, false, false)
	tree := []float64{0, 0, math.NaN(), 1, 1, math.NaN(), 2, 3, 2}
	h.Snap = &engine.Snapshot{Layout: h.Snap.Layout, Profiles: []engine.Profile{{Over: domain.Octants, Values: tree}}}
	p = &Pane{}
	draw("a tree's fullest plane", 40, 10, false, false)
	h.Snap = &engine.Snapshot{Layout: h.Snap.Layout, Scenario: engine.Scenario{Workload: "dot"}}
	draw("none", 60, 5, false, false)
	golden.Text(t, "planes", all.String())
}
