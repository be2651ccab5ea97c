package models

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrUndetermined is returned if the points do not determine the latencies: there are too few
// points, or their shares are too similar.
var ErrUndetermined = errors.New("the points do not determine the latencies")

// Point is a measured mean latency at a known share of local accesses.
type Point struct {
	Share   float64 // P: share of local accesses, 0..1
	Latency float64 // mean of all accesses, s
	Weight  float64 // relative weight, positive: the number of accesses in the mean
}

// LatencyFit has fitted values of l_l and l_r in seconds. Noise can make a small latency negative;
// it is not corrected, because l_avg still follows from it.
type LatencyFit struct {
	Local, Remote float64
	Residuals     []float64 // measured − fitted, s, by point
}

// At predicts l_avg at another share.
func (f LatencyFit) At(share float64) float64 { return AverageLatency(f.Local, f.Remote, share) }

// FitLatencies fits l_l and l_r by weighted least squares. Without points of at least two different
// shares it returns an ErrUndetermined.
func FitLatencies(points []Point) (LatencyFit, error) {
	rows := make([]row, len(points))
	for i, p := range points {
		if !isShare(p.Share) {
			return LatencyFit{}, fmt.Errorf("point %d: share %v: want 0 to 1", i, p.Share)
		}
		rows[i] = row{shares: [2]float64{p.Share, 1 - p.Share}, y: p.Latency, weight: p.Weight}
	}
	l, residuals, err := solve(rows)
	if errors.Is(err, ErrUndetermined) {
		err = fmt.Errorf("%w: l_l and l_r need points of two different shares; measure another group size", err)
	}
	if err != nil {
		return LatencyFit{}, err
	}
	return LatencyFit{Local: l[0], Remote: l[1], Residuals: residuals}, nil
}

// row is one equation: shares · latencies = y.
type row struct {
	shares [2]float64
	y      float64
	weight float64
}

// maxCondition is the maximum condition number of a system. Shares of real layouts stay below a few
// hundred. Beyond this limit the result would contain only noise of the measurement.
const maxCondition = 1e6

// solve returns the latencies that minimize Σ weight·(y − shares·latencies)².
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
	if c := qr.Cond(); math.IsNaN(c) || c > maxCondition {
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
