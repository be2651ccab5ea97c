package calibrate

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

var (
	regionFlops    = []int{0, 10_000, 100_000} // flops before a region
	threadBarriers = []int{16, 32, 64, 128}    // thread barriers per region
)

// regionTrials returns the trials of parallel regions with a number of threads.
func regionTrials(threads int) (all []trial) {
	add := func(kind string, x int, b body) {
		all = append(all, trial{kind: kind, x: float64(x), job: job{name: kind, ranks: 1, threads: threads, ops: 1, body: b}})
	}
	for _, n := range regionFlops {
		add(trialRegion, n, regions(n))
	}
	for _, k := range threadBarriers {
		add(trialThreadBarrier, k, meetings(k))
	}
	return all
}

// regions runs empty parallel regions, each after some computing. Only the regions are timed. After
// long computing the workers are parked, and waking them takes longer.
func regions(flops int) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		work := cluster.Work{Flops: float64(flops), Kernel: cluster.Chain}
		v, x := 3.0, 3.0
		compute := func() { x = dependent(v, x, flops) }
		nothing := func(*cluster.Thread) error { return nil }
		s.usesSum = true
		for s.more() {
			if flops > 0 {
				r.Compute(work, compute)
			}
			began := r.Now()
			if err := r.Fork(0, nothing); err != nil {
				return err
			}
			s.sum += (r.Now() - began).Seconds()
		}
		if x != v {
			return fmt.Errorf("rank %d: the computed value is %v, want %v", r.ID(), x, v)
		}
		return nil
	}
}

// meetings runs k thread barriers in a parallel region.
func meetings(k int) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		meet := func(t *cluster.Thread) error {
			for range k {
				t.Meet()
			}
			return nil
		}
		for s.more() {
			if err := r.Fork(0, meet); err != nil {
				return err
			}
		}
		return nil
	}
}

// regions fits the times of parallel regions and of thread barriers.
func (f *fitter) regions() {
	m := &f.machine
	if ts := f.of(trialRegion, 1); len(ts) > 0 {
		t := level(ts)
		m.ForkTime = cluster.FromSeconds(t)
		f.record(Number{
			Key: "fork_time_s", Unit: "s", Value: t,
			To: fmt.Sprintf("empty parallel regions of %d threads, in a row and after computing", m.CoresPerNode),
		}, ts, func(Time) float64 { return t })
	}
	if l := f.line(trialThreadBarrier); len(l.times) > 0 {
		m.ThreadBarrierTime = cluster.FromSeconds(l.slope)
		f.record(Number{
			Key: "thread_barrier_time_s", Unit: "s", Value: l.slope,
			To: fmt.Sprintf("barriers of %d threads: time of one more in a parallel region", m.CoresPerNode),
		}, l.times, func(t Time) float64 { return l.first + t.X*l.slope })
	}
}
