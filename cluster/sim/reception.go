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
	carry, done := w.receive(m)
	last, ordered := w.lastByte[i], m.isMatchable()
	at := max(last, done)
	if w.overtaking && ordered {
		at = w.ranks[m.dst].inOrder(at, at > last)
	}
	if w.trace.on {
		w.chargeReception(m, at-last, done-carry-w.now)
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
	at := w.net.serve(w.net.nodeOf[m.dst], m, w.now, w.net.server.Receive)
	if at <= w.now {
		return false
	}
	w.countAsPoll(m)
	w.pushFor(m, at, evReach, i)
	return true
}

// receive receives a message at an adapter and, if it costs a thread's time, in a thread. It
// returns the time of the bytes of one message, and the end.
func (w *world) receive(m *msg) (carry, done cluster.Time) {
	way, wire := &w.net.ways[cluster.Remote], m.wire()
	if m.train > 1 {
		carry = way.carry(max(wire/int64(m.train), 1))
		return carry, w.enterTrain(m, carry)
	}
	carry = way.carry(wire)
	done = w.net.enter(m, w.now, carry)
	if way.receiveRate > 0 && m.kind == msgData {
		done = max(done, w.receiveInThread(m, wire))
	}
	return carry, done
}

// chargeReception records why a message arrives delayed. At most inAdapter of the delay is due to
// the adapter, if the node has a message server.
func (w *world) chargeReception(m *msg, delay, inAdapter cluster.Time) {
	if w.net.served {
		inAdapter = min(delay, inAdapter)
		m.cause = w.trace.charge(m.cause, delay-inAdapter, CauseServer, m.dst)
		delay = inAdapter
	}
	m.cause = w.trace.charge(m.cause, delay, CauseAdapter, m.dst)
}

// enterTrain receives the messages of a train at the adapters, each when its first byte arrives.
func (w *world) enterTrain(m *msg, carry cluster.Time) (done cluster.Time) {
	n, first := cluster.Time(m.train), m.more.reach
	if w.net.isRegular(m.class) {
		return w.enterEvenly(m, first, carry)
	}
	for k := range n {
		at := first + (w.now-first)*k/(n-1)
		if w.uneven {
			at = m.more.reaches[k]
		}
		if w.net.served {
			at = w.net.serve(w.net.nodeOf[m.dst], m, at, w.net.server.Receive)
		}
		done = max(done, w.net.enter(m, at, carry))
	}
	return done
}

// receiveInThread lets a thread receive the bytes of a rendezvous, alternating with its injections,
// and returns the end. The thread is the one that waits for the bytes, or its rank's first thread.
func (w *world) receiveInThread(m *msg, wire int64) cluster.Time {
	r := &w.ranks[m.dst]
	t := r.main
	if s := &r.slots.list[m.recv]; s.waited {
		t = r.threadOf(int(s.waiter))
	}
	t.inject = max(t.inject, w.now) + w.net.ways[cluster.Remote].receiveRate.time(wire-1)
	return t.inject
}

// inOrder returns the earliest arrival of a matchable message. A message that the adapters delayed
// also delays later messages, on any adapter.
func (r *rank) inOrder(at cluster.Time, late bool) cluster.Time {
	at = max(at, r.lastDelayed)
	if late {
		r.lastDelayed = at
	}
	return at
}
