package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	answering "github.com/hybridtop/hybridtop/tui/overlay/answer"
)

// Lesson is a lesson to open on the screen.
type Lesson struct {
	Name  string
	File  string        // of the answers; "": answers are not stored
	Again bool          // start at the first step, without the stored answers
	Every time.Duration // interval of steps that advance by themselves until a key is pressed; 0: none
}

// course is the lesson next to the panes. All keys of the screen stay active.
type course struct {
	player  *lesson.Player // nil: no lesson
	runs    lesson.Results
	file    string // of the answers; "": answers are not stored
	shown   bool
	opening *Lesson // lesson to open; nil: none
	save    bool    // the answers have changed
	every   time.Duration
	due     time.Time // of the next step, if every is not 0
}

// lessonOpened is a lesson whose programs have run.
type lessonOpened struct {
	of     Lesson
	player *lesson.Player
	runs   lesson.Results
	err    error
}

// lessonSaved is the result of writing the answers.
type lessonSaved struct{ err error }

// openLesson returns the command that runs the programs of a lesson, so that the screen does not wait for them.
func (p *program) openLesson() tea.Cmd {
	of := *p.app.course.opening
	p.app.course.opening = nil
	p.app.notice = "lesson " + of.Name + ": the programs run"
	return func() tea.Msg {
		out := lessonOpened{of: of}
		l, err := presets.FindLesson(of.Name)
		var earlier lesson.Answers
		if err == nil && !of.Again && of.File != "" {
			earlier, err = lesson.EarlierAnswers(&l, of.File)
		}
		if err == nil {
			out.runs, err = lesson.Run(p.ctx, &l, session.Options{Fabrics: session.Fabrics(),
				Limits: session.Limits{Usual: lesson.LiveTime}}, nil)
		}
		if err == nil {
			out.player = lesson.NewPlayer(&l, out.runs, earlier)
		}
		out.err = err
		return out
	}
}

// saveLesson returns the command that writes the answers.
func (p *program) saveLesson() tea.Cmd {
	c := &p.app.course
	c.save = false
	if c.file == "" {
		return nil
	}
	a, file := c.player.Answers, c.file
	a.Answers = slices.Clone(a.Answers)
	return func() tea.Msg { return lessonSaved{a.Save(p.ctx, file)} }
}

// lessonOpened shows a lesson at its first open question.
func (a *app) lessonOpened(o lessonOpened) {
	if o.err != nil {
		a.notice = o.err.Error()
		return
	}
	a.course = course{player: o.player, runs: o.runs, file: o.of.File, shown: true, every: o.of.Every}
	a.guide = guide{}
	a.notice = ""
	a.showStep()
}

const noLesson = "no lesson is open (C lists lessons)"

// continueLesson goes to the next step. It reports whether the lesson waits for an answer.
func (a *app) continueLesson() bool {
	c := &a.course
	if c.player == nil {
		a.notice = noLesson
		return false
	}
	c.shown = true
	switch c.player.Stage() {
	case lesson.Predicting, lesson.Sure:
		return true
	case lesson.Over:
		c.player = nil
		return false
	}
	_ = c.player.Take("") // an empty line continues
	a.showStep()
	return false
}

// answerLesson takes an answer, and reports whether the lesson waits for another one.
func (a *app) answerLesson(text string) (waits bool, err error) {
	c := &a.course
	if c.player == nil {
		return false, nil
	}
	if err := c.player.Take(text); err != nil {
		return true, err
	}
	if c.player.Stage() != lesson.Revealed {
		return true, nil
	}
	c.save = true
	a.showStep()
	return false, nil
}

// lessonBack returns to the step before.
func (a *app) lessonBack() {
	if a.course.player == nil {
		a.notice = noLesson
		return
	}
	a.course.player.Back()
	a.showStep()
}

// showStep runs the program of the step, and compares it with the run that the step names.
func (a *app) showStep() {
	c := &a.course
	if c.player == nil {
		a.notice = noLesson
		return
	}
	show := c.player.Show()
	if show == nil {
		return
	}
	run := c.player.Lesson.Run(show.Run)
	sc, err := lesson.Scenario(c.player.Lesson, run, a.overHost.Machines...)
	var p presets.Scenario
	if err == nil {
		p, err = presets.FindScenario(run.Preset)
	}
	if err == nil {
		if show.Pane != "" {
			p.Pane = show.Pane
		}
		err = a.runScenario(&p, sc)
	}
	if err != nil {
		a.notice = err.Error()
		return
	}
	a.base = nil
	if against := c.runs[show.Against]; against != nil {
		a.base = engine.NewBaseline(against)
	}
	a.compare()
}

