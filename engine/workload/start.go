package workload

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// Start lets the ranks of a team begin at about the same time: behind a barrier, and in
// virtual time at the same multiple of a window, so that what is timed does not depend on
// how they leave the barrier.
type Start struct {
	r      *cluster.Rank
	team   *cluster.Team
	window cluster.Time // 0: when a barrier lets them
}

// NewStart makes one for a rank of a team.
func NewStart(r *cluster.Rank, t *cluster.Team) *Start {
	return &Start{r: r, team: t, window: windowOf(r, t.Size())}
}

// Together waits for the others and gives the time.
func (s *Start) Together() (cluster.Time, error) {
	if err := s.r.Barrier(s.team); err != nil {
		return 0, err
	}
	if s.window > 0 {
		s.until(s.window / 2) // so that no multiple lies between the ranks that leave the next one
		if err := s.r.Barrier(s.team); err != nil {
			return 0, err
		}
		s.until(0)
	}
	return s.r.Now(), nil
}

// until computes until the next multiple of the window, and so much longer.
func (s *Start) until(more cluster.Time) {
	now := s.r.Now()
	wait := (now+s.window-1)/s.window*s.window + more - now
	s.r.Compute(cluster.Work{Flops: wait.Seconds() * s.r.Spec().Machine.Flops}, func() {})
}

// windowOf is longer than the ranks of a team need to leave a barrier one after another;
// 0: the ranks cannot keep a time.
func windowOf(r *cluster.Rank, ranks int) cluster.Time {
	m := &r.Spec().Machine
	if !(r.Spec().Clock == cluster.VirtualClock) || m.Flops <= 0 || m.ComputeNoise > 0 || len(m.Slow) > 0 {
		return 0
	}
	l := &m.Classes[cluster.Remote]
	rounds := cluster.Time(bits.Len(uint(ranks)))
	return 4 * rounds * (l.Latency + 2*l.Overhead + cluster.Nanosecond)
}
