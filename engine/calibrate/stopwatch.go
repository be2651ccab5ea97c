package calibrate

import (
	"context"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// pace is the length of a job's batches.
type pace struct {
	n       int          // iterations per batch if fill is 0
	fill    cluster.Time // approximate duration of a batch; 0: n iterations
	warmup  cluster.Time // initial time without counted batches
	batches int          // number of counted batches
}

// onHost gives the ranks time to find their cores. Its batches are long compared with a clock
// reading and short compared with a time slice.
var onHost = pace{fill: 200 * cluster.Microsecond, warmup: cluster.Millisecond, batches: 3}

// inSim needs no warm-up: times are exact after the first batch.
var inSim = pace{n: 20, batches: 1}

// maxFill is the maximum number of iterations per batch.
const maxFill = 1 << 20

// stopwatch runs the iterations of one rank in batches and times each batch with the fabric's
// clock. Batches of the warm-up do not count; they determine the number of iterations
// that fill a batch.
type stopwatch struct {
	rank    *cluster.Rank
	pace    pace
	n       int // iterations per batch
	left    int // remaining iterations of this batch
	began   cluster.Time
	started cluster.Time
	batch   int       // started batches
	usesSum bool      // the time of an iteration is its share of sum, and not the elapsed time
	metric  string    // name of the workload's metric in sum; "": none
	sum     float64   // of the metric, or of the timed parts, in this batch
	times   []float64 // seconds per iteration, by counted batch
	err     error
	word    [1]float64
}

func newStopwatch(r *cluster.Rank, p pace) *stopwatch {
	return &stopwatch{rank: r, pace: p, n: max(p.n, 1)}
}

// more starts another iteration, or returns false if all are done. All ranks must call it in step;
// each batch begins with a barrier.
func (s *stopwatch) more() bool {
	if s.left > 0 {
		s.left--
		return true
	}
	return s.nextBatch()
}

// last reports whether the current iteration is the last one of its batch.
func (s *stopwatch) last() bool { return s.left == 0 }

func (s *stopwatch) nextBatch() bool {
	now := s.rank.Now()
	if s.batch == 0 {
		s.began = now
	} else if !s.end(now) {
		return false
	}
	s.batch++
	s.left = s.n - 1
	s.err = s.rank.Barrier(s.rank.All())
	if s.err != nil {
		return false
	}
	s.started = s.rank.Now()
	return true
}

// end ends a batch. The time of the slowest rank counts. It reports whether another batch follows.
func (s *stopwatch) end(now cluster.Time) bool {
	took := (now - s.started).Seconds() / float64(s.n)
	took, s.err = s.largest(took)
	if s.err != nil {
		return false
	}
	counted := took
	if s.usesSum {
		counted, s.err = s.largest(s.sum / float64(s.n))
		if s.err != nil {
			return false
		}
		s.sum = 0
	}
	isWarm := s.batch > 1
	if warmup := s.pace.warmup.Seconds(); warmup > 0 {
		passed, err := s.largest((now - s.began).Seconds())
		s.err = err
		if err != nil {
			return false
		}
		isWarm = isWarm && passed > warmup
	}
	if isWarm {
		s.times = append(s.times, counted)
		return len(s.times) < s.pace.batches
	}
	if s.pace.fill > 0 {
		s.n = min(maxFill, max(1, int(s.pace.fill.Seconds()/max(took, 1e-9))), 8*s.n)
	}
	return true
}

// largest returns the largest of the ranks' values, on every rank.
func (s *stopwatch) largest(x float64) (float64, error) {
	s.word[0] = x
	err := coll.Allreduce(s.rank, s.rank.All(), cluster.Max, s.word[:], s.word[:])
	return s.word[0], err
}

// body is one rank's part of a job: it loops while s.more().
type body func(r *cluster.Rank, s *stopwatch) error

// job is a body with its launch parameters.
type job struct {
	name    string
	ranks   int
	threads int // of a rank; 0: one
	segment int64
	ops     float64 // operations per iteration
	body    body
	// plan returns the segments of a workload, which depend on the fabric; nil: segment.
	plan func(on *workload.Site) (workload.Plan, error)
}

// play launches a job and returns the seconds per operation of each batch.
func (j *job) play(ctx context.Context, f cluster.Fabric, m cluster.Machine, p pace) ([]float64, error) {
	plan := workload.Plan{Segment: j.segment}
	if j.plan != nil {
		var err error
		plan, err = j.plan(workload.SiteOf(f, &m))
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", j.name, f.Name(), err)
		}
	}
	spec := cluster.Spec{
		Machine: m,
		Layout: cluster.Layout{Nodes: 1, RanksPerNode: j.ranks, ThreadsPerRank: max(j.threads, 1),
			Ranking: cluster.Sequential, Model: cluster.Flat},
		Segment:    plan.Segment,
		Modelled:   plan.Modelled,
		EagerLimit: -1,
		Seed:       1,
	}
	if j.threads > 1 {
		spec.Threading = cluster.ThreadMasteronly // as programs with regions have it: without VCIs
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
