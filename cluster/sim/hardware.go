package sim

import "github.com/hybridtop/hybridtop/cluster"

// gathering is a call of members of a context on the machine's collective network. It begins when
// the last member has arrived and the network has finished earlier calls.
type gathering struct {
	arrived uint64
	last    cluster.Time // latest arrival so far; its cause is the cause of all members
	cause   int32
	rank    int32
	size    int64
	gates   []gate
}

// enterGathering arrives at a call on the collective network.
func (t *thread) enterGathering(op *cluster.Op) cluster.Handle {
	w, b := t.w, t.r.memberIn(op.Ctx).b
	t.spend(w.net.ways[cluster.Remote].overhead(0), ofOverhead.class(cluster.Remote))
	g := b.gatherings[op.Tag]
	if g == nil {
		if b.gatherings == nil {
			b.gatherings = map[int32]*gathering{}
		}
		g = &gathering{}
		b.gatherings[op.Tag] = g
	}
	if g.arrived++; g.arrived == 1 || t.now >= g.last {
		g.last, g.cause, g.rank = t.now, t.cause, t.r.id
	}
	g.size = max(g.size, op.Size)
	_, id := t.takeSlot(op)
	g.gates = append(g.gates, gate{rank: t.r.id, slot: id})
	if g.arrived == op.A {
		delete(b.gatherings, op.Tag)
		w.completeGathering(g)
	}
	return t.postResult(op, id)
}

// completeGathering ends a call after all members have arrived. A barrier uses a separate network.
func (w *world) completeGathering(g *gathering) {
	net := &w.spec.Machine.CollectiveNetwork
	done := g.last + net.Barrier
	cause := w.trace.charge(g.cause, net.Barrier, ofTreeBarrier, g.rank)
	if g.size > 0 {
		if tr := &w.trace; tr.on {
			cause = tr.wait(g.last, g.cause, w.treeFree, tr.tree, CollectiveTree, g.rank)
			cause = tr.charge(cause, net.Carry(g.size), ofTreeRate, g.rank)
			tr.tree = cause
			cause = tr.charge(cause, net.Latency, ofTreeLatency, g.rank)
		}
		w.treeFree = max(g.last, w.treeFree) + net.Carry(g.size)
		done = w.treeFree + net.Latency
	}
	done = min(done, end)
	for _, at := range g.gates {
		s := &w.ranks[at.rank].slots.list[at.slot]
		s.set(cluster.Done{})
		s.cause = w.trace.because(cause, NoteLast, NoResource, at.rank)
		w.completeAt(max(done, w.now), at.rank, at.slot)
	}
}
