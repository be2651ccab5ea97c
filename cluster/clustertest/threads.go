package clustertest

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var threadCases = []testCase{
	{"a region runs each of its threads once, the layout's by default, and joins them", regionsRunThreads},
	{"threads exchange messages under their own tags", forSizes(4, threadsExchange, 8, eager+1)},
	{"threads of one rank send to each other", forSizes(1, threadsSendToEachOther, 8, eager+1)},
	{"threads put, add and call", onRanks(2, threadsPutAddCall)},
	{"traffic counts messages of threads and size-only messages, by class and by node", onRanks(2, trafficIsCounted)},
	{"a region returns the error of a thread and names the thread", onRanks(2, regionsReturnErrors)},
	{"two threads of a rank wait for each other through another rank", onRanks(2, threadsWaitThroughRank)},
	{"a thread's message leaves while it blocks outside and another waits inside",
		when((*suite).parallel, onRanks(2, messagesLeaveBlockedThread))},
	{"threads that wait for finished ranks are a deadlock despite messages of other teams", threadsDeadlock},
}

func regionsRunThreads(s *suite, t *testing.T) {
	spec := s.spec(2)
	spec.Layout.ThreadsPerRank = 3
	s.run(t, spec, func(p *proc) {
		for _, n := range []int{1, 2, 5, 0} {
			var runs, want [5]int
			p.fork(n, func(th *proc, thread int) {
				same(th, "rank", th.ID(), p.ID())
				runs[thread]++
			})
			for i := range cmp.Or(n, 3) {
				want[i] = 1
			}
			same(p, "runs", runs, want)
		}
	})
}

func threadsExchange(p *proc, size int) {
	p.fork(3, func(th *proc, thread int) {
		n, me := th.World().Size(), th.World().Rank()
		b := make([]byte, size)
		for i := range p.times(30) {
			th.status(th.Sendrecv(th.World(), (me+1)%n, thread, cluster.Of(data(size, me*10+thread+i)), (me+n-1)%n, thread,
				cluster.Of(b)))
			th.holds("message", b, (me+n-1)%n*10+thread+i)
		}
	})
}

func threadsSendToEachOther(p *proc, size int) {
	p.fork(4, func(th *proc, thread int) {
		for i := range p.times(30) {
			var q cluster.Request
			th.ok(th.Isend(&q, th.World(), 0, (thread+1)%4, cluster.Of(data(size, thread+i))))
			th.take(0, thread, size, (thread+3)%4+i)
			th.wait(&q)
		}
	})
}

func threadsPutAddCall(p *proc) {
	calls := 0
	peer := 1 - p.ID()
	n := p.times(50)
	fn := p.register(func(c cluster.RPC) uint64 { calls++; return uint64(c.Arg) })
	p.fork(3, func(th *proc, thread int) {
		for i := range n {
			th.word(th.Atomic(cluster.At(0, 0), cluster.AtomicAdd, 1))
			th.ok(th.Put(cluster.At(peer, int64(64+100*thread)), cluster.Of(data(100, i))))
			same(th, "word", th.word(th.RPC(peer, fn, int32(thread), cluster.Data{})), uint64(thread))
		}
	})
	p.ok(p.Barrier(p.All()))
	same(p, "sum", p.word(p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)), uint64(2*3*n))
	same(p, "calls", calls, 3*n)
	for thread := range 3 {
		p.holds("put", p.Segment()[64+100*thread:][:100], n-1)
	}
}

func trafficIsCounted(p *proc) {
	sums := func() (ops, byClass, byNode int64) {
		for c := range cluster.Classes {
			ops += p.Traffic().Ops[c]
			byClass += p.Traffic().Bytes[c]
		}
		for _, n := range p.Traffic().Nodes {
			byNode += n
		}
		return ops, byClass, byNode
	}
	var q cluster.Request
	peer := 1 - p.ID()
	o, c, n := sums()
	p.fork(2, func(th *proc, thread int) { th.send(peer, thread, data(100, thread)) })
	p.ok(p.Isend(&q, p.World(), peer, 2, cluster.Sized(1000)))
	for thread := range 2 {
		p.take(peer, thread, 100, thread)
	}
	p.status(p.Recv(p.World(), peer, 2, cluster.Sized(1000)))
	p.wait(&q)
	ops, byClass, byNode := sums()
	same(p, "operations", ops-o, 3)
	same(p, "bytes by class", byClass-c, 1200)
	same(p, "bytes by node", byNode-n, 1200)
}

func regionsReturnErrors(p *proc) {
	boom := errors.New("boom")
	err := p.Fork(3, func(th *cluster.Thread) error {
		if th.Number() == 1 {
			return boom
		}
		return nil
	})
	p.check(errors.Is(err, boom), "error %v", err)
	p.fails(p.Fork(3, func(th *cluster.Thread) error {
		if th.Number() == 2 {
			return th.Send(th.World(), 9, 0, cluster.Data{})
		}
		return nil
	}), "thread 2: send to rank 9")
}

// threadsWaitThroughRank lets thread 0 wait for thread 1 of the other rank, and not for
// its sibling: any thread completes another's request.
func threadsWaitThroughRank(p *proc) {
	peer := 1 - p.ID()
	p.fork(2, func(th *proc, thread int) {
		for i := range p.times(50) {
			if thread == 0 {
				th.send(peer, 10, data(eager+1, i))
				th.recv(peer, 11, nil)
			} else {
				th.take(peer, 10, eager+1, i)
				th.send(peer, 11, nil)
			}
		}
	})
}

// messagesLeaveBlockedThread starts messages, which may leave with later ones or with the
// next call that waits. A thread that makes no more calls must not delay one that waits for
// the answer (MPI-4.0, section 11.6.1: a blocked thread prevents no other from progress).
func messagesLeaveBlockedThread(p *proc) {
	mine, err := p.Dup(p.World())
	p.ok(err)
	theirs, err := p.Dup(p.World())
	p.ok(err)
	rounds := p.times(300)
	if p.ID() == 1 {
		for range rounds {
			p.status(p.Recv(mine, 0, 1, cluster.Data{}))
			p.ok(p.Send(theirs, 0, 2, cluster.Data{}))
		}
		return
	}
	answered := make(chan struct{})
	p.fork(2, func(th *proc, thread int) {
		for i := range rounds {
			if thread == 1 {
				th.status(th.Recv(theirs, 1, 2, cluster.Data{}))
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
			th.wait(&q)
		}
	})
}

func threadsDeadlock(s *suite, t *testing.T) {
	spec := s.spec(2)
	spec.Layout.ThreadsPerRank = 3
	a := s.deadlock(t, spec, func(p *proc) {
		other, err := p.Dup(p.World())
		p.ok(err)
		if p.ID() == 1 {
			p.ok(p.Send(other, 0, 5, cluster.Of(data(8, 1))))
		}
		p.ok(p.Barrier(p.World()))
		if p.ID() == 0 {
			p.fork(3, func(th *proc, thread int) { th.recv(1, thread, nil) })
		}
	})
	for thread := range 3 {
		call := fmt.Sprintf("recv from 1 tag %d", thread)
		if !slices.ContainsFunc(a.Waits, func(w cluster.Wait) bool {
			return w.Rank == 0 && w.Thread == thread && w.Call == call
		}) {
			t.Errorf("the report lacks thread %d in %s:\n%v", thread, call, a)
		}
	}
}
