package clustertest

import (
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// regionCases test the constructs of a parallel region.
var regionCases = []testCase{
	{"no thread leaves a thread barrier before all have entered it", onRanks(2, threadsMeet)},
	{"the master runs a master section, and one thread runs a single", onRanks(1, masterAndSingle)},
	{"each iteration of a loop runs once, on a thread that is not reserved", (*suite).loopsAreShared},
	{"a loop is shared by the threads that are not away", onRanks(1, loopWithoutAway)},
	{"a loop without a working thread is refused", onRanks(1, refuseLoops)},
	{"a thread that never enters a thread barrier is a deadlock", deadlocks(2,
		roles(func(p *proc) {
			p.region(3, func(_ *proc, th *cluster.Thread) {
				if th.Number() != 1 {
					th.Meet()
				}
			})
		}),
		"rank 0 waits in thread barrier*", "rank 0 thread 2 waits in thread barrier*")},
}

func threadsMeet(p *proc) {
	var count atomic.Int64
	p.region(4, func(q *proc, th *cluster.Thread) {
		for i := range q.times(50) {
			count.Add(1)
			th.Meet()
			same(q, "arrivals", count.Load(), int64(4*(i+1)))
			th.Meet()
		}
	})
}

func masterAndSingle(p *proc) {
	rounds := p.times(30)
	var masters, singles, nowait atomic.Int64
	p.region(3, func(q *proc, th *cluster.Thread) {
		for i := range rounds {
			q.ok(th.Master(func() error {
				same(q, "master", th.Number(), 0)
				masters.Add(1)
				return nil
			}))
			q.ok(th.Single(func() error { singles.Add(1); return nil }))
			same(q, "singles", singles.Load(), int64(i+1)) // a thread barrier follows
			q.ok(th.SingleNowait(func() error { nowait.Add(1); return nil }))
			th.Meet()
		}
	})
	same(p, "masters", masters.Load(), int64(rounds))
	same(p, "singles without a barrier", nowait.Load(), int64(rounds))
}

func (s *suite) loopsAreShared(t *testing.T) {
	for _, l := range []struct {
		name string
		cluster.Loop
	}{
		{"static", cluster.Loop{}},
		{"static chunks", cluster.Loop{Chunk: 3}},
		{"dynamic", cluster.Loop{Schedule: cluster.Dynamic}},
		{"dynamic chunks", cluster.Loop{Schedule: cluster.Dynamic, Chunk: 4}},
		{"static, one reserved", cluster.Loop{Reserved: 1}},
		{"dynamic, two reserved, no barrier", cluster.Loop{Schedule: cluster.Dynamic, Reserved: 2, Nowait: true}},
	} {
		s.test(t, l.name, 1, func(p *proc) {
			for _, n := range []int{0, 1, 2, 7, 64} {
				by := make([]int, n)
				p.region(3, func(q *proc, th *cluster.Thread) {
					q.ok(th.For(n, l.Loop, func(lo, hi int) error {
						for i := lo; i < hi; i++ {
							by[i] += 10 + th.Number()
						}
						th.Compute(cluster.Work{Flops: float64(hi - lo)}, nil)
						return nil
					}))
				})
				for i, b := range by {
					p.check(b/10 == 1, "loop of %d: iteration %d ran %d times", n, i, b/10)
					p.check(b%10 >= l.Reserved, "loop of %d: iteration %d went to reserved thread %d", n, i, b%10)
				}
			}
		})
	}
}

func loopWithoutAway(p *proc) {
	by := make([]int, 40)
	p.region(3, func(q *proc, th *cluster.Thread) {
		for range 2 { // the second loop is another construct for all threads
			q.ok(th.For(len(by), cluster.Loop{Schedule: cluster.Dynamic, Chunk: 3, Away: th.Number() == 1},
				func(lo, hi int) error {
					for i := lo; i < hi; i++ {
						by[i] += 1 + 10*th.Number()
					}
					return nil
				}))
		}
	})
	for i, b := range by { // twice by thread 0, twice by thread 2, or once by each
		p.check(b == 2 || b == 22 || b == 42, "iteration %d: %d", i, b)
	}
}

func refuseLoops(p *proc) {
	nothing := func(int, int) error { return nil }
	p.region(2, func(q *proc, th *cluster.Thread) {
		err := th.For(4, cluster.Loop{Away: th.Number() == 1, Nowait: true}, nothing)
		if th.Number() == 1 {
			q.fails(err, "use the dynamic schedule")
		}
		q.fails(th.For(4, cluster.Loop{Reserved: 2, Nowait: true}, nothing), "2 of 2 threads reserved")
	})
}
