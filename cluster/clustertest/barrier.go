package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var barrierCases = []testCase{
	{"a barrier returns after every member has entered it", onEach([]int{1, 2, 5, 16}, onRanks, func(p *proc) {
		countEntries(p, func() { p.ok(p.Barrier(p.All())) })
	})},
	{"a split-phase barrier completes after every member has notified", onEach([]int{1, 2, 5, 16}, onRanks, func(p *proc) {
		countEntries(p, func() {
			var q cluster.Request
			p.ok(p.Notify(&q, p.All()))
			for range p.Rand().IntN(3) {
				p.Progress() // work between notify and wait
			}
			p.status(p.Wait(&q))
		})
	})},
	{"messages pass between notify and wait", onRanks(4, messagesPassNotify)},
	{"a notified barrier stays closed while a member is missing", onRanks(3, barrierStaysClosed)},
	{"a barrier is refused before the wait for a notified one", onRanks(2, oneBarrierAtATime)},
	{"each team has its own barrier", (*suite).teamsHaveBarriers},
	{"puts before a barrier are visible after it", onRanks(4, barrierOrdersPuts)},
}

// countEntries runs a barrier many times. Each rank adds one to a counter before it
// enters, and checks after the barrier that all ranks have.
func countEntries(p *proc, barrier func()) {
	for round := 1; round <= p.times(100); round++ {
		p.ok(only(p.Atomic(cluster.At(0, 0), cluster.AtomicAdd, 1)))
		barrier()
		entered, all := p.word(p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)), round*p.Ranks()
		p.check(entered >= uint64(all), "left barrier %d after %d of %d entries", round, entered, all)
	}
}

func messagesPassNotify(p *proc) {
	n, me := p.Ranks(), p.ID()
	for i := range p.times(30) {
		var q cluster.Request
		p.ok(p.Notify(&q, p.All()))
		b := make([]byte, eager+1)
		p.status(p.Sendrecv(p.World(), (me+1)%n, 1, cluster.Of(data(eager+1, me+i)), (me+n-1)%n, 1, cluster.Of(b)))
		p.holds("message", b, (me+n-1)%n+i)
		for !p.is(p.Test(&q)) {
		}
	}
}

func barrierStaysClosed(p *proc) {
	if p.ID() == 2 {
		p.accept(0)
		p.accept(1)
		p.ok(p.Barrier(p.All()))
		return
	}
	var q cluster.Request
	p.ok(p.Notify(&q, p.All()))
	for range 50 {
		p.check(!p.is(p.Test(&q)), "open although rank 2 has not entered")
	}
	p.token(2)
	p.status(p.Wait(&q))
}

// oneBarrierAtATime starts barriers while one is in progress, by each way to complete it.
func oneBarrierAtATime(p *proc) {
	w := p.World()
	for _, complete := range []func(q []cluster.Request){
		func(q []cluster.Request) { p.status(p.Wait(&q[0])) },
		func(q []cluster.Request) { p.ok(p.Waitall(q, nil)) },
		func(q []cluster.Request) { p.ok(p.Waitall(q, make([]cluster.Status, 1))) },
		func(q []cluster.Request) { p.ok(third(p.Waitany(q))) },
	} {
		var more cluster.Request
		q := make([]cluster.Request, 1)
		p.ok(p.Notify(&q[0], w))
		p.fails(p.Notify(&more, w), "notify on "+w.Name(), "wait for its request")
		p.fails(p.Barrier(w), "barrier on "+w.Name(), "wait for its request")
		for caller := range 2 { // two threads at once would be another misuse
			p.fork(2, func(th *proc, thread int) {
				if thread == caller {
					th.fails(th.Barrier(w), "wait for its request")
				}
			})
		}
		complete(q)
	}
	p.fork(2, func(th *proc, thread int) {
		if q := new(cluster.Request); thread == 1 {
			th.ok(th.Notify(q, w))
			th.fails(th.Barrier(w), "wait for its request")
			th.status(th.Wait(q))
			th.ok(th.Barrier(w))
		}
	})
}

func (s *suite) teamsHaveBarriers(t *testing.T) {
	s.run(t, s.nested(cluster.NestedMultiple, 6, 3), func(p *proc) {
		for range s.times(20) {
			if p.ID() >= 3 { // group 0 passes three barriers before group 1 enters its first
				p.accept(p.ID() - 3)
			}
			for range 3 {
				p.ok(p.Barrier(p.Group()))
			}
			if p.ID() < 3 {
				p.token(p.ID() + 3)
			}
			p.ok(p.Barrier(p.World()))
			p.ok(p.Barrier(p.All()))
		}
	})
}

func barrierOrdersPuts(p *proc) {
	n, me := p.Ranks(), p.ID()
	for i := range p.times(100) {
		for to := range n {
			p.PutUint64(to, me, uint64(i*n+me))
		}
		p.ok(p.Barrier(p.All()))
		for from := range n {
			same(p, "word", p.GetUint64(me, from), uint64(i*n+from))
		}
		p.ok(p.Barrier(p.All()))
	}
}
