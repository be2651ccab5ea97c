package clustertest

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// testLevels holds what paper 2's section 3 and MPI's thread levels permit.
func (s *suite) testLevels(t *testing.T) {
	const tag = 5
	// What a thread of a region gets for a call that costs nobody else anything.
	send := func(p *proc) error { return p.Send(p.World(), p.World().Rank(), tag, nil) }
	for _, c := range []struct {
		level          cluster.ThreadLevel
		master, worker string // in the refusal; empty: let in
	}{
		{cluster.ThreadMasteronly, "MASTERONLY", "MASTERONLY"},
		{cluster.ThreadFunneled, "", "FUNNELED"},
		{cluster.ThreadSerialized, "", ""},
		{cluster.ThreadMultiple, "", ""},
		{cluster.ThreadUnset, "", ""},
	} {
		t.Run(c.level.String()+" in a region", func(t *testing.T) {
			spec := s.spec(2)
			spec.Threading = c.level
			s.run(t, spec, func(p *proc) {
				var refused [2]error
				p.ok(p.Fork(2, func(th *cluster.Thread) error {
					q := &proc{Rank: &th.Rank}
					for turn := range 2 { // one thread at a time
						if turn == th.Number() {
							refused[turn] = send(q)
						}
						th.Meet()
					}
					return nil
				}))
				for thread, word := range []string{c.master, c.worker} {
					if word == "" {
						p.ok(refused[thread])
						p.recv(p.World().Rank(), tag, nil)
						continue
					}
					p.fails(refused[thread], "send", word)
					if thread == 1 {
						p.fails(refused[thread], "thread 1")
					}
				}
				p.ok(send(p)) // outside of regions the rank itself may
				p.recv(p.World().Rank(), tag, nil)
			})
		})
	}

	t.Run("each kind of MPI call is refused, and UPC's is not", func(t *testing.T) {
		spec := s.spec(2)
		spec.Threading = cluster.ThreadFunneled
		s.run(t, spec, func(p *proc) {
			w := p.World()
			var before cluster.Request
			p.ok(p.Irecv(&before, w, 1-w.Rank(), tag, nil))
			p.ok(p.Fork(2, func(th *cluster.Thread) error {
				if th.Number() == 0 {
					return nil
				}
				q := &proc{Rank: &th.Rank}
				var r cluster.Request
				word := []uint64{1}
				for _, c := range []struct {
					call string
					err  error
				}{
					{"send", th.Send(w, 0, 1, nil)},
					{"send", th.Isend(&r, w, 0, 1, nil)},
					{"send", th.IsendPhantom(&r, w, 0, 1, 8)},
					{"ssend", th.Ssend(w, 0, 1, nil)},
					{"ssend", th.Issend(&r, w, 0, 1, nil)},
					{"recv", only(th.Recv(w, 0, 1, nil))},
					{"recv", th.Irecv(&r, w, 0, 1, nil)},
					{"recv", th.IrecvPhantom(&r, w, 0, 1, 8)},
					{"probe", only(th.Probe(w, 0, 1))},
					{"mprobe", only(th.Mprobe(w, 0, 1))},
					{"mrecv", only(th.Mrecv(cluster.Message{}, nil))},
					{"sendrecv", only(th.Sendrecv(w, 0, 1, nil, 0, 1, nil))},
					{"barrier", th.Barrier(w)},
					{"notify", th.Notify(&r, w)},
					{"bcast", coll.Bcast(&th.Rank, w, 0, nil)},
					{"reduce", coll.Reduce(&th.Rank, w, 0, cluster.Sum, word, word)},
					{"allreduce", coll.Allreduce(&th.Rank, w, cluster.Sum, word, word)},
					{"gather", coll.Gather(&th.Rank, w, 0, nil, nil)},
					{"allgather", coll.Allgather(&th.Rank, w, nil, nil)},
					{"neighbour sync", th.SyncNeighbours(w, nil)},
					{"split", only(th.Split(w, 0, 0))},
					{"wait", only(th.Wait(&before))},
					{"waitall", th.Waitall([]cluster.Request{{}}, nil)},
				} {
					if c.call == "mrecv" || c.call == "waitall" {
						continue // of no team: nothing of MPI's is touched
					}
					q.fails(c.err, c.call, "thread 1")
				}
				return th.PutImplicit(th.ID(), 8, []byte{1})
			}))
			p.send(1-w.Rank(), tag, nil)
			_, err := p.Wait(&before)
			p.ok(err)
		})
	})

	t.Run("serialized refuses a call while another thread waits in one", func(t *testing.T) {
		spec := s.spec(2)
		spec.Threading = cluster.ThreadSerialized
		s.run(t, spec, func(p *proc) {
			if p.ID() == 1 {
				_, err := p.Await(0, cluster.CmpEqual, 1) // rank 0's second thread was refused
				p.ok(err)
				p.send(p.World().Local(0), tag, nil)
				return
			}
			var refusal error
			p.ok(p.Fork(2, func(th *cluster.Thread) error {
				if th.Number() == 0 {
					for {
						_, err := th.Recv(th.World(), th.World().Local(1), tag, nil)
						if err == nil || !strings.Contains(err.Error(), "SERIALIZED") {
							return err
						}
						th.Now() // it came while the other one was probing: a little later, then
					}
				}
				for refusal == nil { // until the other one is inside
					_, _, refusal = th.Iprobe(th.World(), cluster.AnySource, tag+1)
				}
				return th.AtomicStore(1, 0, 1)
			}))
			p.fails(refusal, "rank 0", "thread 1", "iprobe", "thread 0 is inside", "SERIALIZED")
		})
	})

	t.Run("two waits on one request", func(t *testing.T) {
		s.run(t, s.spec(2), func(p *proc) {
			if p.ID() == 1 {
				_, err := p.Await(0, cluster.CmpEqual, 1)
				p.ok(err)
				p.send(p.World().Local(0), tag, nil)
				return
			}
			var q cluster.Request
			p.ok(p.Irecv(&q, p.World(), p.World().Local(1), tag, nil))
			var errs [2]error
			p.ok(p.Fork(2, func(th *cluster.Thread) error {
				if _, err := th.Wait(&q); err != nil {
					errs[th.Number()] = err
					return th.AtomicStore(1, 0, 1)
				}
				return nil
			}))
			p.check((errs[0] == nil) != (errs[1] == nil), "refusals %v", errs)
			for _, err := range errs {
				if err != nil {
					p.fails(err, "wait", "completes that request already")
				}
			}
		})
	})

	t.Run("single forbids threads", func(t *testing.T) {
		spec := s.spec(1)
		spec.Threading = cluster.ThreadSingle
		s.run(t, spec, func(p *proc) {
			p.fails(p.Fork(2, func(*cluster.Thread) error { return nil }), "fork of 2 threads", "SINGLE")
			p.fork(1, func(*proc, int) {})
		})
	})

	t.Run("what is provided", func(t *testing.T) {
		for _, limit := range append([]cluster.ThreadLevel{cluster.ThreadUnset}, cluster.ThreadLevels...) {
			spec := s.spec(1)
			spec.Machine.Threading = limit
			s.run(t, spec, func(p *proc) {
				for _, required := range cluster.ThreadLevels {
					want := required
					if limit != cluster.ThreadUnset {
						want = min(required, limit)
					}
					inForce := want
					if limit == cluster.ThreadMasteronly {
						want = cluster.ThreadSingle // MPI knows no MASTERONLY (paper 2, section 3)
					}
					got, err := p.InitThread(required)
					p.ok(err)
					same(p, "provided", got, want)
					same(p, "in force", p.ThreadLevel(), inForce)
				}
				_, err := p.InitThread(cluster.ThreadUnset)
				p.fails(err, "init thread")
			})
		}
	})

	s.test(t, "regions do not nest, and the rank's own handle rests while one runs", 1, func(p *proc) {
		p.fork(2, func(th *proc, thread int) {
			th.fails(th.Fork(2, func(*cluster.Thread) error { return nil }), "fork", "do not nest")
			_, err := th.InitThread(cluster.ThreadMultiple)
			th.fails(err, "inside a parallel region")
			if thread == 0 {
				th.fails(send(p), "own handle")
			}
		})
	})
}

