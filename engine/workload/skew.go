package workload

import (
	"math/bits"
	"math/rand/v2"

	"github.com/hybridtop/hybridtop/cluster"
)

// A Skew delays a rank by random times, so that ranks arrive in different orders. Programs that are
// verified in virtual time use it in untimed calls: without skew, ranks with equal work arrive at the
// same time, and a missing wait is not noticed. A nil Skew delays nothing.
type Skew struct {
	r       *cluster.Rank
	rng     *rand.Rand
	longest cluster.Time
}

// NewSkew returns the skew of a rank in a program with this number of ranks. It returns nil if the
// clock is not virtual, or if ranks cannot compute for a given time.
func NewSkew(r *cluster.Rank, ranks int) *Skew {
	longest := roundTrips(r, ranks)
	if longest == 0 {
		return nil
	}
	return &Skew{r: r, rng: r.FixedRand(), longest: longest}
}

// Delay computes for a random time: nothing in half of the calls, and up to the time of several
// barriers in the others.
func (s *Skew) Delay() {
	if s == nil || s.rng.Uint64()%2 == 0 {
		return
	}
	s.compute(cluster.Time(s.rng.Int64N(int64(s.longest))))
}

// Late computes for twice the time that Delay takes at most.
func (s *Skew) Late() {
	if s != nil {
		s.compute(2 * s.longest)
	}
}

func (s *Skew) compute(t cluster.Time) {
	s.r.Compute(cluster.Work{Flops: t.Seconds() * s.r.Spec().Machine.Flops}, nil)
}

// roundTrips returns four times the latency of a barrier of the given number of ranks. The whole barrier is as slow
// as the machine's slowest part. roundTrips returns 0 if ranks cannot compute for a given time in virtual time.
func roundTrips(r *cluster.Rank, ranks int) cluster.Time {
	m := &r.Spec().Machine
	if r.Spec().Clock != cluster.VirtualClock || m.Flops <= 0 {
		return 0
	}
	slowest := 1.0
	for _, s := range m.Slow {
		slowest = max(slowest, s.Factor)
	}
	l := &m.Classes[cluster.Remote]
	trip := cluster.FromSeconds(slowest * (l.Latency + 2*l.Overhead + cluster.Nanosecond).Seconds())
	return 4 * cluster.Time(bits.Len(uint(ranks))) * trip
}