// isDue reports whether the next step of a tour is due. The first call only starts its clock.
func (c *course) isDue(now time.Time) bool {
	if c.player == nil || c.every == 0 {
		return false
	}
	if c.due.IsZero() {
		c.due = now.Add(c.every)
	}
	return !now.Before(c.due)
}

// advanceTour goes to the next step of a tour. After the last step the user has control.
func (a *app) advanceTour(now time.Time) bool {
	c := &a.course
	c.due = now.Add(c.every)
	if _ = c.player.Take(""); c.player.Stage() == lesson.Over {
		c.player, c.every = nil, 0
		a.notice = "the tour has ended: C lists lessons, ? keys, q quits"
	}
	if c.player != nil {
		a.showStep()
	}
	return true
}

// The least width of a screen with a lesson next to the panes, and the largest width of the lesson.
const (
	besideW = 110
	lessonW = 60
)

// lines returns the lines of the lesson and of its prompt.
func (c *course) lines(width int) (text, prompt []string) {
	word := map[lesson.Stage]string{lesson.Predicting: "N answer: " + c.player.Prompt(), lesson.Sure: "N answer: " + c.player.Prompt(),
		lesson.Over: "N close the lesson"}[c.player.Stage()]
	if word == "" {
		word = "N continue, H back"
		if c.player.Show() != nil {
			word += ", I run the program again"
		}
	}
	if c.every > 0 {
		word = "the tour continues; any key stops it"
	}
	return c.player.Lines(width), lesson.Fold(word, width)
}

// place cuts the area of the lesson from a body: a column if the screen is wide, otherwise rows below the panes.
func (c *course) place(body grid.Rect) (at, rest grid.Rect) {
	if c.player == nil || !c.shown || body.Empty() {
		return grid.Rect{}, body
	}
	rows := func(w int) int {
		text, prompt := c.lines(w - 4)
		return len(text) + len(prompt) + 4 // with an empty line, the border and the input line
	}
	if w := min(body.W*45/100, lessonW); body.W >= besideW && rows(w) <= body.H {
		return body.CutLeft(w)
	}
	n := rows(body.W)
	if n > body.H-guideRest {
		n = body.H
	}
	return body.CutBottom(n)
}

// drawLesson draws the lesson.
func (s *screen) drawLesson(a *app) {
	r, c := s.at.lesson, &a.course
	if r.Empty() {
		return
	}
	s.clear(r, a.Theme)
	n, all := c.player.Step()
	in := s.g.Box(r, grid.Box{Title: c.player.Lesson.Title, Right: fmt.Sprintf("%d of %d, %s hide", n, all, a.Keys("guide")),
		Border: a.Theme.Accent, TitleStyle: a.Theme.Title, RightStyle: a.Theme.Dim})
	v := in.Sub(in.Local().Inset(1, 0))
	text, prompt := c.lines(v.W())
	y := 0
	last := v.H() - len(prompt) - 1 // row of the prompt
	if len(text) > last {
		text = append(text[:max(0, last-1):max(0, last-1)], "… (the step needs more rows)")
	}
	for i, line := range text {
		st := a.Theme.Text
		switch {
		case i == 0:
			st = a.Theme.Title
		case strings.HasPrefix(line, "Right."):
			st = a.Theme.OK
		case strings.HasPrefix(line, "Not so."):
			st = a.Theme.Warning
		}
		v.Text(0, y, line, st)
		y++
	}
	y = min(y+1, last)
	for _, line := range prompt {
		v.Text(0, y, line, a.Theme.Accent)
		y++
	}
	if a.over != nil && a.overSpec.Mode == answering.Mode {
		v.Text(0, y, "> ", a.Theme.Accent)
		a.over.Line().Draw(v.Sub(grid.Rect{X: 2, Y: y, W: v.W() - 2, H: 1}), a.Theme)
	}
}
