package sim

import "github.com/hybridtop/hybridtop/cluster"

// Where only calls progress, a call answers whoever has asked by its time, and later
// is too late: for that the world has to catch up with the thread. It need not where
// nobody can have asked: then a rank runs ahead of the clock as elsewhere.

// asks reports whether a message wants a hand of its target.
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

// heard notes that a message that asks has come.
func (r *rank) heard() {
	if r.w.calls {
		r.asked--
	}
}

// quickest is the least time between the post of a message and its arrival at
// another rank.
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

// shortest is the least latency of a message inside a node.
func shortest(l cluster.Link) cluster.Time {
	if l.Inline.Limit > 0 {
		return min(l.Latency, l.Inline.Latency)
	}
	return l.Latency
}

// attend answers, at the begin of a call or at the end of one that did not have to
// wait, whoever has asked by now.
func (t *thread) attend() {
	w, r := t.w, t.r
	if !w.calls || t.id < 0 || r.stepping {
		return
	}
	// Who has not asked yet does so at the next event at the earliest.
	if r.asked > 0 || r.then > 0 || r.region != nil || !w.queue.quietUntil(t.now-w.quickest) {
		t.sync(t.glance())
	}
	if len(r.deferred)+len(r.steps) > 0 {
		t.answer()
	}
}