// testRegions holds the constructs of a parallel region.
func (s *suite) testRegions(t *testing.T) {
	s.test(t, "threads meet", 2, func(p *proc) {
		rounds := s.times(50)
		var count atomic.Int64
		p.ok(p.Fork(4, func(th *cluster.Thread) error {
			q := &proc{Rank: &th.Rank}
			for i := range rounds {
				count.Add(1)
				th.Meet()
				same(q, "arrivals", count.Load(), int64(4*(i+1)))
				th.Meet()
			}
			return nil
		}))
	})

	s.test(t, "the master's section is the master's alone, a single's is one thread's", 1, func(p *proc) {
		rounds := s.times(30)
		var masters, singles, loose atomic.Int64
		p.ok(p.Fork(3, func(th *cluster.Thread) error {
			q := &proc{Rank: &th.Rank}
			for i := range rounds {
				q.ok(th.Master(func() error {
					same(q, "master", th.Number(), 0)
					masters.Add(1)
					return nil
				}))
				q.ok(th.Single(func() error { singles.Add(1); return nil }))
				same(q, "singles", singles.Load(), int64(i+1)) // all met after it
				q.ok(th.SingleNowait(func() error { loose.Add(1); return nil }))
				th.Meet()
			}
			return nil
		}))
		same(p, "masters", masters.Load(), int64(rounds))
		same(p, "singles without a meeting", loose.Load(), int64(rounds))
	})

	for _, l := range []struct {
		name string
		cluster.Loop
	}{
		{"static", cluster.Loop{}},
		{"static chunks", cluster.Loop{Chunk: 3}},
		{"dynamic", cluster.Loop{Schedule: cluster.Dynamic}},
		{"dynamic chunks", cluster.Loop{Schedule: cluster.Dynamic, Chunk: 4}},
		{"static, one reserved", cluster.Loop{Reserved: 1}},
		{"dynamic, two reserved, no meeting", cluster.Loop{Schedule: cluster.Dynamic, Reserved: 2, Nowait: true}},
	} {
		s.test(t, "a loop is shared: "+l.name, 1, func(p *proc) {
			for _, n := range []int{0, 1, 2, 7, 64} {
				by := make([]int, n)
				p.ok(p.Fork(3, func(th *cluster.Thread) error {
					return th.For(n, l.Loop, func(lo, hi int) error {
						for i := lo; i < hi; i++ {
							by[i] = th.Number() + 1
						}
						th.Compute(cluster.Work{Flops: float64(hi - lo)}, nil)
						return nil
					})
				}))
				p.check(!slices.Contains(by, 0), "loop of %d: iterations by thread %v, none may be left out", n, by)
				for i, thread := range by {
					p.check(thread-1 >= l.Reserved, "loop of %d: iteration %d went to reserved thread %d", n, i, thread-1)
				}
			}
		})
	}

	s.test(t, "a loop is shared by those who are not away", 1, func(p *proc) {
		by := make([]int, 40)
		p.ok(p.Fork(3, func(th *cluster.Thread) error {
			for range 2 { // the second loop is another construct for all
				if err := th.For(len(by), cluster.Loop{Schedule: cluster.Dynamic, Chunk: 3, Away: th.Number() == 1}, func(lo, hi int) error {
					for i := lo; i < hi; i++ {
						by[i] += 1 + 10*th.Number()
					}
					return nil
				}); err != nil {
					return err
				}
			}
			return nil
		}))
		for i, b := range by { // twice by thread 0, by thread 2, or by each once
			p.check(b == 2 || b == 22 || b == 42, "iteration %d: %d", i, b)
		}
	})

	s.test(t, "a loop that leaves nobody to work is refused", 1, func(p *proc) {
		p.ok(p.Fork(2, func(th *cluster.Thread) error {
			q := &proc{Rank: &th.Rank}
			if err := th.For(4, cluster.Loop{Away: th.Number() == 1, Nowait: true}, func(int, int) error { return nil }); th.Number() == 1 {
				q.fails(err, "use the dynamic schedule")
			}
			q.fails(th.For(4, cluster.Loop{Reserved: 2, Nowait: true}, func(int, int) error { return nil }), "2 of 2 threads reserved")
			return nil
		}))
	})

	t.Run("a thread that never comes to the meeting is a deadlock", func(t *testing.T) {
		err := s.launch(t, s.spec(2), func(p *proc) {
			p.ok(p.Fork(3, func(th *cluster.Thread) error {
				if p.ID() == 0 && th.Number() != 1 {
					th.Meet()
				}
				return nil
			}))
		})
		if err == nil || !strings.Contains(err.Error(), "deadlock") || !strings.Contains(err.Error(), "rank 0 waits in thread barrier") {
			t.Fatalf("error %v, want a deadlock in the thread barrier", err)
		}
	})
}
