package clustertest

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var progressCases = []testCase{
	{"bursts of many ranks arrive completely", burstsArrive},
	{"a rank inside a call serves RPCs", callsServeRPCs},
	{"a rendezvous progresses while its sender is inside other calls", onRanks(2, rendezvousProgresses)},
	{"a started message leaves with the sender's next call", when((*suite).parallel, messagesLeave)},
	{"a computing rank serves RPCs if and only if it has a progress thread", when((*suite).parallel, computingRanksServe)},
	{"a posted receive completes while its rank computes with a progress thread",
		when((*suite).threaded, when((*suite).parallel, receivesCompleteInCompute))},
}

func burstsArrive(s *suite, t *testing.T) {
	const ranks, burst = 20, 100 // more than a fabric receives at once
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
		if !s.oneAtATime { // all messages are there before the first receive
			p.until(func() bool { return sent.Load() == ranks-1 })
		}
		for from := ranks - 1; from > 0; from-- {
			p.drain(from, from, burst)
		}
	})
}

// served counts the RPCs that a rank serves.
type served struct {
	calls, want int
	all         *cluster.Event // happens after them
}

// callsServeRPCs runs RPCs at rank 1 inside each call.
func callsServeRPCs(s *suite, t *testing.T) {
	send := func(p *proc) { p.send(1, 5, nil) }
	for _, c := range []struct {
		name string
		call func(p *proc, s *served)
		ends func(p *proc) // what rank 0 does after its RPCs
	}{
		{"Progress", func(p *proc, s *served) {
			for s.calls < s.want {
				p.Progress()
			}
		}, nil},
		{"Test", func(p *proc, s *served) {
			var q cluster.Request
			p.ok(p.Irecv(&q, p.World(), 0, 99, cluster.Data{}))
			for s.calls < s.want {
				p.check(!p.is(p.Test(&q)), "a receive is complete without a message")
			}
			p.check(p.flag(p.Cancel(&q)), "the receive could not be cancelled")
			p.wait(&q)
		}, nil},
		{"Iprobe", func(p *proc, s *served) {
			for s.calls < s.want {
				p.check(!p.is(p.Iprobe(p.World(), 0, 99)), "a probe finds a message that was not sent")
			}
		}, nil},
		{"Recv", func(p *proc, _ *served) { p.recv(0, 5, nil) }, send},
		{"Probe", func(p *proc, _ *served) { p.status(p.Probe(p.World(), 0, 5)); p.recv(0, 5, nil) }, send},
		{"Barrier", func(p *proc, _ *served) { p.ok(p.Barrier(p.All())) }, func(p *proc) { p.ok(p.Barrier(p.All())) }},
		{"Await", func(p *proc, _ *served) { p.word(p.Await(8, cluster.CmpEqual, 1)) }, func(p *proc) {
			p.ok(only(p.Atomic(cluster.At(1, 8), cluster.AtomicStore, 1)))
		}},
		{"WaitEvent", func(p *proc, s *served) { p.ok(only(p.Wait(&s.all.Request))) }, nil},
	} {
		s.test(t, c.name, 2, func(p *proc) {
			n := p.times(20)
			s := &served{want: n, all: p.event(n)}
			fn := p.register(func(rpc cluster.RPC) uint64 {
				s.calls++
				cluster.FireOn(rpc.Poster, s.all.Handle())
				return uint64(s.calls)
			})
			if p.ID() == 1 {
				c.call(p, s)
			} else {
				for i := range n {
					same(p, "calls", p.word(p.RPC(1, fn, 0, cluster.Data{})), uint64(i+1))
				}
				if c.ends != nil {
					c.ends(p)
				}
			}
			p.ok(p.Barrier(p.All()))
		})
	}
}

func rendezvousProgresses(p *proc) {
	for i := range p.times(10) {
		if p.ID() == 1 {
			p.take(0, 1, 50_000, i)
			p.token(0)
			continue
		}
		var q cluster.Request
		p.ok(p.Isend(&q, p.World(), 1, 1, cluster.Of(data(50_000, i))))
		p.accept(1)
		p.wait(&q)
	}
}

// messagesLeave starts a small message and makes one more call, then none until rank 1 has
// the message. A fabric may delay small messages, but only until the next call.
func messagesLeave(s *suite, t *testing.T) {
	for _, c := range []struct {
		name string
		call func(p *proc, q *cluster.Request)
	}{
		{"Wait", func(p *proc, q *cluster.Request) { p.wait(q) }},
		{"Progress", func(p *proc, _ *cluster.Request) { p.Progress() }},
		{"Compute", func(p *proc, _ *cluster.Request) { p.Compute(cluster.Work{}, func() {}) }},
		{"Fork", func(p *proc, _ *cluster.Request) { p.fork(1, func(*proc, int) {}) }},
		{"FetchAdd", func(p *proc, _ *cluster.Request) { p.word(p.Atomic(cluster.At(1, 0), cluster.AtomicAdd, 1)) }},
		{"Send", func(p *proc, _ *cluster.Request) { p.send(1, 2, nil) }},
		{"Iprobe", func(p *proc, _ *cluster.Request) { p.is(p.Iprobe(p.World(), cluster.AnySource, cluster.AnyTag)) }},
		{"Notify", func(p *proc, _ *cluster.Request) { p.ok(p.Notify(new(cluster.Request), p.Group())) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var arrived atomic.Bool
			s.run(t, s.spec(2), func(p *proc) {
				var b [8]byte
				if p.ID() == 1 {
					p.recv(0, 1, b[:])
					arrived.Store(true)
					if c.name == "Send" {
						p.recv(0, 2, nil)
					}
					return
				}
				var q cluster.Request
				p.ok(p.Isend(&q, p.World(), 1, 1, cluster.Of(b[:])))
				c.call(p, &q)
				p.until(arrived.Load)
			})
		})
	}
}

func computingRanksServe(s *suite, t *testing.T) {
	if !s.threaded() && !s.calling() {
		t.Fatalf("machine %s has progress %q", s.machine.Name, s.machine.Progress)
	}
	for i := range 2 * s.times(10) {
		var computing, posted, served, returned atomic.Bool
		s.run(t, s.spec(2), func(p *proc) {
			fn, during := p.register(func(cluster.RPC) uint64 { served.Store(true); return 5 }), false
			busy := func() {
				computing.Store(true)
				if s.threaded() {
					p.until(returned.Load)
					return
				}
				p.until(posted.Load)
				for range 1000 {
					runtime.Gosched()
				}
				during = served.Load()
			}
			switch {
			case p.ID() == 0:
				p.until(computing.Load)
				var q cluster.Request
				p.ok(p.Irpc(&q, 1, fn, 0, cluster.Data{}))
				p.Progress()
				posted.Store(true)
				same(p, "word", p.wait(&q).Word, 5)
				returned.Store(true)
			case i%2 == 0 || s.threaded():
				p.Compute(cluster.Work{}, busy)
			default:
				busy()
			}
			p.ok(p.Barrier(p.All()))
			p.check(!during, "a rank without a progress thread served an RPC while it computed")
		})
	}
}

func receivesCompleteInCompute(s *suite, t *testing.T) {
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
		p.Compute(cluster.Work{}, func() { p.until(sent.Load) })
		p.wait(&q)
		p.holds("message", b, 1)
	})
}
