package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/state"
)

// Saved settings of one screen are the initial settings of the next. Unknown ones are reported.
func TestRestore(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, ":", "'theme mono", "enter", "M", "m", "m", ":", "'units decimal", "enter")
	a.setFocus(latencyPane)
	a.setFocus(timelinePane)
	a.zoomed = true
	kept := a.kept()
	b := newApp()
	if skipped := b.restore(kept); len(skipped) > 0 {
		t.Errorf("it skips %q", skipped)
	}
	b.load(demo(4, 4, 4))
	if b.Theme != a.Theme || !b.chosen || b.mouse || b.Units != grid.DecimalUnits || b.Markers != grid.Lines ||
		b.focus != timelinePane || !b.zoomed || b.last != a.last {
		t.Errorf("theme %s, mouse %v, markers %v, focus %d, zoomed %v, last %v", b.Theme.Name, b.mouse, b.Markers, b.focus,
			b.zoomed, b.last)
	}
	if d := cmp.Diff(kept, b.kept()); d != "" {
		t.Errorf("kept again it differs:\n%s", d)
	}
	c := newApp()
	skipped := c.restore(state.Kept{Theme: "pink", Units: "yards", Markers: "stars", Workloads: map[string]state.Workload{
		"demo-access": {Layout: &state.Layout{Focus: "moon", Panes: []string{"latency", "moon"}}},
	}})
	if d := cmp.Diff([]string{`unknown theme "pink": skipped`, `unknown units "yards": skipped`,
		`unknown markers "stars": skipped`}, skipped); d != "" {
		t.Error(d)
	}
	c.load(demo(4, 4, 4))
	if c.focus != latencyPane || c.zoomed {
		t.Errorf("the focus is on pane %d", c.focus+1)
	}
}

// Each workload keeps its own layout: after switching to another workload and back, the panes are
// the same.
func TestEachWorkloadKeepsItsLayout(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, "3")
	if !a.zoomed || a.focus != latencyPane {
		t.Fatal("3 does not zoom the latency")
	}
	a.load(scheme(1, 8))
	a.setFocus(epsilonPane)
	a.load(demo(4, 4, 4))
	if !a.zoomed || a.focus != latencyPane {
		t.Errorf("back again: zoomed %v, pane %d", a.zoomed, a.focus+1)
	}
	a.load(scheme(1, 8))
	if a.zoomed || a.focus != epsilonPane {
		t.Errorf("there again: zoomed %v, pane %d", a.zoomed, a.focus+1)
	}
}

// After a walk through workloads, the saved state restores the layout and the knobs of each of them
// in another screen.
func TestAWalkThroughWorkloadsIsKept(t *testing.T) {
	a := shownApp(demo(4, 4, 8))
	keys(a, "3")
	a.load(scheme(1, 8))
	a.setFocus(epsilonPane)
	kept := a.kept()

	b := newApp()
	if skipped := b.restore(kept); len(skipped) > 0 {
		t.Errorf("it skips %q", skipped)
	}
	b.load(scheme(1, 8))
	if b.zoomed != a.zoomed || b.focus != epsilonPane {
		t.Errorf("the workload that ran last: zoomed %v, pane %d", b.zoomed, b.focus+1)
	}
	b.load(demo(4, 4, 4))
	if !b.zoomed || b.focus != latencyPane {
		t.Errorf("the one before: zoomed %v, pane %d", b.zoomed, b.focus+1)
	}
	if got := kept.Workloads["demo-access"].Knobs["group"]; got != "8" {
		t.Errorf("the group of the first one is kept as %q", got)
	}
}

// The next screen does not start with a failed scenario.
func TestAFailedRunIsNotKept(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	bad := demo(4, 4, 8)
	bad.Phase = "failed"
	a.load(bad)
	if got := a.kept().Workloads[bad.Scenario.Workload].Knobs["group"]; got != "4" {
		t.Errorf("group %s is kept", got)
	}
}
