package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// A message of another node comes with two events: its first byte is at the node,
// and its last one is. One whose bytes cost nothing comes with the first.

// reach is the event of a message whose first byte is at its target's node: an
// adapter takes it in.
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
		adapter := at - last // what of the lateness is the adapter's
		if w.net.served {
			adapter = min(adapter, done-carry-w.now)
			m.cause = w.trace.charge(m.cause, at-last-adapter, CauseServer, m.dst)
		}
		m.cause = w.trace.charge(m.cause, adapter, CauseAdapter, m.dst)
	}
	if at == w.now && !(ordered && w.comes[m.dst] >= at) { // else behind one that arrives at this very time
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

// enterTrain has adapters take in the messages of a train, each as its first byte comes.
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

// takeIn has a thread take in the bytes of a rendezvous, in turn with what it injects: the
// one that waits for them, or else its rank's first. It gives the time at which it has.
func (w *world) takeIn(m *msg, wire int64) cluster.Time {
	r := &w.ranks[m.dst]
	t := r.main
	if s := &r.slots.list[m.recv]; s.waited {
		t = r.threadOf(int(s.waiter))
	}
	t.inject = max(t.inject, w.now) + w.net.ways[cluster.Remote].receives.time(wire-1)
	return t.inject
}

// inOrder gives the time at which a message that a receive can match may arrive: one
// that the adapters were late with holds up what comes after it, on whichever of
// them that came.
func (r *rank) inOrder(at cluster.Time, late bool) cluster.Time {
	at = max(at, r.taken)
	if late {
		r.taken = at
	}
	return at
}
