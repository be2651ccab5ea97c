package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

func TestStudiesLookLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "group sizes", panetest.Slower(panetest.Demo(4, 4, 4), 1.6), panetest.Demo(4, 4, 8))
	for _, spec := range []*pane.Spec{&Spec, &Overlap, &Convergence, &Steps} {
		l := panetest.Look{W: 76, H: 19, Alone: true}
		if !testing.Short() {
			runs.Looks(t, spec, runs.Of, l, false)
			runs.Looks(t, spec, runs.Of, l, true)
		}
		golden.Text(t, spec.Name+": no such study",
			panetest.Draw(spec.New(), panetest.Host(&engine.Snapshot{Layout: panetest.Demo(4, 4, 4).Layout}),
				panetest.Look{W: 49, H: 15}))
	}
	if !testing.Short() {
		runs.Looks(t, &Spec, runs.Of, panetest.Look{W: 49, H: 15}, false)
		runs.Looks(t, &Spec, runs.Of, panetest.Look{W: 116, H: 35, Alone: true}, false)
	}
}

// TestSeriesWithoutColour draws charts of several series without colour. Each series has its own symbol.
func TestSeriesWithoutColour(t *testing.T) {
	for _, workload := range []string{"pingpong", "heat", "beff"} {
		s := runs.Of(workload).On(t, "demo")
		for _, ascii := range []bool{false, true} {
			golden.Text(t, fmt.Sprintf("no colour: %s, ascii %t", workload, ascii),
				panetest.Draw(Spec.New(), panetest.Host(s), panetest.Look{W: 76, H: 19, Alone: true, Theme: "mono", ASCII: ascii}))
		}
	}
	other := *runs.Of("pingpong").On(t, "demo")
	other.Kind = engine.Emulated
	golden.Text(t, "no colour: another kind", panetest.Draw(Spec.New(), panetest.Host(&other), panetest.Look{W: 116, H: 35, Alone: true, Theme: "mono"}))
}

// The links of a torus carry the exchanges of an FFT and a broadcast.
func TestLinksOfATorusLookLikeThis(t *testing.T) {
	for _, r := range []runs.Run{
		{Workload: "fft",
			Knobs: map[string]string{"class": "own", "nx": "32", "ny": "32", "nz": "32", "rows": "4", "nodes": "32",
				"ranks-per-node": "1"}},
		{Workload: "collective", Knobs: map[string]string{"nodes": "32", "ranks-per-node": "1"}},
	} {
		s := r.On(t, "xt4-franklin")
		for _, l := range []panetest.Look{{W: 76, H: 19, Alone: true}, {W: 116, H: 35, Alone: true}} {
			golden.Text(t, fmt.Sprintf("links: %s on a torus, %d×%d", r.Workload, l.W, l.H),
				panetest.Draw(Links.New(), panetest.Host(s), l))
		}
	}
}

// TestAPredictionIsOnTheChart draws a student's prediction next to the result: on a curve, whose range it extends, on bars, and not on
// charts of other metrics.
func TestAPredictionIsOnTheChart(t *testing.T) {
	for _, c := range []struct {
		name      string
		spec      *pane.Spec
		s         *engine.Snapshot
		predicted pane.Prediction
	}{
		{"a share", &Spec, panetest.Demo(4, 4, 8), pane.Prediction{Metric: "node_local_share", Value: 0.75}},
		{"above the range", &Spec, panetest.Demo(4, 4, 8), pane.Prediction{Metric: "node_local_share", Value: 1.5}},
		{"another metric", &Spec, panetest.Demo(4, 4, 8), pane.Prediction{Metric: "access_time_mean", Value: 1}},
		{"a bar", &Spec, runs.Last("multigrid").On(t, "demo"), pane.Prediction{Metric: "solve_time", Value: 0.003}},
	} {
		h := panetest.Host(c.s)
		h.Predicted = &c.predicted
		golden.Text(t, "prediction: "+c.name, panetest.Draw(c.spec.New(), h, panetest.Look{W: 76, H: 19, Alone: true}))
	}
}

