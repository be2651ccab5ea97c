package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// TestEachWorkloadHasItsLayout presses w, which goes through all workloads and back to the first. Each starts with its own layout: the
// main pane shows the workload's own study, has the focus, and from 120×40 on half of the width. No
// pane without data has a place. The screen returns to a layout that the user chose.
func TestEachWorkloadHasItsLayout(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	names := runs.Workloads()
	a := shownApp(runs.Last(names[0]).On(t, "demo"))
	titles := map[string]string{}
	for i, name := range names {
		a.checkMainPane(t, name)
		var sc screen
		sc.draw(a, 120, 40)
		title := sc.drawn[a.focus].title.text
		if other := titles[title]; other != "" {
			t.Errorf("%s shows %q, as %s does", name, title, other)
		}
		titles[title] = name
		a.setFocus(whyPane)
		if i%2 == 1 {
			a.zoomed = true
		}
		next := names[(i+1)%len(names)]
		if got := pressW(a); got != next {
			t.Fatalf("after %s, w runs %s, want %s", name, got, next)
		}
		a.load(runs.Last(next).On(t, "demo"))
	}
	for i, name := range names {
		a.load(runs.Last(name).On(t, "demo"))
		if a.focus != whyPane || a.zoomed != (i%2 == 1) {
			t.Errorf("back in %s, pane %d has the focus, zoomed %v", name, a.focus+1, a.zoomed)
		}
	}
}

// pressW presses w and returns the workload that it runs. It skips the workloads of tests.
func pressW(a *app) string {
	for {
		a.out = nil
		keys(a, "w")
		next := a.out[0].Value
		if !strings.HasPrefix(next, "demo-") {
			return next
		}
		s := demo(4, 4, 4)
		s.Scenario.Workload = next
		a.load(s)
	}
}

// checkMainPane checks a workload's first layout.
func (a *app) checkMainPane(t *testing.T, name string) {
	t.Helper()
	if a.specs[a.focus].Place != pane.Workload || a.zoomed {
		t.Errorf("%s starts with the focus on %s, zoomed %v", name, a.specs[a.focus].Name, a.zoomed)
	}
	hasTimes := slices.ContainsFunc(workload.Panes(name), func(p string) bool {
		return a.paneOf(p) >= 0 && a.specs[a.paneOf(p)].Place == pane.Times
	})
	if hasTimes != a.occupied(pane.Times) {
		t.Errorf("%s names a pane for times: %v; it has data for one: %v", name, hasTimes, a.occupied(pane.Times))
	}
	for _, size := range sizes(120, 40, 160, 50, 200, 60, 300, 90) {
		w, h := size[0], size[1]
		at := arrange(w, h, a)
		if main := at.pane(a.focus, a.specs); 2*main.W < w {
			t.Errorf("%s, %d×%d: the main pane has %d columns", name, w, h, main.W)
		}
		checkPlaces(t, at, a, w, h)
		for p := range a.specs {
			if !at.pane(p, a.specs).Empty() && a.specs[p].Now != nil && !a.specs[p].Now(a.Snap) {
				t.Errorf("%s, %d×%d: %s is empty", name, w, h, a.specs[p].Name)
			}
		}
	}
}
