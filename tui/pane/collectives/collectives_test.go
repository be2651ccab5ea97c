package collectives

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/collective"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// snapshot returns a run of a collective on a machine with costs, one rank per node. The elapsed
// time is at.
func snapshot(t *testing.T, what, algorithm string, ranks int, at time.Duration) *engine.Snapshot {
	t.Helper()
	w, err := workload.Find("collective")
	if err != nil {
		t.Fatal(err)
	}
	m, err := presets.Machine("xt4-franklin")
	if err != nil {
		t.Fatal(err)
	}
	s := w.Scenario([]string{m.Name})
	for _, k := range [][2]string{{"collective", what}, {"algorithm", algorithm}, {"nodes", fmt.Sprint(ranks)},
		{"ranks-per-node", "1"}} {
		if err := s.Set(k[0], k[1]); err != nil {
			t.Fatal(err)
		}
	}
	v := w.Studies[0].Frame(&s, &m, engine.Simulated)
	return &engine.Snapshot{Scenario: s, Layout: s.Layout(), Kind: engine.Simulated, Phase: engine.Running, Elapsed: at,
		Studies: []engine.StudyView{v}}
}

func host(s *engine.Snapshot) *pane.Host {
	return &pane.Host{Snap: s, Theme: grid.Themes()[0], Keys: func(a string) string { return a }}
}

func drawn(p *Pane, h *pane.Host, w, rows int, ascii bool) (string, pane.Border) {
	g := grid.New(w, rows)
	g.ASCII = ascii
	b := p.Draw(g.All(), h)
	return g.PlainText(), b
}

// Each algorithm has its own shape: a tree, a chain, a star, a ring, doubling distances, or all
// messages at once.
func TestShapesOfCollectives(t *testing.T) {
	for _, c := range []struct{ what, algorithm string }{
		{"bcast", "knomial"}, {"bcast", "chain"}, {"bcast", "flat"}, {"bcast", "fork"}, {"reduce", "kary"},
		{"allgather", "ring"}, {"barrier", "dissemination"}, {"exchange", "flat"}, {"allreduce", "recursive-doubling"},
	} {
		t.Run(c.what+"-"+c.algorithm, func(t *testing.T) {
			all := ""
			for _, at := range []time.Duration{time.Second, 5 * time.Second} {
				text, b := drawn(&Pane{}, host(snapshot(t, c.what, c.algorithm, 16, at)), 50, 14, false)
				all += fmt.Sprintf("%s, %s, at %s:\n%s\n", b.Title, b.Right, at, text)
			}
			golden.Text(t, c.what+"-"+c.algorithm, all)
		})
	}
}

// If there is room, the course over time is next to the messages, or below them. A large team is
// folded.
func TestCollectivesLookLikeThis(t *testing.T) {
	s := snapshot(t, "bcast", "knomial", 16, time.Second)
	panetest.Looks(t, &Spec, "a broadcast", nil, s)
	golden.Text(t, "narrow and high", panetest.Draw(&Pane{}, panetest.Host(s), panetest.Look{W: 60, H: 34}))
	golden.Text(t, "folded",
		panetest.Draw(&Pane{}, panetest.Host(snapshot(t, "barrier", "dissemination", 256, 2*time.Second)),
			panetest.Look{W: 76, H: 19}))
}

// The animation can be held, moved from arrival to arrival, and released.
func TestAnimationIsHeld(t *testing.T) {
	h := host(snapshot(t, "bcast", "chain", 4, time.Second))
	p := &Pane{}
	act := func(name string) {
		for _, a := range p.Actions() {
			if a.Name == name && (a.Ready == nil || a.Ready(h)) {
				a.Do(h)
			}
		}
	}
	f := flowOf(h.Snap)
	drawn(p, h, 60, 12, false)
	act("crosshair-right")
	for range 9 {
		act("crosshair-right")
	}
	if at := p.clock(h, f); at != f.Hops[len(f.Hops)-1].Arrived {
		t.Errorf("held at %g, want the last arrival at %g", at, f.Hops[len(f.Hops)-1].Arrived)
	}
	act("crosshair-left")
	if at := p.clock(h, f); at != f.Hops[len(f.Hops)-2].Arrived {
		t.Errorf("held at %g, want the previous arrival at %g", at, f.Hops[len(f.Hops)-2].Arrived)
	}
	if text, _ := drawn(p, h, 60, 12, false); !strings.Contains(text, "2 arrived") {
		t.Errorf("after two of three arrivals:\n%s", text)
	}
	act("follow")
	if p.isHeld {
		t.Error("the animation is still held after follow")
	}
}

// Any team can be drawn in a view of any size.
func TestCollectivesFitAnyView(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 64, 100} {
		for _, c := range [][2]string{{"bcast", "knomial"}, {"bcast", "chain"}, {"allreduce", "ring"}, {"gather", "flat"},
			{"exchange", "flat"}, {"barrier", "tree"}} {
			h := host(snapshot(t, c[0], c[1], ranks, time.Second))
			p := &Pane{}
			for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 3}, {20, 9}, {37, 11}, {300, 5}, {12, 90}, {120, 40}} {
				drawn(p, h, size[0], size[1], size[0]%2 == 0)
			}
		}
	}
}

// The numbers of ranks on a circle are completely inside the pane, at every width.
func TestNumbersOnACircleAreInside(t *testing.T) {
	for _, ranks := range []int{8, 64, 128} {
		for cols := 12; cols < 90; cols++ {
			var p Pane
			label := len(strconv.Itoa(ranks - 1))
			p.placeInCircle(grid.New(cols, 30).All(), &collective.Flow{Ranks: ranks}, label)
			for r, s := range p.spots {
				if first := int(s.x+0.5) - (label-1)/2; first < 0 || first+label > cols {
					t.Errorf("%d ranks on %d columns: the number of rank %d begins in column %d", ranks, cols, r, first)
				}
			}
		}
	}
}
