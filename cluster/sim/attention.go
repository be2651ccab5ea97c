package sim

import "github.com/hybridtop/hybridtop/cluster"

// If only calls make progress, a call answers all requests that arrived before its time. The world
// must first catch up with the thread. If no request can have arrived, the rank runs ahead of the
// clock as usual.

// asks reports whether a message needs the target's CPU.
func (m *msg) asks() bool {
	switch m.kind {
	case msgAsk, msgClear, msgRPC:
		return true
	case msgPut:
		return m.more.fn != 0 || m.more.packed
	case msgGet:
		return m.more.packed
	}
	return false
}

// heard records the arrival of a message that needs the target's CPU.
func (r *rank) heard() {
	if r.w.calls {
		r.asked--
	}
}

// quickest returns the minimum time between the post of a message and its arrival at another rank.
func quickest(m *cluster.Machine, l *cluster.Layout) cluster.Time {
	least := end
	if l.RanksPerNode > 1 {
		least = shortest(m.Classes[cluster.InNode])
		if m.Sockets > 1 && m.Socket != (cluster.Link{}) {
			least = min(least, shortest(m.InSocket()))
		}
	}
	if l.Nodes > 1 {
		least = min(least, m.Classes[cluster.Remote].Latency)
		if m.LinkNoise > 0 {
			least = 0
		}
	}
	return max(least, 0)
}

// shortest returns the minimum latency of a message inside a node.
func shortest(l cluster.Link) cluster.Time {
	if l.Inline.Limit > 0 {
		return min(l.Latency, l.Inline.Latency)
	}
	return l.Latency
}

// attend serves all requests that have arrived by now. It runs at the begin of a call, or at the
// end of a call that did not wait.
func (t *thread) attend() {
	w, r := t.w, t.r
	if !w.calls || t.id < 0 || r.stepping {
		return
	}
	// Other requests arrive at the next event at the earliest.
	if r.asked > 0 || r.then > 0 || r.region != nil || !w.queue.quietUntil(t.now-w.quickest) {
		t.sync(t.glance())
	}
	if len(r.deferred)+len(r.steps) > 0 {
		t.answer()
	}
}
