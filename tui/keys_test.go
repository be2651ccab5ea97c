package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	overlayreg "github.com/hybridtop/hybridtop/tui/overlay/all"
	"github.com/hybridtop/hybridtop/tui/pane"
	panereg "github.com/hybridtop/hybridtop/tui/pane/all"
)

// A key has one meaning in a mode. This covers the keys of all panes and overlays together.
func TestAKeyHasOneMeaningInAMode(t *testing.T) {
	seen := map[[2]string]string{}
	for i := range keyTable {
		b := &keyTable[i]
		for _, k := range b.Keys {
			if other, twice := seen[[2]string{b.mode, k}]; twice {
				t.Errorf("%s: %q is both %s and %s", b.mode, k, other, b.Name)
			}
			seen[[2]string{b.mode, k}] = b.Name
		}
	}
}

func TestEveryKeyReachesItsAction(t *testing.T) {
	for i := range keyTable {
		b := &keyTable[i]
		if len(b.Keys) == 0 && b.keysNow == nil {
			t.Errorf("%s %s: has no key", b.Name, b.mode)
		}
		for _, k := range b.Keys {
			if got := find([]string{b.mode}, k); got != b {
				t.Errorf("%s: %q reaches %v, want %s", b.mode, k, got, b.Name)
			}
		}
		if b.do == nil || b.Doc == "" || b.Name == "" || strings.HasSuffix(b.Doc, ".") {
			t.Errorf("%s %s: needs an action, a name, and a line of help without a full stop", b.Name, b.mode)
		}
		if b.Other != "" && named(b.mode, b.Other) == nil {
			t.Errorf("%s %s: there is no %s opposite to it", b.Name, b.mode, b.Other)
		}
	}
}

// Letters keep their meaning unless they are typed.
func TestLettersAreNeverRepurposed(t *testing.T) {
	for i := range keyTable {
		b := &keyTable[i]
		for _, k := range b.Keys {
			if len(k) == 1 && b.mode != overlay.OnScreen && k != "?" {
				t.Errorf("%q means %s %s: letters belong to the screen", k, b.Name, b.mode)
			}
		}
	}
	a := shownApp(demo(4, 4, 4))
	keys(a, "L")
	if on := []string{overlay.OnScreen}; find(a.modes(), "q") != find(on, "q") ||
		find(a.modes(), "space") != find(on, "space") {
		t.Error("a page takes keys of the screen away")
	}
}

func TestCtrlCQuitsInEveryMode(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	for i := range len(a.overlays) + 1 {
		if a.closeOverlay(); i > 0 {
			a.toggle(i - 1)
		}
		if keys(a, "ctrl+c"); !a.quit {
			t.Errorf("%v: ctrl+c does not quit", a.modes())
		}
		a.quit = false
	}
}

// Every overlay opens with its key and closes with esc, and its mode is active in between.
func TestOverlaysOpenAndClose(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for i := range keyTable {
		b := &keyTable[i]
		for n := range overlayreg.Overlays {
			a := shownApp(demo(4, 4, 4))
			o := a.overlays[n]
			a.course = course{player: taught(), shown: true} // at a question
			if b.mode != overlay.OnScreen || b.Name != overlayreg.Overlays[n].Open.Name {
				continue
			}
			keys(a, b.Keys[0])
			if a.over != o || a.modes()[0] != overlayreg.Overlays[n].Mode {
				t.Errorf("%s does not open", b.Name)
			}
			if keys(a, "esc"); a.over != nil {
				t.Errorf("esc does not close %s", b.Name)
			}
			if len(a.out) > 0 {
				t.Errorf("opening and closing %s sends %v", b.Name, a.out)
			}
		}
	}
}

func TestHelpListsEveryAction(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	a := newApp()
	for i := range keyTable {
		b := &keyTable[i]
		found := overlay.Rank(a.lines(), b.Name+" "+b.Doc, func(l overlay.Line) string {
			return l.Name + " " + l.Keys + " " + l.Doc + " " + l.Mode
		})
		mode := b.mode
		if b.typing {
			mode = "while you type"
		}
		if !slices.ContainsFunc(found, func(l overlay.Line) bool { return l.Name == b.Name && l.Mode == mode }) {
			t.Errorf("help does not find %s by its name and words", b.Name)
		}
	}
}

// Names of actions are unique in each mode.
func TestNamesInAModeAreUnique(t *testing.T) {
	seen := map[[2]string]bool{}
	for i := range keyTable {
		b := &keyTable[i]
		if seen[[2]string{b.mode, b.Name}] {
			t.Errorf("%s stands twice %s", b.Name, b.mode)
		}
		seen[[2]string{b.mode, b.Name}] = true
	}
}

// paneKeys returns the generic actions and the actions of panes.
func paneKeys() (all []*binding) {
	for _, b := range paneActions() {
		all = append(all, named(overlay.OnScreen, b.Name))
	}
	return all
}

// alone returns the demo with only one pane on the screen.
func alone(p int) *app {
	a := shownApp(recorded(4, 2, 2, 8, false))
	a.w = 120
	a.h = 40
	a.focus = p
	a.zoomed = true
	var s screen
	s.draw(a, a.w, a.h)
	return a
}

