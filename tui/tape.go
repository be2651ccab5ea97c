package tui

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// replaying is a recorded session in which the user can move.
type replaying interface{ Position() recording.Position }

// replay updates the position of the replay, and reports whether it has changed.
func (p *program) replay() bool {
	r, ok := p.session.(replaying)
	if !ok {
		return false
	}
	now := r.Position()
	moved := p.app.replay == nil || *p.app.replay != now
	p.app.replay = &now
	return moved
}

// move changes the position or speed of a recording, or the position in the last minutes of a
// session.
func (a *app) move(verb engine.Verb, value string) {
	switch {
	case a.replay != nil:
		a.do(engine.Command{Verb: verb, Value: value})
	case verb == engine.Seek:
		if err := a.rewind(value); err != nil {
			a.notice = err.Error()
		}
	default:
		a.notice = "speed applies only to recordings: hybridtop replay FILE"
	}
}

// seek moves to a time or a marker that the user typed.
func (a *app) seek(text string) error {
	if a.replay == nil {
		return a.rewind(text)
	}
	a.move(engine.Seek, text)
	return nil
}

// rewind freezes the screen at an earlier time. A time after the present unfreezes it.
func (a *app) rewind(value string) error {
	if a.past == nil {
		return errors.New("no history to go back to")
	}
	at, err := recording.Moment(value, a.Snap.Elapsed, a.latest.Marks)
	if err != nil {
		return err
	}
	if at >= a.latest.Elapsed {
		if a.frozen {
			a.toggleFreeze()
		}
		return nil
	}
	s, err := a.past(at)
	if err != nil || s == nil {
		return errors.Join(err, errors.New("no history of that time"))
	}
	s.Timeline = timelineUntil(a.latest, s)
	a.frozen = true
	a.show(s)
	return nil
}

// timelineUntil returns the timeline of the latest snapshot up to the time of an earlier snapshot. It returns nil if
// the earlier snapshot is of another launch.
func timelineUntil(latest, s *engine.Snapshot) *timeline.View {
	launch := pane.LatestLaunch(latest.Series)
	if latest.Timeline == nil || len(launch) == 0 || s.Elapsed < launch[0].At || s.Scenario.Workload != latest.Scenario.Workload {
		return nil
	}
	v := *latest.Timeline
	v.Edge = min(v.Edge, max(s.Fabric, v.From))
	return &v
}

// replayParts returns the parts of the status line about the replay.
func (a *app) replayParts() []part {
	r, th := a.replay, a.Theme
	word := "▶ replay "
	if !r.Playing {
		word = "┃┃ replay "
	}
	all := []part{{word + clock(r.At) + " of " + clock(r.Length), th.Accent, mandatory}}
	if r.Speed != 1 {
		all = append(all, part{"×" + strconv.FormatFloat(r.Speed, 'g', 3, 64), th.Accent, 9})
	}
	if r.Marks > 0 {
		text := fmt.Sprintf("marker %d of %d", r.Mark, r.Marks)
		if r.Label != "" {
			text += ": " + r.Label
		}
		all = append(all, part{text, th.Dim, 6})
	}
	if r.Error != "" {
		all = append(all, part{"✗ " + r.Error, th.Error, mandatory})
	}
	return all
}

// captured is the result of starting or stopping a recording of the session.
type captured struct {
	file    string
	started bool
	err     error
}

// captureName returns the default file of a recording.
func captureName(now time.Time) string { return now.Format("hybridtop-20060102-150405.htr") }

// toggleCapture starts or stops recording the session.
func (a *app) toggleCapture() {
	if a.replay != nil {
		a.notice = "cannot record a replay"
		return
	}
	a.capture = true
}

// captureInto starts recording the session to a file.
func (a *app) captureInto(file string) error {
	file = strings.TrimSpace(file)
	switch {
	case a.replay != nil:
		return errors.New("cannot record a replay")
	case a.capturing != "":
		return fmt.Errorf("already recording to %s (R stops)", a.capturing)
	case file == "":
		return errors.New("capture: want a file name, such as capture run.htr")
	}
	a.capture, a.captureTo = true, file
	return nil
}

// capture returns the command that starts or stops the recording, so that the screen does not wait
// for a file.
func (p *program) capture() tea.Cmd {
	p.app.capture = false
	defer func() { p.app.captureTo = "" }()
	if p.recorder == nil {
		p.app.notice = "this session cannot be recorded"
		return nil
	}
	on, s := p.app.capturing, p.recorder
	if on == "" {
		file := cmp.Or(p.app.captureTo, captureName(time.Now()))
		return func() tea.Msg { return captured{file: file, started: true, err: s.Start(file)} }
	}
	return func() tea.Msg { return captured{file: on, err: s.Stop()} }
}

// captured handles the result of starting or stopping a recording.
func (a *app) captured(m captured) {
	switch {
	case m.err != nil:
		a.capturing, a.notice = "", m.err.Error()
	case m.started:
		a.capturing, a.notice = m.file, "recording to "+m.file
	default:
		a.capturing, a.notice = "", "recorded: hybridtop replay "+m.file
	}
}
