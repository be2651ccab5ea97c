package multigrid

import (
	"testing"
)

// TestQuality tests that error, residual after the F-cycle, and reduction per V-cycle are within their limits at every size and degree. On
// the larger grids they use more than half of the limits, so that larger limits would not be necessary.
func TestQuality(t *testing.T) {
	sides := []int{4, 6, 8, 12, 16, 20, 24, 32}
	if testing.Short() {
		sides = sides[:6]
	}
	if conform {
		sides = append(sides, 44, 48, 64, 128)
	}
	for _, cells := range sides {
		for degree := 2; degree <= 12; degree += 2 {
			b, residuals, err := solveAlone(cells, degree, 8, 0)
			if err != nil {
				t.Fatal(err)
			}
			x, err := solveReference(cells, degree, 8, 0)
			if err != nil {
				t.Fatal(err)
			}
			s := solver{layout: &layout{shapes: []shape{b.shape}}, c1: make([]float64, degree), alone: x}
			for _, wrong := range []string{s.compareExact(worstOf(b), residuals[0]), x.wrongPlain(residuals[0], worstOf(b))} {
				if wrong != "" {
					t.Errorf("%d³, degree %d: %s", cells, degree, wrong)
				}
			}
			residual, factor := limitsOf(degree)
			if cells >= 16 && degree <= 8 && (worstOf(b)*float64(cells*cells) < errorLimit/2 || x.slowest < factor/2) || cells == 12 && degree <= 8 &&
				residuals[0] < residual/2 {
				t.Errorf("%d³, degree %d: C %.3g, residual %.3g, factor %.3g: want more than half of the limits", cells, degree,
					worstOf(b)*float64(cells*cells), residuals[0], x.slowest)
			}
		}
	}
}

// solveAlone solves the problem in one box, without ranks.
func solveAlone(cells, degree, threshold, cycles int) (*box, []float64, error) {
	s, err := newAlone(cells, degree, threshold)
	if err != nil {
		return nil, nil, err
	}
	residuals, err := s.solve(cycles)
	return s.levels[0].boxes[0], residuals, err
}
