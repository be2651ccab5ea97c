package live

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// A parcel passes the resources of its nodes in the order of time, as a simulated message does. Each
// phase is an event of the wire. The next phase begins at the planned time of the event, so a delay
// of the host does not add up.
const (
	arriving  uint8 = iota // the transfer ends
	leaving                // ready at its node: server, thread, adapter; inside a node: memory
	reaching               // its first byte is at the target's node: server, adapter
	computing              // no transfer: its thread begins to compute: memory
)

// proceed starts the next phase of a parcel. The caller holds mu.
func (x *wire) proceed(p *parcel) {
	switch p.phase {
	case reaching:
		x.reach(p)
	case computing:
		p.phase = arriving
		x.push(p, x.memories[x.w.node[p.port.e.id]].Work(p.at, x.memory.time(p.wire), p.end))
	default:
		if class := x.classOf(p, p.first, p.last); class != cluster.Remote {
			x.finish(p, x.moveInNode(p, class, p.at))
			return
		}
		x.leave(p)
	}
}

// wireAdapter is one direction of a node's adapter. Starts are g + (s − 1)G apart. A handshake goes
// between the bytes of a message, g after the last start.
type wireAdapter struct {
	free          int64 // earliest start of the next message
	handshakeFree int64 // the same for a handshake
	handshakeNext int64 // earliest start of a handshake between bytes
}

// startAt returns the earliest start of a parcel that is ready at a time.
func (a *wireAdapter) startAt(at int64, handshake bool) int64 {
	if handshake {
		return max(at, a.handshakeFree, a.handshakeNext)
	}
	return max(at, a.free)
}

// start starts a parcel, and returns its start.
func (a *wireAdapter) start(at, gap, carry int64, p *parcel) int64 {
	if p.isHandshake() {
		at = a.startAt(at, true)
		a.handshakeNext, a.handshakeFree = at+gap, at+gap
		a.free = max(a.free, at) + gap
		return at
	}
	at = a.startAt(at, false)
	a.free = at + gap + carry
	a.handshakeNext = at + gap
	if p.kind == parcelEager || p.kind == parcelRPC {
		a.handshakeFree = a.free
	}
	return at
}

func (p *parcel) isHandshake() bool { return p.kind == parcelRTS || p.kind == parcelCTS }

// isOrdered reports whether the parcel must not overtake an earlier one between the same ranks.
func (p *parcel) isOrdered() bool {
	return p.kind == parcelEager || p.kind == parcelRTS || p.kind == parcelPut || p.kind == parcelRPC
}

// pairTimes are the latest times of the ordered parcels from a rank to another.
type pairTimes struct{ reach, arrival int64 }

func (x *wire) pair(from, to int32) *pairTimes {
	if x.last[from] == nil {
		x.last[from] = make([]pairTimes, len(x.w.engines))
	}
	return &x.last[from][to]
}

// passAdapter reserves the adapter that can start the parcel first, and returns the start.
func (x *wire) passAdapter(list []wireAdapter, at int64, p *parcel) int64 {
	way := &x.prices[cluster.Remote]
	gap, handshake := way.gap, p.isHandshake()
	if handshake {
		gap = way.handshakeGap
	}
	best := &list[0]
	for i := range list {
		if list[i].startAt(at, handshake) < best.startAt(at, handshake) {
			best = &list[i]
		}
	}
	return best.start(at, gap, way.adapter.time(p.wire-1), p)
}

// serve handles a parcel at the message server of a node, and returns the end.
func (x *wire) serve(node int32, p *parcel, at int64, cost cluster.Time) int64 {
	s := &x.w.spec.Machine.Server
	if *s == (cluster.Server{}) {
		return at
	}
	if p.isHandshake() || p.wire <= 1 && p.kind != parcelEager && p.kind != parcelPut && p.kind != parcelRPC {
		cost = s.Handshake
	}
	x.servers[node] = max(x.servers[node], at) + x.wallTime(cost)
	return x.servers[node]
}

