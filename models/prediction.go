package models

// Term is a named part of a prediction.
type Term struct {
	Name  string
	Value float64
	Unit  string // "s"; "1" for shares of a time
}

// A Prediction has a value and its terms. The predicted time is the sum of the terms in Sum, plus
// the largest term in Max, whose terms run in parallel.
type Prediction struct {
	Value float64
	Unit  string
	Sum   []Term
	Max   []Term // empty if nothing runs in parallel
}

// Dominant returns the dominant term: the largest in Max, or the largest in Sum if Max is empty. It
// returns the first of equal terms.
func (p Prediction) Dominant() Term {
	if len(p.Max) > 0 {
		return largest(p.Max)
	}
	return largest(p.Sum)
}

// Balanced reports whether the terms in Max are equal up to rounding, so that none dominates.
func (p Prediction) Balanced() bool {
	for _, t := range p.Max {
		if top := p.Dominant().Value; top-t.Value > 1e-9*top {
			return false
		}
	}
	return len(p.Max) > 1
}

// total returns the sum of the terms in Sum, plus the largest term in Max.
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
