package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Numbers count the panes with data, the home pane of each place first. They are in the titles and
// do not depend on the focus.
func TestDigitsNumberWhatIsShown(t *testing.T) {
	for what, c := range map[string]struct {
		snap *engine.Snapshot
		want []int
	}{
		"group sizes": {demo(4, 4, 4),
			[]int{topologyPane, bandwidthPane, latencyPane, localityPane, knobsPane, whyPane, timelinePane}},
		"schemes": {scheme(1, 8),
			[]int{topologyPane, bandwidthPane, latencyPane, epsilonPane, knobsPane, whyPane, timelinePane, explainPane, shapesPane}},
	} {
		for focus := range shownApp(c.snap).panes {
			a := shownApp(c.snap)
			a.setFocus(focus)
			if all, n := a.numbered(); !slices.Equal(all[:n], c.want) {
				t.Errorf("%s, focus on %d: %v, want %v", what, focus, all[:n], c.want)
			}
		}
		a := shownApp(c.snap)
		for i, p := range c.want {
			digit := fmt.Sprint(i + 1)
			keys(a, digit)
			var s screen
			text := s.draw(a, 80, 24).PlainText()
			if !a.zoomed || a.focus != p || !strings.Contains(text, "╭ "+digit+" "+a.specs[p].Title) {
				t.Errorf("%s: %s does not show pane %d:\n%s", what, digit, p, text)
			}
		}
		keys(a, "9") // the last digit
		if len(c.want) == 9 {
			continue
		}
		if a.focus != c.want[len(c.want)-1] || !strings.Contains(a.notice, "number") {
			t.Errorf("%s: 9 shows pane %d and says %q", what, a.focus, a.notice)
		}
	}
}

// The keys of panes cycle through the numbered panes.
func TestFocusGoesAround(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	all, n := a.numbered()
	var seen []int
	for range n {
		keys(a, "p")
		seen = append(seen, a.focus)
	}
	slices.Sort(seen)
	want := slices.Sorted(slices.Values(all[:n]))
	if !slices.Equal(seen, want) || a.focus != localityPane {
		t.Errorf("p goes over %v and ends at %d, want %v", seen, a.focus, want)
	}
	keys(a, "p", "P")
	if a.focus != localityPane {
		t.Errorf("p and P end at %d", a.focus)
	}
}

// A place keeps the pane that last had the focus there.
func TestPlacesKeepTheirPane(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, "7", "z", "2", "z")
	if p := arrange(120, 40, a); p.pane(timelinePane, a.specs).Empty() || !p.pane(localityPane, a.specs).Empty() {
		t.Errorf("beside the bandwidth the timeline is gone: %v", p.of)
	}
	keys(a, "4", "z", "2", "z")
	if p := arrange(120, 40, a); p.pane(localityPane, a.specs).Empty() {
		t.Errorf("beside the bandwidth the locality is gone: %v", p.of)
	}
}

// A large screen also shows the timeline next to the panes of the places. It keeps its position
// when it gets the focus.
func TestLargeScreensShowMorePanes(t *testing.T) {
	a := shownApp(recorded(4, 2, 4, 8, false))
	for _, c := range []struct{ w, h, shown int }{{120, 40, 6}, {159, 60, 6}, {200, 49, 6}, {200, 60, 7}, {300, 90, 7}} {
		p := arrange(c.w, c.h, a)
		if p.shown != c.shown || p.pane(timelinePane, a.specs).Empty() != (c.shown == 6) {
			t.Errorf("%d×%d: %d panes, the timeline at %v", c.w, c.h, p.shown, p.pane(timelinePane, a.specs))
		}
		checkPlaces(t, p, a, c.w, c.h)
	}
	before := arrange(200, 60, a)
	keys(a, "7", "z")
	if p := arrange(200, 60, a); p.at != before.at || p.extra != before.extra {
		t.Errorf("with the focus on the timeline panes stand at %v %v, before it at %v %v", p.at, p.extra, before.at,
			before.extra)
	}
	if p := arrange(200, 60, shownApp(demo(4, 4, 4))); p.shown != 6 {
		t.Errorf("a timeline that is off has a place: %d panes", p.shown)
	}
}

// TestFocusFollowsTheWorkload starts a workload with its main pane. A pane that the user named before keeps the focus.
func TestFocusFollowsTheWorkload(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	keys(a, "3")
	if a.load(scheme(1, 8)); a.focus != epsilonPane || a.zoomed {
		t.Errorf("the focus is on %d, zoomed %v", a.focus, a.zoomed)
	}
	a = newApp()
	if err := a.openPane("overlap"); err != nil {
		t.Fatal(err)
	}
	if a.load(demo(4, 4, 4)); a.focus != epsilonPane {
		t.Errorf("the pane that was asked for has gone: the focus is on %d", a.focus)
	}
}

// A scenario starts with the knob that it changes first selected, now or when its workload starts.
// The next workload selects its own knob.
func TestScenariosBeginOnTheirKnob(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	if err := a.loadScenario("bh-cache"); err != nil {
		t.Fatal(err)
	}
	sc, err := session.Scenario("barneshut")
	if err != nil {
		t.Fatal(err)
	}
	bodies := demo(4, 4, 4)
	bodies.Scenario = sc
	if a.load(bodies); a.Panel.Selected != "cache" {
		t.Errorf("%s is selected", a.Panel.Selected)
	}
	if err := a.loadScenario("bh-paper1"); err != nil || a.Panel.Selected != "model" {
		t.Errorf("%s is selected, %v", a.Panel.Selected, err)
	}
	if a.load(demo(4, 4, 4)); a.Panel.Selected != "group" {
		t.Errorf("%s is selected by another workload", a.Panel.Selected)
	}
}

// A workload starts with its most important knob selected, not with a knob without effect. A knob
// without effect is dimmed and shows the reason when selected.
func TestKnobsWithoutEffect(t *testing.T) {
	s := demo(4, 4, 4)
	s.Scenario.Values["model"] = "flat"
	a := shownApp(s)
	if a.Panel.Selected != "n" {
		t.Errorf("under model = flat %s is selected", a.Panel.Selected)
	}
	a.Panel.Select("group")
	text := func() string {
		var sc screen
		return sc.draw(a, 160, 50).PlainText()
	}
	if got := text(); !strings.Contains(got, "no effect: model = flat") {
		t.Errorf("the reason is not told:\n%s", got)
	}
	a.load(demo(4, 4, 4))
	if got := text(); strings.Contains(got, "no effect: ") {
		t.Errorf("group is said to have no effect:\n%s", got)
	}
	var named []string
	for _, w := range workload.All() {
		for _, name := range w.Panes {
			if a.paneOf(name) < 0 && name != "waits" {
				t.Errorf("%s wants the pane %s, which there is not", w.Name, name)
			}
			named = append(named, name)
		}
		if k := w.First; k != "" {
			sc := w.Scenario([]string{"demo"})
			if _, err := sc.Knob(k); err != nil {
				t.Error(err)
			} else if why := workload.Idle(&sc, engine.Emulated, k); why != "" && w.Name != "demo-product" {
				t.Errorf("%s begins with %s, though %s", w.Name, k, why)
			}
		}
	}
	if len(named) == 0 {
		t.Error("no workload names a pane")
	}
}
