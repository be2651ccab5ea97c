package tui

import (
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
	panereg "github.com/hybridtop/hybridtop/tui/pane/all"
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
	// named is an action without a key.
	named := func(name, doc string, do func(*app)) binding {
		b := line(name, "", doc, "", do)
		b.Keys, b.keysNow = nil, func(*app) string { return "" }
		return b
	}
	quit := func(a *app) { a.quit = true }
	anywhere := func(name, key, doc string, do func(*app)) binding {
		b := line(name, key, doc, "", do)
		b.mode = overlay.Everywhere
		return b
	}
	zoom := now(line("zoom", "z", "show the focused pane alone, or all panes", "zoom", func(a *app) { a.zoomed = !a.zoomed }),
		func(a *app) bool { return a.zoomed }, "all panes")
	zoom.bothNow = func(a *app) string {
		_, n := a.numbered()
		return zoomHints[n]
	}
	return ownActions{
		turning: []binding{
			now(line("pause", "space", "pause before the next iteration, or go on", "pause", (*app).togglePause),
				(*app).paused, "go on"),
			line("turn-down", "left", "turn the selected knob down", "", func(a *app) { a.Panel.Change(-1) }),
			pair(line("turn-up", "right", "turn the selected knob up", "change", func(a *app) { a.Panel.Change(+1) }), "turn-down", "←→"),
			and(line("previous-knob", "up", "select the knob above", "", func(a *app) { a.Panel.Move(-1) }), "shift+tab"),
			pair(and(line("next-knob", "down", "select the knob below", "knob", func(a *app) { a.Panel.Move(+1) }), "tab"), "previous-knob", "↑↓"),
			anywhere("quit", "ctrl+c", "quit", quit),
			anywhere("suspend", "ctrl+z", "suspend the program, as the shell's job; fg goes on", func(a *app) { a.suspend = true }),
		},
		running: []binding{
			line("quit", "q", "quit", "quit", quit),
			zoom,
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
			line("units", "B", "write sizes and rates in the next units: mixed, binary, decimal, bits", "", func(a *app) { a.useUnits(a.Units.Next()) }),
		},
		choosing: []binding{
			line("workload", "w", "run the next workload", "workload", (*app).nextWorkload),
			line("simulate", "S", "simulate the machine in virtual time, where this host is too busy to emulate it", "", (*app).simulate),
		},
		leaving: []binding{
			now(line("baseline", "b", "keep this run as the baseline that others are compared with, or drop it", "baseline", (*app).toggleBaseline),
				func(a *app) bool { return a.base != nil }, "drop baseline"),
			line("ratios", "%", "show on heat maps ratios to the baseline, or the numbers", "", (*app).toggleRatios),
			line("undo", "u", "undo the last turn of a knob, also of workload, model or machine", "", func(a *app) { a.Panel.Restore(engine.Undo, "") }),
			pair(line("redo", "U", "redo what was undone last", "undo redo", func(a *app) { a.Panel.Restore(engine.Redo, "") }), "undo", "uU"),
			and(line("default", "backspace", "turn the selected knob to its default", "", (*app).turnToDefault), "delete"),
			named("reset", "turn all knobs to their defaults", func(a *app) { a.Panel.Restore(engine.Default, "") }),
			line("capture", "R", "record the session into a file that replays, or end it; :capture FILE names it", "", (*app).toggleCapture),
			line("seek-back", "{", "go back by five seconds, in a recording or in what was shown in the last minutes", "", func(a *app) { a.move(engine.Seek, "-5s") }),
			pair(line("seek-forward", "}", "go on by five seconds", "", func(a *app) { a.move(engine.Seek, "+5s") }), "seek-back", "{}"),
			line("previous-mark", "(", "go back to the mark before", "", func(a *app) { a.move(engine.Seek, "previous mark") }),
			pair(line("next-mark", ")", "go on to the next mark", "", func(a *app) { a.move(engine.Seek, "next mark") }), "previous-mark", "()"),
			line("slower", "_", "play a recording slower", "", func(a *app) { a.move(engine.Speed, "-") }),
			pair(line("faster", "*", "play a recording faster", "", func(a *app) { a.move(engine.Speed, "+") }), "slower", "_*"),
			line("forget", "r", "forget series, points and marks", "forget", func(a *app) { a.do(resetCommand) }),
		},
	}
}

