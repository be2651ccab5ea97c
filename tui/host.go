package tui

import (
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// hostWatch follows whether this host can emulate the machine. If it cannot, and the user does nothing
// for idleSwitch, the screen simulates the machine instead, once per session.
type hostWatch struct {
	since    time.Time // no key, and the host fell behind; zero: it keeps up
	left     time.Duration
	switched bool
}

// idleSwitch is the time without a key after which the screen simulates.
const idleSwitch = 5 * time.Second

// cannotEmulate reports whether this host cannot emulate the machine, at the dilation that the user set
// or at any practical one.
func (a *app) cannotEmulate() bool {
	s := a.latest
	return a.replay == nil && s.Phase == engine.Running &&
		(s.Keeping == engine.Beyond || s.Keeping == engine.Behind && s.Scenario.Values["dilation"] != "auto")
}

// watchHost switches to a simulation if this host cannot emulate the machine and the user does nothing.
// It reports whether the warning has changed.
func (a *app) watchHost(now time.Time) bool {
	w := &a.hostWatch
	switch {
	case !a.cannotEmulate() || w.switched || a.frozen || a.over != nil || a.Panel.Typed != nil:
		w.since = time.Time{}
		return false
	case w.since.IsZero():
		w.since, w.left = now, idleSwitch
		return true
	}
	was := w.left.Round(time.Second)
	if w.left = idleSwitch - now.Sub(w.since); w.left > 0 {
		return w.left.Round(time.Second) != was
	}
	w.switched = true
	machine := a.latest.Machine
	a.simulate()
	a.notice = "this host cannot emulate " + machine + ": simulating it in virtual time (u undoes)"
	return true
}

// hostWarning returns the warning about this host, with one piece of advice; "": none.
func (a *app) hostWarning() string {
	if !a.cannotEmulate() {
		return ""
	}
	text := "▲ This host is too slow to emulate " + a.latest.Machine
	if a.latest.Keeping != engine.Beyond {
		text += " at a time dilation of " + strconv.FormatFloat(a.latest.Dilation, 'g', 6, 64)
	}
	text += ": its times are invalid. " + a.Keys("simulate") + " simulates it"
	if w := &a.hostWatch; !w.since.IsZero() && !w.switched {
		text += ", by itself in " + strconv.Itoa(max(int(w.left.Round(time.Second)/time.Second), 1)) + " s"
	}
	return text + "."
}

// drawWarning draws the warning about this host.
func (s *screen) drawWarning(a *app) {
	if r := s.at.warning; !r.Empty() {
		s.clear(r, a.Theme)
		v := s.g.View(r)
		v.TextRows(1, 0, v.W()-2, v.H(), a.hostWarning(), a.Theme.Warning)
	}
}

// warningRows returns the rows of the warning on a screen of w columns.
func (a *app) warningRows(w int) int {
	text := a.hostWarning()
	if text == "" {
		return 0
	}
	f := grid.Flow{V: grid.View{}.Sub(grid.Rect{W: w - 2})}
	f.Text(text, grid.Style{})
	return f.Y
}
