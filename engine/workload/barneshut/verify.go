package barneshut

import (
	"math"

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
	sumError // of the sample
	sumSquare
	sumPotential
	sumShift
	sumWork
	sumLoss
	sumSampled
	sums
)

// Indices of the maxima over all ranks.
const (
	maxTime  = iota
	maxError // squared error of a force
	maxima
)

// sampled is the approximate number of bodies whose forces are compared with all pairs in the first
// step.
const sampled = 300

// findings are the numbers of a step that its checks use.
type findings struct {
	sum    [sums]float64
	max    [maxima]float64
	hashes []uint64 // of the bodies, by rank; only on rank 0
}

// verify checks the step on all ranks together, and reports it. It is not timed.
func (s *simulation) verify() error {
	if s.steps == 0 {
		if wrong := s.order.wrong(s.state, s.share); wrong != "" {
			s.check(false, "", "%s", wrong)
		}
	}
	f, interactions := s.find()
	if err := f.combine(s.r, s.hashed()); err != nil {
		return err
	}
	s.report(interactions, f.max[maxTime])
	if s.steps == 0 {
		s.energy = f.sum[sumEnergy]
	}
	if s.r.ID() == 0 {
		s.judge(&f)
	}
	return nil
}

// find returns the findings and the number of interactions of this rank's bodies.
func (s *simulation) find() (f findings, interactions int) {
	n := s.bodies()
	var of sample
	for i, b := range s.order.bodies[s.share.lo:s.share.hi] {
		p, v := &s.pulls[i], s.velocity(i)
		interactions += p.interactions
		square, speed := 0., 0.
		for k := range 3 {
			f.sum[sumForceX+k] += p.a[k]
			square += p.a[k] * p.a[k]
			speed += v[k] * v[k]
		}
		f.sum[sumForce] += math.Sqrt(square)
		f.sum[sumEnergy] += (speed + p.potential) / 2 / float64(n)
		if s.steps == 0 && int(b)%max(1, n/sampled) == 0 {
			of.add(p, s.state, int(b), s.soft)
		}
	}
	f.sum[sumError], f.sum[sumSquare], f.max[maxError] = of.off, of.squares, of.worst
	f.sum[sumPotential], f.sum[sumShift] = of.potential, of.shift
	f.sum[sumWork], f.sum[sumLoss], f.sum[sumSampled] = of.work, of.loss, of.bodies
	if s.ofFirstTree() {
		copy(f.sum[sumLeaves:], s.census[:])
	}
	f.max[maxTime] = s.took.Seconds()
	return f, interactions
}

// ofFirstTree reports whether this rank's census belongs to the checked tree. This is the first
// group's tree, or the image, whose census is complete on each rank.
func (s *simulation) ofFirstTree() bool {
	if s.bulk {
		return s.r.ID() == 0
	}
	return s.r.Spec().Layout.GroupOf(s.r.ID()) == 0
}

// combine combines the findings of all ranks.
func (f *findings) combine(r *cluster.Rank, hashed uint64) error {
	if err := coll.Allreduce(r, r.All(), cluster.Sum, f.sum[:], f.sum[:]); err != nil {
		return err
	}
	if err := coll.Allreduce(r, r.All(), cluster.Max, f.max[:], f.max[:]); err != nil {
		return err
	}
	if r.ID() == 0 {
		f.hashes = make([]uint64, r.Ranks())
	}
	return coll.Gather(r, r.All(), 0, cluster.Of([]uint64{hashed}), cluster.Of(f.hashes))
}

// hashed returns the hash of this rank's copy of all bodies.
func (s *simulation) hashed() uint64 {
	if s.bulk {
		return s.image.hashed
	}
	return hash(s.state)
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
	if wrong := s.reads.wrong(&at); wrong != "" {
		s.check(false, "", "rank %d: %s", s.r.ID(), wrong)
	}
	if s.cache == nil {
		// A walk ends at the body itself, or rarely at a far cell around it.
		opened := sumOf(s.reads.children)
		least := interactions + opened
		if got := sumOf(s.reads.summaries); got < least || got > least+s.share.len() {
			s.check(false, "", "rank %d: %d reads of summaries: want %d to %d, for %d interactions, %d opened cells and %d own bodies",
				s.r.ID(), got, least, least+s.share.len(), interactions, opened, s.share.len())
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

// sumOf returns the number of reads of all threads' records.
func sumOf(reads []int64) (n int) {
	for _, k := range reads {
		n += int(k)
	}
	return n
}
