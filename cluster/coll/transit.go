package coll

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// pair identifies a message: a channel carries one from a rank to another in a call. from counts
// from the receiver in a folded walk.
type pair struct {
	to, from int32
	channel  uint16
	isXor    bool
}

type transitKind uint8

const (
	transitEager transitKind = iota
	transitRTS
	transitCTS
	transitData
)

// transit is a message in transit.
type transit struct {
	kind       transitKind
	class      cluster.Class
	phase      uint8
	from, to   int32 // walked ranks
	send, recv int32 // nodes
	shift      int32 // folded walk: node of the receiver, seen from node 0
	size       int64
	last       cluster.Time
	at         pair
}

// peers returns the walked rank and the team's rank of a node's peer.
func (w *estimation) peers(r *estimatedRank, to Peer) (walked, target int32) {
	target = r.Peer(to)
	if w.isFolded {
		return target % int32(len(w.ranks)), target
	}
	return target, target
}

func (w *estimation) send(rank, node int32, n *Node) {
	r := &w.ranks[rank]
	i := int32(len(w.list))
	if last := len(w.free); last > 0 {
		i = w.free[last-1]
		w.free = w.free[:last-1]
	} else {
		w.list = append(w.list, transit{})
	}
	f := &w.list[i]
	*f = transit{from: rank, send: node, size: w.bytes(r, n.Ref)}
	var target int32
	f.to, target = w.peers(r, n.Peer)
	f.class = cluster.Remote
	if !w.isFolded || target < int32(len(w.ranks)) { // in a folded walk, others are on other nodes
		f.class = w.class(rank, f.to)
	}
	f.at = pair{to: f.to, from: rank, channel: n.Channel}
	if w.isFolded {
		f.at.from, f.at.isXor = n.Peer.D, n.Peer.Xor
		if !n.Peer.Xor {
			f.at.from = wrap(-n.Peer.D, r.Schedule.Ranks)
		}
	}
	if w.isFolded {
		f.shift = target / int32(len(w.ranks))
	}
	c := &w.classes[f.class]
	if !w.isOneSided && f.size > w.eager {
		f.kind = transitRTS
		r.cpu += w.handled(c.o)
		r.uncopied += f.size
		w.dispatch(i, r.cpu)
		return
	}
	r.cpu += w.handled(c.overhead(f.size))
	if !w.isOneSided {
		r.cpu += w.handled(c.copies(f.size))
	}
	w.dispatch(i, r.cpu)
	w.complete(rank, node)
}

func (w *estimation) dispatch(i int32, at cluster.Time) {
	if f := &w.list[i]; w.isQuiet(at) || f.class != cluster.Remote && w.memory == 0 {
		w.depart(i, at)
		return
	}
	w.push(at, stageDepart, w.list[i].from, i)
}

// shiftBack returns the shift of a transit in the other direction.
func (w *estimation) shiftBack(f *transit) int32 {
	if w.fold == nil || f.at.isXor {
		return f.shift
	}
	return wrap(-f.shift, w.fold.count)
}

// isQuiet reports whether no event is earlier than at.
func (w *estimation) isQuiet(at cluster.Time) bool { return len(w.events) == 0 || w.events[0].at >= at }

// wire returns the bytes of a transit on the wire.
func (f *transit) wire() int64 {
	if f.kind == transitRTS || f.kind == transitCTS {
		return 1
	}
	return max(f.size, 1)
}

// Phases of a transit on the way to its adapter.
const (
	toServer uint8 = iota
	toThread
	toAdapter
	isHandled // also by the server of the target's node
)

// depart reserves the resources of the sender's node.
func (w *estimation) depart(i int32, at cluster.Time) {
	f := &w.list[i]
	if f.class != cluster.Remote {
		w.departInside(i, at)
		return
	}
	r, node, wire := &w.ranks[f.from], w.nodeOf[f.from], f.wire()
	c := &w.classes[cluster.Remote]
	isHandshake := f.kind == transitRTS || f.kind == transitCTS
	for f.phase < toAdapter {
		next := at
		switch {
		case f.phase == toServer && w.isServed:
			next = w.serve(node, at, w.server.Send, f.kind)
		case f.phase == toThread && c.thread > 0 && isHandshake:
			next = max(at, r.handshakeFree)
		case f.phase == toThread && c.thread > 0:
			next = max(at, r.inject)
			r.inject = next + c.thread.time(wire-1)
			if f.kind == transitEager {
				r.handshakeFree = r.inject
			}
		}
		f.phase++
		if next > at && !w.isQuiet(next) {
			w.push(next, stageDepart, f.from, i)
			return
		}
		at = next
	}
	carry := c.bytes.time(wire - 1)
	start := w.start(w.out, node, at, carry, f.kind)
	left := start + carry
	if c.thread > 0 && !isHandshake {
		left = max(left, at+c.thread.time(wire-1))
	}
	if f.kind == transitData {
		w.push(left, stageComplete, f.from, f.send)
	}
	latency := c.l + w.pulls
	switch {
	case w.links != nil:
		w.enterLinks(i, start, carry, left, latency)
		return
	case w.fold != nil:
		last, hops := w.fold.cross(f, start, wire)
		left, latency = max(left, last), latency+hops
	}
	f.last = left + latency
	w.push(start+latency, stageReach, f.to, i)
}

