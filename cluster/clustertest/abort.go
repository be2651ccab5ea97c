package clustertest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// endings are the ways in which ranks may be busy when a run is aborted: parked
// in each blocking call on rank 0, which never answers, or polling.
var endings = map[string]func(p *proc){
	"recv":    func(p *proc) { p.recv(0, 99, nil) },
	"any":     func(p *proc) { p.recv(cluster.AnySource, 99, nil) },
	"ssend":   func(p *proc) { p.ok(p.Ssend(p.World(), 0, 99, cluster.Data{})) },
	"probe":   func(p *proc) { _, err := p.Probe(p.World(), 0, 99); p.ok(err) },
	"await":   func(p *proc) { _, err := p.Await(0, cluster.CmpEqual, 99); p.ok(err) },
	"event":   func(p *proc) { e, err := p.NewEvent(1); p.ok(err); p.ok(errOf(p.Wait(&e.Request))) },
	"barrier": func(p *proc) { p.ok(p.Barrier(p.All())) },
	"rpc": func(p *proc) {
		fn := p.Register(func(cluster.RPC) uint64 { return 0 })
		for { // the other one may not have registered yet, which is an error and no harm
			_, _ = p.RPC(3-p.ID(), fn, 0, cluster.Data{})
		}
	},
	"fork": func(p *proc) { p.fork(3, func(th *proc, _ int) { th.recv(0, 99, nil) }) },
	"test": func(p *proc) {
		var q cluster.Request
		p.ok(p.Irecv(&q, p.World(), 0, 99, cluster.Data{}))
		for {
			_, done, err := p.Test(&q)
			p.ok(err)
			p.check(!done, "complete")
		}
	},
	"iprobe": func(p *proc) {
		for {
			_, found, err := p.Iprobe(p.World(), 0, 99)
			p.ok(err)
			p.check(!found, "found")
		}
	},
	"progress": func(p *proc) {
		for {
			p.Progress()
		}
	},
}

