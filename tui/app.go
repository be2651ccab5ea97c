package tui

import (
	"time"

	"github.com/hybridtop/hybridtop/engine"
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

// app is what the user has chosen on the screen, and what is shown on it.
// Actions change it; the screen only reads it.
type app struct {
	pane.Host                  // what panes see
	specs     []pane.Spec      // the registry
	panes     []pane.Pane      // those of the registry
	acted     []int            // counts what was done to each
	latest    *engine.Snapshot // published last; another one than Snap only while frozen
	frozen    bool
	base      *engine.Baseline // that runs are compared with; nil: none
	w, h      int              // of the screen

	focus  int              // number of the focused pane
	last   [pane.Places]int // that had the focus there, + 1; 0: none had it
	zoomed bool
	left   map[string]state.Workload // as each workload was left last, here or in an earlier screen
	chosen bool                      // the theme was chosen, and does not follow the terminal
	ascii  bool
	mouse  bool

	pressed string // the key
	notice  string // about the last command; goes with the next key

	overlays []overlay.Overlay // those of the registry
	overHost overlay.Host
	over     overlay.Overlay // that takes the keys; nil: none
	overSpec *overlay.Spec   // of it

	out     []engine.Command // to be sent, in order
	first   string           // the knob that the cursor begins on at the next workload; "": the workload's
	quit    bool
	suspend bool
	picture *PictureOf        // to be written; nil: none
	saving  *presets.Scenario // to be written; nil: none
	copied  string            // to be copied to the clipboard
	fps     int               // frames drawn in the last second

	replay    *recording.Position                           // of a recording; nil: the session runs
	past      func(time.Duration) (*engine.Snapshot, error) // what was shown then; nil: nothing is kept
	captureTo string                                        // the file that was named for it; "": one of the time
	capture   bool                                          // the recording of the session is to begin or to end
	capturing string                                        // file that it goes to; "": none

	machine string // that sketch is about
	sketch  bool   // too much of the machine is assumed
}

// nothing is shown before the first snapshot.
var nothing = &engine.Snapshot{Phase: engine.Starting}

func newApp() *app {
	a := &app{
		Host:   pane.Host{Snap: nothing, Theme: grid.Themes()[0]},
		latest: nothing, left: map[string]state.Workload{},
		mouse: true, w: 80, h: 24,
	}
	a.Say = func(text string) { a.notice = text }
	a.Panel = pane.Panel{Selected: "group", Send: a.do, Say: a.Say}
	a.Idle = func(knob string) string { return workload.Idle(&a.latest.Scenario, a.latest.Kind, knob) }
	a.Keys = func(action string) string { return named(overlay.OnScreen, action).labels() }
	a.specs = panereg.Panes
	for i := range a.specs {
		a.panes = append(a.panes, a.specs[i].New())
	}
	a.acted = make([]int, len(a.panes))
	a.focus = a.home(pane.Rates)
	a.overHost = overlay.Host{
		Host: &a.Host, Close: a.closeOverlay, Choose: a.choose, Lines: a.lines,
		UseTheme: a.chooseTheme, UseUnits: a.useUnits, Picture: a.askPicture, Capture: a.captureInto, Seek: a.seek, Command: a.command,
		Scenarios: a.scenarios, Load: a.loadScenario, Save: a.saveScenario, Copy: a.copyText,
	}
	for i := range overlayreg.Overlays {
		a.overlays = append(a.overlays, overlayreg.Overlays[i].New(&a.overHost))
	}
	return a
}

// load takes the snapshot that the session has published last, and reports
// whether it is another one.
func (a *app) load(s *engine.Snapshot) bool {
	if s == nil || s == a.latest {
		return false
	}
	if s.Scenario.Workload != a.latest.Scenario.Workload {
		first := a.first
		if _, err := s.Scenario.Knob(first); err != nil {
			first = workload.First(&s.Scenario, s.Kind)
		}
		if a.first = ""; first != "" {
			a.Panel.Selected = first
		}
	}
	a.latest = s
	a.leave(s)
	a.Panel.Load(s.Scenario)
	if !a.frozen {
		a.show(s)
	}
	return true
}

// show shows a snapshot. Each workload keeps its own layout. Where another workload
// has none yet and nothing for the focused pane, the focus goes to the home pane of
// its place.
func (a *app) show(s *engine.Snapshot) {
	from, to := a.Snap.Scenario.Workload, s.Scenario.Workload
	other := from != to
	if other && from != "" {
		w := a.left[from]
		w.Layout = a.layout()
		a.left[from] = w
	}
	had := a.offered(a.focus)
	a.Snap = s
	a.compare()
	if w := a.left[to]; other && w.Layout != nil {
		a.lookAs(w.Layout)
	}
	if other && had && !a.offered(a.focus) {
		a.setFocus(a.home(a.specs[a.focus].Place))
	}
}

// compare puts the baseline beside the snapshot that is shown.
func (a *app) compare() {
	if a.Base = nil; a.base != nil {
		a.Base = a.base.Against(a.Snap)
	}
}

// command asks the session to turn something that is no knob of the scenario.
func (a *app) command(knob, value string) {
	a.do(engine.Command{Verb: engine.Set, Knob: knob, Value: value})
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

// ask does an action for which the panes come first.
func (a *app) ask(name string) {
	if a.act(name) {
		return
	}
	if do := unanswered[name]; do != nil {
		do(a)
		return
	}
	a.notice = "no pane on the screen answers " + name
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
// hidden gets any, nor one below an overlay, but for what acts on the run.
func (a *app) answers(name string) (int, pane.Action) {
	var at places
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

// click presses the mouse at a place inside a pane, and reports whether the
// pane has anything there.
func (a *app) click(p int, x, y int) bool {
	c, ok := a.panes[p].(pane.Clicker)
	if !ok || !c.Click(&a.Host, x, y) {
		return false
	}
	a.acted[p]++
	return true
}

// wheel turns the mouse's wheel at a place inside a pane.
func (a *app) wheel(p int, x, y, by int) {
	if w, ok := a.panes[p].(pane.Wheeler); ok && w.Wheel(&a.Host, x, y, by) {
		a.acted[p]++
	}
}

// press handles a key: its name as the key table spells it, and the text that
// it types, if any.
func (a *app) press(key, text string) {
	a.notice, a.pressed = "", key
	if a.Panel.Typed != nil {
		a.Panel.Edits++
	}
	if b := find(a.modes(), key); b != nil {
		b.do(a)
	} else if text != "" {
		a.insert(text)
	}
}

// insert types text at the cursor, where a line is typed.
func (a *app) insert(text string) {
	if a.over != nil && a.over.Line() != nil {
		a.edit(func(l *grid.Line) { l.Insert(text) })
	}
}

// edit changes the line that is typed.
func (a *app) edit(change func(*grid.Line)) {
	change(a.over.Line())
	a.over.Retyped()
	a.Panel.Edits++
}

// modes are the parts of the key table that are in force, the first one first.
func (a *app) modes() []string {
	switch {
	case a.over == nil:
		return []string{overlay.OnScreen, overlay.Everywhere}
	case a.overSpec.Page:
		return []string{a.overSpec.Mode, overlay.OnScreen, overlay.Everywhere}
	}
	return []string{a.overSpec.Mode, overlay.Everywhere}
}

// covered says that an overlay lies over the panes.
func (a *app) covered() bool { return a.over != nil && !a.overSpec.Inside }

// toggle opens an overlay of the registry, or closes it.
func (a *app) toggle(i int) {
	was := a.over
	a.closeOverlay()
	if was != a.overlays[i] && a.overlays[i].Open() {
		a.over, a.overSpec = a.overlays[i], &overlayreg.Overlays[i]
		a.Panel.Edits++
	}
}

func (a *app) closeOverlay() {
	if a.over != nil {
		a.over.Close()
		a.over, a.overSpec = nil, nil
		a.Panel.Edits++
	}
}

// choose opens the overlay that turns a knob, if there is one.
func (a *app) choose(knob string) bool {
	for i := range overlayreg.Overlays {
		if overlayreg.Overlays[i].Knob == knob {
			a.toggle(i)
			return true
		}
	}
	return false
}

// actOver does an action of the overlay.
func (a *app) actOver(name string) {
	for _, x := range a.over.Actions() {
		if x.Name == name {
			x.Do(&a.Host)
			return
		}
	}
}

// lines are the key table for those that list it.
func (a *app) lines() []overlay.Line {
	all := make([]overlay.Line, len(keyTable))
	for i := range keyTable {
		b := &keyTable[i]
		all[i] = overlay.Line{Name: b.Name, Keys: a.keysOf(b), Doc: b.Doc, Mode: b.mode, Run: func() { b.do(a) }}
	}
	for _, m := range mouse {
		all = append(all, overlay.Line{Name: m.name, Keys: m.what, Doc: m.doc, Mode: onMouse, Run: func() {}})
	}
	return all
}

// askPicture has the screen, or a pane, written to a file: FILE [PANE] [WxH].
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
