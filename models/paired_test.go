package models

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
)

// TestPairedDifferenceLevels compares the probability of an interval with a count of all sign patterns.
func TestPairedDifferenceLevels(t *testing.T) {
	for n := 1; n <= 20; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for i := range b {
			b[i] = float64(i + 1)
		}
		d := PairedDifference(a, b)
		if n < 6 {
			if !math.IsNaN(d.Low) || !math.IsNaN(d.Level) || d.Real() {
				t.Errorf("%d pairs: interval %g to %g, want none", n, d.Low, d.High)
			}
			continue
		}
		k := int(d.Low) // the k-th smallest difference, from 1
		outside := 0.0
		for j := range k {
			outside += float64(combin.Binomial(n, j))
		}
		if want := 1 - 2*outside/math.Pow(2, float64(n)); math.Abs(d.Level-want) > 1e-12 || want < 0.95 {
			t.Errorf("%d pairs: level %g, want %g", n, d.Level, want)
		}
		if d.High != float64(n+1-k) || d.Median != float64(n+1)/2 || !d.Real() {
			t.Errorf("%d pairs: median %g in %g to %g", n, d.Median, d.Low, d.High)
		}
		if next := outside + float64(combin.Binomial(n, k)); 1-2*next/math.Pow(2, float64(n)) >= 0.95 {
			t.Errorf("%d pairs: a narrower interval has 95 %%, too", n)
		}
	}
}

// TestPairedDifferenceWithoutADifference compares 8 pairs of equal distributions with heavy tails 2000 times. At most 5 % are real.
func TestPairedDifferenceWithoutADifference(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	found := 0
	const times = 2000
	for range times {
		a, b := make([]float64, 8), make([]float64, 8)
		for i := range a {
			common := r.ExpFloat64()
			a[i], b[i] = common+math.Exp(2*r.NormFloat64()), common+math.Exp(2*r.NormFloat64())
		}
		if d := PairedDifference(a, b); d.Real() {
			found++
		}
	}
	if found > times/20 || found == 0 {
		t.Errorf("%d of %d comparisons are real: want 1 to %d", found, times, times/20)
	}
}

// TestPairedDifferenceOfNothing wants no interval for values that are not numbers.
func TestPairedDifferenceOfNothing(t *testing.T) {
	nan := math.NaN()
	if d := PairedDifference([]float64{1, nan}, []float64{nan, 1}); d.Pairs != 0 || d.Real() || !math.IsNaN(d.Median) {
		t.Errorf("difference %+v", d)
	}
}
