package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// term is one time of which two unknowns are to be found:
// T = constant + a·first + b·second.
type term struct{ a, b, constant, t float64 }

// passes are how often the weights of a fit are taken anew; they stand still
// after a few.
const passes = 30

// solve finds the two unknowns whose errors are least as ratios: half and double
// count alike, so that the logarithms are fitted by least squares. ok is false
// where the terms do not determine them, or only with a negative time.
func solve(terms []term) (first, second float64, ok bool) {
	m, y := mat.NewDense(len(terms), 2, nil), mat.NewVecDense(len(terms), nil)
	weight := make([]float64, len(terms))
	for i, l := range terms {
		weight[i] = 1 / l.t
	}
	var x mat.VecDense
	for range passes {
		for i, l := range terms {
			m.SetRow(i, []float64{l.a * weight[i], l.b * weight[i]})
			y.SetVec(i, (l.t-l.constant)*weight[i])
		}
		if err := x.SolveVec(m, y); err != nil {
			return 0, 0, false
		}
		first, second = x.AtVec(0), x.AtVec(1)
		for i, l := range terms {
			fit := l.constant + l.a*first + l.b*second
			if fit <= 0 {
				return 0, 0, false
			}
			// Where the sum of squared logarithms is least, its derivative is that
			// of squares with these weights.
			weight[i] = math.Sqrt(logOver(fit, l.t) / fit)
		}
	}
	return first, second, first >= 0 && second >= 0
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
		terms = append(terms, term{a: 1, b: t.X, t: t.Seconds})
	}
	return solve(terms)
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
