package clustertest

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// loops are the bodies of loops in which a program may wait for something by looking
// again and again, or work for ever.
var loops = []struct {
	name string
	body func(p *proc) func() // what comes before the loop gives the loop's body
}{
	{"now", func(p *proc) func() { return func() { p.Now() } }},
	{"progress", func(p *proc) func() { return p.Progress }},
	{"compute", func(p *proc) func() { return func() { p.Compute(cluster.Work{}, nil) } }},
	{"computing", func(p *proc) func() { return func() { p.Compute(cluster.Work{Flops: 10}, func() {}) } }},
	{"test", func(p *proc) func() {
		var q cluster.Request
		p.ok(p.Irecv(&q, p.World(), 1, 99, cluster.Data{}))
		return func() { _, _, err := p.Test(&q); p.ok(err) }
	}},
	{"test of an event", func(p *proc) func() {
		e, err := p.NewEvent(1)
		p.ok(err)
		return func() { _, _, err := p.Test(&e.Request); p.ok(err) }
	}},
	{"test of a barrier", func(p *proc) func() {
		b := cluster.Op{Kind: cluster.KindBarrier, Ctx: 2}
		h := p.Lib().Port().Post(&b)
		return func() { p.Lib().Port().Test(h) }
	}},
	{"wait for what is complete", func(p *proc) func() {
		var q cluster.Request
		p.ok(p.Irecv(&q, p.All(), 0, 99, cluster.Data{}))
		p.ok(p.Send(p.All(), 0, 99, cluster.Data{}))
		_, err := p.Wait(&q)
		p.ok(err)
		return func() { p.Lib().Port().Wait(nil, 0) }
	}},
	{"cancel", func(p *proc) func() {
		h := p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindEvent, Arg: 1})
		return func() { p.Lib().Port().Cancel(h) }
	}},
	{"iprobe", func(p *proc) func() { return func() { _, _, err := p.Iprobe(p.World(), 1, 99); p.ok(err) } }},
	{"improbe", func(p *proc) func() { return func() { _, _, err := p.Improbe(p.World(), 1, 99); p.ok(err) } }},
	{"reach", func(p *proc) func() { return func() { p.Reach(1) } }},
	{"reach of another node", func(p *proc) func() { return func() { p.Reach(2) } }},
	{"load of the own word", func(p *proc) func() {
		return func() { _, err := p.Atomic(cluster.At(0, 8), cluster.AtomicLoad, 0); p.ok(err) }
	}},
	{"load of a word of the own node", func(p *proc) func() {
		return func() { _, err := p.Atomic(cluster.At(1, 8), cluster.AtomicLoad, 0); p.ok(err) }
	}},
	{"load of a word of another node", func(p *proc) func() {
		return func() { _, err := p.Atomic(cluster.At(2, 8), cluster.AtomicLoad, 0); p.ok(err) }
	}},
	{"fetch and add", func(p *proc) func() {
		return func() { _, err := p.Atomic(cluster.At(0, 8), cluster.AtomicAdd, 1); p.ok(err) }
	}},
	{"await of what holds", func(p *proc) func() { return func() { _, err := p.Await(8, cluster.CmpEqual, 0); p.ok(err) } }},
	{"put with a signal", func(p *proc) func() {
		return func() {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(2, 64), Data: cluster.Of([]byte{1}), Signal: cluster.Signal{Op: cluster.SigAdd, Off: 8, Value: 1}, Until: cluster.Source}, nil, nil))
			p.ok(p.Quiet())
		}
	}},
	{"get by an operation", func(p *proc) func() {
		var q cluster.Request
		b := make([]byte, 8)
		return func() {
			p.ok(p.GetWith(&cluster.Get{From: cluster.At(2, 64), Data: cluster.Of(b)}, &q))
			_, err := p.Wait(&q)
			p.ok(err)
		}
	}},
	{"messages to oneself", func(p *proc) func() {
		b := make([]byte, 8)
		return func() {
			p.ok(p.Send(p.All(), 0, 5, cluster.Of(b)))
			_, err := p.Recv(p.All(), 0, 5, cluster.Of(b))
			p.ok(err)
		}
	}},
	{"an RPC to oneself", func(p *proc) func() {
		fn := p.Register(func(cluster.RPC) uint64 { return 0 })
		return func() { _, _ = p.RPC(0, fn, 0, cluster.Data{}) } // a thread of a region has registered for itself: an error, and no harm
	}},
	{"events", func(p *proc) func() {
		return func() {
			e, err := p.NewEvent(1)
			p.ok(err)
			cluster.FireOn(p.Lib().Port(), e.Handle())
			p.ok(errOf(p.Wait(&e.Request)))
		}
	}},
	{"regions", func(p *proc) func() { return func() { p.fork(1, func(*proc, int) {}) } }},
}

