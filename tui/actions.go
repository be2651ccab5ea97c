package tui

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
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

// actionGroups holds the actions of the screen itself, in groups. The key table puts the actions of
// panes and overlays between these groups.
type actionGroups struct{ knobs, run, view, workload, rest []binding }

func screenActions() actionGroups {
	line := func(name, key, doc, hint string, do func(*app)) binding {
		return binding{Action: pane.Action{Name: name, Keys: []string{key}, Doc: doc, Hint: hint}, mode: overlay.OnScreen,
			do: do}
	}
	// pair is the second of two opposite actions, which has the hint for both.
	pair := func(b binding, other, both string) binding {
		b.Other, b.Both = other, both
		return b
	}
	// now is an action whose hint depends on the state.
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
	// live is an action that a recording refuses.
	live := func(b binding) binding {
		b.offered = func(a *app) bool { return a.replay == nil }
		return b
	}
	// past is an action on the session's last minutes.
	past := func(b binding) binding {
		b.offered = func(a *app) bool { return a.past != nil }
		return b
	}
	quit := func(a *app) { a.quit = true }
	anywhere := func(name, key, doc string, do func(*app)) binding {
		b := line(name, key, doc, "", do)
		b.mode = overlay.Everywhere
		return b
	}
	zoom := now(line("zoom", "z", "show the focused pane alone, or all panes", "zoom", func(a *app) {
		a.zoomed = !a.zoomed
	}),
		func(a *app) bool { return a.zoomed }, "all panes")
	zoom.bothNow = func(a *app) string {
		_, n := a.numbered()
		return zoomHints[n]
	}
	pause := now(line("pause", "space", "pause between iterations, resume, restart", "pause", (*app).togglePause),
		(*app).paused, "resume")
	pauseWord := pause.word
	pause.word = func(a *app) string {
		if a.isOver() {
			return "restart"
		}
		return pauseWord(a)
	}
	return actionGroups{
		knobs: []binding{
			pause,
			line("turn-down", "left", "decrease the selected knob", "", func(a *app) { a.Panel.Change(-1) }),
			live(pair(line("turn-up", "right", "increase the selected knob", "change", func(a *app) { a.Panel.Change(+1) }),
				"turn-down", "←→")),
			and(line("previous-knob", "up", "select the knob above", "", func(a *app) { a.Panel.Move(-1) }), "shift+tab"),
			live(pair(and(line("next-knob", "down", "select the knob below", "knob", func(a *app) { a.Panel.Move(+1) }), "tab"),
				"previous-knob", "↑↓")),
			line("fold-knobs", "F", "fold the group of the selected knob; in the first group, unfold all groups", "",
				func(a *app) { a.Panel.FoldSelected() }),
			line("seek-back", "{", "go back five seconds, in a recording or in the last minutes of the session", "",
				func(a *app) { a.move(engine.Seek, "-5s") }),
			past(pair(line("seek-forward", "}", "go forward five seconds", "rewind", func(a *app) { a.move(engine.Seek, "+5s") }),
				"seek-back", "{}")),
			anywhere("quit", "ctrl+c", "quit", quit),
			anywhere("suspend", "ctrl+z", "suspend the program as a job of the shell; fg resumes it", func(a *app) {
				a.suspend = true
			}),
		},
		run: []binding{
			line("quit", "q", "quit", "quit", quit),
			zoom,
			now(line("freeze", "f", "freeze the screen; the run and its measurements continue", "freeze", (*app).toggleFreeze),
				func(a *app) bool { return a.frozen }, "unfreeze"),
			line("step", "n", "run one iteration, then pause", "step", func(a *app) { a.do(stepCommand) }),
		},
		view: []binding{
			line("next-pane", "p", "focus the next pane", "pane", func(a *app) { a.focusPane(+1) }),
			line("previous-pane", "P", "focus the previous pane", "", func(a *app) { a.focusPane(-1) }),
			now(line("mouse", "M", "use the mouse here, or leave it to the terminal", "mouse off", func(a *app) {
				a.mouse = !a.mouse
			}),
				func(a *app) bool { return a.mouse }, "mouse on"),
			line("guide", "W", "hide the text of the scenario or the lesson, or show it again", "", (*app).toggleGuide),
			line("lesson-back", "H", "return to the lesson's step before", "", (*app).lessonBack),
			line("lesson-run", "I", "run the program of the lesson's step again", "", (*app).showStep),
			line("theme", "t", "switch to the next theme", "theme", (*app).nextTheme),
			line("explain", "E", "explain a simulation's time by its critical path, or stop explaining", "", (*app).toggleExplain),
			line("decide", "&", "map the fastest choice of the selected knob over latency and bandwidth of the network by simulation, or stop mapping", "",
				(*app).decideKnob),
			line("pairs", "V", "compare this simulation with the baseline or the variant before it, by pairs of runs with equal seeds, or stop comparing", "",
				func(a *app) { a.askNow("pairs") }),
			line("advise", "J", "rank the choices of this simulation, and find the constants that change the order, or stop ranking", "",
				func(a *app) { a.askNow("advise") }),
			line("shapes", "X", "compare ranks × threads on the cores of a node by simulation, or stop comparing", "", (*app).toggleShapes),
			line("regret", "Q", "compare an MPI library's choices of algorithms with the fastest by simulation, or stop comparing", "",
				(*app).toggleRegret),
			line("units", "B", "show sizes and rates in the next units: mixed, binary, decimal, bits", "", func(a *app) {
				a.useUnits(a.Units.Next())
			}),
		},
		workload: []binding{
			live(line("workload", "w", "run the next workload", "workload", (*app).nextWorkload)),
			line("simulate", "S", "simulate the machine in virtual time, for instance if this host is too slow to emulate it",
				"", (*app).simulate),
		},
		rest: []binding{
			now(line("baseline", "b", "keep this run as the baseline for comparisons, or clear it", "baseline",
				(*app).toggleBaseline),
				func(a *app) bool { return a.base != nil }, "clear baseline"),
			line("ratios", "%", "show ratios to the baseline on heat maps, or the values", "", (*app).toggleRatios),
			line("undo", "u", "undo the last change of a knob, workload, model or machine", "", func(a *app) {
				a.restoreChange(engine.Undo)
			}),
			live(pair(line("redo", "U", "redo the last undone change", "undo redo", func(a *app) {
				a.restoreChange(engine.Redo)
			}), "undo", "uU")),
			and(line("default", "backspace", "set the selected knob to its default", "", (*app).turnToDefault), "delete"),
			named("reset", "set all knobs to their defaults", func(a *app) { a.Panel.Restore(engine.Default, "") }),
			line("capture", "R", "record the session to a file for replay, or stop; :capture FILE chooses the file", "",
				(*app).toggleCapture),
			line("previous-mark", "(", "go back to the previous marker", "", func(a *app) {
				a.move(engine.Seek, "previous mark")
			}),
			pair(line("next-mark", ")", "go forward to the next marker", "", func(a *app) {
				a.move(engine.Seek, "next mark")
			}), "previous-mark", "()"),
			line("slower", "_", "play a recording slower", "", func(a *app) { a.move(engine.Speed, "-") }),
			pair(line("faster", "*", "play a recording faster", "", func(a *app) { a.move(engine.Speed, "+") }), "slower", "_*"),
			live(line("forget", "r", "clear series, points and markers", "clear", func(a *app) { a.do(resetCommand) })),
		},
	}
}

