package tui

import (
	"context"
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
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Lesson is a lesson to open on the screen.
type Lesson struct {
	Name  string
	File  string        // of the answers; "": answers are not stored
	Again bool          // start at the first step, without the stored answers
	Twice bool          // ask each question again, after talking with neighbours
	Teach bool          // for a class: the lesson next to one pane, and PgDn and PgUp as keys
	Class string        // folder of the class's answers; "": a show of hands
	Every time.Duration // interval of steps that advance by themselves until a key is pressed; 0: none
}

// course is the lesson next to the panes. All keys of the screen stay active.
type course struct {
	player   *lesson.Player // nil: no lesson
	runs     lesson.Results
	file     string // of the answers; "": answers are not stored
	shown    bool
	opening  *Lesson // lesson to open; nil: none
	save     bool    // the answers have changed
	answered bool    // the end of the screen writes the answers again
	every    time.Duration
	ran      *engine.Scenario // scenario of the step's run; nil: none
	due      time.Time        // of the next step, if every is not 0
	top      int              // first line of the text that is shown
	reading  bool             // the answers of the class are being read
	read     time.Time        // time at which they were read last
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
		var class lesson.Class
		if err == nil && of.Teach {
			class, err = lesson.ReadClass(of.Class, &l)
		}
		if err == nil {
			out.runs, err = lesson.Run(p.ctx, &l, session.Options{Fabrics: session.Fabrics(),
				Limits: session.Limits{Usual: lesson.LiveTime}}, nil)
		}
		if err == nil {
			out.player = lesson.NewPlayer(&l, out.runs, earlier, of.Twice)
			if of.Teach {
				out.player = lesson.NewTeacher(&l, out.runs, class)
			}
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
	c.answered = true
	return func() tea.Msg { return lessonSaved{a.Save(p.ctx, file)} }
}

// saveLast writes the answers at the end of the screen, which ends the commands that write them.
func (c *course) saveLast(ctx context.Context) error {
	if !c.answered || c.player == nil {
		return nil
	}
	return c.player.Answers.Save(ctx, c.file)
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
	a.mouse = a.mouse && !o.of.Teach
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
		a.predict()
		return false
	}
	_ = c.player.Take("") // an empty line continues
	c.top = 0
	a.showStep()
	return false
}

// answerLesson takes an answer, and reports whether the lesson waits for another one.
func (a *app) answerLesson(text string) (waits bool, err error) {
	c := &a.course
	if c.player == nil {
		return false, nil
	}
	was := c.player.Stage()
	if err := c.player.Take(text); err != nil {
		return true, err
	}
	c.save = was == lesson.Sure
	if c.player.Stage() != lesson.Revealed {
		return true, nil
	}
	c.top = 0
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
	a.course.top = 0
	a.showStep()
}

// showStep runs the program of the step, and compares it with the run that the step names.
func (a *app) showStep() {
	c := &a.course
	if c.player == nil {
		a.notice = noLesson
		return
	}
	c.ran = nil
	defer a.predict()
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
	c.ran = &sc
	a.base = nil
	if against := c.runs[show.Against]; against != nil {
		a.base = engine.NewBaseline(against)
	}
	a.compare()
}

// predict shows the student's prediction on the charts of the step's run.
func (a *app) predict() {
	c := &a.course
	if c.player == nil || c.ran == nil || !isSame(c.ran, &a.Snap.Scenario) {
		a.Predicted = nil
		return
	}
	metric, value, ok := c.player.Predicted()
	switch {
	case !ok:
		a.Predicted = nil
	case a.Predicted == nil || *a.Predicted != pane.Prediction{Metric: metric, Value: value}:
		a.Predicted = &pane.Prediction{Metric: metric, Value: value}
	}
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
	c.top = 0
	if _ = c.player.Take(""); c.player.Stage() == lesson.Over {
		c.player, c.every = nil, 0
		a.notice = "the tour has ended: C lists lessons, ? keys, q quits"
	}
	if c.player != nil {
		a.showStep()
	}
	return true
}

const (
	besideW    = 110      // minimum width of a screen with a lesson next to the panes
	lessonW    = 60       // maximum width of a lesson
	taughtRest = oneH + 1 // rows that a lesson for a class leaves to its pane
)

// isAnswering reports whether the user is typing an answer.
func (a *app) isAnswering() bool { return a.over != nil && a.overSpec.Mode == answering.Mode }

// lines returns the lines of the lesson and of its prompt. typing reports whether the user is typing an answer.
func (c *course) lines(width int, typing bool) (text, prompt []string) {
	text = c.player.Lines(width)
	word := "N continue, H back"
	switch stage := c.player.Stage(); {
	case c.isTaught():
		if word = c.player.Prompt(); word == "" {
			return text, nil
		}
	case c.every > 0:
		word = "the tour continues; any key stops it"
	case typing:
		word = "type, then enter: " + c.player.Prompt()
	case stage == lesson.Predicting || stage == lesson.Sure:
		word = "N answer the question"
	case stage == lesson.Over:
		word = "N close the lesson"
	case c.player.Show() != nil:
		word += ", I run the program again"
	}
	return text, lesson.Fold(word, width)
}

// place cuts the area of the lesson from a body: a column if the screen is wide, otherwise rows below the panes.
func (c *course) place(body grid.Rect, typing bool) (at, rest grid.Rect) {
	if c.player == nil || !c.shown || body.Empty() {
		return grid.Rect{}, body
	}
	if body.W >= besideW {
		return body.CutLeft(min(body.W*45/100, lessonW))
	}
	text, prompt := c.lines(body.W-4, typing)
	n := len(text) + len(prompt) + 3 + c.inputRows() // with the border and an empty line
	switch {
	case c.isTaught() && c.player.Show() != nil:
		n = min(n, max(body.H-taughtRest, body.H/2))
	case n > body.H-guideRest:
		n = body.H
	}
	return body.CutBottom(n)
}

// inputRows returns the rows of the input line. A class has none.
func (c *course) inputRows() int {
	if c.isTaught() {
		return 0
	}
	return 1
}

// page returns the text and the prompt of the lesson for an area of w×h cells with a border, and the number of rows
// for the text.
func (c *course) page(w, h int, typing bool) (text, prompt []string, rows int) {
	text, prompt = c.lines(w-4, typing)
	return text, prompt, max(1, h-2-len(prompt)-c.inputRows())
}

// scrollLesson scrolls the text by pages. It reports whether the text is longer than its area.
func (a *app) scrollLesson(pages int) bool {
	at := arrange(a.w, a.h, a).lesson
	if at.Empty() {
		return false
	}
	text, _, rows := a.course.page(at.W, at.H, a.isAnswering())
	a.course.top = min(max(a.course.top+pages*max(1, rows-1), 0), max(0, len(text)-rows))
	return len(text) > rows
}

// drawLesson draws the lesson.
func (s *screen) drawLesson(a *app) {
	r, c := s.at.lesson, &a.course
	if r.Empty() {
		return
	}
	s.clear(r, a.Theme)
	n, all := c.player.Step()
	right := fmt.Sprintf("%d of %d", n, all)
	if !c.isTaught() {
		right += ", " + a.Keys("guide") + " hide"
	}
	in := s.g.Box(r, grid.Box{Title: c.player.Lesson.Title, Right: right,
		Border: a.Theme.Accent, TitleStyle: a.Theme.Title, RightStyle: a.Theme.Dim})
	v := in.Sub(in.Local().Inset(1, 0))
	text, prompt, rows := c.page(r.W, r.H, a.isAnswering())
	top := min(c.top, max(0, len(text)-rows))
	s.drawMoreMarks(r, a.Theme, top > 0, len(text)-top > rows)
	y := 0
	for i, line := range text[top:min(len(text), top+rows)] {
		st := a.Theme.Text
		switch {
		case top+i == 0:
			st = a.Theme.Title
		case strings.HasPrefix(line, "Right."):
			st = a.Theme.OK
		case strings.HasPrefix(line, "Not so."):
			st = a.Theme.Warning
		}
		v.Text(0, y, line, st)
		y++
	}
	y = min(y+1, v.H()-len(prompt)-c.inputRows())
	for _, line := range prompt {
		v.Text(0, y, line, a.Theme.Accent)
		y++
	}
	if a.isAnswering() {
		v.Text(0, y, "> ", a.Theme.Accent)
		a.over.Line().Draw(v.Sub(grid.Rect{X: 2, Y: y, W: v.W() - 2, H: 1}), a.Theme)
	}
	s.hits = append(s.hits, hit{at: r, press: func(*app) {}, wheel: func(a *app, by int) { a.scrollLesson(-by) }})
}
