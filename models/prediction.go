package models

// Term is a named part of a prediction.
type Term struct {
	Name  string
	Value float64
	Unit  string // "s"; "1" for shares of a time
}

// Prediction is a value together with the terms that it follows from: what takes
// the time is the terms of Sum, one after another, and then the terms of Max side
// by side, of which the longest counts.
type Prediction struct {
	Value float64
	Unit  string
	Sum   []Term
	Max   []Term // empty where nothing goes on side by side
}

// Ruling is the term that decides: the largest of the max(), or the largest of
// the sum where there is no max(). Of equals the first rules.
func (p Prediction) Ruling() Term {
	if len(p.Max) > 0 {
		return largest(p.Max)
	}
	return largest(p.Sum)
}

// Balanced says that the terms of the max() are equal up to rounding, so that none
// of them rules.
func (p Prediction) Balanced() bool {
	for _, t := range p.Max {
		if top := p.Ruling().Value; top-t.Value > 1e-9*top {
			return false
		}
	}
	return len(p.Max) > 1
}

// total is the sum, and the largest term of the max().
func (p Prediction) total() float64 {
	t := 0.0
	for _, s := range p.Sum {
		t += s.Value
	}
	if len(p.Max) > 0 {
		t += largest(p.Max).Value
	}
	return t
}

func largest(terms []Term) Term {
	top := terms[0]
	for _, t := range terms[1:] {
		if t.Value > top.Value {
			top = t
		}
	}
	return top
}
