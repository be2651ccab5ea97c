package clustertest

import (
	"errors"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testThreads(t *testing.T) {
	s.test(t, "a region runs each thread once and joins them", 2, func(p *proc) {
		for _, n := range []int{1, 2, 5} {
			runs := make([]int, n)
			p.fork(n, func(th *proc, thread int) {
				same(th, "rank", th.ID(), p.ID())
				runs[thread]++
			})
			for i := range runs {
				same(p, "runs", runs[i], 1)
			}
		}
	})

	t.Run("a region has the layout's threads unless told", func(t *testing.T) {
		spec := s.spec(2)
		spec.Layout.ThreadsPerRank = 3
		s.run(t, spec, func(p *proc) {
			runs := make([]int, 3)
			p.fork(0, func(_ *proc, thread int) { runs[thread]++ })
			same(p, "threads", runs[0]+runs[1]+runs[2], 3)
		})
	})

	for _, size := range []int{8, eager + 1} {
		s.test(t, "threads exchange messages under tags of their own", 4, func(p *proc) {
			rounds := s.times(30)
			p.fork(3, func(th *proc, thread int) {
				n, me := th.World().Size(), th.World().Rank()
				b := make([]byte, size)
				for i := range rounds {
					_, err := th.Sendrecv(th.World(), (me+1)%n, thread, data(size, me*10+thread+i), (me+n-1)%n, thread, b)
					th.ok(err)
					th.holds("message", b, (me+n-1)%n*10+thread+i)
				}
			})
		})

		s.test(t, "threads of one rank send to each other", 1, func(p *proc) {
			rounds := s.times(30)
			p.fork(4, func(th *proc, thread int) {
				b := make([]byte, size)
				for i := range rounds {
					var q cluster.Request
					th.ok(th.Isend(&q, th.World(), 0, (thread+1)%4, data(size, thread+i)))
					th.recv(0, thread, b)
					th.holds("message", b, (thread+3)%4+i)
					_, err := th.Wait(&q)
					th.ok(err)
				}
			})
		})
	}

	s.test(t, "threads put, add and call", 2, func(p *proc) {
		var calls uint64
		fn := p.register(func(c cluster.RPC) uint64 { calls++; return uint64(c.Arg) })
		peer := 1 - p.ID()
		n := s.times(50)
		p.fork(3, func(th *proc, thread int) {
			for i := range n {
				_, err := th.FetchAdd(0, 0, 1)
				th.ok(err)
				th.ok(th.Put(peer, int64(64+100*thread), data(100, i)))
				word, err := th.RPC(peer, fn, int32(thread), nil)
				th.ok(err)
				same(th, "word", word, uint64(thread))
			}
		})
		p.ok(p.Barrier(p.All()))
		sum, err := p.AtomicLoad(0, 0)
		p.ok(err)
		same(p, "sum", sum, uint64(2*3*n))
		same(p, "calls", calls, uint64(3*n))
		for thread := range 3 {
			p.holds("put", p.Segment()[64+100*thread:][:100], n-1)
		}
	})

	s.test(t, "the rank calls on after a region, and its traffic holds the threads'", 2, func(p *proc) {
		peer := 1 - p.ID()
		before := *p.Traffic()
		p.fork(2, func(th *proc, thread int) { th.send(peer, thread, data(100, thread)) })
		b := make([]byte, 100)
		for thread := range 2 {
			p.recv(peer, thread, b)
			p.holds("message", b, thread)
		}
		var ops, bytes int64
		for c := range cluster.Classes {
			ops += p.Traffic().Ops[c] - before.Ops[c]
			bytes += p.Traffic().Bytes[c] - before.Bytes[c]
		}
		same(p, "operations", ops, 2)
		same(p, "bytes", bytes, 200)
	})

	t.Run("a thread's error is the region's, and names the thread", func(t *testing.T) {
		boom := errors.New("boom")
		s.run(t, s.spec(2), func(p *proc) {
			err := p.Fork(3, func(th *cluster.Thread) error {
				if th.Number() == 1 {
					return boom
				}
				return nil
			})
			p.check(errors.Is(err, boom), "error %v", err)
			err = p.Fork(3, func(th *cluster.Thread) error {
				if th.Number() == 2 {
					return th.Send(th.World(), 9, 0, nil)
				}
				return nil
			})
			p.check(err != nil && strings.Contains(err.Error(), "thread 2: send to rank 9"), "error %v", err)
		})
	})
}