// testLoops cancels a rank that loops and never gives way.
func (s *suite) testLoops(t *testing.T) {
	// Each rank tests thousands of requests of which one is complete, and nothing else
	// may go on anywhere.
	s.test(t, "many ranks that look at many requests are no livelock", 48, func(p *proc) {
		const others = 2500
		next, before := (p.ID()+1)%p.Ranks(), (p.ID()+p.Ranks()-1)%p.Ranks()
		qs := make([]cluster.Request, others+1)
		for i := range qs {
			p.ok(p.Irecv(&qs[i], p.World(), before, i, cluster.Data{}))
		}
		p.send(next, others, nil)
		p.ok(p.Barrier(p.All()))
		done, err := p.Waitsome(qs, nil)
		p.ok(err)
		p.check(len(done) > 0 && done[len(done)-1] == others, "complete are %v, without the last", done)
		for i := range others {
			p.send(next, i, nil)
		}
		p.ok(p.Waitall(qs, nil))
	})

	boom := errors.New("boom")
	cancels := func(t *testing.T, body func(p *proc, started func())) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var looping atomic.Bool
		run, err := cluster.Start(ctx, s.fabric, s.spec(4), dress(func(p *proc) {
			switch p.ID() {
			case 0:
				body(p, func() { looping.Store(true) })
			case 1: // something is on its way for long, where time is a machine's
				p.Compute(cluster.Work{Flops: 1e15}, nil)
				p.ok(p.Put(cluster.At(2, 0), cluster.Of([]byte{1})))
			}
			p.recv(0, 99, nil)
		}))
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- run.Wait() }()
		for !looping.Load() && len(ended) == 0 {
			runtime.Gosched()
		}
		cancel(boom)
		late := time.NewTimer(guard)
		defer late.Stop()
		select {
		case err := <-ended:
			var a *cluster.Abort
			if !errors.As(err, &a) || a.Reason != cluster.ReasonCancelled || !errors.Is(err, boom) {
				t.Errorf("error %v, want an abort: cancelled: boom", err)
			}
		case <-late.C:
			t.Fatal("the run goes on after a cancel")
		}
	}
	for _, l := range loops {
		t.Run(l.name, func(t *testing.T) {
			cancels(t, func(p *proc, started func()) {
				once := l.body(p)
				once()
				started()
				for {
					once()
				}
			})
		})
		t.Run(l.name+", in a region", func(t *testing.T) {
			if l.name == "regions" {
				t.Skip("regions do not nest")
			}
			cancels(t, func(p *proc, started func()) {
				p.fork(2, func(p *proc, thread int) {
					if thread == 0 {
						return
					}
					once := l.body(p)
					once()
					started()
					for {
						once()
					}
				})
			})
		})
	}
	t.Run("shares of a loop, in a region", func(t *testing.T) {
		cancels(t, func(p *proc, started func()) {
			p.ok(p.Fork(2, func(th *cluster.Thread) error {
				for th.Number() == 1 {
					started()
					if err := th.For(4, cluster.Loop{Schedule: cluster.Dynamic, Nowait: true}, func(int, int) error { return nil }); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	})
}
