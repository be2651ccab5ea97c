package shapes

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/shapes"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// looks are the sizes on screens of 80×24, 120×40 and 300×90, next to other panes and alone, and other terminals.
var looks = []panetest.Look{{W: 32, H: 8}, {W: 49, H: 15}, {W: 76, H: 19, Alone: true}, {W: 116, H: 35, Alone: true},
	{W: 296, H: 85, Alone: true}, {W: 76, H: 19, Alone: true, ASCII: true}, {W: 76, H: 19, Alone: true, Theme: "mono", Styles: true},
	{W: 76, H: 19, Alone: true, Theme: "light", Styles: true}}

// scenario returns a small simulation on two nodes of 16 cores.
func scenario(t *testing.T, workload string, knobs ...string) engine.Scenario {
	t.Helper()
	sc, err := session.Scenario(workload)
	if err != nil {
		t.Fatal(err)
	}
	knobs = append(knobs, "fabric", engine.Sim, "machine", "ranger", "nodes", "2")
	for i := 0; i < len(knobs); i += 2 {
		if err := sc.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// draw compares drawings of the pane with the golden file.
func draw(t *testing.T, what string, sc engine.Scenario, q *pane.Inquiry, all []panetest.Look) {
	t.Helper()
	kind := engine.Simulated
	if sc.Text("fabric") != engine.Sim {
		kind = engine.Measured
	}
	h := panetest.Host(&engine.Snapshot{Scenario: sc, Kind: kind})
	h.Inquiry = q
	for _, l := range all {
		text := panetest.Draw(Spec.New(), h, l)
		golden.Text(t, fmt.Sprintf("%s, %d×%d, ascii %t %s", what, l.W, l.H, l.ASCII, l.Theme), text)
		if i := strings.IndexFunc(strings.SplitN(text, "\n", 2)[1], func(r rune) bool { return r > '~' }); l.ASCII && i >= 0 {
			t.Errorf("%s is not in ASCII:\n%s", what, text)
		}
	}
}

// TestShapesLookLikeThis draws a comparison, one with a shape that cannot run, and the pane without an answer.
func TestShapesLookLikeThis(t *testing.T) {
	heat := scenario(t, "heat", "size", "24", "steps", "4")
	of := func(sc engine.Scenario) *pane.Inquiry {
		r, err := shapes.Compare(context.Background(), shapes.Request{Scenario: sc})
		if err != nil {
			t.Fatal(err)
		}
		return &pane.Inquiry{Pane: Spec.Name, Title: "Shapes", Scenario: sc, Shapes: r}
	}
	draw(t, "heat", heat, of(heat), looks)
	spmv := scenario(t, "spmv", "ni", "8", "nj", "8", "local-k", "8", "ranks-per-node", "1", "threads-per-rank", "4")
	draw(t, "a shape that cannot run", spmv, of(spmv), looks[:3])
	one := looks[:3]
	draw(t, "not asked", heat, nil, one)
	draw(t, "another question", heat, &pane.Inquiry{Pane: "explain"}, one[:1])
	draw(t, "simulating", heat, &pane.Inquiry{Pane: Spec.Name, Done: 3, Total: 10}, one)
	draw(t, "failed", heat, &pane.Inquiry{Pane: Spec.Name, Failure: "shapes: the file of machine demo has no number of cores per node (use another machine)"}, one)
	draw(t, "no threads", scenario(t, "dot"), nil, one)
	live := heat.Clone()
	if err := live.Set("fabric", "live"); err != nil {
		t.Fatal(err)
	}
	draw(t, "live", live, nil, one)
}
