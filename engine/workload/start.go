package workload

import "github.com/hybridtop/hybridtop/cluster"

// Begin begins a timed part of a program on a rank of a team: it waits for the other ranks, and returns the time.
func Begin(r *cluster.Rank, t *cluster.Team) (cluster.Time, error) {
	if err := r.Barrier(t); err != nil {
		return 0, err
	}
	return BeginNow(r), nil
}

// BeginInOrder begins a timed part as Begin does. In virtual time, the first rank of the team arrives so much
// later than all others that it alone determines when each one continues. Equal parts then begin equally.
func BeginInOrder(r *cluster.Rank, t *cluster.Team) (cluster.Time, error) {
	if late := 4 * roundTrips(r, t.Size()); late > 0 {
		if err := r.Barrier(t); err != nil {
			return 0, err
		}
		if t.Rank() == 0 {
			r.Compute(cluster.Work{Until: r.Now() + late}, nil)
		}
	}
	return Begin(r, t)
}

// A Start lets the ranks of a team start at about the same time, after a barrier. In virtual time,
// they start at the same multiple of a window. Timings then do not depend on the order in which
// ranks leave the barrier.
type Start struct {
	r      *cluster.Rank
	team   *cluster.Team
	window cluster.Time // 0: start right after the barrier
}

// NewStart returns a Start for a rank of a team.
func NewStart(r *cluster.Rank, t *cluster.Team) *Start {
	return &Start{r: r, team: t, window: roundTrips(r, t.Size())}
}

// Together waits for the other ranks, begins a timed part and returns the time.
func (s *Start) Together() (cluster.Time, error) {
	if err := s.r.Barrier(s.team); err != nil {
		return 0, err
	}
	if s.window > 0 {
		s.until(s.window / 2) // so that all ranks leave the next barrier between the same multiples
		if err := s.r.Barrier(s.team); err != nil {
			return 0, err
		}
		s.until(0)
	}
	return BeginNow(s.r), nil
}

// until computes until the given time after the next multiple of the window.
func (s *Start) until(more cluster.Time) {
	s.r.Compute(cluster.Work{Until: (s.r.Now()+s.window-1)/s.window*s.window + more}, nil)
}
