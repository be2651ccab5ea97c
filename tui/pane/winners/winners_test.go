package winners

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/collective"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// host returns a host of an exchange with predicted winners, and one cell in which two algorithms
// ran.
func host(t *testing.T) *pane.Host {
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
	for _, k := range [][2]string{{"collective", "exchange"}, {"nodes", "64"}, {"ranks-per-node", "1"}, {"size", "128"}} {
		if err := s.Set(k[0], k[1]); err != nil {
			t.Fatal(err)
		}
	}
	v := w.Studies[0].Slow(&s, &m, engine.Simulated)
	f := engine.DrawingIn[*collective.Map](&v)
	c := f.At(f.NowX, f.NowY)
	*c = collective.Winner{Best: 1, Model: c.Best, Time: 51e-6, Lead: 1.5, Kind: engine.Simulated}
	return &pane.Host{
		Snap:  &engine.Snapshot{Scenario: s, Layout: s.Layout(), Kind: engine.Simulated, Studies: []engine.StudyView{v}},
		Theme: grid.Themes()[0], Keys: func(a string) string { return a },
	}
}

func drawn(p *Pane, h *pane.Host, w, rows int) (string, pane.Border) {
	g := grid.New(w, rows)
	b := p.Draw(g.All(), h)
	return g.PlainText(), b
}

func TestWinnersLookLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "an exchange", nil, host(t).Snap)
	golden.Text(t, "no field",
		panetest.Draw(Spec.New(), panetest.Host(panetest.Demo(4, 4, 4)), panetest.Look{W: 49, H: 8}))
}

// TestAnAwaitedModelIsNamed tests that the pane names a cost model that is computed now.
func TestAnAwaitedModelIsNamed(t *testing.T) {
	h := host(t)
	f := *mapOf(h.Snap)
	f.Cells = slices.Repeat([]collective.Winner{{Best: -1, Model: -1, Kind: engine.Modelled}}, len(f.Cells))
	h.Snap.Studies[0].Draw(&f)
	if text, _ := drawn(&Pane{}, h, 80, 24); !strings.Contains(text, "128 B, 64 ranks: computing the cost model") {
		t.Error(text)
	}
}

// The cursor and a click select the cell that is described, until the pane follows the run again.
func TestCellsAreDescribed(t *testing.T) {
	h := host(t)
	p := &Pane{}
	if text, _ := drawn(p, h, 78, 30); !strings.Contains(text, "128 B, 64 ranks: flat") ||
		!strings.Contains(text, "model: bruck") {
		t.Errorf("the present cell is not described:\n%s", text)
	}
	act := func(name string) {
		for _, a := range p.Actions() {
			if a.Name == name && (a.Ready == nil || a.Ready(h)) {
				a.Do(h)
			}
		}
	}
	act("crosshair-left")
	act("row-up")
	if text, _ := drawn(p, h, 78, 30); !strings.Contains(text, "32 B, 128 ranks: bruck") {
		t.Errorf("the selected cell is not described:\n%s", text)
	}
	if !p.Click(h, p.area.X, p.area.Y) {
		t.Error("a click on the map does nothing")
	}
	if text, _ := drawn(p, h, 78, 30); !strings.Contains(text, "8 B, 128 ranks: bruck") {
		t.Errorf("the clicked cell is not described:\n%s", text)
	}
	act("follow")
	if p.selected {
		t.Error("a cell is still selected after follow")
	}
	for _, size := range [][2]int{{0, 0}, {1, 1}, {8, 3}, {11, 8}, {20, 40}, {300, 90}} {
		drawn(p, h, size[0], size[1])
	}
}
