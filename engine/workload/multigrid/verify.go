package multigrid

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// reference is the key of the sequential solution that the ranks of a launch share.
type reference struct{ cells, degree, cycles int }

// computeExpected computes the coefficients, and writes the expected u into E.
func (s *solver) computeExpected(a *problem) error {
	if err := s.build(); err != nil {
		return err
	}
	cells := s.layout.shapes[0].cells()
	key := reference{cells: cells, degree: a.degree, cycles: a.cycles}
	var failed error
	share := func() any {
		x, err := solveReference(cells, a.degree, a.threshold, a.cycles)
		if err != nil {
			failed = err
			return nil
		}
		return x
	}
	for round := range 2 { // one rank computes it, then the others find it
		if (s.r.ID() == 0) == (round == 0) {
			whole, _ := s.r.Lib().Shared(key, share).(*solution)
			if failed != nil {
				return failed
			}
			s.alone = whole
			for _, b := range s.levels[0].boxes {
				for k := 1; k <= b.side; k++ {
					for j := 1; j <= b.side; j++ {
						copy(b.v[vE][b.index(1, j, k):][:b.side], whole.v[vU][whole.index(b.first[0]+1, b.first[1]+j, b.first[2]+k):])
					}
				}
			}
		}
		if err := s.r.Barrier(s.r.All()); err != nil {
			return err
		}
	}
	return nil
}

// solution is the sequential solution, and its convergence.
type solution struct {
	box
	slowest         float64 // largest ratio of two successive residuals
	residual, worst float64 // of u, from their definitions
	wrong           string  // about the first wrong part of the sequential program; "": none
}

// checkedCycles is the number of V-cycles whose residuals the sequential program compares.
const checkedCycles = 3

// solveReference solves the problem in one box. Then it does more V-cycles for their residuals.
func solveReference(cells, degree, threshold, cycles int) (*solution, error) {
	s, err := newAlone(cells, degree, threshold)
	if err != nil {
		return nil, err
	}
	wrong := s.wrongPart()
	if _, err := s.solve(cycles); err != nil {
		return nil, err
	}
	b := s.levels[0].boxes[0]
	x := &solution{box: box{shape: b.shape, h: b.h, v: [vectors][]float64{vU: slices.Clone(b.v[vU])}}, wrong: wrong}
	if cells <= maxPlain {
		x.residual, x.worst = x.plain()
	}
	residuals, err := s.solve(checkedCycles)
	for i := 1; i < len(residuals); i++ {
		if residuals[i-1] > converged {
			x.slowest = max(x.slowest, residuals[i]/residuals[i-1])
		}
	}
	return x, err
}

// verify compares u with the sequential program's, bit by bit, and with the exact solution.
func (s *solver) verify(p engine.Probe, residuals []float64) error {
	wrong := s.compareExpected(p.Iteration())
	p.Report("residual", residuals[len(residuals)-1])
	for cycle, x := range residuals {
		p.Place("residuals", cycle, x)
	}
	worst, err := s.maxOverRanks(s.maxError())
	if err != nil {
		return err
	}
	p.Report("error", worst)
	if wrong == "" {
		wrong = s.compareExact(worst, residuals[0])
	}
	if wrong == "" {
		wrong = s.alone.wrongPlain(residuals[len(residuals)-1], worst)
	}
	if wrong != "" {
		p.Verify(false, wrong)
		return nil
	}
	p.Checksum(s.checksum)
	p.Verify(true, "u equals the sequential program's in every cell, bit for bit; error and residuals are those of the method")
	return nil
}

// checksum returns the rank's part of the checksum of u.
func (s *solver) checksum() uint64 {
	var sum workload.Checksum
	for _, b := range s.levels[0].boxes {
		n := int64(b.cells())
		for k := range b.side {
			for j := range b.side {
				for i, u := range b.v[vU][b.index(1, j+1, k+1):][:b.side] {
					sum.Add(int64(b.first[0]+i)+n*(int64(b.first[1]+j)+n*int64(b.first[2]+k)), u)
				}
			}
		}
	}
	return uint64(sum)
}

// compareExpected describes the cells in which u is not the sequential program's, or returns "".
func (s *solver) compareExpected(iteration int) string {
	wrong, detail := 0, ""
	for _, b := range s.levels[0].boxes {
		for k := 1; k <= b.side; k++ {
			for j := 1; j <= b.side; j++ {
				for i := 1; i <= b.side; i++ {
					at := b.index(i, j, k)
					got, want := b.v[vU][at], b.v[vE][at]
					if math.Float64bits(got) == math.Float64bits(want) {
						continue
					}
					if wrong++; wrong == 1 {
						detail = fmt.Sprintf("rank %d, iteration %d: u at (%d, %d, %d) of %d³ is %g, want %g (sequential program)",
							s.r.ID(), iteration, b.first[0]+i-1, b.first[1]+j-1, b.first[2]+k-1, b.cells(), got, want)
					}
				}
			}
		}
	}
	if wrong > 0 {
		return fmt.Sprintf("%s; %d cells are wrong", detail, wrong)
	}
	return ""
}

// errorLimit is the constant C of the error C·h² of the finite volumes. TestQuality measures at most 2.2e-3.
const errorLimit = 2.3e-3

// limitsOf returns the limits of a pass of this many sweeps: of the residual over f after the F-cycle, and of the
// factor by which a V-cycle multiplies it. TestQuality measures at least half of them.
func limitsOf(degree int) (residual, factor float64) {
	switch {
	case degree == 2:
		return 0.13, 0.65
	case degree == 4:
		return 0.022, 0.36
	case degree == 6:
		return 0.0065, 0.045
	}
	return 0.0009, 0.022
}

// compareExact describes a solution that is worse than the method, or returns "".
func (s *solver) compareExact(worst, first float64) string {
	n := float64(s.layout.shapes[0].cells())
	residual, factor := limitsOf(len(s.c1))
	if s.alone.wrong != "" {
		return s.alone.wrong
	}
	switch limit := errorLimit / (n * n); {
	case !(worst <= limit):
		return fmt.Sprintf("the error is %.3g, want at most C·h² = %.3g (exact solution)", worst, limit)
	case !(first <= residual):
		return fmt.Sprintf("the residual over f is %.3g after the F-cycle, want at most %.3g", first, residual)
	case !(s.alone.slowest <= factor):
		return fmt.Sprintf("a V-cycle multiplies the residual by %.3g, want at most %.3g", s.alone.slowest, factor)
	}
	return ""
}

// verifySkewed solves once more, with random delays of the ranks. It runs after the last iteration, so that
// no time includes it. Only virtual time has skew.
func (s *solver) verifySkewed(p engine.Probe, cycles int) error {
	if s.skew = workload.NewSkew(s.r, s.r.Ranks()); s.skew == nil {
		return nil
	}
	for _, lv := range s.levels { // so that u of the last solve is not found
		for _, b := range lv.boxes {
			clear(b.v[vU])
		}
	}
	if _, _, err := s.timeSolve(cycles); err != nil {
		return err
	}
	wrong := s.compareExpected(p.Iteration())
	p.Verify(wrong == "", "a solve with random delays of the ranks: "+wrong)
	return nil
}