// TestTriesLookLikeThis draws the algorithms that a run has tried online, and its choice.
func TestTriesLookLikeThis(t *testing.T) {
	for _, workload := range []string{"collective", "cholesky"} {
		r := runs.Run{Workload: workload, Knobs: map[string]string{"algorithm": "online"}, Iterations: 20}
		golden.Text(t, "tries: "+workload, panetest.Draw(Tries.New(), panetest.Host(r.On(t, "ranger")), panetest.Look{W: 76, H: 19, Alone: true}))
	}
}

// The study of ε is drawn for other numbers of threads and nodes, without a scheme, and before
// there is anything to compare.
func TestOverlapLooksLikeThis(t *testing.T) {
	masteronly := panetest.Scheme(1, 8, panetest.Masteronly)
	panetest.Looks(t, &Overlap, "one reserved thread of 8", masteronly, panetest.Scheme(1, 8))
	l := panetest.Look{W: 76, H: 19, Alone: true}
	failed := panetest.FirstScheme(1, 8, func(s *engine.Snapshot) {
		s.Metrics = nil
		s.Phase = engine.Failed
		s.Failure = panetest.DeadlockFailure
	})
	for _, c := range []struct {
		name string
		s    *engine.Snapshot
	}{
		{"2 reserved threads of 16", panetest.Scheme(2, 16)},
		{"masteronly", masteronly},
		{"starting", panetest.FirstScheme(1, 8, panetest.Starting)},
		{"one thread", panetest.FirstScheme(1, 8, panetest.Knob("threads-per-rank", "1"))},
		{"all threads reserved",
			panetest.FirstScheme(1, 8, panetest.Knob("reserved", "4"), panetest.Knob("threads-per-rank", "4"))},
		{"failed", failed},
	} {
		golden.Text(t, "overlap: "+c.name, panetest.Draw(Overlap.New(), panetest.Host(c.s), l))
	}
	same := panetest.Scheme(1, 8, func(s *engine.Snapshot) { panetest.Knob("nodes", "8")(s); s.Metrics[3].Value *= 0.9 })
	golden.Text(t, "overlap: next to a baseline of the same table",
		panetest.Draw(Overlap.New(), panetest.NextTo(same, panetest.Scheme(1, 8)), l))
	golden.Text(t, "overlap: next to a baseline of another table",
		panetest.Draw(Overlap.New(), panetest.NextTo(panetest.Scheme(1, 4), panetest.Scheme(1, 8)), l))
}

