package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// meeting is what the threads of a parallel region share besides the rank.
type meeting struct {
	threads  int
	came     []uint32     // slots of the threads at the barrier, but for the last
	counters []uint64     // of the work-sharing constructs since the threads last met
	drawn    cluster.Time // when the last draw is done
	holder   int32        // thread inside the library at SERIALIZED, + 1
	last     int32        // that was there before
	until    cluster.Time // when it left
}

// regional serves the operations of a region's threads, in the order of time.
func (t *thread) regional(op *cluster.Op) cluster.Handle {
	t.w.quiet, t.looks = 0, 0
	g := t.r.meeting
	if op.Kind == cluster.KindLeave { // a thread may go ahead of the clock with it: until says when
		g.holder, g.last, g.until = 0, t.number, t.now
		return 0
	}
	t.sync(evResume)
	switch op.Kind {
	case cluster.KindMeet:
		return t.meet()
	case cluster.KindDraw:
		for int(op.Arg) >= len(g.counters) {
			g.counters = append(g.counters, 0)
		}
		op.Done = cluster.Done{A: g.counters[op.Arg]}
		g.counters[op.Arg] += op.A
		t.spend(max(g.drawn-t.now, 0), CauseSync) // one atomic after another
		t.spend(t.w.atomicTime, CauseSync)
		g.drawn = t.now
	case cluster.KindEnter:
		switch {
		case g.holder != 0:
			op.Done = cluster.Done{Peer: g.holder - 1}
		case g.until > t.now && g.last != t.number:
			op.Done = cluster.Done{Peer: g.last}
		default:
			op.Done = cluster.Done{Found: true}
			g.holder = t.number + 1
		}
	}
	return 0
}

// meet enters the region's barrier; the last thread opens it.
func (t *thread) meet() cluster.Handle {
	r, g := t.r, t.r.meeting
	if len(g.came)+1 < g.threads {
		s, id := r.slots.take(cluster.KindMeet)
		s.peer, s.at, s.cause = r.id, t.now, t.cause
		g.came = append(g.came, id)
		return r.slots.handle(id)
	}
	t.spend(t.w.meetTime, CauseSync)
	for _, id := range g.came {
		r.complete(id, t.now, cluster.Done{Peer: r.id}, t.cause)
	}
	g.came, g.counters = g.came[:0], g.counters[:0]
	return 0
}
