package tables

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// host returns a host of a run with a table of two layers, a table of parts, and a metric by rank.
func host(nodes, per int) *pane.Host {
	s := &engine.Snapshot{
		Layout: cluster.Layout{Nodes: nodes, RanksPerNode: per, ThreadsPerRank: 1, Model: cluster.Flat},
		Kind:   engine.Simulated, Iteration: 2, Counted: 2,
		Tallies: []engine.Table{
			{Name: "hidden", Each: 1, Rows: []string{"r"}, Columns: []string{"c"}, Counts: []int64{1}},
			{Name: "messages", Title: "Messages", Unit: "1", Each: 1, Shape: engine.Heat, Row: "size", Column: "link",
				Layer: "level", Layers: []string{"64³", "32³"},
				Rows: []string{"4 B", "8 B", "64 B", "1 KiB"}, Columns: []string{"socket", "unused", "adapter"},
				Counts: []int64{0, 0, 0, 2000000, 0, 40, 0, 0, 0, 0, 0, 80 /**/, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0, 0}},
			{Name: "times", Title: "Time a level", Unit: "s", Each: 1e-12, Shape: engine.Stack, Row: "level", Column: "part",
				Rows: []string{"64³", "32³"}, Columns: []string{"smooth", "sync"}, Counts: []int64{6e12, 2e12, 1e12, 1e12}},
		},
	}
	values := make([]float64, nodes*per)
	for i := range values {
		values[i] = 1 + float64(i%3)/10
	}
	values[len(values)-2] = 2.5
	if len(values) > 8 {
		values[1] = math.NaN()
	}
	s.Ranked = []engine.Ranked{{Metric: engine.Metric{Name: "force_time", Value: 1.25, Unit: "s",
		Kind: engine.Simulated}, Values: values}}
	return &pane.Host{Snap: s, Theme: grid.Themes()[0], Keys: func(a string) string { return a[:1] }}
}

func act(t *testing.T, p *Pane, h *pane.Host, name string) {
	t.Helper()
	for _, a := range p.Actions() {
		if a.Name == name {
			if a.Ready != nil && !a.Ready(h) {
				t.Fatalf("%s is not ready", name)
			}
			a.Do(h)
			return
		}
	}
	t.Fatalf("no action %s", name)
}

func TestTablesLookLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "layers", host(2, 2).Snap, host(2, 2).Snap)
	if !testing.Short() {
		runs.Looks(t, &Spec, runs.Last, panetest.Look{W: 49, H: 15}, false)
		runs.Looks(t, &Spec, runs.Last, panetest.Look{W: 76, H: 19, Alone: true}, true)
	}
}

// Pages and layers are drawn. Empty rows at both ends and empty columns are left out. Counts are
// per iteration, times are means over ranks, and the slowest rank is marked.
func TestPages(t *testing.T) {
	h, p := host(2, 2), &Pane{}
	var all strings.Builder
	draw := func(what string, w, rows int, ascii, mono bool) {
		g := grid.New(w, rows)
		g.ASCII, g.Mono = ascii, mono
		b := p.Draw(g.All(), h)
		all.WriteString("--- " + what + ": " + b.Title + " · " + b.Right + "\n" + g.PlainText() + "\n")
	}
	draw("all layers", 60, 10, false, false)
	draw("narrow", 20, 8, false, false)
	draw("ascii mono", 60, 10, true, true)
	act(t, p, h, "row-down")
	act(t, p, h, "row-down")
	act(t, p, h, "row-down")
	draw("the last layer", 60, 10, false, false)
	act(t, p, h, "next-table")
	draw("parts", 60, 8, false, false)
	act(t, p, h, "log")
	draw("shares", 60, 8, false, false)
	act(t, p, h, "next-table")
	draw("ranks", 60, 8, false, false)
	h2 := host(4, 4)
	h2.Snap.Tallies = nil
	h, p = h2, &Pane{}
	draw("a map of ranks", 60, 8, true, true)
	golden.Text(t, "pages", all.String())
	act(t, &Pane{page: 2}, host(2, 2), "next-table")
}