// zoomHints are the keys of zoom in the footer, by the number of panes.
var zoomHints = func() (all [mostDigits + 1]string) {
	for n := range all {
		all[n] = "z 1-" + string(rune('0'+n))
	}
	return all
}()

// zooms are the actions that show a pane alone: by its digit, and by its name.
func zooms() []binding {
	all := []binding{{
		Action: pane.Action{Name: "zoom-digit", Doc: "show the pane of this digit alone, or all panes"},
		mode:   overlay.OnScreen, do: (*app).zoomDigit,
	}}
	for d := range mostDigits {
		all[0].Keys = append(all[0].Keys, string(rune('1'+d)))
	}
	for p, s := range panereg.Panes {
		all = append(all, binding{
			Action: pane.Action{Name: "zoom-" + s.Name, Doc: "show " + s.Doc + " alone, or all panes"},
			mode:   overlay.OnScreen, do: func(a *app) { a.zoomTo(p) },
			keysNow: func(a *app) string {
				if d := a.digit(p); d > 0 {
					return string(rune('0' + d))
				}
				return ""
			},
		})
	}
	return all
}

// zoomDigit shows the pane of the digit that was pressed.
func (a *app) zoomDigit() {
	all, n := a.numbered()
	if d := int(a.pressed[0] - '1'); len(a.pressed) == 1 && d >= 0 && d < n {
		a.zoomTo(all[d])
		return
	}
	a.notice = "no pane of this run has this digit"
}

// turnToDefault turns the selected knob back.
func (a *app) turnToDefault() {
	if k := a.Panel.Knob(); k != nil {
		a.Panel.Restore(engine.Default, k.Name)
	}
}

// paused says that space would go on.
func (a *app) paused() bool {
	if a.replay != nil {
		return !a.replay.Playing
	}
	return a.latest.Phase == engine.Paused
}

func (a *app) togglePause() {
	verb := engine.Pause
	if a.paused() {
		verb = engine.Resume
	}
	a.do(engine.Command{Verb: verb})
}

// toggleBaseline keeps the run that is shown, or drops the one that was kept.
func (a *app) toggleBaseline() {
	switch {
	case a.base != nil:
		a.base, a.notice = nil, "the baseline is dropped"
	case a.Snap.Phase == engine.Failed || a.Snap.Iteration == 0:
		a.notice = "there is nothing to compare with yet: a baseline needs an iteration that has ended"
	default:
		a.base, a.notice = engine.NewBaseline(a.Snap), "this run is the baseline: turn something and compare; b drops it"
	}
	a.compare()
}

// toggleRatios shows ratios or numbers on heat maps.
func (a *app) toggleRatios() {
	switch a.Absolute = !a.Absolute; {
	case a.Absolute:
		a.notice = "heat maps show numbers"
	case a.base == nil:
		a.notice = "heat maps show ratios as soon as there is a baseline: b keeps this run as one"
	default:
		a.notice = "heat maps show ratios to the baseline"
	}
}

func (a *app) toggleFreeze() {
	a.frozen = !a.frozen
	if !a.frozen {
		a.show(a.latest)
	}
}

// zoomTo shows a pane alone, and all panes if it is.
func (a *app) zoomTo(p int) {
	a.zoomed = !a.zoomed || a.focus != p
	a.setFocus(p)
}

// setFocus moves the focus to a pane, which its place then keeps.
func (a *app) setFocus(p int) {
	a.focus = p
	a.last[a.specs[p].Place] = p + 1
}

// focusPane moves the focus in the order of the digits.
func (a *app) focusPane(by int) {
	all, n := a.numbered()
	at := slices.Index(all[:n], a.focus)
	if at < 0 && by < 0 {
		at = 0
	}
	a.setFocus(all[(at+by+n)%n])
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

// useUnits writes bytes in other units.
func (a *app) useUnits(u grid.Units) { a.Units, a.notice = u, "units "+u.String()+": "+u.Doc() }

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

// simulate turns to virtual time, which no load of the host disturbs.
func (a *app) simulate() {
	if a.latest.Scenario.Values["fabric"] == engine.Sim {
		a.notice = "it is simulated already"
		return
	}
	a.command("fabric", engine.Sim)
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
	a.Markers = (a.Markers + 1) % grid.Markers(len(markerNames))
	a.notice = "curves of " + markerNames[a.Markers]
}
