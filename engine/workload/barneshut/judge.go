package barneshut

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// near reports whether two numbers agree within a relative error.
func near(a, b, within float64) bool { return math.Abs(a-b) <= within*math.Abs(b) }

// wider returns the factor by which a bound is wider for n bodies than for enough of them.
func wider(enough float64, n int) float64 { return math.Sqrt(max(1, enough/float64(n))) }

// judge reports the results of the checks, on rank 0. Their bounds are measured for θ = 1. They
// fall with θ², and are wider for few bodies.
func (s *simulation) judge(f *findings) {
	s.checkForces(f)
	s.checkBodies(f)
	s.checkEnergy(f)
	s.checkRoot()
}

// check reports the result of one check: holds, or the message of the format.
func (s *simulation) check(ok bool, holds, format string, args ...any) {
	if !ok {
		holds = fmt.Sprintf("step %d: ", s.steps) + fmt.Sprintf(format, args...)
	}
	s.p.Verify(ok, holds)
}

// checkForces compares the sampled forces with all pairs, and the sum of all forces with zero.
func (s *simulation) checkForces(f *findings) {
	n, theta2 := s.bodies(), s.theta*s.theta
	if square := f.sum[sumSquare]; square > 0 {
		k, few := f.sum[sumSampled], wider(1024, n)
		rms, worst := math.Sqrt(f.sum[sumError]/square), math.Sqrt(f.max[maxError]/(square/k))
		maxRMS, maxWorst := 0.04*theta2*few, 0.15*theta2*few
		s.check(rms <= maxRMS+1e-9 && worst <= maxWorst+1e-9, "forces agree with all pairs within the error bound of θ",
			"forces on %.0f bodies differ from all pairs by %.2g (rms) and at most %.2g, relative to their rms: want at most %.2g and %.2g", k, rms, worst, maxRMS, maxWorst)
	}
	s.checkWork(f)
	x, y, z := f.sum[sumForceX], f.sum[sumForceX+1], f.sum[sumForceX+2]
	force, bound := math.Sqrt(x*x+y*y+z*z), 3e-3*theta2*wider(4096, n)
	s.check(n == 1 || force <= (bound+1e-9)*f.sum[sumForce], "the sum of all forces is nearly zero",
		"the sum of all forces is %.2g of the sum of their sizes, want at most %.2g", force/f.sum[sumForce], bound)
}

// The bounds of means over the sample for 64 bodies or more at θ = 1: of the potential, and of the energy along short
// paths. An error of all forces by 5 % breaks the second one. Measured: at most 0.7 % and 0.8 %.
const (
	maxShift = 0.01
	maxLoss  = 0.02
)

// checkWork compares the potential with all pairs, and checks that the work of the sampled forces along short paths is
// the loss of potential energy. For θ above 1 the errors have no such bounds.
func (s *simulation) checkWork(f *findings) {
	if s.theta > 1 {
		return
	}
	few := s.theta * s.theta * wider(64, s.bodies())
	if all := f.sum[sumPotential]; all > 0 {
		off, limit := f.sum[sumShift]/all, maxShift*few+1e-6
		s.check(off <= limit, "potentials agree with all pairs",
			"potentials differ from all pairs by %.2g on average, want at most %.2g", off, limit)
	}
	if loss := f.sum[sumLoss]; loss > 0 {
		off, limit := math.Abs(f.sum[sumWork]/loss-1), maxLoss*few+1e-6
		s.check(off <= limit, "the work of forces is the loss of potential energy",
			"the work of forces along short paths is %.4g of the loss of potential energy, want 1 within %.2g",
			f.sum[sumWork]/loss, limit)
	}
}

// checkBodies checks that the tree has each body once, and that all ranks have the same bodies.
func (s *simulation) checkBodies(f *findings) {
	n, c := s.bodies(), census(f.sum[sumLeaves:sumLeaves+3])
	s.check(c.isComplete(n), "every body is in exactly one leaf", "the tree has %.0f leaves with body numbers that sum to %.0f: want each of the %d bodies once", c[0], c[1], n)
	other := slices.IndexFunc(f.hashes, func(h uint64) bool { return h != f.hashes[0] })
	s.check(other < 0, "all ranks have bitwise identical bodies", "ranks %d and 0 have different bodies", other)
}

// checkEnergy compares the energy with the first step, if the step is short and softened enough.
func (s *simulation) checkEnergy(f *findings) {
	if s.steps == 0 || s.dt > 0.025 || s.soft < 0.05*0.05 || s.theta > 1 {
		return
	}
	tolerance := 2e-3 * max(1, float64(s.steps)/40) * wider(4096, s.bodies())
	s.check(near(f.sum[sumEnergy], s.energy, tolerance), "energy is conserved",
		"the energy is %.6g, initially %.6g: want a relative change of at most %.2g", f.sum[sumEnergy], s.energy, tolerance)
}

// checkRoot checks the mass of the root, if this rank can read it in place.
func (s *simulation) checkRoot() {
	var root *summary
	switch {
	case s.bulk:
		root = s.image.at(s.image.root)
	case s.tree.root.owner() == s.thread:
		root = s.tree.ownSummary(s.tree.root)
	default:
		return
	}
	s.check(near(root[summaryMass], 1, 1e-9), "the root has the total mass", "the root's mass is %v, want 1", root[summaryMass])
}

// wrong describes the first body of a span that is not in its place on the curve, or returns "". It halves the cube
// for each level, and uses no Morton number of the program.
func (o *order) wrong(state []float64, of span) string {
	before := [depth]int{}
	for i := of.lo; i < of.hi; i++ {
		x, octants := state[int(o.bodies[i])*bodySize:], [depth]int{}
		for k := range 3 {
			at := (x[k] - o.cube.low[k]) / o.cube.side // of the cell
			if at < 0 || at > 1 {
				return fmt.Sprintf("body %d is outside the cube", o.bodies[i])
			}
			for level := range octants {
				if at *= 2; at >= 1 {
					at--
					octants[level] |= 1 << k
				}
				if at == 1 { // the far face of the cube
					at = math.Nextafter(1, 0)
				}
			}
		}
		if order := slices.Compare(before[:], octants[:]); order > 0 || order == 0 && i > of.lo && o.bodies[i] < o.bodies[i-1] {
			return fmt.Sprintf("body %d comes after body %d, but is before it on the curve", o.bodies[i], o.bodies[i-1])
		}
		before = octants
	}
	return ""
}

// wrong describes a distance at which the reads by depth are not the reads by thread, or returns "".
func (r *reads) wrong(byThread *[cluster.Classes]float64) string {
	for class, want := range byThread {
		sum := int64(0)
		for depth := range r.depths {
			sum += r.depths[depth][class]
		}
		if float64(sum) != want {
			return fmt.Sprintf("%d reads at distance %s by depth, but %.0f by thread", sum, cluster.Class(class), want)
		}
	}
	return ""
}
