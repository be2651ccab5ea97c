package clustertest

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testProgress(t *testing.T) {
	t.Run("bursts of many ranks, longer than what is taken in one go, are taken whole", func(t *testing.T) {
		const ranks, burst = 20, 100
		var sent atomic.Int32
		s.run(t, s.spec(ranks), func(p *proc) {
			if p.ID() != 0 {
				qs := make([]cluster.Request, burst)
				for i := range qs {
					p.ok(p.Isend(&qs[i], p.World(), 0, p.ID(), cluster.Of(data(8, i))))
				}
				p.ok(p.Waitall(qs, nil))
				sent.Add(1)
				return
			}
			if !s.oneAtATime { // all is there before the first is received
				p.until(func() bool { return sent.Load() == ranks-1 })
			}
			b := make([]byte, 8)
			for from := ranks - 1; from > 0; from-- {
				for i := range burst {
					p.recv(from, from, b)
					p.holds(fmt.Sprintf("message %d of rank %d", i, from), b, i)
				}
			}
		})
	})

	// Each call lets RPC bodies run at its rank, whatever it waits for itself.
	for name, call := range map[string]func(p *proc, stop func() bool){
		"progress": func(p *proc, stop func() bool) {
			for !stop() {
				p.Progress()
			}
		},
		"test": func(p *proc, stop func() bool) {
			var q cluster.Request
			p.ok(p.Irecv(&q, p.World(), 0, 99, cluster.Data{}))
			for !stop() {
				_, done, err := p.Test(&q)
				p.ok(err)
				p.check(!done, "a receive of nothing is complete")
			}
			taken, err := p.Cancel(&q)
			p.ok(err)
			p.check(taken, "the receive could not be cancelled")
			_, err = p.Wait(&q)
			p.ok(err)
		},
		"iprobe": func(p *proc, stop func() bool) {
			for !stop() {
				_, found, err := p.Iprobe(p.World(), 0, 99)
				p.ok(err)
				p.check(!found, "a probe of nothing finds something")
			}
		},
		"recv":    func(p *proc, _ func() bool) { p.recv(0, 5, nil) },
		"probe":   func(p *proc, _ func() bool) { _, err := p.Probe(p.World(), 0, 5); p.ok(err); p.recv(0, 5, nil) },
		"barrier": func(p *proc, _ func() bool) { p.ok(p.Barrier(p.All())) },
		"await":   func(p *proc, _ func() bool) { _, err := p.Await(8, cluster.CmpEqual, 1); p.ok(err) },
		"event": func(p *proc, _ func() bool) {
			e, err := p.NewEvent(1)
			p.ok(err)
			cluster.FireOn(p.Lib().Port(), e.Handle())
			p.recv(0, 5, nil)
			p.ok(errOf(p.Wait(&e.Request)))
		},
	} {
		s.test(t, "a rank inside "+name+" serves RPCs", 2, func(p *proc) {
			n := s.times(20)
			calls := 0
			fn := p.register(func(cluster.RPC) uint64 { calls++; return uint64(calls) })
			if p.ID() == 1 {
				call(p, func() bool { return calls == n })
				if name != "barrier" {
					p.ok(p.Barrier(p.All()))
				}
				return
			}
			for i := range n {
				word, err := p.RPC(1, fn, 0, cluster.Data{})
				p.ok(err)
				same(p, "calls", word, uint64(i+1))
			}
			switch name {
			case "recv", "probe", "event":
				p.send(1, 5, nil)
			case "await":
				p.ok(errOf(p.Atomic(cluster.At(1, 8), cluster.AtomicStore, 1)))
			}
			p.ok(p.Barrier(p.All()))
		})
	}

	s.test(t, "a rendezvous goes on while its sender is inside other calls", 2, func(p *proc) {
		for i := range s.times(10) {
			b := make([]byte, 50_000)
			if p.ID() == 1 {
				p.recv(0, 1, b)
				p.holds("message", b, i)
				p.token(0)
				continue
			}
			copy(b, data(len(b), i))
			var q cluster.Request
			p.ok(p.Isend(&q, p.World(), 1, 1, cluster.Of(b)))
			p.accept(1)
			_, err := p.Wait(&q)
			p.ok(err)
		}
	})

	if s.oneAtATime {
		return
	}
	// A fabric may hold small messages back for a moment, so that several leave
	// together; these calls end that. After it rank 0 makes no call until rank 1
	// has the message.
	for name, call := range map[string]func(p *proc, q *cluster.Request){
		"wait":     func(p *proc, q *cluster.Request) { _, err := p.Wait(q); p.ok(err) },
		"progress": func(p *proc, _ *cluster.Request) { p.Progress() },
		"compute":  func(p *proc, _ *cluster.Request) { p.Compute(cluster.Work{}, func() {}) },
		"fork":     func(p *proc, _ *cluster.Request) { p.fork(1, func(*proc, int) {}) },
		"atomic": func(p *proc, _ *cluster.Request) {
			_, err := p.Atomic(cluster.At(1, 0), cluster.AtomicAdd, 1)
			p.ok(err)
		},
		"send": func(p *proc, _ *cluster.Request) { p.send(1, 2, nil) },
		"iprobe": func(p *proc, _ *cluster.Request) {
			_, _, err := p.Iprobe(p.World(), cluster.AnySource, cluster.AnyTag)
			p.ok(err)
		},
		"notify": func(p *proc, _ *cluster.Request) {
			var q cluster.Request
			p.ok(p.Notify(&q, p.Group()))
		},
	} {
		t.Run("a message that was started has left after "+name, func(t *testing.T) {
			var arrived atomic.Bool
			s.run(t, s.spec(2), func(p *proc) {
				var b [8]byte
				if p.ID() == 1 {
					p.recv(0, 1, b[:])
					arrived.Store(true)
					if name == "send" {
						p.recv(0, 2, nil)
					}
					return
				}
				var q cluster.Request
				p.ok(p.Isend(&q, p.World(), 1, 1, cluster.Of(b[:])))
				call(p, &q)
				p.until(arrived.Load)
			})
		})
	}

	switch s.machine.Progress {
	case cluster.ProgressThread:
		// Rank 1 leaves Compute only when the call of rank 0 has returned.
		t.Run("with a progress thread a rank that computes serves RPCs", func(t *testing.T) {
			for range s.times(10) {
				var served atomic.Bool
				s.run(t, s.spec(2), func(p *proc) {
					fn := p.register(func(cluster.RPC) uint64 { return 5 })
					if p.ID() == 0 {
						word, err := p.RPC(1, fn, 0, cluster.Data{})
						p.ok(err)
						same(p, "word", word, 5)
						served.Store(true)
					} else {
						p.Compute(cluster.Work{}, func() {
							p.until(served.Load)
						})
					}
					p.ok(p.Barrier(p.All()))
				})
			}
		})
		t.Run("with a progress thread a receive that was posted completes while its rank computes", func(t *testing.T) {
			var sent atomic.Bool
			s.run(t, s.spec(2), func(p *proc) {
				b := data(100_000, 1)
				if p.ID() == 0 {
					p.accept(1)
					p.ok(p.Ssend(p.World(), 1, 1, cluster.Of(b)))
					sent.Store(true)
					return
				}
				clear(b)
				var q cluster.Request
				p.ok(p.Irecv(&q, p.World(), 0, 1, cluster.Of(b)))
				p.token(0)
				p.Compute(cluster.Work{}, func() {
					p.until(sent.Load)
				})
				_, err := p.Wait(&q)
				p.ok(err)
				p.holds("message", b, 1)
			})
		})
	case cluster.ProgressCall:
		t.Run("without one a rank that computes serves nothing", func(t *testing.T) {
			for _, what := range []string{"in the program", "in Compute"} {
				var computing, posted atomic.Bool
				s.run(t, s.spec(2), func(p *proc) {
					calls, during := 0, 0
					fn := p.register(func(cluster.RPC) uint64 { calls++; return 0 })
					if p.ID() == 0 {
						p.until(computing.Load)
						var q cluster.Request
						p.ok(p.Irpc(&q, 1, fn, 0, cluster.Data{}))
						p.Progress()
						posted.Store(true)
						_, err := p.Wait(&q)
						p.ok(err)
					} else {
						busy := func() {
							computing.Store(true)
							p.until(posted.Load)
							for range 1000 {
								runtime.Gosched()
							}
							during = calls
						}
						if what == "in Compute" {
							p.Compute(cluster.Work{}, busy)
						} else {
							busy()
						}
					}
					p.ok(p.Barrier(p.All()))
					same(p, "calls served "+what, during, 0)
					same(p, "calls", calls, p.ID())
				})
			}
		})
	default:
		panic(fmt.Sprintf("clustertest: machine %s has progress %q", s.machine.Name, s.machine.Progress))
	}
}
