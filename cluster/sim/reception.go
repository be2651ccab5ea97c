package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// An inter-node message arrives with two events: its first byte and its last byte. If its bytes
// cost nothing, it arrives with the first event.

// reach processes the event of a message whose first byte has reached its target's node. An adapter
// receives it.
func (w *world) reach(i int32) {
	m := &w.msgs[i]
	if w.net.served && w.reachServer(i, m) {
		return
	}
	var cause int32
	if w.trace.on {
		cause = *causeIn(&w.trace.reaches, i)
	}
	done, cause := w.receive(m, cause)
	last, ordered := w.lastByte[i], m.isMatchable()
	at := max(last, done)
	if done > last {
		m.cause = cause
	}
	if w.overtaking && ordered {
		at = w.inOrder(m, at, at > last)
	}
	behind := ordered && w.lastMatchable[m.dst] >= at // a matchable message arrives at that time or later
	if at == w.now && !behind {
		w.arrive(i)
		return
	}
	if ordered {
		w.lastMatchable[m.dst] = max(w.lastMatchable[m.dst], at)
	}
	w.countAsPoll(m)
	w.pushFor(m, at, evArrive, i)
}

// reachServer lets the message server of the target's node handle a message, and reports whether
// the message reaches the adapter later.
func (w *world) reachServer(i int32, m *msg) bool {
	if m.phase == handled || m.train > 1 {
		return false
	}
	m.phase = handled
	at, cause := w.net.serve(w.net.nodeOf[m.dst], m, w.now, w.net.server.Receive, w.reachCause(i), ofServerReceive)
	if w.trace.on {
		*causeIn(&w.trace.reaches, i) = cause
	}
	if at <= w.now {
		return false
	}
	w.countAsPoll(m)
	w.pushFor(m, at, evReach, i)
	return true
}

// reachCause returns the cause of the time at which a message reaches its target's node.
func (w *world) reachCause(i int32) int32 {
	if !w.trace.on {
		return noCause
	}
	return *causeIn(&w.trace.reaches, i)
}

// receive receives a message at an adapter and, if it costs a thread's time, in a thread. It
// returns the end and its cause.
func (w *world) receive(m *msg, cause int32) (done cluster.Time, by int32) {
	way, wire := &w.net.ways[cluster.Remote], m.wire()
	if m.train > 1 {
		return w.enterTrain(m, way.carry(max(wire/int64(m.train), 1)), cause)
	}
	done, by = w.net.enter(m, w.now, way.carry(wire), cause)
	if way.receiveRate > 0 && m.kind == msgData {
		if at, in := w.receiveInThread(m, wire, cause); at > done {
			done, by = at, in
		}
	}
	return done, by
}

// enterTrain receives the messages of a train at the adapters, each when its first byte arrives.
func (w *world) enterTrain(m *msg, carry cluster.Time, last int32) (done cluster.Time, by int32) {
	n, first := cluster.Time(m.train), m.more.reach
	if w.net.isRegular(m.class) {
		return w.enterEvenly(m, first, carry, last)
	}
	for k := range n {
		at, cause := first+(w.now-first)*k/(n-1), last
		if w.uneven {
			at = m.more.reaches[k]
		}
		if w.trace.on {
			cause = w.trainCause(m, int(k), at, last)
		}
		if w.net.served {
			at, cause = w.net.serve(w.net.nodeOf[m.dst], m, at, w.net.server.Receive, cause, ofServerReceive)
		}
		if at, cause = w.net.enter(m, at, carry, cause); at > done {
			done, by = at, cause
		}
	}
	return done, by
}

// receiveInThread lets a thread receive the bytes of a rendezvous, alternating with its injections,
// and returns the end and its cause. The thread is the one that waits for the bytes, or its rank's first thread.
func (w *world) receiveInThread(m *msg, wire int64, cause int32) (cluster.Time, int32) {
	r := &w.ranks[m.dst]
	t := r.main
	if s := &r.slots.list[m.recv]; s.waited {
		t = r.threadOf(int(s.waiter))
	}
	span := w.net.ways[cluster.Remote].receiveRate.time(wire - 1)
	if tr := &w.trace; tr.on {
		tr.ofRank(orderInjected, m.dst, m.taker())
		by := causeIn(&tr.injections, t.id)
		cause = tr.wait(w.now, cause, t.inject, *by, Injection, m.src)
		cause = tr.charge(cause, span, ofReceiveRate.class(cluster.Remote), m.dst)
		*by = cause
	}
	t.inject = max(t.inject, w.now) + span
	return t.inject, cause
}

// inOrder returns the earliest arrival of a matchable message at its target. A message that the adapters delayed
// also delays later messages, on any adapter.
func (w *world) inOrder(m *msg, at cluster.Time, late bool) cluster.Time {
	r := &w.ranks[m.dst]
	if tr := &w.trace; tr.on {
		m.cause = tr.wait(at, m.cause, r.lastDelayed, tr.delayed[r.id], MessageOrder, m.src)
		if late {
			tr.delayed[r.id] = m.cause
			tr.ofRank(orderDevicePath, r.id, m.taker())
		}
	}
	at = max(at, r.lastDelayed)
	if late {
		r.lastDelayed = at
	}
	return at
}
