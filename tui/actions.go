package tui

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

var (
	stepCommand  = engine.Command{Verb: engine.Step}
	resetCommand = engine.Command{Verb: engine.Reset}
)

// ownActions are the actions of the screen itself; between these groups stand
// those of panes and overlays.
type ownActions struct{ turning, running, looking, choosing, leaving []binding }

func screenActions() ownActions {
	line := func(name, key, doc, hint string, do func(*app)) binding {
		return binding{Action: pane.Action{Name: name, Keys: []string{key}, Doc: doc, Hint: hint}, mode: overlay.OnScreen, do: do}
	}
	// pair is the second of two opposite actions, which has the hint for both.
	pair := func(b binding, other, both string) binding {
		b.Other, b.Both = other, both
		return b
	}
	// now is an action whose hint tells how things stand.
	now := func(b binding, is func(*app) bool, otherwise string) binding {
		b.word = func(a *app) string {
			if is(a) {
				return otherwise
			}
			return b.Hint
		}
		return b
	}
	and := func(b binding, key string) binding {
		b.Keys = append(b.Keys, key)
		return b
	}
	quit := func(a *app) { a.quit = true }
	anywhere := func(name, key, doc string, do func(*app)) binding {
		b := line(name, key, doc, "", do)
		b.mode = overlay.Everywhere
		return b
	}
	return ownActions{
		turning: []binding{
			now(line("pause", "space", "pause before the next iteration, or go on", "pause", (*app).togglePause),
				func(a *app) bool { return a.latest.Phase == engine.Paused }, "go on"),
			line("turn-down", "left", "turn the selected knob down", "", func(a *app) { a.Panel.Turn(-1) }),
			pair(line("turn-up", "right", "turn the selected knob up", "change", func(a *app) { a.Panel.Turn(+1) }), "turn-down", "←→"),
			and(line("previous-knob", "up", "select the knob above", "", func(a *app) { a.Panel.Move(-1) }), "shift+tab"),
			pair(and(line("next-knob", "down", "select the knob below", "knob", func(a *app) { a.Panel.Move(+1) }), "tab"), "previous-knob", "↑↓"),
			anywhere("quit", "ctrl+c", "quit", quit),
			anywhere("suspend", "ctrl+z", "suspend the program, as the shell's job; fg goes on", func(a *app) { a.suspend = true }),
		},
		running: []binding{
			line("quit", "q", "quit", "quit", quit),
			pair(now(line("zoom", "z", "show the focused pane alone, or all panes", "zoom", func(a *app) { a.zoomed = !a.zoomed }),
				func(a *app) bool { return a.zoomed }, "all panes"), "", "z 1-8"),
			line("step", "n", "run one iteration, then pause", "step", func(a *app) { a.do(stepCommand) }),
			now(line("freeze", "f", "freeze the screen; the run and its measurements go on", "freeze", (*app).toggleFreeze),
				func(a *app) bool { return a.frozen }, "thaw"),
		},
		looking: []binding{
			line("next-pane", "p", "focus the next pane", "pane", func(a *app) { a.focusPane(+1) }),
			line("previous-pane", "P", "focus the pane before", "", func(a *app) { a.focusPane(-1) }),
			now(line("mouse", "M", "let the mouse work here, or leave it to the terminal", "mouse off", func(a *app) { a.mouse = !a.mouse }),
				func(a *app) bool { return a.mouse }, "mouse on"),
			line("theme", "t", "use the next theme", "theme", (*app).nextTheme),
		},
		choosing: []binding{
			line("workload", "w", "run the next workload", "workload", (*app).nextWorkload),
		},
		leaving: []binding{
			line("reset", "r", "forget series, points and marks", "reset", func(a *app) { a.do(resetCommand) }),
		},
	}
}

// zooms are the actions that show a pane alone.
func zooms() (all []binding) {
	for p, name := range [panes]string{"cluster", "bandwidth", "latency", "locality", "knobs", "why", "overlap", "timeline"} {
		all = append(all, binding{
			Action: pane.Action{Name: "zoom-" + name, Keys: []string{string(rune('1' + p))}, Doc: "show " + paneDocs[p] + " alone, or all panes"},
			mode:   overlay.OnScreen, do: zoomTo(paneID(p)),
		})
	}
	return all
}

var paneDocs = [panes]string{"the cluster", "the bandwidth", "the latency", "the locality", "the knobs", "the reasons and metrics", "what overlapping communication gains (ε)", "what every thread does over time"}

func (a *app) togglePause() {
	verb := engine.Pause
	if a.latest.Phase == engine.Paused {
		verb = engine.Resume
	}
	a.do(engine.Command{Verb: verb})
}

func (a *app) toggleFreeze() {
	a.frozen = !a.frozen
	if !a.frozen {
		a.Snap = a.latest
	}
}

// zoomTo gives the action that shows a pane alone, and all panes if it is.
func zoomTo(p paneID) func(*app) {
	return func(a *app) {
		a.zoomed = !a.zoomed || a.focus != p
		a.focus = p
	}
}

func (a *app) focusPane(by int) {
	a.focus = paneID((int(a.focus) + by + int(panes)) % int(panes))
}

func (a *app) nextTheme() {
	all := grid.Themes()
	for i, th := range all {
		if th == a.Theme {
			a.Theme, a.chosen = all[(i+1)%len(all)], true
			a.notice = "theme " + a.Theme.Name
			return
		}
	}
}

func (a *app) nextWorkload() {
	all := workload.All()
	for i, w := range all {
		if w.Name == a.latest.Scenario.Workload {
			a.command("workload", all[(i+1)%len(all)].Name)
			return
		}
	}
	if len(all) > 0 {
		a.command("workload", all[0].Name)
	}
}

// unanswered is what generic actions do where no pane answers them.
var unanswered = map[string]func(*app){"back": (*app).back, "markers": (*app).nextMarkers}

// back leaves the innermost of what can be left.
func (a *app) back() {
	switch {
	case a.zoomed:
		a.zoomed = false
	case a.frozen:
		a.toggleFreeze()
	}
}

func (a *app) nextMarkers() {
	names := map[grid.Markers]string{grid.Braille: "dots", grid.Blocks: "blocks", grid.Lines: "lines"}
	a.Markers = (a.Markers + 1) % grid.Markers(len(names))
	a.notice = "curves of " + names[a.Markers]
}
