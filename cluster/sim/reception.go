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
	if w.net.served && m.phase != handled && m.train <= 1 {
		m.phase = handled
		if at := w.net.serve(w.net.nodeOf[m.dst], m, w.now, w.net.server.Receive); at > w.now {
			if m.more != nil && m.more.again {
				w.overlook()
			}
			w.pushQuiet(m, at, evReach, i)
			return
		}
	}
	way, wire := &w.net.ways[cluster.Remote], m.wire()
	var carry, done cluster.Time
	if m.train <= 1 {
		carry = way.carry(wire)
		done = w.net.enter(m, w.now, carry)
	} else {
		carry = way.carry(max(wire/int64(m.train), 1))
		done = w.enterTrain(m, carry)
	}
	if way.receives > 0 && m.kind == msgData {
		done = max(done, w.takeIn(m, wire))
	}
	last, ordered := w.lasts[i], m.ordered()
	at := max(last, done)
	if w.overtaking && ordered {
		at = w.ranks[m.dst].inOrder(at, at > last)
	}
	if w.trace.on {
		adapter := at - last // the part of the delay caused by the adapter
		if w.net.served {
			adapter = min(adapter, done-carry-w.now)
			m.cause = w.trace.charge(m.cause, at-last-adapter, CauseServer, m.dst)
		}
		m.cause = w.trace.charge(m.cause, adapter, CauseAdapter, m.dst)
	}
	if at == w.now && !(ordered && w.comes[m.dst] >= at) { // otherwise behind a message that arrives at this exact time
		w.arrive(i)
		return
	}
	if ordered {
		w.comes[m.dst] = max(w.comes[m.dst], at)
	}
	if m.more != nil && m.more.again {
		w.overlook()
	}
	w.pushQuiet(m, at, evArrive, i)
}

// enterTrain receives the messages of a train at the adapters, each when its first byte arrives.
func (w *world) enterTrain(m *msg, carry cluster.Time) (done cluster.Time) {
	n, first := cluster.Time(m.train), m.more.reach
	if w.net.regular(m.class) {
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

// takeIn lets a thread receive the bytes of a rendezvous, alternating with its injections, and
// returns the end. The thread is the one that waits for the bytes, or its rank's first thread.
func (w *world) takeIn(m *msg, wire int64) cluster.Time {
	r := &w.ranks[m.dst]
	t := r.main
	if s := &r.slots.list[m.recv]; s.waited {
		t = r.threadOf(int(s.waiter))
	}
	t.inject = max(t.inject, w.now) + w.net.ways[cluster.Remote].receives.time(wire-1)
	return t.inject
}

// inOrder returns the earliest arrival of a matchable message. A message that the adapters delayed
// also delays later messages, on any adapter.
func (r *rank) inOrder(at cluster.Time, late bool) cluster.Time {
	at = max(at, r.taken)
	if late {
		r.taken = at
	}
	return at
}
