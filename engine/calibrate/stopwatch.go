package calibrate

import (
	"context"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// pace says how long a job's batches are.
type pace struct {
	n       int          // iterations in a batch, where fill is 0
	fill    cluster.Time // a batch takes about this long; 0: n iterations
	settle  cluster.Time // what is timed before this has passed does not count
	batches int          // that count
}

// onHost lets the ranks find their cores, and has batches that are long beside a
// look at the clock and short beside a time slice.
var onHost = pace{fill: 200 * cluster.Microsecond, settle: cluster.Millisecond, batches: 3}

// inSim has no clock to wait for: times are exact once the first batch has passed.
var inSim = pace{n: 20, batches: 1}

// maxFill bounds the iterations in a batch.
const maxFill = 1 << 20

// stopwatch hands out the iterations of one rank in batches and times each batch
// on the fabric's own clock. Batches before the settling time do not count; from
// them it learns how many iterations fill one.
type stopwatch struct {
	rank    *cluster.Rank
	pace    pace
	n       int // iterations in a batch
	left    int // iterations still to come in this one
	began   cluster.Time
	started cluster.Time
	turns   int       // batches begun
	times   []float64 // of an iteration, by batch that counts, in seconds
	err     error
	word    [1]float64
}

func newStopwatch(r *cluster.Rank, p pace) *stopwatch {
	return &stopwatch{rank: r, pace: p, n: max(p.n, 1)}
}

// more starts another iteration, or says that all are done. Every rank calls it
// in step; a batch begins with a barrier.
func (s *stopwatch) more() bool {
	if s.left > 0 {
		s.left--
		return true
	}
	return s.turn()
}

// last reports whether the iteration under way is the last one of its batch.
func (s *stopwatch) last() bool { return s.left == 0 }

func (s *stopwatch) turn() bool {
	now := s.rank.Now()
	if s.turns == 0 {
		s.began = now
	} else if !s.end(now) {
		return false
	}
	s.turns++
	s.left = s.n - 1
	if s.err = s.rank.Barrier(s.rank.All()); s.err != nil {
		return false
	}
	s.started = s.rank.Now()
	return true
}

// end ends a batch: the slowest rank's time counts. It reports whether there is
// another one.
func (s *stopwatch) end(now cluster.Time) bool {
	took := (now - s.started).Seconds() / float64(s.n)
	if took, s.err = s.largest(took); s.err != nil {
		return false
	}
	settled := s.turns > 1
	if settle := s.pace.settle.Seconds(); settle > 0 {
		passed, err := s.largest((now - s.began).Seconds())
		if s.err = err; err != nil {
			return false
		}
		settled = settled && passed > settle
	}
	if settled {
		s.times = append(s.times, took)
		return len(s.times) < s.pace.batches
	}
	if s.pace.fill > 0 {
		s.n = min(maxFill, max(1, int(s.pace.fill.Seconds()/max(took, 1e-9))), 8*s.n)
	}
	return true
}

// largest is the largest of the ranks' values, on every rank.
func (s *stopwatch) largest(x float64) (float64, error) {
	s.word[0] = x
	err := coll.Allreduce(s.rank, s.rank.All(), cluster.Max, s.word[:], s.word[:])
	return s.word[0], err
}

// body is one rank's part of a job: it loops while s.more().
type body func(r *cluster.Rank, s *stopwatch) error

// job is a body with what it needs to be launched.
type job struct {
	name    string
	ranks   int
	segment int64
	ops     float64 // operations in an iteration
	body    body
}

// play launches a job and gives the time of an operation in each batch, in
// seconds.
func (j *job) play(ctx context.Context, f cluster.Fabric, m cluster.Machine, p pace) ([]float64, error) {
	spec := cluster.Spec{
		Machine:    m,
		Layout:     cluster.Layout{Nodes: 1, RanksPerNode: j.ranks, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat},
		Segment:    j.segment,
		EagerLimit: -1,
		Seed:       1,
	}
	var times []float64
	err := cluster.Launch(ctx, f, spec, func(r *cluster.Rank) error {
		s := newStopwatch(r, p)
		if err := j.body(r, s); err != nil {
			return err
		}
		if r.ID() == 0 {
			for _, t := range s.times {
				times = append(times, t/j.ops)
			}
		}
		return s.err
	})
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", j.name, f.Name(), err)
	}
	return times, nil
}
