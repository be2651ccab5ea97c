package lesson

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/presets"
)

// Stage is the input that a player waits for.
type Stage int

// The stages of a step, in order. A step without a question is only read.
const (
	Reading    Stage = iota // the next step
	Predicting              // a prediction
	Sure                    // the student's confidence
	Voted                   // the second vote of a class; its first vote is shown
	VotedAgain              // the answer; both votes are shown
	Revealed                // the next step
	Over                    // nothing: the lesson has ended
)

// Player plays a lesson: it shows a step, takes a prediction and the student's confidence, and reveals the answer.
type Player struct {
	Lesson  *presets.Lesson
	Answers Answers
	Twice   bool // ask each question again before its answer, after talking with neighbours

	results    Results
	step       int
	stage      Stage
	hint       bool // the hint is shown
	prediction float64
	class      *Class // that the lesson is taught to; nil: none
}

// NewPlayer returns a player at the first step whose question has no answer yet. twice asks each question again before its answer.
func NewPlayer(l *presets.Lesson, r Results, earlier Answers, twice bool) *Player {
	p := &Player{Lesson: l, Answers: earlier, Twice: twice, results: r}
	p.Answers.Lesson = l.Name
	for i := range l.Steps {
		switch {
		case l.Steps[i].Ask == nil || p.Answers.find(l.Steps[i].Heading) == nil:
		case p.isAnswered(i):
			p.step = i + 1
		default:
			p.step = i
		}
	}
	p.enter()
	return p
}

// Stage returns what the player waits for.
func (p *Player) Stage() Stage { return p.stage }

// isAnswered reports whether a step has its last answer.
func (p *Player) isAnswered(step int) bool {
	x := p.Answers.find(p.Lesson.Steps[step].Heading)
	return x != nil && (!p.Twice || x.First != nil)
}

// earlier returns the student's first answer if the question waits for the second one, or nil.
func (p *Player) earlier() *Answer {
	if p.isAnswered(p.step) {
		return nil
	}
	return p.Answers.find(p.Lesson.Steps[p.step].Heading)
}

func (p *Player) enter() {
	p.hint = false
	switch {
	case p.step >= len(p.Lesson.Steps):
		p.stage = Over
	case p.isAnswered(p.step):
		p.stage = Revealed
	case p.Lesson.Steps[p.step].Ask != nil:
		p.stage = Predicting
	default:
		p.stage = Reading
	}
}

// Step returns the number of the current step, from 1, and the number of steps.
func (p *Player) Step() (n, all int) { return min(p.step+1, len(p.Lesson.Steps)), len(p.Lesson.Steps) }

// Back returns to the step before.
func (p *Player) Back() {
	p.step = max(p.step-1, 0)
	p.enter()
}

// Show returns the run to show now, or nil. The run of a question is part of its answer.
func (p *Player) Show() *presets.Show {
	if p.stage != Reading && p.stage != Revealed {
		return nil
	}
	return p.Lesson.Steps[p.step].Show
}

func (p *Player) ask() *presets.Ask { return p.Lesson.Steps[p.step].Ask }

// Take takes a line that the student typed. An empty line continues, and "?" shows the hint. An error names the wanted
// input, and the player waits for it again.
func (p *Player) Take(line string) error {
	line = strings.TrimSpace(line)
	switch p.stage {
	case Reading, Revealed:
		p.step++
		p.enter()
	case Predicting:
		if line == "?" {
			p.hint = true
			return nil
		}
		if old := p.earlier(); old != nil && line == "" {
			p.prediction, p.stage = old.Prediction, Sure
			return nil
		}
		x, err := predicted(p.ask(), line)
		if err != nil {
			return err
		}
		p.prediction, p.stage = x, Sure
	case Sure:
		n, err := strconv.Atoi(line)
		if err != nil || n < 1 || n > 3 {
			return fmt.Errorf("confidence %q: want 1, 2 or 3", line)
		}
		return p.reveal(n)
	}
	return nil
}

func (p *Player) reveal(confidence int) error {
	a := p.ask()
	answer, err := p.results.Answer(a)
	if err != nil {
		return err
	}
	x := Answer{Question: p.Lesson.Steps[p.step].Heading, Kind: a.Kind, Prediction: p.prediction, Result: answer,
		Confidence: confidence, Right: Right(a, p.prediction, answer)}
	if old := p.earlier(); old != nil {
		x.First = &Vote{Prediction: old.Prediction, Confidence: old.Confidence}
	}
	p.Answers.put(x)
	p.enter()
	return nil
}

// predicted reads a prediction: the number of a choice, or a number in the question's unit or with a unit.
func predicted(a *presets.Ask, line string) (float64, error) {
	if a.Kind == presets.AskChoice {
		n, err := strconv.Atoi(line)
		if err != nil || n < 1 || n > len(a.Choices) {
			return 0, fmt.Errorf("choice %q: want a number from 1 to %d", line, len(a.Choices))
		}
		return float64(n), nil
	}
	unit := UnitOf(a.Text)
	q, err := ParseQuantity(strings.Replace(line, "x", "×", 1))
	if err != nil || q.Number <= 0 {
		return 0, fmt.Errorf("prediction %q: want a positive number, in %s", line, unit)
	}
	if q.Unit == "" {
		q.Unit = unit
	}
	return q.Value(), nil
}

