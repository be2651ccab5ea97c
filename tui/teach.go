package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// teaching is the mode of a lesson for a class. It has only the keys of a clicker.
const teaching = "teaching a class"

// teachingKeys returns the keys of a lesson for a class.
func teachingKeys() []binding {
	line := func(name, key, doc, hint string, do func(*app)) binding {
		return binding{Action: pane.Action{Name: name, Keys: []string{key}, Doc: doc, Hint: hint}, mode: teaching, do: do}
	}
	forward := line("teach-forward", "pgdown", "show the rest of the text, the next vote, the answer or the next step; after the last step, quit",
		"forward, back", (*app).teachForward)
	forward.Other, forward.Both = "teach-back", "pgdn pgup"
	return []binding{forward, line("teach-back", "pgup", "go back by one page of the lesson", "", (*app).teachBack)}
}

// isTaught reports whether the lesson is for a class.
func (c *course) isTaught() bool { return c.player != nil && c.player.Class() != nil }

// teachForward scrolls the text. At its end, it shows the next vote, the answer or the next step.
func (a *app) teachForward() {
	c := &a.course
	was := c.top
	if a.scrollLesson(+1) && c.top > was {
		return
	}
	if c.player.Stage() == lesson.Over {
		a.quit = true
		return
	}
	c.player.Forward()
	a.turnPage()
}

// teachBack scrolls back. At the beginning of the text, it returns to the previous vote or step.
func (a *app) teachBack() {
	c := &a.course
	if c.top > 0 {
		a.scrollLesson(-1)
		return
	}
	c.player.Backward()
	a.turnPage()
}

// turnPage shows the beginning of the text, and lets the votes be read again at once.
func (a *app) turnPage() {
	a.course.top, a.course.read = 0, time.Time{}
	a.showStep()
}

// classEvery is the interval at which the answers of a class are read.
const classEvery = time.Second

// classRead is the message with the answers of a class.
type classRead struct {
	class lesson.Class
	err   error
}

// readClass returns the command that reads the answers of the class again, or nil if they are not due.
func (p *program) readClass(now time.Time) tea.Cmd {
	c := &p.app.course
	if !c.isTaught() || c.player.Class().Folder == "" || c.reading || now.Sub(c.read) < classEvery {
		return nil
	}
	c.reading = true
	l, folder := c.player.Lesson, c.player.Class().Folder
	return func() tea.Msg {
		class, err := lesson.ReadClass(folder, l)
		return classRead{class, err}
	}
}

// classRead shows the answers of the class. It reports whether the screen changes.
func (a *app) classRead(r classRead, now time.Time) bool {
	c := &a.course
	c.reading, c.read = false, now
	switch {
	case !c.isTaught():
		return false
	case r.err != nil:
		a.notice = r.err.Error()
		return true
	}
	changed := !c.player.Class().Equal(&r.class)
	c.player.SetClass(r.class)
	return changed
}
