package tui

import (
	"fmt"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	overlayreg "github.com/hybridtop/hybridtop/tui/overlay/all"
	"github.com/hybridtop/hybridtop/tui/pane"
	panereg "github.com/hybridtop/hybridtop/tui/pane/all"
	"github.com/hybridtop/hybridtop/tui/state"
)

// app holds the user's choices and the data on the screen. Actions change it; the screen only reads
// it.
type app struct {
	pane.Host                     // the part that panes see
	specs        []pane.Spec      // the registry of panes
	panes        []pane.Pane      // one for each entry of specs
	actionCounts []int            // number of actions on each pane
	latest       *engine.Snapshot // published last; differs from Snap only while the screen is frozen
	frozen       bool
	base         *engine.Baseline // nil: none
	w, h         int              // size of the screen

	focus     int              // number of the focused pane
	last      [pane.Places]int // number of the pane that last had the focus there, + 1; 0: none
	vacant    []bool           // by pane: the run has no data for it
	zoomed    bool
	workloads map[string]state.Workload // state of each workload when it was left, in this session or an earlier one
	chosen    bool                      // the user chose the theme, so it does not follow the terminal
	ascii     bool
	mouse     bool

	pressed string // the last key
	notice  string // message about the last command; the next key clears it

	overlays []overlay.Overlay // one for each entry of the registry
	overHost overlay.Host
	over     overlay.Overlay // the open overlay, which receives the keys; nil: none
	opened   int             // times that an overlay has opened or closed
	overSpec *overlay.Spec   // registry entry of over

	restoring    engine.Verb      // undo or redo in progress; "": none
	restoredFrom *engine.Snapshot // the latest snapshot before it

	out    []engine.Command // commands to send, in order
	guide  guide
	course course
	hostWatch
	explainer explainer
	inquiring inquiring
	former    *engine.Scenario // the last simulation of this workload with other settings; nil: none
	first     string           // knob to select when the next workload starts; "": the workload's first
	quit      bool
	suspend   bool
	picture   *PictureOf        // picture to write; nil: none
	saving    *presets.Scenario // scenario to write; nil: none
	copied    string            // text to copy to the clipboard
	recent    []string          // commands typed last, the newest first

	previewed preview // of the selected knob
	fps       int     // frames drawn in the last second

	replay    *recording.Position                           // position in a recording; nil: a live session
	past      func(time.Duration) (*engine.Snapshot, error) // snapshot of an earlier time; nil: no history
	captureTo string                                        // file name from the user; "": named after the time
	capture   bool                                          // start or stop recording the session
	capturing string                                        // file of the recording in progress; "": none

	broken  string // error of the composition's file
	machine string // machine that Assumed is valid for
}

// nothing is the snapshot on the screen before the first one arrives.
var nothing = &engine.Snapshot{Phase: engine.Starting}

func newApp() *app {
	a := &app{
		Host:   pane.Host{Snap: nothing, Theme: grid.Themes()[0]},
		latest: nothing, workloads: map[string]state.Workload{},
		mouse: true, w: 80, h: 24,
	}
	a.Say = func(text string) { a.notice = text }
	a.Panel = pane.Panel{Selected: "group", Send: a.do, Say: a.Say}
	a.Panel.First = func() string { return workload.First(&a.Panel.Scenario, a.latest.Kind) }
	a.Panel.Idle = func(knob string) string { return workload.Idle(&a.Panel.Scenario, a.latest.Kind, knob) }
	a.Idle = func(knob string) string { return workload.Idle(&a.latest.Scenario, a.latest.Kind, knob) }
	a.WhatIf = a.ask
	a.Keys = func(action string) string { return named(overlay.OnScreen, action).labels() }
	a.specs = panereg.Panes
	for i := range a.specs {
		a.panes = append(a.panes, a.specs[i].New())
	}
	a.actionCounts = make([]int, len(a.panes))
	a.vacant = make([]bool, len(a.panes))
	a.focus = a.home(pane.Workload)
	a.overHost = overlay.Host{
		Host: &a.Host, Close: a.closeOverlay, Choose: a.choose, Lines: a.lines,
		UseTheme: a.chooseTheme, UseUnits: a.useUnits, Picture: a.askPicture, Capture: a.captureInto, Seek: a.seek,
		Command: a.command, Explain: a.explainWith, Ask: a.askQuestion,
		Continue: a.continueLesson, Answer: a.answerLesson, Hint: func() { _, _ = a.answerLesson("?") },
		OpenLesson: func(name string) { a.course.opening = &Lesson{Name: name, File: lesson.StoredFile(name)} },
		Scenarios:  a.scenarios, Load: a.loadScenario, Save: a.saveScenario, Copy: a.copyText,
		Recent: func() []string { return a.recent }, Used: a.used,
	}
	for i := range overlayreg.Overlays {
		a.overlays = append(a.overlays, overlayreg.Overlays[i].New(&a.overHost))
	}
	return a
}

