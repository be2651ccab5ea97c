package presets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Relation is the number of an expectation that its range limits.
type Relation string

// The relations.
const (
	Is    Relation = "is"    // the metric's value in SI base units
	Times Relation = "times" // the metric divided by the metric of another run
)

// Expectation is a result that a run must have, from a table [[expect]] of a file. Its run has the knobs
// of the scenario, and its own changes.
type Expectation struct {
	Metric    string
	Relation  Relation
	Low, High float64 // range, both ends included
	Knobs     []Knob  // changes of the run; none: the scenario itself
	Against   []Knob  // changes of the run that Times divides by; none: the scenario itself
	Divisor   string  // only in a lesson, whose metrics are formulas: the formula that Times divides by
}

var expectationParts = []string{"metric", "relation", "range", "knobs", "against"}

// expectationKey reports whether an expectation has a dotted key, for example "expect.1.knobs.size".
func expectationKey(key string) bool {
	p := strings.Split(key, ".")
	switch _, err := strconv.Atoi(p[min(1, len(p)-1)]); {
	case p[0] != "expect" || len(p) > 1 && err != nil:
		return false
	case len(p) <= 2:
		return true
	case !slices.Contains(expectationParts, p[2]):
		return false
	}
	return len(p) == 3 || len(p) == 4 && (p[2] == "knobs" || p[2] == "against") && isName(p[3])
}

// expectations reads the tables [[expect]].
func (r *figureReader) expectations() []Expectation {
	if !r.has("expect") {
		return nil
	}
	var all []Expectation
	v, _ := r.at("expect")
	list, _ := v.([]any)
	if _, ok := r.lines["expect.1"]; !ok || len(list) > maxFigure {
		r.wrong("expect", "want tables [[expect]], at most %d", maxFigure)
		return nil
	}
	for i := range list {
		at := "expect." + strconv.Itoa(i+1) + "."
		e := r.expectation(at)
		e.Metric = r.name(at+"metric", "time_per_access")
		e.Knobs, e.Against = r.knobs(at+"knobs"), r.knobs(at+"against")
		switch {
		case e.Relation == Is && r.has(at+"against"):
			r.wrong(at+"against", `belongs to relation = "times"`)
		case e.Relation == Times && slices.Equal(e.Knobs, e.Against):
			r.wrong(at+"relation", "compares a run with itself; add knobs = { … }, the changes of the run")
		}
		all = append(all, e)
	}
	return all
}

// answers reads the tables [[expect]] of a question, whose metrics are formulas over named runs.
func (r *figureReader) answers(a *Ask) []Expectation {
	isChoice := a.Kind == AskChoice
	v, _ := r.at("expect")
	list, _ := v.([]any)
	if _, ok := r.lines["expect.1"]; !ok || len(list) > maxFigure || !isChoice && len(list) != 1 {
		r.wrong("expect", "want tables [[expect]]: at most %d for a choice, one for a number or a point", maxFigure)
		return nil
	}
	var all []Expectation
	for i := range list {
		at := "expect." + strconv.Itoa(i+1) + "."
		e := r.expectation(at)
		e.Metric = r.words(at+"metric", "slabs.step_time")
		if r.has(at + "against") {
			e.Divisor = r.words(at+"against", "packed.step_time")
		}
		switch {
		case !isChoice && (e.Relation != Times || e.Divisor != "" || !(e.Low > 0 && e.Low <= 1 && e.High >= 1)):
			r.wrong(at+"range", `want relation = "times", no against, and the range around 1 of prediction / metric that is right: [0.9, 1.1]`)
		case isChoice && (e.Relation == Times) != (e.Divisor != ""):
			r.wrong(at+"relation", `"times" needs against, and against belongs to "times"`)
		}
		all = append(all, e)
	}
	return all
}

// answerKey reports whether a dotted key belongs to an expectation of a question, for example "expect.1.range".
func answerKey(key string) bool {
	p := strings.Split(key, ".")
	return expectationKey(key) && (len(p) < 3 || len(p) == 3 && p[2] != "knobs")
}

// expectation reads the relation and the range of an expectation.
func (r *figureReader) expectation(at string) Expectation {
	var e Expectation
	e.Relation = Relation(r.choice(at+"relation", string(Is), string(Times)))
	ends := r.list(at+"range", 2, "the least and the largest value")
	if len(ends) == 2 {
		e.Low = r.number(at+"range", ends[0], -maxNumber, maxNumber)
		e.High = r.number(at+"range", ends[1], -maxNumber, maxNumber)
	}
	if len(ends) != 2 || e.Low > e.High {
		r.wrong(at+"range", "want the least and the largest value: [0.9, 1.1]")
	}
	return e
}

// encode returns the table of an expectation.
func (e *Expectation) encode() string {
	var b strings.Builder
	number := func(x float64) string { return strconv.FormatFloat(x, 'e', -1, 64) }
	fmt.Fprintf(&b, "\n[[expect]]\nmetric = %s\nrelation = %q\nrange = [%s, %s]\n", strconv.Quote(e.Metric), e.Relation,
		number(e.Low), number(e.High))
	for _, part := range []struct {
		key   string
		knobs []Knob
	}{{"knobs", e.Knobs}, {"against", e.Against}} {
		var pairs []string
		for _, k := range part.knobs {
			pairs = append(pairs, k.Name+" = "+k.encode())
		}
		if len(pairs) > 0 {
			fmt.Fprintf(&b, "%s = { %s }\n", part.key, strings.Join(pairs, ", "))
		}
	}
	return b.String()
}

// equal reports whether two expectations are equal.
func (e Expectation) equal(o Expectation) bool {
	return e.Metric == o.Metric && e.Relation == o.Relation && e.Low == o.Low && e.High == o.High &&
		slices.Equal(e.Knobs, o.Knobs) && slices.Equal(e.Against, o.Against)
}

// Holds reports whether a value is in the range.
func (e *Expectation) Holds(x float64) bool { return x >= e.Low && x <= e.High }
