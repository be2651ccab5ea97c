package lesson

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/presets"
)

// quoted is the target of a number from a paper.
const quoted = "paper"

// Numbers counts the checked numbers of a lesson.
type Numbers struct{ Runs, Numbers, Quoted, Questions int }

// Check compares the numbers and answers of a lesson with its runs. It returns all mistakes, each with
// file and line.
func Check(l *presets.Lesson, r Results) (n Numbers, wrong []error) {
	n.Runs = len(l.Runs)
	fail := func(line int, errs ...error) {
		for _, err := range errs {
			if err != nil {
				wrong = append(wrong, l.Wrong(line, err))
			}
		}
	}
	for i := range l.Steps {
		s := &l.Steps[i]
		for _, p := range slices.Concat(s.Text, s.Reveal) {
			fail(p.Line, r.checkText(p.Text, &n)...)
		}
		if s.Show != nil && s.Show.Watch != "" {
			fail(s.Show.Line, r.checkText(s.Show.Watch, &n)...)
		}
		if s.Ask != nil {
			n.Questions++
			for _, text := range append([]string{s.Ask.Text, s.Ask.Hint}, s.Ask.Choices...) {
				fail(s.Ask.Line, r.checkText(text, &n)...)
			}
			fail(s.Ask.Line, r.checkAnswer(s.Ask), r.checkPoint(s))
		}
	}
	for i := range l.Steps {
		if n := r.rows(l, i); n > maxRows {
			fail(l.Steps[i].Line, fmt.Errorf("the step %q has %d lines of %d columns: want at most %d", l.Steps[i].Heading, n, maxColumns, maxRows))
		}
	}
	return n, wrong
}

// Rows and columns of a step on a screen of 80×24. The header, the status, the footer, two lines of the border and two of the
// prompt are the other rows.
const (
	maxRows    = 17
	maxColumns = 76
)

// rows returns the largest number of lines of a step: with its hint, or after the reveal.
func (r Results) rows(l *presets.Lesson, step int) int {
	p := Player{Lesson: l, results: r, step: step}
	p.enter()
	p.hint = p.stage == Predicting && p.ask().Hint != ""
	rows := len(p.Lines(maxColumns))
	if p.stage == Predicting {
		p.prediction = 1
		if p.reveal(1) == nil {
			rows = max(rows, len(p.Lines(maxColumns)))
		}
	}
	return rows
}

// checkText returns the mistakes in a text: numbers that differ from their expressions, and numbers with a unit that are
// neither links nor quoted.
func (r Results) checkText(text string, n *Numbers) []error {
	spans, err := presets.Spans(text)
	if err != nil {
		return []error{err}
	}
	var wrong []error
	for _, s := range spans {
		switch {
		case s.Style == presets.Code:
		case s.Style != presets.Link:
			if x := bareNumber(s.Text); x != "" {
				wrong = append(wrong, fmt.Errorf("the number %s has no source (write [%s](#run.metric), or [%s](paper) for a quoted one)",
					x, x, x))
			}
		case s.Target == quoted:
			n.Quoted++
		default:
			n.Numbers++
			if err := r.checkNumber(s.Text, s.Target); err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	return wrong
}

// checkNumber compares a number with its expression.
func (r Results) checkNumber(text, target string) error {
	if !strings.HasPrefix(target, "#") {
		return fmt.Errorf("the link [%s](%s): want #run.metric or %s as target", text, target, quoted)
	}
	q, err := ParseQuantity(text)
	if err != nil {
		return err
	}
	v, err := r.value(target)
	if err != nil {
		return err
	}
	if !q.Rounds(v) {
		return fmt.Errorf("the number %s of %s is wrong: the runs have %s", text, target, q.Like(v))
	}
	return nil
}

// checkAnswer checks that the answer of a number or a point is positive, or that the runs meet the expectations
// of a choice.
func (r Results) checkAnswer(a *presets.Ask) error {
	if a.Kind != presets.AskChoice {
		v, err := r.value(a.Expect[0].Metric)
		if err == nil && v <= 0 {
			err = fmt.Errorf("the answer %q is %g: want a positive number", a.Expect[0].Metric, v)
		}
		return err
	}
	for i := range a.Expect {
		e := &a.Expect[i]
		v, err := r.expected(e)
		if err == nil && !e.Holds(v) {
			err = fmt.Errorf("the expectation of %s is not met: %.4g, want %g to %g: %q is not the answer", formula(e), v, e.Low, e.High,
				a.Choices[a.Right-1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// formula returns the expression that an expectation of a choice limits.
func formula(e *presets.Expectation) string {
	if e.Relation == presets.Times {
		return "(" + e.Metric + ") / (" + e.Divisor + ")"
	}
	return e.Metric
}

// expected computes the value that an expectation of a choice limits.
func (r Results) expected(e *presets.Expectation) (float64, error) { return r.value(formula(e)) }
