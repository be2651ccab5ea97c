package models

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Ratio is the ratio of the means of two series of measurements.
type Ratio struct {
	Value     float64 // mean of the second divided by the mean of the first
	Low, High float64 // 95 % interval; NaN: too few values
}

// Noise reports whether the means may be equal: the interval contains 1.
func (r *Ratio) Noise() bool { return r.Low <= 1 && 1 <= r.High }

// Consecutive measurements are correlated, so the interval uses means of batches.
const (
	batches    = 20
	fewBatches = 3
)

// RatioOf compares two series of positive numbers. The interval is Welch's, on the logarithm of the
// ratio of batch means.
func RatioOf(a, b []float64) Ratio {
	a, b = finite(a), finite(b)
	nan := math.NaN()
	if len(a) == 0 || len(b) == 0 {
		return Ratio{Value: nan, Low: nan, High: nan}
	}
	r := Ratio{Value: stat.Mean(b, nil) / stat.Mean(a, nil), Low: nan, High: nan}
	va, na := relative(a)
	vb, nb := relative(b)
	if math.IsNaN(va+vb) || !(r.Value > 0) {
		return r
	}
	if va+vb == 0 {
		r.Low, r.High = r.Value, r.Value
		return r
	}
	free := (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile(0.975) * math.Sqrt(va+vb)
	r.Low, r.High = r.Value*math.Exp(-half), r.Value*math.Exp(half)
	return r
}

// PairedRatio compares two series whose measurements were made in pairs, one after the other. The interval
// is Student's, on the mean of the logarithms of the pairs' ratios, so changes that last longer than a pair
// do not widen it. Pairs without two positive numbers are left out.
func PairedRatio(a, b []float64) Ratio {
	var logs []float64
	for i := range min(len(a), len(b)) {
		if x := math.Log(b[i] / a[i]); a[i] > 0 && b[i] > 0 && !math.IsInf(x, 0) && !math.IsNaN(x) {
			logs = append(logs, x)
		}
	}
	nan := math.NaN()
	if len(logs) == 0 {
		return Ratio{Value: nan, Low: nan, High: nan}
	}
	mean, deviation := stat.MeanStdDev(logs, nil)
	r := Ratio{Value: math.Exp(mean), Low: nan, High: nan}
	if n := float64(len(logs)); len(logs) >= fewBatches {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
		r.Low, r.High = math.Exp(mean-half), math.Exp(mean+half)
	}
	return r
}

// relative returns the variance of a mean divided by its square, and the number of batches.
func relative(x []float64) (variance, n float64) {
	k := min(len(x), batches)
	if k < fewBatches {
		return math.NaN(), 0
	}
	means := make([]float64, k)
	for i := range means {
		means[i] = stat.Mean(x[i*len(x)/k:(i+1)*len(x)/k], nil)
	}
	mean, v := stat.MeanVariance(means, nil)
	return v / float64(k) / (mean * mean), float64(k)
}

func finite(x []float64) []float64 {
	var all []float64
	for _, v := range x {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	return all
}