// looks returns the text of every pane except one.
func looks(a *app, but int) []string {
	all := make([]string, len(a.panes))
	for p, x := range a.panes {
		if p != but {
			g := grid.New(90, 30)
			for x.Draw(g.All(), &a.Host).Incomplete {
			}
			all[p] = g.PlainText()
		}
	}
	return all
}

// Keys do not change hidden panes.
func TestNoKeyChangesAHiddenPane(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for focus := range panereg.Panes {
		for _, b := range paneKeys() {
			if b.Run {
				continue // it acts on the run
			}
			a := alone(focus)
			a.Markers = grid.Blocks
			before, acted := looks(a, focus), slices.Clone(a.actionCounts)
			keys(a, b.Keys[0])
			a.Markers = grid.Blocks  // they apply to all curves
			a.Pick = pane.Pick{}     // it applies to all panes
			a.Moment = pane.Moment{} // and the moment of crosshairs
			a.Window = pane.Window{} // and the window of time
			a.Explained = nil        // and the explanation
			a.zoomed = true          // esc leaves zoom
			after := looks(a, focus)
			if len(a.out) > 0 { // a knob has changed, and its pane shows it
				after[knobsPane] = before[knobsPane]
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("with pane %d alone, %s changes another one:\n%s", focus+1, b.Name, diff)
			}
			for p := range a.panes {
				if p != focus && a.actionCounts[p] != acted[p] {
					t.Errorf("with pane %d alone, %s acts on pane %d", focus+1, b.Name, p+1)
				}
			}
		}
	}
}

// A page covers the panes, so keys do not act on them.
func TestNoKeyChangesACoveredPane(t *testing.T) {
	for _, b := range paneKeys() {
		a := alone(bandwidthPane)
		keys(a, "L", b.Keys[0])
		if slices.Max(a.actionCounts) > 0 && !b.Run {
			t.Errorf("%s acts on a pane below a page", b.Name)
		}
	}
}

// The key and the name of every action reach the focused pane.
func TestEveryActionOfAFocusedPaneIsReached(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for p := range panereg.Panes {
		shown := alone(p)
		for _, x := range shown.panes[p].Actions() {
			b := named(overlay.OnScreen, x.Name)
			if b == nil {
				t.Errorf("pane %d: %s has no line in the key table", p+1, x.Name)
				continue
			}
			if x.Ready != nil && !x.Ready(&shown.Host) { // nothing to leave or to scroll
				continue
			}
			for what, press := range map[string][]string{"key": {b.Keys[0]}, "name": {":", "'" + x.Name, "enter"}} {
				a := alone(p)
				if keys(a, press...); a.actionCounts[p] != 1 {
					t.Errorf("pane %d: the %s of %s acts %d times, want once", p+1, what, x.Name, a.actionCounts[p])
				}
			}
		}
	}
}

// TestGenericActionsAreAnswered checks that a key without a pane on the screen names the way to one. A pane or the screen
// supports every generic action.
func TestGenericActionsAreAnswered(t *testing.T) {
	a := alone(topologyPane)
	if keys(a, "c"); !strings.Contains(a.notice, "crosshair") {
		t.Errorf("c on the cluster says %q", a.notice)
	}
	a, _ = mapped(t)
	if keys(a, "d"); !strings.Contains(a.notice, "constant-up (press ") || !strings.HasSuffix(a.notice, " for Critical path)") {
		t.Errorf("d without its pane says %q", a.notice)
	}
	keys(a, strings.Fields(a.notice[strings.Index(a.notice, "press "):])[1], "d")
	if a.notice != "" || a.Explained == nil {
		t.Errorf("d on the critical path says %q", a.notice)
	}
	a = shownApp(demo(4, 4, 4)) // has no critical path
	if keys(a, "d"); !strings.HasSuffix(a.notice, "(use :zoom-explain)") {
		t.Errorf("d in a live run says %q", a.notice)
	}
	for _, g := range pane.Generic {
		answered := fallbacks[g.Name] != nil
		for _, p := range a.panes {
			answered = answered || slices.ContainsFunc(p.Actions(), func(x pane.Action) bool { return x.Name == g.Name })
		}
		if !answered {
			t.Errorf("nothing answers %s", g.Name)
		}
	}
}

// The focused pane has priority. Another visible pane handles the actions that it does not support.
func TestTheFocusedPaneAnswersFirst(t *testing.T) {
	a := shownApp(recorded(4, 2, 2, 8, false))
	a.w = 120
	a.h = 40
	a.focus = timelinePane
	keys(a, "c")
	if a.actionCounts[timelinePane] != 1 || a.actionCounts[bandwidthPane] != 0 {
		t.Errorf("c on the timeline acts on %v", a.actionCounts)
	}
	a.focus = latencyPane
	keys(a, "c")
	if a.actionCounts[bandwidthPane] != 1 {
		t.Errorf("c on the latency acts on %v", a.actionCounts)
	}
}
