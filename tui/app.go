package tui

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/all"
)

// app is what the person has chosen on the screen, and what is shown on it.
// Actions change it; the screen only reads it.
type app struct {
	pane.Host                  // what panes see
	panes     [panes]pane.Pane // those that are in the registry
	acted     [panes]int       // counts what was done to a pane
	latest    *engine.Snapshot // published last; another one than Snap only while frozen
	frozen    bool
	w, h      int // of the screen

	focus  paneID
	zoomed bool
	chosen bool // the theme was chosen, and does not follow the terminal
	ascii  bool
	mouse  bool

	notice string // about the last command; goes with the next key

	over    overlay
	edit    grid.Line // the value that is typed
	help    search
	palette palette
	picker  picker
	page    page

	out     []engine.Command // to be sent, in order
	quit    bool
	suspend bool
	picture string // file that the screen is to be written to
	fps     int    // frames drawn in the last second
}

// overlay is what lies over the panes and takes the keys.
type overlay uint8

const (
	noOverlay overlay = iota
	editOverlay
	helpOverlay
	paletteOverlay
	pageOverlay
	pickerOverlay
)

// search is a list that is narrowed by typing.
type search struct {
	line grid.Line
	at   int
}

// nothing is shown before the first snapshot.
var nothing = &engine.Snapshot{Phase: engine.Starting}

func newApp() *app {
	a := &app{
		Host:   pane.Host{Snap: nothing, Theme: grid.Themes()[0]},
		latest: nothing,
		focus:  bandwidthPane, mouse: true, w: 80, h: 24,
	}
	a.Say = func(text string) { a.notice = text }
	a.Panel = pane.Panel{Selected: "group", Send: a.do, Say: a.Say}
	a.Keys = func(action string) string { return named(action).labels() }
	for i := range all.Panes {
		p := paneByName(all.Panes[i].Name)
		a.panes[p] = all.Panes[i].New()
	}
	return a
}

// load takes the snapshot that the session has published last, and reports
// whether it is another one.
func (a *app) load(s *engine.Snapshot) bool {
	if s == nil || s == a.latest {
		return false
	}
	a.latest = s
	a.Panel.Load(s.Scenario)
	if !a.frozen {
		a.Snap = s
	}
	return true
}

// setWorkload asks for another program.
func (a *app) setWorkload(name string) {
	a.do(engine.Command{Verb: engine.Set, Knob: "workload", Value: name})
}

// do puts a command into the queue. Of two waiting values for one knob only
// the later one is sent.
func (a *app) do(c engine.Command) {
	if n := len(a.out); n > 0 && c.Verb == engine.Set && a.out[n-1].Verb == engine.Set && a.out[n-1].Knob == c.Knob {
		a.out[n-1] = c
		return
	}
	a.out = append(a.out, c)
}

// act lets a pane do an action. It reports whether there was anything to do.
func (a *app) act(name string) bool {
	p, x := a.answers(name)
	if x.Do == nil {
		return false
	}
	x.Do(&a.Host)
	a.acted[p]++
	return true
}

// answers finds the pane that an action is for: the focused one, or where that
// one has nothing to do, the first that is shown and has. No pane that is
// hidden gets any, but for what acts on the run.
func (a *app) answers(name string) (paneID, pane.Action) {
	at := arrange(a.w, a.h, a)
	for i := range panes + 1 {
		p := a.focus
		if i > 0 {
			p = i - 1
		}
		if a.panes[p] == nil {
			continue
		}
		for _, x := range a.panes[p].Actions() {
			if x.Name == name && (x.Run || !at.pane[p].Empty()) && (x.Ready == nil || x.Ready(&a.Host)) {
				return p, x
			}
		}
	}
	return 0, pane.Action{}
}

// click presses the mouse at a place inside a pane, and reports whether the
// pane has anything there.
func (a *app) click(p paneID, x, y int) bool {
	c, ok := a.panes[p].(pane.Clicker)
	if !ok || !c.Click(&a.Host, x, y) {
		return false
	}
	a.acted[p]++
	return true
}

// wheel turns the mouse's wheel at a place inside a pane.
func (a *app) wheel(p paneID, x, y, by int) {
	if w, ok := a.panes[p].(pane.Wheeler); ok && w.Wheel(&a.Host, x, y, by) {
		a.acted[p]++
	}
}

// press handles a key: its name as the key table spells it, and the text that
// it types, if any.
func (a *app) press(key, text string) {
	a.notice = ""
	if a.over == editOverlay {
		a.Panel.Edits++
	}
	if b := find(a.mode(), key); b != nil {
		b.do(a)
	} else if l := a.typing(); l != nil && text != "" {
		a.insert(l, text)
	}
}

// insert types text at the cursor.
func (a *app) insert(l *grid.Line, text string) {
	l.Insert(text)
	a.Panel.Edits++
	a.help.at = 0
	a.palette.retyped()
	a.picker.retyped()
}

// typing is the line that takes text now, or nil.
func (a *app) typing() *grid.Line {
	switch a.over {
	case editOverlay:
		return &a.edit
	case helpOverlay:
		return &a.help.line
	case paletteOverlay:
		return &a.palette.line
	case pickerOverlay:
		return &a.picker.line
	}
	return nil
}

// mode says which part of the key table is in force.
func (a *app) mode() mode {
	switch a.over {
	case editOverlay:
		return editing
	case helpOverlay:
		return inHelp
	case paletteOverlay:
		return inPalette
	case pickerOverlay:
		return inPicker
	case pageOverlay:
		return onPage
	}
	return onScreen
}

// chooseTheme sets a theme by name.
func (a *app) chooseTheme(name string) bool {
	th, ok := grid.ThemeByName(name)
	if ok {
		a.Theme, a.chosen = th, true
	}
	return ok
}