// load stores the latest snapshot of the session, and reports whether it is new.
func (a *app) load(s *engine.Snapshot) bool {
	if s == nil || s == a.latest {
		return false
	}
	if s.Scenario.Workload != a.latest.Scenario.Workload {
		if a.guide.workload != s.Scenario.Workload {
			a.guide = guide{}
		}
		first := a.first
		if _, err := s.Scenario.Knob(first); err != nil {
			first = workload.First(&s.Scenario, s.Kind)
		}
		a.first = ""
		if first != "" {
			a.Panel.Selected = first
		}
	}
	a.followVariant(&a.latest.Scenario, &s.Scenario)
	a.latest = s
	a.rememberScenario(s)
	a.Panel.Load(s.Scenario)
	if !a.frozen {
		a.show(s)
	}
	if a.restoring != "" {
		a.reportRestored()
	}
	return true
}

// show shows a snapshot. Each workload keeps its own layout. A workload begins with the focus on its
// main pane, unless the user chose a pane before the first one began. A deadlock moves the focus from
// the main pane to the pane of the deadlock.
func (a *app) show(s *engine.Snapshot) {
	from, to := a.Snap.Scenario.Workload, s.Scenario.Workload
	other, circle := from != to, a.Snap.Deadlock != nil
	if other && from != "" {
		w := a.workloads[from]
		w.Layout = a.layout()
		a.workloads[from] = w
	}
	a.Snap = s
	a.compare()
	a.predict()
	a.updateVacant()
	if s.Machine != a.machine { // read the file once per machine
		a.machine, a.Assumed = s.Machine, presets.AssumedBySketch(s.Machine, a.overHost.Machines)
	}
	w := a.workloads[to]
	switch {
	case other && w.Layout != nil:
		a.applyLayout(w.Layout)
	case other && (from != "" || a.last == [pane.Places]int{}):
		a.last, a.zoomed, a.Panel.Folded = [pane.Places]int{}, false, nil
		a.focus = a.home(pane.Workload)
	case circle != (s.Deadlock != nil) && a.specs[a.focus].Place == pane.Workload:
		a.setFocus(a.home(pane.Workload))
	}
}

// compare compares the snapshot on the screen with the baseline.
func (a *app) compare() {
	a.Base = nil
	if a.base != nil {
		a.Base = a.base.Against(a.Snap)
	}
}

// command asks the session to change a setting that is not a knob of the scenario.
func (a *app) command(knob, value string) {
	a.do(engine.Command{Verb: engine.Set, Knob: knob, Value: value})
}

// do appends a command to the queue. A new value replaces a queued value of the same knob.
func (a *app) do(c engine.Command) {
	if n := len(a.out); n > 0 && c.Verb == engine.Set && a.out[n-1].Verb == engine.Set && a.out[n-1].Knob == c.Knob {
		a.out[n-1] = c
		return
	}
	a.out = append(a.out, c)
}

// lessonPages holds the actions that also scroll a lesson, if its text is longer than its area.
var lessonPages = map[string]int{"scroll-up": -1, "scroll-down": +1}

// runAction runs an action on a lesson that scrolls, otherwise on a pane, and on the screen if no pane handles it.
func (a *app) runAction(name string) {
	if by := lessonPages[name]; by != 0 && a.scrollLesson(by) {
		return
	}
	if a.tryAction(name) {
		return
	}
	if do := fallbacks[name]; do != nil {
		do(a)
		return
	}
	a.notice = "no pane here supports " + name + a.wayTo(name)
}

// wayTo returns the key or the command that shows a pane with the action, in parentheses, or "". Panes with data for
// the run come first.
func (a *app) wayTo(action string) (way string) {
	for p := range a.panes {
		for _, x := range a.panes[p].Actions() {
			switch d := a.digit(p); {
			case x.Name != action || x.Ready != nil && !x.Ready(&a.Host):
			case d > 0:
				return fmt.Sprintf(" (press %d for %s)", d, a.specs[p].Title)
			case way == "" || a.hasData(p):
				way = " (use " + a.Typed("zoom-"+a.specs[p].Name) + ")"
			}
		}
	}
	return way
}

