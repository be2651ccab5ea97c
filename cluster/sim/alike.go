package sim

import (
	"errors"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// A call is alike if every rank sends the same messages to the same distances, and all ranks begin at the
// same time. On equal nodes, the call then takes the same times in every node. The ranks of the first node
// represent the ranks of all others. A message of core c goes to the n-th next node. The first node then
// receives the message of core c in the n-th previous node.
//
// The result is exact, because the events of a node have the same order with one node and with all nodes:
//   - First bytes from other nodes come before other events of their time. Two of them are never at the same
//     time at a node: the one adapter of each node sends the first bytes at different times, and every way
//     has the same latency.
//   - All other events of a node come from the node itself, in the order in which the node creates them.
//   - The ranks begin in their order. A message that requests the adapter is always an event (dispatch).

// alike is the state of a call that is alike.
type alike struct {
	possible  bool         // all nodes are equal
	merges    bool         // one node represents all
	begun     bool         // between the begin and the end of a call
	merged    bool         // the same, and one node represents all
	arrived   int          // ranks that begin
	ended     int          // ranks that have ended
	at        cluster.Time // of the first rank that begins, like the signature
	signature uint64
	differs   bool             // another rank begins at another time, or another call
	until     cluster.Time     // end of the last merged call
	sum       uint64           // of the first node at the begin
	events    uint64           // at the begin
	accounts  []Account        // of the first node's ranks at the begin, if traced
	points    []timeline.Point // of their lanes, if recorded
}

var _ cluster.AlikePort = (*thread)(nil)

// hasEqualNodes reports whether all nodes are equal, and each rank's distances to other ranks determine the
// classes of its messages.
func (w *world) hasEqualNodes() bool {
	l, n := &w.spec.Layout, &w.net
	if !n.isUniform() || l.Nodes < 2 || l.ThreadsPerRank > 1 || w.compNoise > 0 || w.detours.mean > 0 || w.staged || w.minTransit <= 0 {
		return false
	}
	for i, node := range n.nodeOf {
		first := node * w.perNode
		if node != int32(i)/w.perNode || n.socketOf != nil && n.socketOf[i]-n.socketOf[first] != n.socketOf[int32(i)-first]-n.socketOf[0] {
			return false
		}
	}
	return true
}

// BeginAlike implements cluster.AlikePort.
func (t *thread) BeginAlike(signature uint64) cluster.AlikeRole {
	t.check()
	w := t.w
	a := &w.alike
	if !a.possible || t.r.region != nil || t.r.stepping || a.begun {
		return cluster.MakesCall
	}
	if a.arrived == 0 {
		a.at, a.signature, a.differs = t.now, signature, false
	}
	a.differs = a.differs || t.now != a.at || signature != a.signature
	a.arrived++
	w.push(t.now, evResume, t.id)
	t.suspend(threadReady)
	if !t.r.alike && w.canBeginAlike() {
		w.beginAlike()
		t.suspend(threadReady)
	}
	switch {
	case !t.r.alike:
		a.arrived--
		return cluster.MakesCall
	case !a.merges:
		return cluster.MakesCall
	case t.r.id < w.perNode:
		return cluster.Represents
	}
	return cluster.IsRepresented
}

// canBeginAlike reports whether all ranks are about to begin at the current time, nothing is in progress, and
// no resource is reserved.
func (w *world) canBeginAlike() bool {
	a, n := &w.alike, &w.net
	if a.differs || a.arrived != len(w.ranks) || w.queue.len() != len(w.ranks)-1 || len(w.freeMsgs) != len(w.msgs) ||
		w.continuations > 0 {
		return false
	}
	for i := range n.out {
		if !n.out[i].isFree(w.now) || !n.in[i].isFree(w.now) || n.memories[i].Free() > w.now {
			return false
		}
	}
	for i := range w.ranks {
		r := &w.ranks[i]
		t := r.main
		if r.requests > 0 || len(r.deferred)+len(r.steps) > 0 || r.queues.Unexpected() > 0 || r.slots.inUse() ||
			n.movers[i] > w.now || w.lastMatchable[i] > w.now || max(t.inject, t.handshakeFree) > w.now {
			return false
		}
		if e := r.engine; e != nil && max(e.now, e.inject, e.handshakeFree) > w.now {
			return false
		}
	}
	return true
}

// isFree reports whether the adapter is free at a time.
func (a *adapter) isFree(at cluster.Time) bool {
	return max(a.free, a.handshakeFree, a.handshakeNext) <= at
}

// inUse reports whether an operation is in progress, or complete without a wait.
func (t *slots) inUse() bool {
	for i := range t.list {
		if t.list[i].state != slotFree {
			return true
		}
	}
	return false
}

// beginAlike begins the call. All ranks continue in their order, or only the ranks of the first node.
func (w *world) beginAlike() {
	a := &w.alike
	for w.queue.len() > 0 {
		w.queue.pop()
		w.realEvents--
	}
	a.begun, a.merged, a.ended = true, a.merges, 0
	a.sum, a.events = w.sums[0], w.events
	ranks := len(w.ranks)
	for i := range w.ranks {
		r := &w.ranks[i]
		r.alike = true
		if r.main.lane != nil {
			r.main.recordWait(r.main.now) // all lanes end now
		}
	}
	if a.merged {
		ranks = int(w.perNode)
		if w.trace.on {
			w.trace.enterAlike(w)
		}
		a.points = a.points[:0]
		for i := range ranks {
			if lane := w.ranks[i].main.lane; lane != nil {
				a.points = append(a.points, lane.Point())
			}
		}
		for i := ranks; i < len(w.ranks); i++ {
			w.ranks[i].main.state = threadWaits
		}
	}
	for i := range ranks {
		w.push(w.now, evResume, int32(i))
	}
}

// EndAlike implements cluster.AlikePort.
func (t *thread) EndAlike() {
	w := t.w
	a := &w.alike
	if !t.r.alike {
		return
	}
	t.r.alike = false
	if !a.begun {
		return // its representative has ended
	}
	a.ended++
	if a.ended == len(w.ranks) || a.merged && a.ended == int(w.perNode) {
		w.endAlike()
	}
	t.suspend(threadReady)
}

// endAlike ends the call after the end of its last rank. If one node represents all, the others get its state.
// The clock then goes back to the end of the first rank, because no rank uses the network before the last rank
// has ended. All ranks continue in the order of their ends.
func (w *world) endAlike() {
	if w.queue.len() > 0 {
		panic("sim: events after the end of a call that is alike")
	}
	a := &w.alike
	if a.merged {
		sum := w.sums[0] - a.sum
		for node := 1; node < w.spec.Layout.Nodes; node++ {
			w.sums[node] += sum
			w.copyNode(int32(node))
		}
		w.trace.leaveAlike(w)
		w.events += (w.events - a.events) * uint64(w.spec.Layout.Nodes-1)
	}
	a.begun, a.merged, a.arrived = false, false, 0
	w.now = end
	w.queue.rewind()
	for i := range w.ranks {
		t := w.ranks[i].main
		t.state = threadReady
		w.now, a.until = min(w.now, t.now), max(a.until, t.now)
		w.push(t.now, evResume, t.id)
	}
}

// copyNode copies the state of the first node to another one.
func (w *world) copyNode(node int32) {
	n := &w.net
	n.out[node], n.in[node] = n.out[0], n.in[0]
	if n.memories[0].rate > 0 {
		n.memories[node].CopyFrom(&n.memories[0].Server)
	}
	first := node * w.perNode
	for i := range w.perNode {
		from, to := &w.ranks[i], &w.ranks[first+i]
		n.movers[first+i], w.lastMatchable[first+i] = n.movers[i], w.lastMatchable[i]
		if lane := to.main.lane; lane != nil {
			lane.Follow(from.main.lane, w.alike.points[i], first, int32(len(w.ranks)))
		}
		to.main.follow(from.main)
		if peer := from.main.peer; peer >= 0 {
			to.main.peer = (peer + first) % int32(len(w.ranks))
		}
		if from.engine != nil {
			if to.engine == nil {
				to.engine = &thread{w: w, r: to, id: -1, cause: noCause}
			}
			to.engine.follow(from.engine)
		}
	}
	if w.trace.on {
		w.trace.copyNode(w, node)
	}
}

// follow copies the times of another thread.
func (t *thread) follow(other *thread) {
	t.now, t.inject, t.handshakeFree, t.stagedUntil = other.now, other.inject, other.handshakeFree, other.stagedUntil
	t.polls, t.loadedWord, t.cause = 0, wordAddress{}, other.cause
	t.call, t.peer, t.peerReady = other.call, other.peer, other.peerReady
}

// errEarlyUse is the error of a rank that uses the network between a merged call and the barrier after it.
var errEarlyUse = errors.New("a message before all ranks have ended a call that is alike (let all ranks enter a barrier first)")

// checkAlike ends the run if a message leaves before all ranks have ended a call.
func (w *world) checkAlike(t *thread) {
	if t.id >= 0 && t.now < w.alike.until {
		w.abort(fmt.Errorf("rank %d: %w", t.r.id, errEarlyUse))
	}
}

// local returns the rank of the first node that represents a rank, or the rank itself.
func (w *world) local(rank int32) int32 {
	if w.alike.merged {
		return rank % w.perNode
	}
	return rank
}

// turn makes a message to another node the message of the same core of another node to this one.
func (w *world) turn(i int32) {
	m, ranks := &w.msgs[i], int32(len(w.ranks))
	back := w.net.nodeOf[m.dst] * w.perNode
	m.dst -= back
	if m.src -= back; m.src < 0 {
		m.src += ranks
	}
	if w.trace.on {
		reach := causeIn(&w.trace.reaches, i)
		m.cause, *reach = w.trace.turned(m.cause, ranks-back), w.trace.turned(*reach, ranks-back)
	}
}
