package multigrid

import (
	"math"
	"testing"
)

// worstOf returns the largest difference between a box's u and the exact solution.
func worstOf(b *box) float64 {
	s := solver{levels: []*level{{shape: b.shape, boxes: []*box{b}}}}
	return s.maxError()
}

// The table of the sequential program: residual over f and error after the F-cycle, and
// the error of the discretization, which is of second order.
func TestReferenceNumbers(t *testing.T) {
	before := 0.
	for _, c := range []struct {
		cells                      int
		residual, first, converged float64
	}{
		{16, 1.891e-2, 7.394e-6, 7.369e-6},
		{32, 1.317e-2, 1.980e-6, 2.002e-6},
		{64, 6.874e-3, 5.151e-7, 5.191e-7},
		{128, 3.456e-3, 1.315e-7, 1.320e-7},
	} {
		if c.cells > 64 && !conform || c.cells > 32 && testing.Short() {
			continue
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-3*want {
				t.Errorf("%d³: %s %.4g, want %.4g", c.cells, what, got, want)
			}
		}
		b, residuals, err := solveAlone(c.cells, 4, 8, 0)
		if err != nil {
			t.Fatal(err)
		}
		near("residual after the F-cycle", residuals[0], c.residual)
		near("error after the F-cycle", worstOf(b), c.first)
		first := worstOf(b)
		b, residuals, err = solveAlone(c.cells, 4, 8, 20)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(residuals) - 1; n > 8 || residuals[n] > converged {
			t.Errorf("%d³: %d V-cycles come to %g", c.cells, n, residuals[n])
		}
		t.Logf("%d³: %d V-cycles", c.cells, len(residuals)-1)
		last := worstOf(b)
		near("converged error", last, c.converged)
		if first > 1.02*last {
			t.Errorf("%d³: the F-cycle's error is %g, the converged one %g", c.cells, first, last)
		}
		if order := math.Log2(before / last); before > 0 && (order < 1.8 || order > 2.1) {
			t.Errorf("%d³: of order %g", c.cells, order)
		}
		before = last
	}
}
