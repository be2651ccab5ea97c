package clustertest

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
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
					_, err := th.Sendrecv(th.World(), (me+1)%n, thread, cluster.Of(data(size, me*10+thread+i)), (me+n-1)%n, thread, cluster.Of(b))
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
					th.ok(th.Isend(&q, th.World(), 0, (thread+1)%4, cluster.Of(data(size, thread+i))))
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
				_, err := th.Atomic(cluster.At(0, 0), cluster.AtomicAdd, 1)
				th.ok(err)
				th.ok(th.Put(cluster.At(peer, int64(64+100*thread)), cluster.Of(data(100, i))))
				word, err := th.RPC(peer, fn, int32(thread), cluster.Data{})
				th.ok(err)
				same(th, "word", word, uint64(thread))
			}
		})
		p.ok(p.Barrier(p.All()))
		sum, err := p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)
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

	s.test(t, "bytes are counted by node as by class, those of phantom messages too", 2, func(p *proc) {
		peer := 1 - p.ID()
		sums := func() (byClass, byNode int64) {
			for _, n := range p.Traffic().Bytes {
				byClass += n
			}
			for _, n := range p.Traffic().Nodes {
				byNode += n
			}
			return byClass, byNode
		}
		classes, nodes := sums()
		var q [4]cluster.Request
		p.ok(p.Irecv(&q[0], p.World(), peer, 1, cluster.Sized(1000)))
		p.ok(p.Irecv(&q[1], p.World(), peer, 2, cluster.Of(make([]byte, 100))))
		p.ok(p.Isend(&q[2], p.World(), peer, 1, cluster.Sized(1000)))
		p.ok(p.Isend(&q[3], p.World(), peer, 2, cluster.Of(make([]byte, 100))))
		p.ok(p.Waitall(q[:], nil))
		byClass, byNode := sums()
		same(p, "bytes by class", byClass-classes, 1100)
		same(p, "bytes by node", byNode-nodes, 1100)
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
					return th.Send(th.World(), 9, 0, cluster.Data{})
				}
				return nil
			})
			p.check(err != nil && strings.Contains(err.Error(), "thread 2: send to rank 9"), "error %v", err)
		})
	})

	s.test(t, "any thread completes another's request, and wakes who waits for what it lets happen", 2, func(p *proc) {
		peer := 1 - p.ID()
		rounds := s.times(50)
		p.fork(2, func(th *proc, thread int) {
			for i := range rounds {
				// Thread 0 depends on thread 1 of the other rank, which depends on
				// its own thread 0 only through the other rank.
				if thread == 0 {
					th.send(peer, 10, data(eager+1, i))
					th.recv(peer, 11, nil)
				} else {
					b := make([]byte, eager+1)
					th.recv(peer, 10, b)
					th.holds("message", b, i)
					th.send(peer, 11, nil)
				}
			}
		})
	})

	if !s.oneAtATime {
		// Isend lets a message leave with those that follow, at the latest with the
		// next call that waits; a thread that makes no more calls must not hold up
		// one that waits for the answer (MPI-4.0, section 11.6.1: a blocked thread
		// keeps others from nothing).
		s.test(t, "what a thread has sent leaves while it blocks outside the library and another waits inside", 2, func(p *proc) {
			rounds := s.times(300)
			mine, err := p.Dup(p.World())
			p.ok(err)
			theirs, err := p.Dup(p.World())
			p.ok(err)
			if p.ID() == 1 {
				for range rounds {
					_, err := p.Recv(mine, 0, 1, cluster.Data{})
					p.ok(err)
					p.ok(p.Send(theirs, 0, 2, cluster.Data{}))
				}
				return
			}
			answered := make(chan struct{})
			p.fork(2, func(th *proc, thread int) {
				for i := range rounds {
					if thread == 1 {
						_, err := th.Recv(theirs, 1, 2, cluster.Data{})
						th.ok(err)
						answered <- struct{}{}
						continue
					}
					for range i % 50 * 20 {
						runtime.Gosched()
					}
					var q cluster.Request
					th.ok(th.Isend(&q, mine, 1, 1, cluster.Data{}))
					select {
					case <-answered:
					case <-p.ctx.Done():
						th.failf("no answer in round %d", i)
					}
					_, err := th.Wait(&q)
					th.ok(err)
				}
			})
		})
	}

	t.Run("threads that wait for ranks which have finished are a deadlock, whatever lies in other teams", func(t *testing.T) {
		spec := s.spec(2)
		spec.Layout.ThreadsPerRank = 3
		a := s.deadlock(t, spec, func(p *proc) {
			other, err := p.Dup(p.World())
			p.ok(err)
			if p.ID() == 1 {
				p.ok(p.Send(other, 0, 5, cluster.Of(data(8, 1))))
				p.ok(p.Barrier(p.World()))
				return
			}
			p.ok(p.Barrier(p.World()))
			p.fork(3, func(th *proc, thread int) { th.recv(1, thread, nil) })
		})
		for thread := range 3 {
			call := fmt.Sprintf("recv from 1 tag %d", thread)
			if !slices.ContainsFunc(a.Waits, func(w cluster.Wait) bool { return w.Rank == 0 && w.Thread == thread && w.Call == call }) {
				t.Errorf("the report lacks thread %d in %s:\n%v", thread, call, a)
			}
		}
	})
}