// tryAction runs an action on a pane. It reports whether a pane handled it.
func (a *app) tryAction(name string) bool {
	p, x := a.findAction(name)
	if x.Do == nil {
		return false
	}
	x.Do(&a.Host)
	a.actionCounts[p]++
	return true
}

// findAction finds the pane for an action: the focused pane, or else the first visible pane that can
// handle it. Hidden and covered panes only get actions on the run.
func (a *app) findAction(name string) (int, pane.Action) {
	var at arrangement
	if !a.covered() {
		at = arrange(a.w, a.h, a)
	}
	for i := range len(a.panes) + 1 {
		p := a.focus
		if i > 0 {
			p = i - 1
		}
		for _, x := range a.panes[p].Actions() {
			if x.Name == name && (x.Run || !at.pane(p, a.specs).Empty()) && (x.Ready == nil || x.Ready(&a.Host)) {
				return p, x
			}
		}
	}
	return 0, pane.Action{}
}

// click passes a mouse click to a pane, and reports whether the pane handled it.
func (a *app) click(p int, x, y int) bool {
	c, ok := a.panes[p].(pane.Clicker)
	if !ok || !c.Click(&a.Host, x, y) {
		return false
	}
	a.actionCounts[p]++
	return true
}

// wheel passes a turn of the mouse wheel to a pane.
func (a *app) wheel(p int, x, y, by int) {
	if w, ok := a.panes[p].(pane.Wheeler); ok && w.Wheel(&a.Host, x, y, by) {
		a.actionCounts[p]++
	}
}

// press handles a key. key is its name in the key table, text the text that it types, if any.
func (a *app) press(key, text string) {
	a.notice, a.pressed = "", key
	a.hostWatch.since = time.Time{}
	a.course.every = 0 // the user continues
	if a.Panel.Typed != nil {
		a.Panel.Edits++
	}
	if b := find(a.modes(), key); b != nil {
		b.do(a)
	} else if text != "" {
		a.insert(text)
	}
}

// insert types text at the cursor if the overlay has an input line.
func (a *app) insert(text string) {
	if a.over != nil && a.over.Line() != nil {
		a.edit(func(l *grid.Line) { l.Insert(text) })
	}
}

// edit changes the input line of the overlay.
func (a *app) edit(change func(*grid.Line)) {
	change(a.over.Line())
	a.over.Retyped()
	a.Panel.Edits++
}

// modes returns the active parts of the key table, the most specific one first.
func (a *app) modes() []string {
	switch {
	case a.over == nil && a.course.isTaught():
		return []string{teaching, overlay.Everywhere}
	case a.over == nil:
		return []string{overlay.OnScreen, overlay.Everywhere}
	case a.overSpec.Page:
		return []string{a.overSpec.Mode, overlay.OnScreen, overlay.Everywhere}
	}
	return []string{a.overSpec.Mode, overlay.Everywhere}
}

// covered reports whether an overlay covers the panes.
func (a *app) covered() bool { return a.over != nil && !a.overSpec.Inside }

// toggle opens an overlay of the registry, or closes it.
func (a *app) toggle(i int) {
	was := a.over
	a.closeOverlay()
	if was != a.overlays[i] && a.overlays[i].Open() {
		a.over, a.overSpec = a.overlays[i], &overlayreg.Overlays[i]
		a.opened++
		a.Panel.Edits++
	}
}

func (a *app) closeOverlay() {
	if a.over != nil {
		a.over.Close()
		a.over, a.overSpec = nil, nil
		a.opened++
		a.Panel.Edits++
	}
}

// choose opens the overlay that sets a knob, if there is one.
func (a *app) choose(knob string) bool {
	for i := range overlayreg.Overlays {
		if overlayreg.Overlays[i].Knob == knob {
			a.toggle(i)
			return true
		}
	}
	return false
}

// actOver runs an action of the overlay.
func (a *app) actOver(name string) {
	for _, x := range a.over.Actions() {
		if x.Name == name {
			x.Do(&a.Host)
			return
		}
	}
}

// askPicture requests a picture of the screen or of a pane. text is FILE [PANE] [WxH].
func (a *app) askPicture(text string) error {
	of, err := readPicture(text)
	if err != nil {
		return err
	}
	w, h := a.w, a.h
	if of.W > 0 {
		w, h = of.W, of.H
	}
	if err := of.check(w, h); err != nil {
		return err
	}
	a.picture = of
	return nil
}

// chooseTheme sets a theme by name.
func (a *app) chooseTheme(name string) bool {
	th, ok := grid.ThemeByName(name)
	if ok {
		a.Theme, a.chosen = th, true
	}
	return ok
}
