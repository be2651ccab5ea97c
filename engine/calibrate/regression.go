package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// term is one time of which some unknowns are to be found: T = constant + Σ a·unknown.
type term struct {
	a           []float64
	constant, t float64
}

// passes are how often the weights of a fit are taken anew; they stand still
// after a few.
const passes = 30

// solve finds the unknowns whose errors are least as ratios: half and double count
// alike, so that the logarithms are fitted by least squares. An unknown that would be
// negative is 0, the one furthest below first. ok is false where the terms do not
// determine those that are left.
func solve(terms []term) (unknown []float64, ok bool) {
	n := len(terms[0].a)
	var open []int // unknowns that are not held at 0
	for k := range n {
		open = append(open, k)
	}
	for len(open) > 0 {
		x, ok := unbounded(terms, open)
		if !ok {
			return nil, false
		}
		// Times per message and per byte differ by orders of magnitude: what an unknown
		// takes of the terms' times says how far below it is.
		least, at := 0.0, -1
		for i, k := range open {
			share := 0.0
			for _, l := range terms {
				share += x[i] * l.a[k] / l.t
			}
			if share < least {
				least, at = share, i
			}
		}
		if at < 0 {
			unknown = make([]float64, n)
			for i, k := range open {
				unknown[k] = x[i]
			}
			return unknown, true
		}
		open = slices.Delete(open, at, at+1)
	}
	return make([]float64, n), true
}

// unbounded is solve for some of the unknowns, which may be negative.
func unbounded(terms []term, open []int) ([]float64, bool) {
	m, y := mat.NewDense(len(terms), len(open), nil), mat.NewVecDense(len(terms), nil)
	weight := make([]float64, len(terms))
	for i, l := range terms {
		weight[i] = 1 / l.t
	}
	var x mat.VecDense
	for range passes {
		for i, l := range terms {
			for k, u := range open {
				m.Set(i, k, l.a[u]*weight[i])
			}
			y.SetVec(i, (l.t-l.constant)*weight[i])
		}
		if err := x.SolveVec(m, y); err != nil {
			return nil, false
		}
		for i, l := range terms {
			fit := l.constant
			for k, u := range open {
				fit += l.a[u] * x.AtVec(k)
			}
			if fit <= 0 {
				return slices.Clone(x.RawVector().Data), slices.Min(x.RawVector().Data) < 0
			}
			// Where the sum of squared logarithms is least, its derivative is that
			// of squares with these weights.
			weight[i] = math.Sqrt(logOver(fit, l.t) / fit)
		}
	}
	return slices.Clone(x.RawVector().Data), true
}

// logOver is log(fit / t) / (fit − t).
func logOver(fit, t float64) float64 {
	if d := fit/t - 1; math.Abs(d) > 1e-6 {
		return math.Log1p(d) / (fit - t)
	}
	return 1 / t
}

// straight fits constant and slope of a straight line through times.
func straight(ts []Time) (constant, slope float64, ok bool) {
	var terms []term
	for _, t := range ts {
		terms = append(terms, term{a: []float64{1, t.X}, t: t.Seconds})
	}
	x, ok := solve(terms)
	if !ok {
		return 0, 0, false
	}
	return x[0], x[1], true
}

// level is the one value whose errors as ratios are least.
func level(ts []Time) float64 {
	var all []float64
	for _, t := range ts {
		all = append(all, t.Seconds)
	}
	return stat.GeometricMean(all, nil)
}

// residuals are the root mean square and the largest of relative errors.
func residuals(ts []Time, at func(Time) float64) (rms, worst float64) {
	for _, t := range ts {
		e := math.Abs(at(t)-t.Seconds) / t.Seconds
		rms += e * e
		worst = max(worst, e)
	}
	return math.Sqrt(rms / float64(len(ts))), worst
}