// leave passes a parcel through the resources of its node. The caller holds mu.
func (x *wire) leave(p *parcel) {
	way, node := &x.prices[cluster.Remote], x.w.node[p.first]
	at := p.at
	if p.fromDevice && p.wire > 1 {
		at = x.stage(p.first, at, p.wire)
	}
	at = x.serve(node, p, at, x.w.spec.Machine.Server.Send)
	begin := at
	answers := p.kind == parcelComplete // the adapter answers by itself
	if way.inject > 0 && !p.isHandshake() && !answers {
		begin = max(at, x.inject[p.first])
		x.inject[p.first] = begin + way.inject.time(p.wire-1)
	}
	start := x.passAdapter(x.out[node], begin, p)
	left := start + way.adapter.time(p.wire-1)
	if way.inject > 0 && !answers {
		left = max(left, begin+way.inject.time(p.wire-1))
	}
	hops, link := x.route(node, x.w.node[p.last])
	reach := start + way.l + hops
	p.end = max(left, start+link.time(p.wire-1)) + way.l + hops
	if p.isOrdered() {
		pair := x.pair(p.first, p.last)
		reach = max(reach, pair.reach)
		pair.reach = reach
	}
	if p.kind == parcelData {
		x.pushSent(p, left)
	}
	p.phase = reaching
	x.push(p, reach)
}

// pushSent completes the send of a rendezvous when its last byte leaves. The caller holds mu.
func (x *wire) pushSent(p *parcel, at int64) {
	q := newParcel()
	q.kind, q.src, q.dst, q.tag, q.size = parcelSent, p.src, p.dst, p.tag, p.size
	q.from, q.req, q.recv, q.peerArrival = p.from, p.req, p.recv, p.peerArrival
	x.push(q, at)
}

// route returns the time of the hops after the first link from a node to another, and the cost of a
// byte on the slowest link.
func (x *wire) route(from, to int32) (hops int64, slowest perByte) {
	if x.shape == nil || from == to {
		return 0, 0
	}
	x.path = x.shape.Route(int(from), int(to), x.path[:0])
	for _, l := range x.path {
		slowest = max(slowest, x.perByte(float64(x.shape.Rate(int(l)))))
	}
	return x.hop * int64(max(len(x.path)-1, 0)), slowest
}

// reach passes a parcel through the resources of the target's node. The caller holds mu.
func (x *wire) reach(p *parcel) {
	way, node := &x.prices[cluster.Remote], x.w.node[p.last]
	at := x.serve(node, p, p.at, x.w.spec.Machine.Server.Receive)
	at = max(p.end, x.passAdapter(x.in[node], at, p)+way.adapter.time(p.wire-1))
	if way.receive > 0 && p.kind == parcelData {
		x.inject[p.last] = max(x.inject[p.last], p.at) + way.receive.time(p.wire-1)
		at = max(at, x.inject[p.last])
	}
	x.finish(p, at)
}

// finish ends the transfer of a parcel at a time. The caller holds mu.
func (x *wire) finish(p *parcel, at int64) {
	if p.isOrdered() {
		pair := x.pair(p.first, p.last)
		at = max(at, pair.arrival)
		pair.arrival = at
	}
	if p.toDevice && p.wire > 1 {
		at = x.stage(p.last, at, p.wire)
	}
	p.phase = arriving
	x.push(p, at+p.handling)
}

// moveInNode passes a parcel through the resources inside a node from a time on, and returns its
// arrival. The caller holds mu.
func (x *wire) moveInNode(p *parcel, class cluster.Class, at int64) int64 {
	way, mover := &x.prices[class], &x.movers[p.first]
	eager := p.kind == parcelEager
	if eager && way.movedByThreads(p.size) {
		start := max(at, *mover)
		if p.size > way.inline {
			*mover = start + way.gap + way.copy.time(p.size)
		} else {
			*mover = start + way.inlineGap
		}
		return start + way.latency(p.size)
	}
	carry := way.adapter.time(p.wire - 1)
	if class != cluster.InRank && (eager || p.kind == parcelData) {
		at = max(at, *mover)
		*mover = at + way.gap + carry
	}
	left := x.passMemory(x.w.node[p.first], at, p.wire, carry)
	if p.kind == parcelData {
		x.pushSent(p, left)
	}
	return left + way.l
}

// passMemory reserves the memory of a node for n bytes that take at least minTime, and returns the
// end. The caller holds mu.
func (x *wire) passMemory(node int32, at, n, minTime int64) int64 {
	if x.memory == 0 {
		return at + minTime
	}
	return x.memories[node].Serve(at, x.memory.time(n), minTime)
}