func (s *suite) testAbort(t *testing.T) {
	boom := errors.New("boom")

	// Rank 0 works with rank 3 and then ends the run; rank 1 and 2 are busy in
	// each of the ways.
	each := func(t *testing.T, name string, end func(t *testing.T, busy func(p *proc))) {
		for how, busy := range endings {
			t.Run(name+", others in "+how, func(t *testing.T) { end(t, busy) })
		}
	}
	work := func(p *proc) {
		b := make([]byte, 8)
		for range s.times(20) {
			_, err := p.Sendrecv(p.World(), 3-p.ID(), 1, cluster.Of(b), 3-p.ID(), 1, cluster.Of(b))
			p.ok(err)
		}
	}

	each(t, "an error of one rank ends the run", func(t *testing.T, busy func(*proc)) {
		err := s.launch(t, s.spec(4), func(p *proc) {
			switch p.ID() {
			case 0:
				work(p)
				p.failf("%w", boom)
			case 3:
				work(p)
				p.recv(0, 99, nil)
			default:
				busy(p)
			}
		})
		if !errors.Is(err, boom) {
			t.Errorf("error %v, want rank 0's", err)
		}
	})

	each(t, "a panic of one rank ends the run and names it", func(t *testing.T, busy func(*proc)) {
		a := s.aborts(t, s.spec(4), cluster.ReasonPanic, func(p *proc) {
			switch p.ID() {
			case 0:
				work(p)
				panic(boom)
			case 3:
				work(p)
				p.recv(0, 99, nil)
			default:
				busy(p)
			}
		})
		if a.Rank != 0 || !contains(a, "rank 0 panicked: boom") || !errors.Is(a, boom) {
			t.Errorf("rank %d, error %v", a.Rank, a)
		}
	})

	each(t, "a rank that ends its goroutine ends the run and is named", func(t *testing.T, busy func(*proc)) {
		a := s.aborts(t, s.spec(4), cluster.ReasonExit, func(p *proc) {
			switch p.ID() {
			case 0:
				work(p)
				runtime.Goexit()
			case 3:
				work(p)
				defer runtime.Goexit() // while the others unwind
				p.recv(0, 99, nil)
			default:
				busy(p)
			}
		})
		if a.Rank != 0 || !contains(a, "rank 0 ended its goroutine (runtime.Goexit") || !strings.Contains(a.Stack, "testAbort") {
			t.Errorf("rank %d, error %v, stack %s", a.Rank, a, a.Stack)
		}
	})

	each(t, "a cancelled context ends the run", func(t *testing.T, busy func(*proc)) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		err := cluster.Launch(ctx, s.fabric, s.spec(4), dress(func(p *proc) {
			switch p.ID() {
			case 0, 3:
				work(p)
				cancel(boom)
				p.chat(3 - p.ID())
			default:
				busy(p)
			}
		}))
		var a *cluster.Abort
		if !errors.As(err, &a) || a.Reason != cluster.ReasonCancelled || !errors.Is(err, boom) {
			t.Errorf("error %v, want an abort: cancelled: boom", err)
		}
	})

	t.Run("Run.Cancel ends the run", func(t *testing.T) {
		started := make(chan struct{})
		run, err := cluster.Start(t.Context(), s.fabric, s.spec(4), dress(func(p *proc) {
			switch p.ID() {
			case 0, 3:
				work(p)
				if p.ID() == 0 {
					close(started)
				}
				p.chat(3 - p.ID())
			default:
				p.recv(0, 99, nil)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		<-started
		run.Cancel(boom)
		run.Cancel(errors.New("again"))
		err = run.Wait()
		var a *cluster.Abort
		if !errors.As(err, &a) || a.Reason != cluster.ReasonCancelled || !errors.Is(err, boom) {
			t.Errorf("error %v, want an abort: cancelled: boom", err)
		}
		if again := run.Wait(); again == nil || again.Error() != err.Error() {
			t.Errorf("Wait gives %v and then %v", err, again)
		}
	})

	t.Run("the report of a cancel names who was waited for, also by a matched receive", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		err := cluster.Launch(ctx, s.fabric, s.spec(4), dress(func(p *proc) {
			switch p.ID() {
			case 0, 3:
				b := make([]byte, 8)
				for range s.times(2000) {
					_, err := p.Sendrecv(p.World(), 3-p.ID(), 1, cluster.Of(b), 3-p.ID(), 1, cluster.Of(b))
					p.ok(err)
				}
				cancel(boom)
				p.chat(3 - p.ID())
			case 1:
				m, err := p.Mprobe(p.World(), 2, 7)
				p.ok(err)
				_, err = p.Mrecv(m, cluster.Of(make([]byte, 2*eager))) // waits where the sender has to answer
				p.ok(err)
				p.chat(2)
			case 2:
				var q cluster.Request
				p.ok(p.Isend(&q, p.World(), 1, 7, cluster.Of(data(2*eager, 2))))
				p.Compute(cluster.Work{Flops: 1e15}, nil)
				_, err := p.Wait(&q)
				p.ok(err)
				p.chat(1)
			}
		}))
		var a *cluster.Abort
		if !errors.As(err, &a) || !errors.Is(err, boom) {
			t.Fatalf("error %v, want an abort: cancelled: boom", err)
		}
		for _, w := range a.Waits {
			if w.Rank == 1 && strings.HasPrefix(w.Call, "mrecv") && w.Call != "mrecv from 2 tag 7" {
				t.Errorf("%v, want mrecv from 2 tag 7", w)
			}
		}
	})

	t.Run("a context that is cancelled before the start", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(boom)
		err := cluster.Launch(ctx, s.fabric, s.spec(2), dress(func(p *proc) { p.chat(1 - p.ID()) }))
		if !errors.Is(err, boom) {
			t.Errorf("error %v, want boom", err)
		}
	})

	panics := func() { panic(boom) }
	for name, body := range map[string]func(p *proc, end func()){
		"compute": func(p *proc, end func()) { p.Compute(cluster.Work{}, end) },
		"a thread": func(p *proc, end func()) {
			p.fork(3, func(th *proc, thread int) {
				if thread == 1 {
					end()
				}
				th.recv(0, 99, nil)
			})
		},
		"the first thread": func(p *proc, end func()) {
			p.fork(3, func(th *proc, thread int) {
				if thread == 0 {
					end()
				}
				th.recv(0, 99, nil)
			})
		},
		"a step": func(p *proc, end func()) {
			op := cluster.Op{Kind: cluster.KindPut, Peer: 2, Buf: []byte{1}, Then: stepFunc(func(cluster.Poster, int32, cluster.Done) { end() })}
			p.Lib().Port().Post(&op)
			p.recv(0, 99, nil)
		},
		"its own RPC": func(p *proc, end func()) {
			fn := p.Register(func(cluster.RPC) uint64 { end(); return 0 })
			_, err := p.RPC(2, fn, 0, cluster.Data{})
			p.ok(err)
		},
	} {
		for _, c := range []struct {
			what   string
			end    func()
			reason cluster.Reason
		}{
			{"a panic", panics, cluster.ReasonPanic},
			{"the goroutine's end", runtime.Goexit, cluster.ReasonExit},
		} {
			t.Run(c.what+" in "+name+" names the rank", func(t *testing.T) {
				a := s.aborts(t, s.spec(4), c.reason, func(p *proc) {
					switch p.ID() {
					case 2:
						body(p, c.end)
					case 3:
						p.chat(1)
					case 1:
						p.chat(3)
					default:
						p.recv(cluster.AnySource, 99, nil)
					}
				})
				if a.Rank != 2 || c.reason == cluster.ReasonPanic && !errors.Is(a, boom) {
					t.Errorf("rank %d, error %v", a.Rank, a)
				}
			})
		}
	}

	// A call that is nobody's finds its bug inside the library, whose locks others of the
	// rank wait for.
	for name, call := range map[string]func(p *proc){
		"a send": func(p *proc) {
			p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindSend, Peer: 1 << 20, Tag: 99, Buf: make([]byte, 8)})
		},
		"a rendezvous": func(p *proc) {
			p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindSsend, Peer: 1 << 20, Tag: 99, Buf: make([]byte, 8)})
		},
		"a wait": func(p *proc) {
			var q cluster.Request
			p.ok(p.Irecv(&q, p.World(), 0, 98, cluster.Data{}))
			p.Lib().Port().Wait([]cluster.Handle{1<<62 | 1<<28 | 1<<20}, 1)
		},
		"a test": func(p *proc) { p.Lib().Port().Test(1<<62 | 1<<28 | 1<<20) },
		"a wait for two": func(p *proc) {
			h := p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindRecv, Peer: 1, Tag: 98})
			p.Lib().Port().Wait([]cluster.Handle{1<<62 | 2<<28 | 1<<20, h}, 2)
		},
		"a send from a step": func(p *proc) {
			p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindPut, Peer: 2, Buf: []byte{1}, Then: stepFunc(func(p cluster.Poster, _ int32, _ cluster.Done) {
				p.Post(&cluster.Op{Kind: cluster.KindSend, Peer: 1 << 20, Tag: 99, Buf: make([]byte, 8)})
			})})
			p.recv(0, 99, nil)
		},
	} {
		t.Run("a panic inside "+name+" frees the threads of the rank", func(t *testing.T) {
			a := s.aborts(t, s.spec(4), cluster.ReasonPanic, func(p *proc) {
				if p.ID() == 2 {
					p.fork(3, func(p *proc, thread int) {
						if thread == 1 {
							call(p)
							p.failf("the call came back")
						}
						p.recv(0, 99, nil)
					})
				}
				p.recv(0, 99, nil)
			})
			if a.Rank != 2 {
				t.Errorf("rank %d, error %v", a.Rank, a)
			}
		})
	}

	t.Run("a panic in the body of an RPC ends the run", func(t *testing.T) {
		a := s.aborts(t, s.spec(2), cluster.ReasonPanic, func(p *proc) {
			fn := p.register(func(cluster.RPC) uint64 { panic("no error value") })
			if p.ID() == 0 {
				_, err := p.RPC(1, fn, 0, cluster.Data{})
				p.ok(err)
			}
			p.recv(1-p.ID(), 1, nil)
		})
		if a.Rank != 1 || !contains(a, "rank 1 panicked: no error value") {
			t.Errorf("rank %d, error %v", a.Rank, a)
		}
	})

	t.Run("a body that waits ends the run, for it may only post", func(t *testing.T) {
		a := s.aborts(t, s.spec(2), cluster.ReasonPanic, func(p *proc) {
			fn := p.register(func(cluster.RPC) uint64 { p.recv(0, 99, nil); return 0 })
			if p.ID() == 0 {
				_, err := p.RPC(1, fn, 0, cluster.Data{})
				p.ok(err)
			}
			p.ok(p.Barrier(p.All()))
		})
		if a.Rank != 1 {
			t.Errorf("rank %d, error %v", a.Rank, a)
		}
	})

	t.Run("the fabric runs on after an abort", func(t *testing.T) {
		s.run(t, s.spec(4), allToAll)
	})
}
