package lesson

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/hybridtop/hybridtop/presets"
)

// Class has the answers of a class to a lesson. Each student's lesson writes a file into one folder.
type Class struct {
	Folder  string // "": the class votes by a show of hands
	Answers []Answers
	Skipped int // files that cannot be read, or that belong to another lesson
}

// maxClass is the maximum number of files in the folder of a class.
const maxClass = 1000

// ReadClass reads the answers of a class.
func ReadClass(folder string, l *presets.Lesson) (Class, error) {
	c := Class{Folder: folder}
	if folder == "" {
		return c, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return c, fmt.Errorf("%w (want the folder of the class's answers; a student uses --answers %s --twice)", err,
			filepath.Join(folder, "NAME.json"))
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		if len(c.Answers)+c.Skipped == maxClass {
			return c, fmt.Errorf("%s: more than %d files of answers", folder, maxClass)
		}
		a, err := ReadAnswers(filepath.Join(folder, e.Name()))
		if err != nil || a.Lesson != l.Name {
			c.Skipped++
			continue
		}
		c.Answers = append(c.Answers, a)
	}
	return c, nil
}

// Equal reports whether two classes have the same answers.
func (c *Class) Equal(o *Class) bool { return reflect.DeepEqual(c, o) }

// votes returns the predictions of a class for a question: first those before talking with neighbours, second
// those after it.
func (c *Class) votes(question string, kind presets.AskKind) (first, second []float64) {
	for i := range c.Answers {
		switch x := c.Answers[i].find(question); {
		case x == nil || x.Kind != kind:
		case x.First != nil:
			first, second = append(first, x.First.Prediction), append(second, x.Prediction)
		default:
			first = append(first, x.Prediction)
		}
	}
	return first, second
}

// NewTeacher returns a player at the first step of a lesson for a class. It shows both votes on a question before
// the answer.
func NewTeacher(l *presets.Lesson, r Results, c Class) *Player {
	p := &Player{Lesson: l, results: r, class: &c}
	p.enter()
	return p
}

// Class returns the class that the lesson is taught to, or nil.
func (p *Player) Class() *Class { return p.class }

// SetClass replaces the answers of the class.
func (p *Player) SetClass(c Class) { p.class = &c }

// Forward shows the next vote, answer or step of a lesson for a class.
func (p *Player) Forward() {
	switch p.stage {
	case Predicting:
		p.stage = Voted
	case Voted:
		p.stage = VotedAgain
	case VotedAgain:
		p.stage = Revealed
	case Reading, Revealed:
		p.step++
		p.enter()
	}
}

// Backward undoes Forward.
func (p *Player) Backward() {
	switch {
	case p.stage == Voted:
		p.stage = Predicting
	case p.stage == VotedAgain:
		p.stage = Voted
	case p.stage == Revealed:
		p.stage = VotedAgain
	case p.step > 0:
		p.step--
		if p.enter(); p.stage == Predicting {
			p.stage = Revealed
		}
	}
}

// classPrompt returns the instruction for the class.
func (p *Player) classPrompt() string {
	how := "Vote by a show of hands."
	if p.class.Folder != "" {
		first, second := p.class.votes(p.Lesson.Steps[min(p.step, len(p.Lesson.Steps)-1)].Heading, p.kind())
		n := len(first)
		if p.stage == VotedAgain {
			n = len(second)
		}
		how = fmt.Sprintf("Answers: %d.", n)
		if p.class.Skipped > 0 {
			how += fmt.Sprintf(" Skipped files: %d.", p.class.Skipped)
		}
	}
	switch p.stage {
	case Predicting:
		return "Answer alone. " + how
	case Voted:
		return "Now convince your neighbour, and answer again. " + how
	case VotedAgain:
		return "The second vote. " + how
	case Over:
		return "the lesson is over"
	}
	return ""
}

func (p *Player) kind() presets.AskKind {
	if p.step < len(p.Lesson.Steps) && p.ask() != nil {
		return p.ask().Kind
	}
	return ""
}

