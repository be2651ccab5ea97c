package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var loopCases = []testCase{
	{"many ranks that test many requests are no livelock", onRanks(48, manyRequests)},
	{"a cancel ends a rank that loops without a blocking call", cancelEnds(false)},
	{"a cancel ends a thread that loops without a blocking call", cancelEnds(true)},
	{"a cancel ends a thread that takes shares of loops", (*suite).cancelEndsShares},
}

// loops are bodies of loops in which a program may poll, or work forever.
var loops = []struct {
	name string
	body func(p *proc) func() // prepares the loop and returns its body
}{
	{"now", func(p *proc) func() { return func() { p.Now() } }},
	{"progress", func(p *proc) func() { return p.Progress }},
	{"compute", func(p *proc) func() { return func() { p.Compute(cluster.Work{}, nil) } }},
	{"computing", func(p *proc) func() { return func() { p.Compute(cluster.Work{Flops: 10}, func() {}) } }},
	{"test", func(p *proc) func() {
		var q cluster.Request
		p.ok(p.Irecv(&q, p.World(), 1, 99, cluster.Data{}))
		return func() { p.is(p.Test(&q)) }
	}},
	{"test of an event", func(p *proc) func() {
		e := p.event(1)
		return func() { p.ok(third(p.Test(&e.Request))) }
	}},
	{"test of a barrier", func(p *proc) func() {
		h := p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindBarrier, Ctx: 2})
		return func() { p.Lib().Test(h) }
	}},
	{"wait for what is complete", func(p *proc) func() {
		var q cluster.Request
		p.ok(p.Irecv(&q, p.All(), 0, 99, cluster.Data{}))
		p.ok(p.Send(p.All(), 0, 99, cluster.Data{}))
		p.status(p.Wait(&q))
		return func() { p.Lib().Port().Wait(nil, 0) }
	}},
	{"cancel", func(p *proc) func() {
		h := p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindEvent, Arg: 1})
		return func() { p.Lib().Port().Cancel(h) }
	}},
	{"iprobe", func(p *proc) func() { return func() { p.is(p.Iprobe(p.World(), 1, 99)) } }},
	{"improbe", func(p *proc) func() { return func() { p.ok(third(p.Improbe(p.World(), 1, 99))) } }},
	{"reach", func(p *proc) func() { return func() { p.Reach(1) } }},
	{"reach of another node", func(p *proc) func() { return func() { p.Reach(2) } }},
	{"load of the local word", func(p *proc) func() {
		return func() {
			p.word(p.Atomic(cluster.At(0, 8), cluster.AtomicLoad, 0))
		}
	}},
	{"load of a word of its own node", func(p *proc) func() {
		return func() {
			p.word(p.Atomic(cluster.At(1, 8), cluster.AtomicLoad, 0))
		}
	}},
	{"load of a word of another node", func(p *proc) func() {
		return func() {
			p.word(p.Atomic(cluster.At(2, 8), cluster.AtomicLoad, 0))
		}
	}},
	{"fetch and add", func(p *proc) func() { return func() { p.word(p.Atomic(cluster.At(0, 8), cluster.AtomicAdd, 1)) } }},
	{"await of what holds", func(p *proc) func() { return func() { p.word(p.Await(8, cluster.CmpEqual, 0)) } }},
	{"put with a signal", func(p *proc) func() {
		return func() {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(2, 64), Data: cluster.Of([]byte{1}),
				Signal: cluster.Signal{Op: cluster.SigAdd, Off: 8, Value: 1}, Until: cluster.Source}, nil, nil))
			p.ok(p.Quiet())
		}
	}},
	{"get by an operation", func(p *proc) func() {
		var q cluster.Request
		b := make([]byte, 8)
		return func() {
			p.ok(p.GetWith(&cluster.Get{From: cluster.At(2, 64), Data: cluster.Of(b)}, &q))
			p.status(p.Wait(&q))
		}
	}},
	{"messages to oneself", func(p *proc) func() {
		b := make([]byte, 8)
		return func() { p.ok(p.Send(p.All(), 0, 5, cluster.Of(b))); p.status(p.Recv(p.All(), 0, 5, cluster.Of(b))) }
	}},
	{"an RPC to oneself", func(p *proc) func() {
		fn := p.Register(func(cluster.RPC) uint64 { return 0 })
		return func() { _, _ = p.RPC(0, fn, 0, cluster.Data{}) } // an error in a thread, which has registered for itself
	}},
	{"events", func(p *proc) func() {
		return func() { e := p.event(1); cluster.FireOn(p.Lib().Port(), e.Handle()); p.ok(only(p.Wait(&e.Request))) }
	}},
	{"regions", func(p *proc) func() { return func() { p.fork(1, func(*proc, int) {}) } }},
}

// manyRequests tests thousands of requests, of which one is complete, while no rank
// has anything else to do.
func manyRequests(p *proc) {
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
}

// cancelEnds is a test that cancels the run in each of the loops, on a rank or in a
// thread of it.
func cancelEnds(inThread bool) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		for _, l := range loops {
			if inThread && l.name == "regions" {
				continue // regions do not nest
			}
			t.Run(l.name, func(t *testing.T) {
				s.cancels(t, func(p *proc) {
					loop := func(p *proc) {
						once := l.body(p)
						once()
						p.cancel(errBoom)
						forever(once)
					}
					if !inThread {
						loop(p)
					}
					p.fork(2, func(th *proc, thread int) {
						if thread == 1 {
							loop(th)
						}
					})
				})
			})
		}
	}
}

func (s *suite) cancelEndsShares(t *testing.T) {
	s.cancels(t, func(p *proc) {
		p.region(2, func(q *proc, th *cluster.Thread) {
			for th.Number() == 1 {
				q.cancel(errBoom)
				q.ok(th.For(4, cluster.Loop{Schedule: cluster.Dynamic, Nowait: true}, func(int, int) error { return nil }))
			}
		})
	})
}

// cancels runs a program in which rank 0 cancels the run and never gives way.
func (s *suite) cancels(t *testing.T, body func(p *proc)) {
	aborted(t, cluster.ReasonCancelled, errBoom, s.launch(t, s.spec(4), func(p *proc) {
		switch p.ID() {
		case 0:
			body(p)
		case 1: // a put is late, if time is a machine's
			p.Compute(cluster.Work{Flops: 1e15}, nil)
			p.ok(p.Put(cluster.At(2, 0), cluster.Of([]byte{1})))
		}
		p.recv(0, 99, nil)
	}))
}
