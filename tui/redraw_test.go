package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/engine"
)

// A screen that redraws only changes shows the same as a screen that redraws everything, after any
// keys, clicks, snapshots and resizes.
func TestRedrawIsComplete(t *testing.T) {
	pressed := []string{"space", "left", "right", "up", "down", "enter", "esc", ":", "?", "f", "z", "p", "P",
		"1", "2", "3", "4", "5", "6", "7", "t", "M", "+", "-", "l", "c", ",", ".", "L", "i", "pgup", "pgdown", "tab",
		"m", "backspace", "8", "x", "w", "n", "r", "="}
	snaps := []*engine.Snapshot{demo(4, 4, 4), demo(4, 4, 8), demo(8, 2, 2), demo(64, 16, 16)}
	failed := demo(4, 4, 4)
	failed.Phase, failed.Failure = engine.Failed, deadlock
	paused := demo(4, 4, 2)
	paused.Phase = engine.Paused
	snaps = append(snaps, failed, paused, scheme(1, 8), scheme(2, 16))
	rapid.Check(t, func(t *rapid.T) {
		a := newApp()
		var kept screen
		w, h := 120, 40
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				a.load(snaps[rapid.IntRange(0, len(snaps)-1).Draw(t, "snapshot")])
			case 1:
				size := rapid.SampledFrom([][2]int{{120, 40}, {80, 24}, {20, 5}, {59, 15}, {140, 50}}).Draw(t, "size")
				w, h = size[0], size[1]
			case 2:
				if hit, ok := kept.hitAt(a, rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y")); ok {
					hit.press(a)
				}
			case 3:
				if len(a.out) > 0 {
					c := a.out[0]
					a.out = a.out[1:]
					var err error
					if rapid.Bool().Draw(t, "refused") {
						err = fmt.Errorf("%s = %s cannot be", c.Knob, c.Value)
					}
					a.Panel.HandleResult(c, err)
				}
			default:
				keys(a, rapid.SampledFrom(pressed).Draw(t, "key"))
			}
			a.quit = false
			got := kept.draw(a, w, h).StyledText()
			var fresh screen
			if diff := cmp.Diff(fresh.draw(a, w, h).StyledText(), got); diff != "" {
				t.Fatalf("a pane was not drawn again (− anew, + kept):\n%s", diff)
			}
		}
	})
}

// TestUndoBeforeTheFirstSnapshot: an undo before the first snapshot has no notice.
func TestUndoBeforeTheFirstSnapshot(t *testing.T) {
	a := newApp()
	a.restoreChange(engine.Undo)
	a.load(demo(4, 4, 4))
	if a.notice != "" {
		t.Errorf("notice %q, want none", a.notice)
	}
}

// TestClicksOnAClosedOverlay clicks on an overlay that has closed since the last drawing, or has opened again. It also
// clicks on a screen on which an overlay has opened. No click has an effect.
func TestClicksOnAClosedOverlay(t *testing.T) {
	p, err := newProgram(running(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.w, p.h = 120, 40
	p.blurred = true // nothing is drawn before the clicks
	for i := range p.app.overlays {
		p.app.toggle(i)
		if p.app.over == nil {
			continue // it has nothing to show
		}
		p.draw()
		if len(p.screen.hits) == 0 {
			t.Errorf("overlay %d has no places for the mouse", i)
		}
		p.app.closeOverlay()
		for _, h := range p.screen.hits {
			p.Update(tea.MouseClickMsg{X: h.at.X, Y: h.at.Y, Button: tea.MouseLeft})
			if p.app.over != nil {
				t.Fatalf("a click on overlay %d at %+v opened an overlay", i, h.at)
			}
		}
		p.app.toggle(i)
		for y := range p.h {
			p.Update(tea.MouseClickMsg{X: p.w / 2, Y: y, Button: tea.MouseLeft})
		}
		if p.app.over != p.app.overlays[i] {
			t.Fatalf("a click closed overlay %d, which has opened again", i)
		}
		p.app.closeOverlay()
		p.draw()
		p.app.toggle(i)
		for _, h := range p.screen.hits {
			p.Update(tea.MouseClickMsg{X: h.at.X, Y: h.at.Y, Button: tea.MouseLeft})
			if p.app.over == nil {
				t.Fatalf("a click on the covered screen at %+v closed overlay %d", h.at, i)
			}
		}
		p.app.closeOverlay()
	}
}
