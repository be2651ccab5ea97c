package tui

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
)

// replaying is a session that has been, and that the user moves in.
type replaying interface{ Position() recording.Position }

// replay takes in where the replay stands, and reports whether it has moved.
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

// move moves in a recording, or in the last minutes of the session.
func (a *app) move(verb engine.Verb, value string) {
	switch {
	case a.replay != nil:
		a.do(engine.Command{Verb: verb, Value: value})
	case verb == engine.Seek:
		if err := a.rewind(value); err != nil {
			a.notice = err.Error()
		}
	default:
		a.notice = "only a recording has a speed: hybridtop replay FILE"
	}
}

// seek moves to a time or a mark that was typed.
func (a *app) seek(text string) error {
	if a.replay == nil {
		return a.rewind(text)
	}
	a.move(engine.Seek, text)
	return nil
}

// rewind freezes the screen on what was shown before; behind the present it thaws.
func (a *app) rewind(value string) error {
	if a.past == nil {
		return errors.New("nothing of what was shown is kept")
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
		return errors.Join(err, errors.New("nothing of that time is kept"))
	}
	a.frozen = true
	a.show(s)
	return nil
}

// replayParts say where a replay stands.
func (a *app) replayParts() []part {
	r, th := a.replay, a.Theme
	word := "▶ replay "
	if !r.Playing {
		word = "┃┃ replay "
	}
	all := []part{{word + clock(r.At) + " of " + clock(r.Length), th.Accent, must}}
	if r.Speed != 1 {
		all = append(all, part{"×" + strconv.FormatFloat(r.Speed, 'g', 3, 64), th.Accent, 9})
	}
	if r.Marks > 0 {
		text := fmt.Sprintf("mark %d of %d", r.Mark, r.Marks)
		if r.Label != "" {
			text += ": " + r.Label
		}
		all = append(all, part{text, th.Dim, 6})
	}
	if r.Error != "" {
		all = append(all, part{"✗ " + r.Error, th.Error, must})
	}
	return all
}

// captured is what became of a recording of the screen's session.
type captured struct {
	file    string
	started bool
	err     error
}

// captureName is the file that a recording of the screen goes to.
func captureName(now time.Time) string { return now.Format("hybridtop-20060102-150405.htr") }

// toggleCapture begins to record the session, or ends it.
func (a *app) toggleCapture() {
	if a.replay != nil {
		a.notice = "this is a recording already"
		return
	}
	a.capture = true
}

// captureInto begins to record the session into a file, or into another one.
func (a *app) captureInto(file string) error {
	file = strings.TrimSpace(file)
	switch {
	case a.replay != nil:
		return errors.New("this is a recording already")
	case a.capturing != "":
		return fmt.Errorf("it is being recorded into %s already: R ends that", a.capturing)
	case file == "":
		return errors.New("name a file: capture run.htr")
	}
	a.capture, a.captureTo = true, file
	return nil
}

// capture gives the command that begins or ends the recording: the screen does not wait
// for a file.
func (p *program) capture() tea.Cmd {
	p.app.capture = false
	defer func() { p.app.captureTo = "" }()
	if p.switched == nil {
		p.app.notice = "this session cannot be recorded"
		return nil
	}
	on, s := p.app.capturing, p.switched
	if on == "" {
		file := cmp.Or(p.app.captureTo, captureName(time.Now()))
		return func() tea.Msg { return captured{file, true, s.Start(file)} }
	}
	return func() tea.Msg { return captured{on, false, s.Stop()} }
}

// captured takes in what became of it.
func (a *app) captured(m captured) {
	switch {
	case m.err != nil:
		a.capturing, a.notice = "", m.err.Error()
	case m.started:
		a.capturing, a.notice = m.file, "recording into "+m.file
	default:
		a.capturing, a.notice = "", "recorded: hybridtop replay "+m.file
	}
}