// classVotes returns the charts of the votes that are shown. After the reveal, > marks the right answer.
func (p *Player) classVotes(width int) []string {
	if p.class.Folder == "" || p.stage < Voted {
		return nil
	}
	a := p.ask()
	first, second := p.class.votes(p.Lesson.Steps[p.step].Heading, a.Kind)
	if p.stage == Voted {
		second = nil
	}
	result := math.NaN()
	if p.stage == Revealed {
		if x, err := p.results.Answer(a); err == nil {
			result = x
		}
	}
	return append([]string{""}, voteChart(a, first, second, result, width)...)
}

// classAnswer returns the answer to a question.
func (p *Player) classAnswer(width int) []string {
	a := p.ask()
	text, err := p.results.AnswerText(a)
	if err != nil {
		return []string{err.Error()}
	}
	if a.Kind == presets.AskChoice {
		text += ": " + strings.TrimRight(Words(a.Choices[a.Right-1]), ".")
	}
	return Fold("The answer is "+text+".", width)
}

// classSummary returns the number of right answers to each question, in both votes.
func (p *Player) classSummary(width int) []string {
	lines := []string{"The end."}
	if p.class.Folder == "" {
		return lines
	}
	lines = append(lines, "", "Right answers, alone and after talking:")
	for i := range p.Lesson.Steps {
		s := &p.Lesson.Steps[i]
		if s.Ask == nil {
			continue
		}
		result, err := p.results.Answer(s.Ask)
		if err != nil {
			continue
		}
		right := func(votes []float64) string {
			n := 0
			for _, x := range votes {
				if Right(s.Ask, x, result) {
					n++
				}
			}
			return fmt.Sprintf("%d of %d", n, len(votes))
		}
		first, second := p.class.votes(s.Heading, s.Ask.Kind)
		lines = append(lines, Fold(fmt.Sprintf("%s: %s, then %s", strings.TrimRight(s.Heading, "?.:"), right(first), right(second)), width)...)
	}
	return lines
}

// voteBins is the maximum number of bars of a vote on a number.
const voteBins = 6

// voteChart draws two votes next to each other. A number has bars of equal ratios. result is NaN before the reveal.
func voteChart(a *presets.Ask, first, second []float64, result float64, width int) []string {
	type bin struct {
		label string
		mark  bool
	}
	var bins []bin
	in := func(x float64, i int) bool { return int(x) == i+1 }
	if a.Kind == presets.AskChoice {
		for i := range a.Choices {
			bins = append(bins, bin{label: fmt.Sprintf("%d", i+1), mark: result == float64(i+1)})
		}
	} else {
		low, high := math.Inf(1), 0.0
		for _, x := range append(append([]float64{result}, first...), second...) {
			if !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
		if high == 0 {
			return []string{"No answers yet."}
		}
		n := voteBins
		if low == high {
			n = 1
		}
		unit := UnitOf(a.Text)
		edge := func(i int) float64 { return low * math.Pow(high/low, float64(i)/float64(n)) }
		at := func(x float64) int {
			for i := n - 1; i > 0; i-- {
				if x >= edge(i) {
					return i
				}
			}
			return 0
		}
		in = func(x float64, i int) bool { return at(x) == i }
		for i := range n {
			bins = append(bins, bin{label: "from " + InUnit(edge(i), unit), mark: !math.IsNaN(result) && at(result) == i})
		}
	}
	count := func(votes []float64, i int) (n int) {
		for _, x := range votes {
			if in(x, i) {
				n++
			}
		}
		return n
	}
	labels, most := 0, 1
	for i := range bins {
		labels = max(labels, len([]rune(bins[i].label)))
		most = max(most, count(first, i), count(second, i))
	}
	column := (width - labels - 4) / 2
	room := min(max(column-6, 1), 40)
	bar := func(n int) string {
		return fmt.Sprintf("%-*s", column, strings.TrimLeft(fmt.Sprintf("%s %d", strings.Repeat("#", (n*room+most-1)/most), n), " "))
	}
	heading := fmt.Sprintf("  %-*s  %-*s", labels, "", column, fmt.Sprintf("alone: %d", len(first)))
	if second != nil {
		heading += fmt.Sprintf("after talking: %d", len(second))
	}
	lines := []string{strings.TrimRight(heading, " ")}
	for i := range bins {
		mark := " "
		if bins[i].mark {
			mark = ">"
		}
		line := fmt.Sprintf("%s %-*s  %s", mark, labels, bins[i].label, bar(count(first, i)))
		if second != nil {
			line += bar(count(second, i))
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
