package fft

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/hybridtop/hybridtop/engine/workload"
)

// tolerance is the relative error that NASA's verification accepts in a checksum.
const tolerance = 1e-12

// maxSequential is the maximum number of points for which one process transforms the box alone, to
// get a checksum if none is published.
const maxSequential = 1 << 18

// verifier is a part of a run, with the reference for its results.
type verifier struct {
	s        *solver     // nil: the process has no part in it
	alone    *sequential // on the first process, if no checksum is published
	verified bool        // the checks that do not change from step to step
}

// verifySize verifies that the timed box has the size of the knobs.
func (s *solver) verifySize() {
	if s.p.Text("class") == ownSizes {
		for a, knob := range []string{"nx", "ny", "nz"} {
			workload.VerifySize(s.p, knob, s.problem.n[a])
		}
	}
}

// verifyTransforms verifies that the spectrum has the same energy as the numbers, and that the
// transform back returns the numbers.
func (v *verifier) verifyTransforms() error {
	if v.verified {
		return nil
	}
	v.verified = true
	s := v.s
	energy := s.mine.Slice()
	clear(energy)
	s.eachNumber(func(_ int, v complex128) { energy[0] += real(v)*real(v) + imag(v)*imag(v) })
	for _, v := range s.spectrum {
		energy[1] += real(v)*real(v) + imag(v)*imag(v)
	}
	all, err := s.sum()
	if err != nil {
		return err
	}
	points := float64(s.problem.points())
	off := math.Abs(all[1]/points/all[0] - 1)
	s.p.Verify(off < tolerance, fmt.Sprintf("Parseval: the energies of spectrum and numbers differ by %.1g "+
		"(relative)", off))
	copy(s.arrays[0].Slice(), s.spectrum)
	if err := s.transform(&s.back, &s.linesFro); err != nil {
		return err
	}
	worst, result := 0.0, s.arrays[s.result].Slice()
	lo, n := s.back.partAfter(&s.grid)
	s.problem.generate(lo, n, func(x, y, z int, want complex128) {
		got := result[s.back.indexAfter(lo, [3]int{x, y, z})] / complex(points, 0)
		worst = max(worst, cmplx.Abs(got-want))
	})
	s.p.Verify(worst < tolerance, fmt.Sprintf("the transform back returns the numbers; largest error on "+
		"rank %d: %.1g", s.r.ID(), worst))
	return s.r.Barrier(s.team)
}

// verifyChecksum verifies the checksum of a step.
func (v *verifier) verifyChecksum(t int, got complex128) {
	s := v.s
	if s.team.Rank() != 0 {
		return
	}
	want, by := complex128(0), "published"
	if sum, ok := s.problem.sum(t); ok {
		want = sum
	} else if s.problem.points() > maxSequential {
		return
	} else {
		if v.alone == nil {
			v.alone = newSequential(&s.problem)
		}
		want, by = v.alone.checksum(t), "sequential"
	}
	off := max(relativeError(real(got), real(want)), relativeError(imag(got), imag(want)))
	s.p.Report("checksum_error", off)
	text := fmt.Sprintf("step %d: the checksum is %.12e %+.12ei", t, real(got), imag(got))
	if off > tolerance || math.IsNaN(off) {
		s.p.Verify(false, fmt.Sprintf("%s; the %s one is %.12e %+.12ei", text, by, real(want), imag(want)))
		return
	}
	s.p.Verify(true, fmt.Sprintf("the checksum equals the %s one, to 1e-12", by))
}

func relativeError(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

// sequential solves the same problem in one process, axis by axis in place.
type sequential struct {
	problem  *problem
	spectrum []complex128 // x fastest
	u        []complex128
}

func newSequential(b *problem) *sequential {
	q := &sequential{problem: b, spectrum: make([]complex128, b.points()), u: make([]complex128, b.points())}
	b.generate([3]int{}, b.n, func(x, y, z int, v complex128) { q.spectrum[q.at(x, y, z)] = v })
	q.transform(q.spectrum, false)
	return q
}

func (q *sequential) at(x, y, z int) int { return x + q.problem.n[0]*(y+q.problem.n[1]*z) }

func (q *sequential) transform(u []complex128, inverse bool) {
	n := q.problem.n
	newLines(n[0], inverse).rows(u)
	y, z := newLines(n[1], inverse), newLines(n[2], inverse)
	for plane := range n[2] {
		of := u[plane*n[0]*n[1]:][:n[0]*n[1]]
		row := func(i int) int { return i * n[0] }
		y.columns(of, of, 0, n[0], row, row)
	}
	plane := func(i int) int { return i * n[0] * n[1] }
	z.columns(u, u, 0, n[0]*n[1], plane, plane)
}

// checksum returns the checksum of a time step.
func (q *sequential) checksum(t int) complex128 {
	b := q.problem
	var decay [3][]float64
	for a := range decay {
		decay[a] = make([]float64, b.n[a])
	}
	b.decays(t, &decay)
	for z := range b.n[2] {
		for y := range b.n[1] {
			for x := range b.n[0] {
				at := q.at(x, y, z)
				q.u[at] = q.spectrum[at] * complex(decay[0][x]*decay[1][y]*decay[2][z], 0)
			}
		}
	}
	q.transform(q.u, true)
	sum := complex128(0)
	for j := 1; j <= samples; j++ {
		x := b.sample(j)
		sum += q.u[q.at(x[0], x[1], x[2])]
	}
	return sum / complex(float64(b.points()), 0)
}
