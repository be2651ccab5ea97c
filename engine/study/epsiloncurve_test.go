package study

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// at returns the value of a curve at x, which must be one of its points.
func at(t *testing.T, c engine.Line, x float64) float64 {
	t.Helper()
	for i := range c.X {
		if math.Abs(c.X[i]-x) < 1e-12 {
			return c.Y[i]
		}
	}
	t.Fatalf("the curve has no point at %v: %v", x, c.X)
	return 0
}

// Figure 5's curve for m = 1, n = 8, f_comp,non = 20 %: section 7.2.1 states ε_max 1.60 at f_comm
// 43 %, ε = 1 at 10 %, ε_min 0.90 without communication. The kink at the top is a point of the
// curve, so that no chart cuts it off.
func TestCurveOfFigure5(t *testing.T) {
	r := models.Reserved{M: 1, N: 8}
	c := commCurve(r, 0.2)
	l, err := models.LimitsOf(r, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	if top := at(t, c, l.CommBest); math.Abs(top-1.6) > 0.005 || math.Abs(l.CommBest-0.43) > 0.005 {
		t.Errorf("maximum %v at %v, published 1.60 at 43%%", top, l.CommBest)
	}
	if low := at(t, c, 0); math.Abs(low-0.9) > 0.005 {
		t.Errorf("ε_min is %v, published is 0.90", low)
	}
	if end := at(t, c, 0.8); math.Abs(end-1) > 1e-9 {
		t.Errorf("ε = %v without other overlapped work, want 1: one thread takes as long as before", end)
	}
	for i := range c.X {
		if i > 0 && c.X[i] <= c.X[i-1] {
			t.Errorf("f_comm falls from %v to %v", c.X[i-1], c.X[i])
		}
		if above := c.Y[i] > 1+1e-9; above != (c.X[i] > l.CommEquiv+1e-9 && c.X[i] < 0.8-1e-9) {
			t.Errorf("f_comm %v: ε = %v, want it above 1 from %v on", c.X[i], c.Y[i], l.CommEquiv)
		}
	}
}

// Figure 6: with x_comm/x_MVM,overlap = 4.57 the curve has its maximum at n_k = 4, and ε = 1 at
// 32. Every integer n_k up to 8 is a point, and so is the last one.
func TestCurveOfFigure6(t *testing.T) {
	c := planesCurve(models.Reserved{M: 1, N: 8}, models.PaperCommFitted, models.PaperSplit, 64)
	for nk := 1; nk <= 8; nk++ {
		if y := at(t, c, float64(nk)); y > at(t, c, 4) {
			t.Errorf("ε %v at n_k = %d is above that at 4", y, nk)
		}
	}
	if y := at(t, c, models.PaperCrossover); math.Abs(y-1) > 1e-3 {
		t.Errorf("ε = %v at n_k = 32", y)
	}
	if y := at(t, c, 64); y >= 1 {
		t.Errorf("ε = %v at n_k = 64", y)
	}
}