// The present point is at its f_comm and n_k and at its ε. The predicted ε is at the same f_comm.
// Both move with the run.
func TestThePointMoves(t *testing.T) {
	th := grid.Themes()[0]
	p := Overlap.New().(*Pane)
	seen := map[[2]int]bool{}
	for _, planes := range []string{"2", "8", "32"} {
		snap := panetest.Scheme(1, 8)
		v := &snap.Studies[0]
		for i, r := range v.Rows {
			if r.Label == "multiple, m = 1" && r.Kind == engine.Simulated && r.Cells[study.EpsilonPlanes] ==
				map[string]float64{"2": 2, "8": 8, "32": 32}[planes] {
				v.Now = i
			}
		}
		panetest.Schemes.Complete(v, snap)
		g := grid.New(116, 36)
		p.Draw(g.All(), &pane.Host{Snap: snap, Theme: th, Alone: true, Keys: func(a string) string { return a }})
		at := v.Present().Cells
		for n, x := range []float64{at[study.EpsilonComm], at[study.EpsilonPlanes]} {
			left := n * 59
			col, row, ok := p.charts[n].line.Locate(x, at[study.EpsilonValue])
			if !ok {
				t.Fatalf("chart %d: the point is outside", n)
			}
			if cell := g.At(left+col, 3+row); cell.Rune != '◆' || cell.Fg != th.Focus.Fg {
				t.Errorf("n_k = %s, chart %d: %q is at the present point, want ◆\n%s", planes, n, cell.Rune, g.PlainText())
			}
			if n == 0 {
				seen[[2]int{col, row}] = true
				mc, mr, _ := p.charts[n].line.Locate(x, at[study.EpsilonModel])
				if r := g.At(mc, 3+mr).Rune; r != '◇' && [2]int{mc, mr} != [2]int{col, row} {
					t.Errorf("n_k = %s: %q is at the predicted ε, want ◇", planes, r)
				}
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("three n_k have %d positions, want 3", len(seen))
	}
}

// The names of rows are complete if there is room, next to the same number of charts as short
// names. Otherwise they leave room for the numbers.
func TestNamesOfRowsAreComplete(t *testing.T) {
	const name = "two-sided, direct, 1000³, 16×6"
	snap := panetest.Demo(4, 4, 4)
	v := &snap.Studies[0]
	last := v.Columns[len(v.Columns)-1].Title
	short := v.Rows[v.Now].Label
	count := func(cols, rows int, what string) int {
		g := grid.New(cols, rows)
		Spec.New().(*Pane).Draw(g.All(),
			&pane.Host{Snap: snap, Theme: grid.Themes()[0], Keys: func(a string) string { return a }})
		return strings.Count(g.PlainText(), what)
	}
	for _, c := range []struct {
		cols, rows int
		whole      bool
	}{{240, 16, true}, {110, 36, true}, {84, 16, false}, {60, 36, false}} {
		v.Rows[v.Now].Label = short
		axes := count(c.cols, c.rows, "└")
		v.Rows[v.Now].Label = name
		if whole := count(c.cols, c.rows, name) > 0; whole != c.whole {
			t.Errorf("%d×%d: the name is complete: %v, want %v", c.cols, c.rows, whole, c.whole)
		}
		if n := count(c.cols, c.rows, "└"); n != axes {
			t.Errorf("%d×%d: %d charts, but %d with a short name", c.cols, c.rows, n, axes)
		}
		if c.whole && count(c.cols, c.rows, last) == 0 {
			t.Errorf("%d×%d: no column %q", c.cols, c.rows, last)
		}
	}
}

// A published total does not have a bar of parts.
func TestTotalsHaveNoBarOfParts(t *testing.T) {
	s := &engine.StudyView{
		Form: engine.Form{Columns: []engine.Column{{Name: "move", Legend: "move", Unit: "s"},
			{Name: "sync", Legend: "sync", Unit: "s"}},
			Charts: []engine.Chart{{Shape: engine.Stack, Y: []int{0, 1}}}},
		Rows: []engine.Row{{Label: "bulk, paper", Cells: []float64{math.NaN(), math.NaN()}},
			{Label: "bulk", Cells: []float64{3e-3, math.NaN()}}},
		Now: 1,
	}
	g := grid.New(60, 8)
	c := chart{baseline: &baseline{}}
	c.draw(g.All(), s, 0,
		&pane.Host{Snap: &engine.Snapshot{}, Theme: grid.Themes()[0], Keys: func(a string) string { return a }})
	if text := g.PlainText(); strings.Contains(text, "paper") || !strings.Contains(text, "bulk █") {
		t.Errorf("want a bar for the parts and none for the total:\n%s", text)
	}
}

// A table that does not fit scrolls, and symbols show that there are more rows. If another row
// becomes the present one, the table shows that row.
func TestALongTableScrolls(t *testing.T) {
	var c scroll
	for _, tt := range []struct{ by, now, n, rows, want int }{
		{0, 0, 3, 5, 0}, {4, 0, 3, 5, 0}, // all rows fit
		{0, 20, 40, 10, 15}, {4, 20, 40, 10, 19}, {400, 20, 40, 10, 30}, {-4, 20, 40, 10, 26}, {-400, 20, 40, 10, 0},
		{0, 21, 40, 10, 16}, // another row is present
	} {
		c.by += tt.by
		if got := c.top(tt.now, tt.n, tt.rows); got != tt.want {
			t.Errorf("%d rows from %d of %d, scrolled by %d: the first is %d, want %d", tt.rows, tt.now, tt.n, tt.by, got,
				tt.want)
		}
	}
}

// If names of bars do not fit, only the parts that all names share are dropped. A single bar keeps
// its name.
func TestNamesOfBarsKeepDifferences(t *testing.T) {
	for _, c := range []struct {
		cols        int
		names, want []string
	}{
		{12, []string{"64, blocking, knomial, 4 cores", "64, 1 ahead, 1 slice, knomial, 4 cores"},
			[]string{"blocking", "1 ahead, 1 slice"}},
		{40, []string{"64, blocking", "64, 1 ahead"}, []string{"64, blocking", "64, 1 ahead"}},
		{4, []string{"64, blocking"}, []string{"64, blocking"}},
		{4, []string{"4×4, column", "4×4, column, lookahead"}, []string{"column", "column, lookahead"}},
		{4, []string{"natural", "natural, paper"}, []string{"natural", "natural, paper"}},
		{4, []string{"put, a", "puts, a"}, []string{"put", "puts"}},
		{4, nil, nil},
	} {
		got := slices.Clone(c.names)
		if dropShared(got, c.cols); !slices.Equal(got, c.want) {
			t.Errorf("%q on %d columns: %q, want %q", c.names, c.cols, got, c.want)
		}
	}
}

// TestValuesWithoutARunAreOutlines draws the modelled rows of a study. A row disappears when its run is in the
// study, and no row is drawn in the chart of another column.
func TestValuesWithoutARunAreOutlines(t *testing.T) {
	s := &engine.Snapshot{Scenario: engine.Scenario{Workload: "w"}, Layout: cluster.Layout{Nodes: 1}, Studies: []engine.StudyView{{
		Form: engine.Form{Title: "Senders", Metric: "time",
			Columns: []engine.Column{{Name: "time", Unit: "s", Legend: "time"}, {Name: "wait", Unit: "s", Legend: "wait"}},
			Charts:  []engine.Chart{{Shape: engine.Bars, Y: []int{0}}}},
		Rows:  []engine.Row{{Key: "1", Label: "1 sender", Kind: engine.Simulated, Cells: []float64{8e-6, 4e-6}}},
		Plots: []engine.Plot{{Title: "time of an exchange"}},
	}}}
	h := panetest.Host(s)
	h.Forecasts = &pane.Forecasts{Workload: "w", Rows: []engine.Row{{Key: "1", Label: "senders 1", Cells: []float64{7e-6, math.NaN()}},
		{Key: "2", Label: "senders 2", Cells: []float64{4e-6, math.NaN()}}}}
	draw := func(rows int) string {
		return panetest.Draw(Spec.New(), h, panetest.Look{W: 60, H: rows})
	}
	golden.Text(t, "outlines, bars", draw(9))
	if text := draw(30); strings.Count(text, "┌") != 1 {
		t.Errorf("want one box for the value without a run:\n%s", text)
	}
	s.Studies[0].Charts[0] = engine.Chart{Shape: engine.Stack, Y: []int{0, 1}}
	golden.Text(t, "outlines, stack", draw(9))
	s.Studies[0].Charts[0] = engine.Chart{Shape: engine.Bars, Y: []int{1}}
	if text := draw(9); strings.Contains(text, "senders") {
		t.Errorf("an outline in the chart of another column:\n%s", text)
	}
	s.Studies[0].Rows[0].Key = "2"
	s.Studies[0].Charts[0].Y[0] = 0
	if text := draw(9); strings.Contains(text, "senders 2") || !strings.Contains(text, "senders 1") {
		t.Errorf("want an outline for senders 1 and none for senders 2, which has run:\n%s", text)
	}
	h.Forecasts.Workload = "v"
	if text := draw(9); strings.Contains(text, "├") {
		t.Errorf("an outline of another workload:\n%s", text)
	}
}
