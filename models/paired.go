package models

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Difference is the median of the differences of pairs.
type Difference struct {
	Median    float64
	Low, High float64 // interval of the median; NaN: too few pairs
	Level     float64 // probability with which the interval contains the median of all pairs; NaN: too few pairs
	Pairs     int
}

// leastLevel is the least probability of the interval of a Difference.
const leastLevel = 0.95

// PairedDifference compares pairs of numbers: b[i] − a[i]. The interval is between two order statistics of the differences.
// It is exact for every distribution without ties: of n differences, the number above the median has a binomial distribution.
// Six pairs are the least for 95 %.
func PairedDifference(a, b []float64) Difference {
	var all []float64
	for i := range min(len(a), len(b)) {
		if x := b[i] - a[i]; !math.IsNaN(x) && !math.IsInf(x, 0) {
			all = append(all, x)
		}
	}
	nan := math.NaN()
	n := len(all)
	d := Difference{Median: nan, Low: nan, High: nan, Level: nan, Pairs: n}
	if n == 0 {
		return d
	}
	slices.Sort(all)
	d.Median = (all[(n-1)/2] + all[n/2]) / 2
	half := distuv.Binomial{N: float64(n), P: 0.5}
	for k := 0; k < n/2; k++ { // the interval from the k-th difference on both sides, from 0
		level := 1 - 2*half.CDF(float64(k))
		if level < leastLevel {
			break
		}
		d.Low, d.High, d.Level = all[k], all[n-1-k], level
	}
	return d
}

// Real reports whether the interval excludes 0.
func (d *Difference) Real() bool { return d.Low > 0 || d.High < 0 }