// departInside is depart inside a node.
func (w *estimation) departInside(i int32, at cluster.Time) {
	f := &w.list[i]
	r, c := &w.ranks[f.from], &w.classes[f.class]
	if f.kind == transitEager && c.isMovedByThreads(f.size) {
		start := max(at, r.mover)
		latency := c.l
		if f.size > c.inline {
			r.mover = start + c.g + c.copies(f.size)
		} else {
			r.mover, latency = start+c.inlineG, c.inlineL
		}
		w.push(start+latency, stageArrive, f.to, i)
		return
	}
	carry := c.bytes.time(f.wire() - 1)
	start := at
	if f.class != cluster.InRank && (f.kind == transitEager || f.kind == transitData) {
		start = max(at, r.mover)
		r.mover = start + c.g + carry
	}
	left := w.memoryEnd(w.nodeOf[f.from], start, f.wire(), carry)
	if f.kind == transitData {
		w.push(left, stageComplete, f.from, f.send)
	}
	w.push(left+c.l+min(w.pulls, 2*c.l), stageArrive, f.to, i)
}

// reach receives a transit at the adapter of the target's node.
func (w *estimation) reach(i int32, now cluster.Time) {
	f := &w.list[i]
	node, c := w.nodeOf[f.to], &w.classes[cluster.Remote]
	if w.isServed && f.phase != isHandled {
		f.phase = isHandled
		if at := w.serve(node, now, w.server.Receive, f.kind); at > now {
			w.push(at, stageReach, f.to, i)
			return
		}
	}
	carry := c.bytes.time(f.wire() - 1)
	done := w.start(w.in, node, now, carry, f.kind) + carry
	if c.receive > 0 && f.kind == transitData {
		r := &w.ranks[f.to]
		r.inject = max(r.inject, now) + c.receive.time(f.wire()-1)
		done = max(done, r.inject)
	}
	if at := max(f.last, done); at > now {
		w.push(at, stageArrive, f.to, i)
		return
	}
	w.arrive(i, now)
}

// arrive processes the last byte of a transit.
func (w *estimation) arrive(i int32, now cluster.Time) {
	f := &w.list[i]
	switch f.kind {
	case transitEager, transitRTS:
		node, isPosted := w.pairs[f.at]
		if !isPosted {
			w.pairs[f.at] = i
			return
		}
		delete(w.pairs, f.at)
		w.take(i, -1-node, now, true)
	case transitCTS:
		r := &w.ranks[f.to]
		r.cpu = max(r.cpu, now) + w.handled(w.classes[f.class].o)
		f.kind, f.phase = transitData, 0
		f.from, f.to = f.to, f.from
		f.shift = w.shiftBack(f)
		w.dispatch(i, r.cpu)
	case transitData:
		r := &w.ranks[f.to]
		r.cpu = max(r.cpu, now) + w.classes[f.class].o
		w.end(i)
	}
}

// handled returns the CPU time of a send or an answer. An adapter that makes progress by itself
// handles them for free after the begin of a call.
func (w *estimation) handled(t cluster.Time) cluster.Time {
	if w.isOffload && !w.isBegin {
		return 0
	}
	return t
}

// receive posts a receive, or takes an arrived message.
func (w *estimation) receive(rank, node int32, n *Node) {
	r := &w.ranks[rank]
	from, _ := w.peers(r, n.Peer)
	at := pair{to: rank, from: from, channel: n.Channel}
	if w.isFolded {
		at.from, at.isXor = n.Peer.D, n.Peer.Xor
		if !n.Peer.Xor {
			at.from = wrap(n.Peer.D, r.Schedule.Ranks)
		}
	}
	i, isArrived := w.pairs[at]
	if !isArrived {
		w.pairs[at] = -1 - node
		return
	}
	delete(w.pairs, at)
	w.take(i, node, r.cpu, false)
}

// take matches an eager message or an RTS with a receive. isPosted: the receive was first.
func (w *estimation) take(i, node int32, now cluster.Time, isPosted bool) {
	f := &w.list[i]
	f.recv = node
	r, c := &w.ranks[f.to], &w.classes[f.class]
	r.cpu = max(r.cpu, now)
	if f.kind == transitRTS {
		w.answer(i)
		return
	}
	switch {
	case w.isOneSided:
		r.cpu += w.fee
	case isPosted && (!c.isMovedByThreads(f.size) || w.isOffload && f.class == cluster.Remote):
		r.cpu += c.o
	default:
		r.cpu += c.overhead(f.size) + w.handled(c.copies(f.size))
	}
	w.end(i)
}

// answer answers an RTS by a CTS, or by a copy from the sender's memory.
func (w *estimation) answer(i int32) {
	f := &w.list[i]
	r, c := &w.ranks[f.to], &w.classes[f.class]
	r.cpu += w.handled(c.o)
	sender := &w.ranks[f.from]
	uncopied := sender.uncopied
	sender.uncopied -= f.size
	if c.pull == 0 {
		f.kind, f.phase = transitCTS, 0
		f.from, f.to = f.to, f.from
		f.shift = w.shiftBack(f)
		w.dispatch(i, r.cpu)
		return
	}
	rate := c.pull
	if c.cached > 0 && uncopied > c.cached {
		rate = c.uncached
	}
	r.cpu += rate.time(f.size)
	w.push(r.cpu+c.l, stageComplete, f.from, f.send)
	w.end(i)
}

// end completes the receive of a transit.
func (w *estimation) end(i int32) {
	f := &w.list[i]
	w.received++
	w.free = append(w.free, i)
	w.complete(f.to, f.recv)
}
