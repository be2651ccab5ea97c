package barneshut

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Indices of the sums over all ranks.
const (
	sumEnergy = iota
	sumForceX // three numbers
	sumForce  = iota + 2
	sumLeaves
	sumNumbers
	sumSquares
	sumError // squared errors of the sampled forces; sumSquare: their squares
	sumSquare
	sumSampled
	sums
)

// Indices of the maxima over all ranks.
const (
	mostTime  = iota
	mostError // squared error of a force
	mosts
)

// sampled is the approximate number of bodies whose forces are compared with all pairs in the first
// step.
const sampled = 300

// verify checks the step on all ranks together, and reports it. It is not timed.
func (s *simulation) verify() error {
	n := len(s.state) / bodySize
	var sum [sums]float64
	var most [mosts]float64
	interactions := 0
	for i, b := range s.order.bodies[s.piece.lo:s.piece.hi] {
		f := &s.pulls[i]
		interactions += f.interactions
		square, speed := 0., 0.
		v := s.velocity(i)
		for k := range 3 {
			sum[sumForceX+k] += f.a[k]
			square += f.a[k] * f.a[k]
			speed += v[k] * v[k]
		}
		sum[sumForce] += math.Sqrt(square)
		sum[sumEnergy] += (speed + f.potential) / 2 / float64(n)
		if s.steps == 0 && int(b)%max(1, n/sampled) == 0 {
			off, square := errorOf(f, s.state, int(b), s.soft)
			sum[sumError] += off
			sum[sumSquare] += square
			sum[sumSampled]++
			most[mostError] = max(most[mostError], off)
		}
	}
	if whole := !s.bulk && s.r.Spec().Layout.GroupOf(s.r.ID()) == 0 || s.bulk && s.r.ID() == 0; whole {
		copy(sum[sumLeaves:], s.census[:])
	}
	var h uint64
	if s.bulk {
		h = s.image.hashed
	} else {
		h = hash(s.state)
	}
	most[mostTime] = s.took.Seconds()
	if err := coll.Allreduce(s.r, s.r.All(), cluster.Sum, sum[:], sum[:]); err != nil {
		return err
	}
	if err := coll.Allreduce(s.r, s.r.All(), cluster.Max, most[:], most[:]); err != nil {
		return err
	}
	var hashes []uint64 // by rank, at rank 0
	if s.r.ID() == 0 {
		hashes = make([]uint64, s.r.Ranks())
	}
	if err := coll.Gather(s.r, s.r.All(), 0, cluster.Of([]uint64{h}), cluster.Of(hashes)); err != nil {
		return err
	}
	s.report(interactions, most[mostTime])
	if s.steps == 0 {
		s.energy = sum[sumEnergy]
	}
	if s.r.ID() == 0 {
		s.judge(n, &sum, &most, hashes)
	}
	return nil
}

// errorOf returns the squared error of a force, compared with the sum over all bodies, and the
// square of that sum.
func errorOf(f *pull, state []float64, body int, soft float64) (off, square float64) {
	want := direct(state, body, soft)
	for k := range 3 {
		off += (f.a[k] - want.a[k]) * (f.a[k] - want.a[k])
		square += want.a[k] * want.a[k]
	}
	return off, square
}

// near reports whether two numbers agree within a relative error.
func near(a, b, within float64) bool { return math.Abs(a-b) <= within*math.Abs(b) }

// judge reports the results of the checks, on one rank. The bounds are measured for θ = 1. They
// fall with θ², and are wider for few bodies.
func (s *simulation) judge(n int, sum *[sums]float64, most *[mosts]float64, hashes []uint64) {
	check := func(ok bool, holds, format string, args ...any) {
		if !ok {
			holds = fmt.Sprintf("step %d: ", s.steps) + fmt.Sprintf(format, args...)
		}
		s.p.Verify(ok, holds)
	}
	square := s.theta * s.theta
	if k := sum[sumSampled]; sum[sumSquare] > 0 {
		rms, worst := math.Sqrt(sum[sumError]/sum[sumSquare]), math.Sqrt(most[mostError]/(sum[sumSquare]/k))
		few := math.Sqrt(max(1, 1024/float64(n)))
		check(rms <= 0.04*square*few+1e-9 && worst <= 0.15*square*few+1e-9, "forces agree with all pairs within the error bound of θ",
			"forces on %.0f bodies differ from all pairs by %.2g (rms) and at most %.2g, relative to their rms: want at most %.2g and %.2g", k, rms, worst, 0.04*square*few, 0.15*square*few)
	}
	force := math.Sqrt(sum[sumForceX]*sum[sumForceX] + sum[sumForceX+1]*sum[sumForceX+1] + sum[sumForceX+2]*sum[sumForceX+2])
	bound := 3e-3 * square * math.Sqrt(max(1, 4096/float64(n)))
	check(n == 1 || force <= (bound+1e-9)*sum[sumForce], "the sum of all forces is nearly zero",
		"the sum of all forces is %.2g of the sum of their sizes, want at most %.2g", force/sum[sumForce], bound)
	c := census(sum[sumLeaves : sumLeaves+3])
	check(c.right(n), "every body is in exactly one leaf", "the tree has %.0f leaves with body numbers that sum to %.0f: want each of the %d bodies once", c[0], c[1], n)
	other := slices.IndexFunc(hashes, func(h uint64) bool { return h != hashes[0] })
	check(other < 0, "all ranks have bitwise identical bodies", "ranks %d and 0 have different bodies", other)
	if step := s.steps; step > 0 && s.dt <= 0.025 && s.soft >= 0.05*0.05 && s.theta <= 1 {
		most := 2e-3 * max(1, float64(step)/40) * math.Sqrt(max(1, 4096/float64(n)))
		check(near(sum[sumEnergy], s.energy, most), "energy is conserved", "the energy is %.6g, initially %.6g: want a relative change of at most %.2g", sum[sumEnergy], s.energy, most)
	}
	var root summary
	switch {
	case s.bulk:
		root = *s.image.at(s.image.root)
	case s.tree.root.owner() == s.thread:
		root = *s.tree.own(s.tree.root)
	default:
		return
	}
	check(near(root[summaryMass], 1, 1e-9), "the root has the total mass", "the root's mass is %v, want 1", root[summaryMass])
}

// hash returns a hash of the bits of all bodies.
func hash(state []float64) uint64 {
	h := uint64(0)
	for _, x := range state {
		h = mix(h ^ math.Float64bits(x))
	}
	return h
}

// report reports the results of this rank's force computation.
func (s *simulation) report(interactions int, slowest float64) {
	var at [cluster.Classes]float64
	all := 0.
	for t := range s.threads {
		k := float64(s.reads.summaries[t] + s.reads.children[t])
		at[s.reads.class[t]] += k
		all += k
	}
	for depth := range s.reads.depths {
		for class, n := range s.reads.depths[depth] {
			if n > 0 {
				s.p.Tally("reads_by_depth", depth, class, n)
			}
		}
	}
	s.p.Report("force_time", s.took.Seconds())
	s.p.Report("force_time_slowest", slowest)
	s.p.Report("reads", all)
	s.p.Report("interactions", float64(interactions))
	if all > 0 {
		s.p.Report("rank_local_share", at[cluster.InRank]/all)
		s.p.Report("node_local_share", (at[cluster.InRank]+at[cluster.InNode])/all)
	}
}