// If rows do not fit, each drawn row stands for several. Its label names them, its value is their
// sum, and its ratio is the ratio of the sums.
func TestFoldedRowsAreNamedAndAddedUp(t *testing.T) {
	h, p := host(1, 2), &Pane{}
	of := func() *pane.Host {
		h := host(1, 2)
		h.Snap.Counted = 1
		m := &h.Snap.Tallies[1]
		*m = engine.Table{Name: "reads", Unit: "1", Each: 1, Shape: engine.Heat, Row: "depth",
			Columns: []string{"here", "there"}}
		for depth := range 7 {
			m.Rows = append(m.Rows, "depth "+string(rune('0'+depth)))
			m.Counts = append(m.Counts, int64(depth+1), int64(10*(depth+1)))
		}
		return h
	}
	h = of()
	lines := func(rows int) []string {
		g := grid.New(40, rows)
		p.Draw(g.All(), h)
		return strings.Split(g.PlainText(), "\n")
	}
	text := strings.Join(lines(6), "\n") // one of them has the names of the columns
	for _, want := range []string{"depth   here  there", "0–1        3     30", "2–3        7     70",
		"4–5       11    110", "6          7     70"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	base := of()
	base.Snap.Tallies[1].Counts[0], base.Snap.Tallies[1].Counts[2] = 5, 1 // column here has 6 in depths 0 and 1
	h.Base = engine.NewBaseline(base.Snap).Against(h.Snap)
	if all := lines(6); !strings.Contains(all[1], "0–1") || !strings.Contains(all[1], "0.5×") {
		t.Errorf("3 compared with 6 is %q, want 0.5×", all[1])
	}
}

// The first page follows the last one. Another workload begins with its first page.
func TestPagesTurn(t *testing.T) {
	h, p := host(2, 2), &Pane{}
	g := grid.New(60, 10)
	for _, want := range []string{"Messages (1 of 3, n)", "Time a level (2 of 3, n)", "Force time by rank (3 of 3, n)",
		"Messages (1 of 3, n)", "Time a level (2 of 3, n)"} {
		if got := p.Draw(g.All(), h).Title; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		act(t, p, h, "next-table")
	}
	h.Snap.Scenario.Workload = "another"
	if got := p.Draw(g.All(), h).Title; got != "Messages (1 of 3, n)" {
		t.Errorf("another workload begins with %s", got)
	}
}

// With a baseline, heat maps show ratios, and bars have symbols and ratios. Cells that only one of
// the runs has are named. Inaccurate times have no ratio.
func TestTablesWithABaseline(t *testing.T) {
	base := host(2, 2)
	h := host(2, 2)
	p := &Pane{}
	base.Snap.Counted = 1
	counts := base.Snap.Tallies[1].Counts
	counts[3] = 500000
	counts[5] = 0
	counts[11] = 10
	counts[2] = 7
	base.Snap.Tallies[2].Counts = []int64{2e12, 1e12, 1e12, 3e12}
	base.Snap.Ranked[0].Values = []float64{0.5, 1.1, 2.4, 1.3}
	h.Base = engine.NewBaseline(base.Snap).Against(h.Snap)
	var all strings.Builder
	draw := func(what string, w, rows int, mono bool) {
		g := grid.New(w, rows)
		g.Mono = mono
		b := p.Draw(g.All(), h)
		all.WriteString("--- " + what + ": " + b.Title + "\n" + g.PlainText() + "\n")
	}
	draw("ratios", 70, 10, false)
	draw("mono, narrow cells", 18, 10, true)
	h.Absolute = true
	draw("numbers", 70, 10, false)
	h.Absolute = false
	act(t, p, h, "row-down")
	draw("a layer", 70, 10, false)
	act(t, p, h, "next-table")
	draw("parts", 70, 8, false)
	act(t, p, h, "next-table")
	draw("ranks", 70, 8, false)
	h.Base.Inaccurate = true
	draw("late", 70, 8, false)
	wide, late := host(4, 4), host(4, 4)
	late.Snap.Ranked[0].Values[2] = 9
	wide.Base = engine.NewBaseline(late.Snap).Against(wide.Snap)
	wide.Snap.Tallies = nil
	h = wide
	p = &Pane{}
	draw("ranks as a map", 60, 8, false)
	golden.Text(t, "baseline", all.String())
}
