package checkerboard

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/all" // gemm and cholesky
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// snapshot returns a run of a workload. The share is the completed part of an iteration.
func snapshot(t *testing.T, name string, share float64, knobs ...string) *engine.Snapshot {
	t.Helper()
	w, err := workload.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	s := w.Scenario([]string{"demo"})
	for i := 0; i < len(knobs); i += 2 {
		if err := s.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	l := s.Layout()
	v := w.Studies[0].Frame(&s, &cluster.Machine{}, engine.Simulated)
	return &engine.Snapshot{Scenario: s, Layout: l, Phase: engine.Running, Progress: engine.Progress{Share: share},
		Studies: []engine.StudyView{v}}
}

func TestCheckerboardLooksLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "a factorization", nil,
		snapshot(t, "cholesky", 0.7, "nodes", "12", "ranks-per-node", "1", "rows", "3", "n", "1000", "block", "100"))
}

// The panels follow the program's steps, or the keys. Ranks that have no work left are hatched.
func TestSteps(t *testing.T) {
	h := &pane.Host{Theme: grid.Themes()[0], Keys: func(a string) string { return a }}
	p := &Pane{}
	act := map[string]func(*pane.Host){}
	for _, a := range p.Actions() {
		act[a.Name] = a.Do
	}
	var all strings.Builder
	draw := func(what string, w, rows int, ascii bool) {
		g := grid.New(w, rows)
		g.ASCII, g.Mono = ascii, ascii
		b := p.Draw(g.All(), h)
		all.WriteString("--- " + what + ": " + b.Title + " · " + b.Right + "\n" + g.PlainText() + "\n")
	}
	product := []string{"nodes", "12", "ranks-per-node", "1", "rows", "3", "n", "1000", "block", "100", "ahead", "2"}
	h.Snap = snapshot(t, "gemm", 0.55, product...)
	draw("a product, half way", 44, 9, false)
	act["row-up"](h)
	draw("the next step", 44, 9, false)
	for range 9 {
		act["row-up"](h)
	}
	draw("the last", 30, 7, true)
	p = &Pane{}
	h.Snap = snapshot(t, "gemm", math.NaN(), append(product, "nodes", "4096", "rows", "64")...)
	draw("more ranks than there are cells", 20, 9, false)
	for _, share := range []float64{0, 0.7, 0.95} {
		h.Snap = snapshot(t, "cholesky", share, "nodes", "12", "ranks-per-node", "1", "rows", "3", "n", "1000", "block",
			"100")
		draw("a factorization", 44, 9, false)
		draw("the same on a large screen", 100, 27, false)
	}
	h.Snap = &engine.Snapshot{Layout: cluster.Layout{Nodes: 4, RanksPerNode: 4, Model: cluster.Flat},
		Scenario: engine.Scenario{Workload: "dot"}}
	draw("none", 60, 5, false)
	golden.Text(t, "steps", all.String())
}
