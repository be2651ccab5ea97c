package models

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrUndetermined says that the points given leave a latency open: there are too
// few of them, or their shares do not differ in the way that would tell the
// latencies apart.
var ErrUndetermined = errors.New("the points do not determine the latencies")

// Point is a measured mean latency at a known share of local accesses.
type Point struct {
	Share   float64 // P: of accesses that are local, 0..1
	Latency float64 // mean of all accesses, s
	Weight  float64 // relative trust, positive: the number of accesses behind the mean
}

// LatencyFit is l_l and l_r as points determine them, in seconds. Noise can make
// a small latency negative; it is left so, because l_avg still follows.
type LatencyFit struct {
	Local, Remote float64
	Residuals     []float64 // measured − fitted, s, by point
}

// At predicts l_avg at another share.
func (f LatencyFit) At(share float64) float64 { return AverageLatency(f.Local, f.Remote, share) }

// FitLatencies finds l_l and l_r by weighted least squares. It wants points of at
// least two different shares, else the error is an ErrUndetermined.
func FitLatencies(points []Point) (LatencyFit, error) {
	rows := make([]row, len(points))
	for i, p := range points {
		if !isShare(p.Share) {
			return LatencyFit{}, fmt.Errorf("point %d: share %v: want 0 to 1", i, p.Share)
		}
		rows[i] = row{[2]float64{p.Share, 1 - p.Share}, p.Latency, p.Weight}
	}
	l, residuals, err := solve(rows)
	if errors.Is(err, ErrUndetermined) {
		err = fmt.Errorf("%w: l_l and l_r need points of two different shares; measure another group size", err)
	}
	if err != nil {
		return LatencyFit{}, err
	}
	return LatencyFit{l[0], l[1], residuals}, nil
}

// row is one equation: the shares times the unknown latencies give y.
type row struct {
	shares [2]float64
	y      float64
	weight float64
}

// wellPosed bounds the condition number of a system that is solved: shares of
// real layouts stay below a few hundred, and beyond this the noise of a
// measurement would be all that the answer holds.
const wellPosed = 1e6

// solve finds the two latencies that minimize Σ weight·(y − shares·latencies)².
func solve(rows []row) (latencies, residuals []float64, err error) {
	top := 0.0
	for i, r := range rows {
		if math.IsNaN(r.y) || math.IsInf(r.y, 0) || r.y < 0 {
			return nil, nil, fmt.Errorf("point %d: latency %v s: want a number of seconds, not negative", i, r.y)
		}
		if math.IsNaN(r.weight) || math.IsInf(r.weight, 0) || r.weight <= 0 {
			return nil, nil, fmt.Errorf("point %d: weight %v: want a positive number", i, r.weight)
		}
		top = max(top, r.weight)
	}
	const k = 2
	if len(rows) < k {
		return nil, nil, fmt.Errorf("%w: %d given for %d unknown", ErrUndetermined, len(rows), k)
	}
	a, b := mat.NewDense(len(rows), k, nil), mat.NewVecDense(len(rows), nil)
	for i, r := range rows {
		w := math.Sqrt(r.weight / top)
		for j, s := range r.shares {
			a.Set(i, j, w*s)
		}
		b.SetVec(i, w*r.y)
	}
	var qr mat.QR
	qr.Factorize(a)
	if c := qr.Cond(); math.IsNaN(c) || c > wellPosed {
		return nil, nil, fmt.Errorf("%w: their shares are too alike", ErrUndetermined)
	}
	x := mat.NewVecDense(k, nil)
	if err := qr.SolveVecTo(x, false, b); err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrUndetermined, err)
	}
	residuals = make([]float64, len(rows))
	for i, r := range rows {
		residuals[i] = r.y
		for j, s := range r.shares {
			residuals[i] -= s * x.AtVec(j)
		}
	}
	return x.RawVector().Data, residuals, nil
}

func isShare(p float64) bool { return p >= 0 && p <= 1 }