// zoomHints holds the keys of zoom for the footer, by the number of panes.
var zoomHints = func() (all [maxDigits + 1]string) {
	for n := range all {
		all[n] = "z 1-" + string(rune('0'+n))
	}
	return all
}()

// zooms returns the actions that show a single pane: by its number, and by its name.
func zooms() []binding {
	all := []binding{{
		Action: pane.Action{Name: "zoom-digit", Doc: "show the pane with this number alone, or all panes"},
		mode:   overlay.OnScreen, do: (*app).zoomDigit,
	}}
	for d := range maxDigits {
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

// zoomDigit shows the pane whose number was pressed.
func (a *app) zoomDigit() {
	all, n := a.numbered()
	if d := int(a.pressed[0] - '1'); len(a.pressed) == 1 && d >= 0 && d < n {
		a.zoomTo(all[d])
		return
	}
	a.notice = "no pane has this number"
}

// turnToDefault sets the selected knob to its default.
func (a *app) turnToDefault() {
	if k := a.Panel.Knob(); k != nil {
		a.Panel.Restore(engine.Default, k.Name)
	}
}

// restoreChange undoes or redoes a change. The status line reports the effect once a snapshot has it. Before the
// first snapshot there is nothing to compare with.
func (a *app) restoreChange(verb engine.Verb) {
	if a.latest != nothing {
		a.restoring, a.restoredFrom = verb, a.latest
	}
	a.Panel.Restore(verb, "")
}

// reportRestored reports the settings that an undo or a redo has changed.
func (a *app) reportRestored() {
	from, to := &a.restoredFrom.Scenario, &a.latest.Scenario
	if from.Workload == to.Workload && maps.Equal(from.Values, to.Values) {
		return // not applied yet
	}
	word := map[engine.Verb]string{engine.Undo: "undone", engine.Redo: "redone"}[a.restoring]
	a.restoring = ""
	text := session.Difference(a.restoredFrom, a.latest)
	a.notice = word + ": " + cmp.Or(text, "a knob without effect in this run")
}

// paused reports whether space resumes the run or the replay.
func (a *app) paused() bool {
	if a.replay != nil {
		return !a.replay.Playing
	}
	return a.latest.Phase == engine.Paused
}

// isOver reports whether the run of a live session has ended or failed.
func (a *app) isOver() bool {
	return a.replay == nil && (a.latest.Phase == engine.Failed || a.latest.Phase == engine.Ended)
}

// togglePause pauses or resumes the run. If the run is over, it starts again with the same knobs.
func (a *app) togglePause() {
	if sc := &a.latest.Scenario; a.isOver() && len(sc.Table) > 0 {
		name := sc.Table[0].Name // after the end of a run, every knob starts it, even with its present value
		a.do(engine.Command{Verb: engine.Set, Knob: name, Value: sc.Values[name]})
		return
	}
	verb := engine.Pause
	if a.paused() {
		verb = engine.Resume
	}
	a.do(engine.Command{Verb: verb})
}

// toggleBaseline keeps the run on the screen as the baseline, or clears the baseline.
func (a *app) toggleBaseline() {
	switch {
	case a.base != nil:
		a.base, a.notice = nil, "baseline cleared"
	case a.Snap.Phase == engine.Failed || a.Snap.Iteration == 0:
		a.notice = "no baseline yet: wait until one iteration has finished"
	default:
		a.base, a.notice = engine.NewBaseline(a.Snap), "baseline set: change a knob to compare (b clears it)"
	}
	a.compare()
}

// toggleRatios switches heat maps between ratios and values.
func (a *app) toggleRatios() {
	switch a.Absolute = !a.Absolute; {
	case a.Absolute:
		a.notice = "heat maps show values"
	case a.base == nil:
		a.notice = "heat maps show ratios once a baseline is set (b sets it)"
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

// zoomTo shows a pane alone, or all panes if it is alone already.
func (a *app) zoomTo(p int) {
	a.zoomed = !a.zoomed || a.focus != p
	a.setFocus(p)
}

// setFocus moves the focus to a pane. Its place keeps showing this pane.
func (a *app) setFocus(p int) {
	a.focus = p
	a.last[a.specs[p].Place] = p + 1
}

// focusPane moves the focus in the order of the pane numbers.
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

// useUnits shows sizes and rates in other units.
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

// simulate switches to virtual time. Its results do not depend on the load of the host.
func (a *app) simulate() {
	if a.latest.Scenario.Values["fabric"] == engine.Sim {
		a.notice = "this run is already simulated"
		return
	}
	a.command("fabric", engine.Sim)
}

// fallbacks holds what generic actions do if no pane handles them.
var fallbacks = map[string]func(*app){"back": (*app).back, "markers": (*app).nextMarkers}

// back leaves zoom, or else unfreezes the screen.
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
