package tui

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
)

var (
	stepCommand  = engine.Command{Verb: engine.Step}
	resetCommand = engine.Command{Verb: engine.Reset}
)

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

func (a *app) nextMarkers() {
	names := map[grid.Markers]string{grid.Braille: "dots", grid.Blocks: "blocks", grid.Lines: "lines"}
	a.Markers = (a.Markers + 1) % grid.Markers(len(names))
	a.notice = "curves of " + names[a.Markers]
}

func (a *app) nextWorkload() {
	all := workload.All()
	for i, w := range all {
		if w.Name == a.latest.Scenario.Workload {
			a.setWorkload(all[(i+1)%len(all)].Name)
			return
		}
	}
	if len(all) > 0 {
		a.setWorkload(all[0].Name)
	}
}

// back leaves the innermost of what can be left.
func (a *app) back() {
	switch {
	case a.act("back"):
	case a.zoomed:
		a.zoomed = false
	case a.frozen:
		a.toggleFreeze()
	}
}

func (a *app) closeOverlay() { a.over, a.Panel.Typed = noOverlay, nil }

// startEdit opens the value of the selected knob for typing.
func (a *app) startEdit() {
	if a.Panel.At() < 0 {
		return
	}
	if a.Panel.Knob().Name == machineKnob {
		a.openPicker()
		return
	}
	a.over = editOverlay
	a.edit.Clear()
	a.Panel.Typed = &a.edit
	a.Panel.Edits++
}

func (a *app) takeEdit() {
	text := a.edit.String()
	if i := a.Panel.At(); i < 0 || text == "" || a.Set(a.Panel.Scenario.Table[i].Name, text) {
		a.closeOverlay()
	}
}

// retype changes the line that is typed.
func (a *app) retype(change func(*grid.Line)) {
	change(a.typing())
	a.insert(a.typing(), "")
}

func (a *app) openPalette() {
	a.over = paletteOverlay
	a.palette.open()
}

func (a *app) openHelp() {
	a.over = helpOverlay
	a.help.line.Clear()
	a.help.at = 0
}

func (a *app) moveHelp(by int) {
	n := len(helpEntries(a.help.line.String()))
	a.help.at = min(max(a.help.at+by, 0), max(0, n-1))
}

// runHelp runs the selected action. Those of other modes than the screen
// are there to be read.
func (a *app) runHelp() {
	all := helpEntries(a.help.line.String())
	if a.help.at >= len(all) {
		return
	}
	b := all[a.help.at]
	if b.in > onScreen {
		a.notice = label(b.keys[0]) + " works " + modeNames[b.in]
		return
	}
	a.closeOverlay()
	b.do(a)
}