// Prompt returns what to type now.
func (p *Player) Prompt() string {
	if p.class != nil {
		return p.classPrompt()
	}
	switch p.stage {
	case Predicting:
		a := p.ask()
		text := "your prediction, in " + UnitOf(a.Text)
		if a.Kind == presets.AskChoice {
			text = fmt.Sprintf("your choice, 1 to %d", len(a.Choices))
		}
		if a.Hint != "" && !p.hint {
			text += " (? hint)"
		}
		if old := p.earlier(); old != nil {
			text = "talk with your neighbours, then again " + text + "; empty: as before"
		}
		return text
	case Sure:
		if why := p.ask().Why; why != "" {
			return Words(why)
		}
		return "how certain are you? 1 guess, 2 fairly certain, 3 sure"
	case Over:
		return "the lesson is over"
	}
	return "enter: continue"
}

// Lines returns the current step, wrapped to a width: its text and question. After the answer, it returns the prediction next to the
// result, and the text of the reveal. Only a lesson for a class has the text for teachers.
func (p *Player) Lines(width int) []string {
	switch {
	case p.stage == Over && p.class != nil:
		return p.classSummary(width)
	case p.stage == Over:
		return p.summary()
	}
	s := &p.Lesson.Steps[p.step]
	lines := []string{s.Heading, ""}
	if p.stage == Revealed {
		if p.class != nil {
			lines = append(append(lines, p.classAnswer(width)...), p.classVotes(width)...)
		} else {
			lines = append(lines, p.compare(width)...)
		}
		return p.body(append(lines, ""), s.Reveal, width)
	}
	lines = p.body(lines, s.Text, width)
	if s.Show != nil && s.Show.Watch != "" && (s.Ask == nil) {
		lines = append(append(lines, ""), Fold("Watch: "+Words(s.Show.Watch), width)...)
	}
	if s.Ask != nil {
		lines = append(append(lines, ""), Fold(Words(s.Ask.Text), width)...)
		for i, c := range s.Ask.Choices {
			lines = append(lines, fmt.Sprintf("  %d. %s", i+1, Words(c)))
		}
		if p.hint {
			lines = append(lines, Fold("Hint: "+Words(s.Ask.Hint), width)...)
		}
		if p.class != nil {
			lines = append(lines, p.classVotes(width)...)
		}
	}
	return lines
}

func (p *Player) body(lines []string, all []presets.Paragraph, width int) []string {
	for i := range all {
		if all[i].Teacher && p.class == nil {
			continue
		}
		if len(lines) > 0 && lines[len(lines)-1] != "" && (!all[i].Item || i == 0 || !all[i-1].Item) {
			lines = append(lines, "")
		}
		lines = append(lines, Wrap(&all[i], width)...)
	}
	return lines
}

// compare returns the prediction next to the result: two bars and the factor between them, or the right choice.
func (p *Player) compare(width int) []string {
	a, got := p.ask(), p.Answers.find(p.Lesson.Steps[p.step].Heading)
	verdict := "Right."
	if !got.Right {
		verdict = "Not so."
	}
	if a.Kind == presets.AskChoice {
		return Fold(fmt.Sprintf("%s You chose %g. The answer is %g: %s.", verdict, got.Prediction, got.Result,
			strings.TrimRight(Words(a.Choices[a.Right-1]), ".")), width)
	}
	unit := UnitOf(a.Text)
	most := max(got.Prediction, got.Result)
	bar := func(name string, v float64) string {
		room := max(1, width-32)
		n := int(math.Round(v / most * float64(room)))
		return fmt.Sprintf("%-12s %10s  %s", name, InUnit(v, unit), strings.Repeat("#", max(1, n)))
	}
	lines := []string{bar("prediction", got.Prediction), bar("result", got.Result)}
	if a.Kind == presets.AskPoint {
		lines = pointChart(got.Prediction, got.Result, unit, width)
	}
	return append(lines, fmt.Sprintf("%s A factor of %.3g.", verdict, Factor(got.Prediction, got.Result)))
}

// pointChart draws a result as a point on an axis from 0, next to its prediction. A ratio is also next to 1.
func pointChart(prediction, result float64, unit string, width int) []string {
	room := max(20, min(width, 72)) - 1
	isRatio := unit == "×"
	most := 1.1 * max(prediction, result)
	if isRatio {
		most = max(most, 1.1)
	}
	at := func(x float64) int { return int(math.Round(x / most * float64(room))) }
	axis := []byte(strings.Repeat("-", room+1))
	axis[0] = '0'
	words := fmt.Sprintf("P prediction %s, R result %s", InUnit(prediction, unit), InUnit(result, unit))
	if isRatio {
		axis[at(1)] = '1'
		words += ", 1 the reference"
	}
	marks := func(x float64, mark byte) string {
		row := []byte(strings.Repeat(" ", at(x)))
		return string(append(row, mark))
	}
	return []string{words, marks(prediction, 'P'), string(axis), marks(result, 'R')}
}

func (p *Player) summary() []string {
	if len(p.Answers.Answers) == 0 {
		return []string{"The end."}
	}
	right, sure := 0, 0
	for _, a := range p.Answers.Answers {
		if a.Right {
			right++
		} else if a.Confidence == 3 {
			sure++
		}
	}
	lines := []string{fmt.Sprintf("%d of %d predictions were right.", right, len(p.Answers.Answers))}
	if sure > 0 {
		lines = append(lines, fmt.Sprintf("You were sure of %d that were not.", sure))
	}
	return lines
}
