package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// threadGroup is the data that the threads of a parallel region share in addition to the rank.
type threadGroup struct {
	threads   int
	workers   []*thread    // threads of all regions except the first thread, by number - 1
	waiting   []uint32     // slots of the threads at the barrier, except the last
	counters  []uint64     // counters of the work-sharing constructs since the last thread barrier
	drawEnd   cluster.Time // end of the last draw
	drawCause int32        // cause of that time
	holder    int32        // thread inside the library at SERIALIZED, + 1
	last      int32        // previous holder
	leftAt    cluster.Time // time at which it left
}

// worker returns the thread with a number. It is the same one in each region.
func (g *threadGroup) worker(w *world, number int) *thread {
	if number > len(g.workers) {
		t := &thread{id: int32(len(w.threads))}
		w.threads = append(w.threads, t)
		g.workers = append(g.workers, t)
	}
	return g.workers[number-1]
}

// regional runs the operations of a region's threads, in the order of time.
func (t *thread) regional(op *cluster.Op) cluster.Handle {
	t.w.idlePolls, t.polls = 0, 0
	g := t.r.group
	if op.Kind == cluster.KindLeave { // a thread may do it ahead of the clock: until has the time
		g.holder = 0
		g.last = t.number
		g.leftAt = t.now
		return 0
	}
	t.sync(evResume)
	switch op.Kind {
	case cluster.KindThreadBarrier:
		return t.meet()
	case cluster.KindDraw:
		for int(op.Arg) >= len(g.counters) {
			g.counters = append(g.counters, 0)
		}
		op.Done = cluster.Done{A: g.counters[op.Arg]}
		g.counters[op.Arg] += op.A
		t.pass(g.drawEnd, g.drawCause, Counter, t.w.atomicTime, ofAtomic) // atomics are serialized
		g.drawEnd = t.now
		g.drawCause = t.cause
	case cluster.KindEnter:
		switch {
		case g.holder != 0:
			op.Done = cluster.Done{Peer: g.holder - 1}
		case g.leftAt > t.now && g.last != t.number:
			op.Done = cluster.Done{Peer: g.last}
		default:
			op.Done = cluster.Done{Found: true}
			g.holder = t.number + 1
		}
	}
	return 0
}

// meet enters the thread barrier; the last thread completes it.
func (t *thread) meet() cluster.Handle {
	r, g := t.r, t.r.group
	if len(g.waiting)+1 < g.threads {
		s, id := r.slots.take(cluster.KindThreadBarrier)
		s.peer = r.id
		s.at = t.now
		s.cause = t.cause
		g.waiting = append(g.waiting, id)
		return r.slots.handle(id)
	}
	t.spend(t.w.meetTime, ofThreadBarrier)
	cause := t.w.trace.because(t.cause, NoteLast, NoResource, r.id)
	for _, id := range g.waiting {
		r.complete(id, t.now, cluster.Done{Peer: r.id}, cause)
	}
	g.waiting, g.counters = g.waiting[:0], g.counters[:0]
	return 0
}
