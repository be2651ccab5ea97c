package sim

import "github.com/hybridtop/hybridtop/cluster"

// If only calls make progress, a call answers all requests that arrived before its time. The world
// must first catch up with the thread. If no request can have arrived, the rank runs ahead of the
// clock as usual.

// needsTarget reports whether a message needs the target's CPU.
func (m *msg) needsTarget() bool {
	switch m.kind {
	case msgRTS, msgCTS, msgRPC:
		return true
	case msgPut:
		return m.more.fn != 0 || m.more.packed
	case msgGet:
		return m.more.packed
	}
	return false
}

// countArrival records the arrival of a message that needs the target's CPU.
func (r *rank) countArrival() {
	if r.w.onlyCalls {
		r.requests--
	}
}

// minTransit returns the minimum time between the post of a message and its arrival at another
// rank.
func minTransit(m *cluster.Machine, l *cluster.Layout) cluster.Time {
	least := end
	if l.RanksPerNode > 1 {
		least = minLatency(m.Classes[cluster.InNode])
		if m.Sockets > 1 && m.Socket != (cluster.Link{}) {
			least = min(least, minLatency(m.InSocket()))
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

// minLatency returns the minimum latency of a message inside a node.
func minLatency(l cluster.Link) cluster.Time {
	if l.Inline.Limit > 0 {
		return min(l.Latency, l.Inline.Latency)
	}
	return l.Latency
}

// serveRequests serves all requests that have arrived by now. It runs at the begin of a call, or at
// the end of a call that did not wait.
func (t *thread) serveRequests() {
	w, r := t.w, t.r
	if !w.onlyCalls || t.id < 0 || r.stepping {
		return
	}
	// Other requests arrive at the next event at the earliest.
	if w.alike.begun || r.requests > 0 || r.continuations > 0 || r.region != nil || !w.quietUntil(t.now-w.minTransit) {
		t.sync(t.pollKind())
	}
	if len(r.deferred)+len(r.steps) > 0 {
		t.answer()
	}
}
