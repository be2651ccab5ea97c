package calibrate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// term is one time with unknowns to fit: T = constant + Σ a·unknown.
type term struct {
	a           []float64
	constant, t float64
}

// passes is the number of times that the weights of a fit are updated. They converge after a few
// passes.
const passes = 30

// solve returns the unknowns with the smallest ratio errors: half and double count the same, so it
// fits logarithms by least squares. An unknown that would be negative is set to 0, beginning with
// the most negative. ok is false if the terms do not determine the other unknowns.
func solve(terms []term) (unknown []float64, ok bool) {
	n := len(terms[0].a)
	var open []int // unknowns that are not fixed at 0
	for k := range n {
		open = append(open, k)
	}
	for len(open) > 0 {
		x, ok := unbounded(terms, open)
		if !ok {
			return nil, false
		}
		// Times per message and per byte differ by orders of magnitude. The contribution of an
		// unknown to the terms' times shows how negative it is.
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

// unbounded solves for the unknowns in open, which can be negative.
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
			// At the minimum of the sum of squared logarithms, its derivative equals that of
			// weighted squares with these weights.
			weight[i] = math.Sqrt(logOver(fit, l.t) / fit)
		}
	}
	return slices.Clone(x.RawVector().Data), true
}

// logOver returns log(fit / t) / (fit − t).
func logOver(fit, t float64) float64 {
	if d := fit/t - 1; math.Abs(d) > 1e-6 {
		return math.Log1p(d) / (fit - t)
	}
	return 1 / t
}

// straight fits the constant and the slope of a straight line through times.
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

// level returns the single value with the smallest ratio errors.
func level(ts []Time) float64 {
	var all []float64
	for _, t := range ts {
		all = append(all, t.Seconds)
	}
	return stat.GeometricMean(all, nil)
}

// residuals returns the root mean square and the maximum of the relative errors.
func residuals(ts []Time, at func(Time) float64) (rms, worst float64) {
	for _, t := range ts {
		e := math.Abs(at(t)-t.Seconds) / t.Seconds
		rms += e * e
		worst = max(worst, e)
	}
	return math.Sqrt(rms / float64(len(ts))), worst
}
