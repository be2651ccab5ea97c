package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
)

// footer returns the last line of the screen.
func footer(a *app, w, h int) string {
	var s screen
	lines := strings.Split(strings.TrimRight(s.draw(a, w, h).PlainText(), "\n"), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// TestFooterOffersTheActionsOfTheState checks the last line of a session with a history, of a frozen screen, and of
// a recording, which refuses changes of the run.
func TestFooterOffersTheActionsOfTheState(t *testing.T) {
	history := func(time.Duration) (*engine.Snapshot, error) { return demo(4, 4, 4), nil }
	for _, c := range []struct {
		state, want string
		w           int
		set         func(*app)
	}{
		{"running", "space pause  ←→ change  ↑↓ knob  {} rewind  : command  ? help  q quit", 80, func(*app) {}},
		{"running", "space pause  ←→ change  ↑↓ knob  {} rewind  : command  enter type  z 1-7 zoom  f freeze  " +
			"M mouse on  ? help  q quit", 120, func(*app) {}},
		{"frozen", "{} 5 s  () marker  f unfreeze  space pause  ←→ change  ↑↓ knob  ? help  q quit", 80,
			func(a *app) { keys(a, "f") }},
		{"recording", "{} 5 s  () marker  _* speed  space pause  : command  ? help  q quit", 80,
			func(a *app) { a.past, a.replay = nil, &recording.Position{Playing: true} }},
		{"recording", "{} 5 s  () marker  _* speed  space pause  : command  z 1-7 zoom  f freeze  n step  p pane  t theme  +- time  " +
			"l log  m markers  c crosshair  L launch line  i ids  M mouse on  ? help  q quit", 200,
			func(a *app) { a.past, a.replay = nil, &recording.Position{Playing: true} }},
	} {
		a := shownApp(demo(4, 4, 4))
		a.past = history
		c.set(a)
		if got := footer(a, c.w, 40); got != c.want {
			t.Errorf("%s, %d columns:\n%s, want\n%s", c.state, c.w, got, c.want)
		}
	}
}

// TestUndoReportsItsEffect checks the notice after undo and redo. It waits for the snapshot with the changes.
func TestUndoReportsItsEffect(t *testing.T) {
	before, after := demo(4, 4, 4), demo(4, 4, 8)
	a := shownApp(after)
	keys(a, "u")
	if same := *after; !a.load(&same) || a.notice != "" {
		t.Errorf("before the session has applied it: %q", a.notice)
	}
	if a.load(before); a.notice != "undone: group 8→4" {
		t.Errorf("undo reports %q", a.notice)
	}
	if keys(a, "U"); a.notice != "" {
		t.Errorf("the next key keeps %q", a.notice)
	}
	if a.load(after); a.notice != "redone: group 4→8" {
		t.Errorf("redo reports %q", a.notice)
	}
	if a.load(before); a.notice != "redone: group 4→8" {
		t.Errorf("a later change reports %q", a.notice)
	}
}
