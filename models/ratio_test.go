package models

import (
	"math"
	"math/rand/v2"
	"testing"
)

// For two series with the same mean, the interval contains 1 in about 95 of 100 cases. For two
// series that differ by 10 %, far more than their noise, it never does.
func TestRatioOf(t *testing.T) {
	const seed, rounds = 3, 400
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	series := func(mean float64, n int) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = mean * (1 + 0.05*rng.NormFloat64())
		}
		return all
	}
	same, apart := 0, 0
	for range rounds {
		if r := RatioOf(series(3, 60), series(3, 200)); r.Noise() {
			same++
		}
		if r := RatioOf(series(3, 60), series(3.3, 200)); r.Noise() {
			apart++
		}
	}
	if same < rounds*90/100 || same > rounds*99/100 || apart > 0 {
		t.Errorf("%d of %d equal ones are noise, and %d of those apart", same, rounds, apart)
	}
	if r := RatioOf([]float64{2, 2, 2}, []float64{3, 3, 3}); r.Value != 1.5 || r.Low != 1.5 || r.Noise() {
		t.Errorf("%+v: want exactly 1.5", r)
	}
	if r := RatioOf([]float64{2}, []float64{3, math.NaN()}); r.Value != 1.5 || !math.IsNaN(r.Low) || r.Noise() {
		t.Errorf("%+v: want 1.5 and no interval", r)
	}
	if r := RatioOf(nil, []float64{3}); !math.IsNaN(r.Value) {
		t.Errorf("%+v of nothing", r)
	}
}

// For pairs with the same mean, the interval contains 1 in about 95 of 100 cases, also if the host drifts by
// far more than the noise of a pair. For pairs that differ by 3 %, it never does.
func TestPairedRatio(t *testing.T) {
	const seed, rounds, pairs = 5, 400, 12
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	same, apart := 0, 0
	for range rounds {
		var a, b, c []float64
		for i := range pairs {
			drift := 1 + 0.5*float64(i)/pairs
			noise := func() float64 { return drift * (1 + 0.01*rng.NormFloat64()) }
			a, b, c = append(a, 3*noise()), append(b, 3*noise()), append(c, 3.09*noise())
		}
		if r := PairedRatio(a, b); r.Noise() {
			same++
		}
		if r := PairedRatio(a, c); r.Noise() {
			apart++
		}
	}
	if same < rounds*90/100 || same > rounds*99/100 || apart > 0 {
		t.Errorf("%d of %d equal ones are noise, and %d of those apart", same, rounds, apart)
	}
	if r := PairedRatio([]float64{2, 4}, []float64{3, 6}); math.Abs(r.Value-1.5) > 1e-12 || !math.IsNaN(r.Low) {
		t.Errorf("%+v: want 1.5 and no interval", r)
	}
	if r := PairedRatio([]float64{0, 1}, []float64{1, math.Inf(1)}); !math.IsNaN(r.Value) {
		t.Errorf("%+v: want no ratio", r)
	}
}
