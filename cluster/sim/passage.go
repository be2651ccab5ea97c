package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// dispatch sends a message on its way at a thread's time. Where nothing happens
// until then, its adapter is asked for here; else in the order of time: even an
// adapter that is one rank's alone may have to answer another rank before.
func (w *world) dispatch(i int32, t *thread) {
	m := &w.msgs[i]
	m.thread, m.cause, m.phase, m.staged = t.id, t.cause, 0, false
	if w.calls && m.asks() {
		w.ranks[m.dst].asked++
	}
	at := t.now
	if m.train > 1 { // the first one was posted before the thread paid for the others
		at = max(at-cluster.Time(m.train-1)*w.beat(m), w.now)
	}
	if w.queue.quietUntil(at) || m.class != cluster.Remote && !w.staged && w.memories[0].rate == 0 {
		w.inject(i, at)
		return
	}
	w.push(at, evInject, i)
	if m.kind == msgAtomic && m.more.again {
		w.real--
	}
}

// beat is the time between the posts of a train: the adapter posts for nothing.
func (w *world) beat(m *msg) cluster.Time {
	if m.thread == noThread && w.progress == cluster.ProgressOffload {
		return 0
	}
	return w.ways[m.class].o
}

// inject takes a message one step on its way to the adapter: into the host's memory,
// to its thread's turn, to the adapter. Each step is made in the order of time.
func (w *world) inject(i int32, at cluster.Time) {
	m := &w.msgs[i]
	for w.delays && m.train <= 1 && m.phase < phases {
		next, why := at, CauseMemory
		if m.phase == 0 {
			next = w.fetch(m, at, m.wire())
		} else {
			next, why = w.turn(m, at, m.wire()), CauseBytes
		}
		m.phase++
		if w.trace != nil && next > at {
			m.cause = w.trace.add(m.cause, next-at, why, m.src)
		}
		if m.phase == 1 && w.fromDevice(m) {
			w.freeSource(m, next, m.cause)
			m = &w.msgs[i] // the list may have grown
		}
		if next == at {
			continue
		}
		if !w.queue.quietUntil(next) {
			w.push(next, evInject, i)
			return
		}
		at = next
	}
	w.depart(i, at)
}

// passage is the way of a message in time.
type passage struct {
	at       cluster.Time // posted
	staged   cluster.Time // its bytes stand in the host's memory
	begin    cluster.Time // its thread begins to inject it
	reserved cluster.Time // its adapter, or whoever moves it, begins
	start    cluster.Time // its first byte has passed the last link
	late     cluster.Time // its last byte has left
	rest     Cause        // why that is later than its own bytes take
	carry    cluster.Time // what these take
	latency  cluster.Time
	jitter   cluster.Time // part of the latency
}

// arrival is when the last byte is there.
func (p *passage) arrival() cluster.Time { return p.late + p.latency }

// phases is how many steps a message makes before it may ask for an adapter: fetch,
// turn.
const phases = 2

// fetch brings the bytes of a message into the host's memory, and gives the time at
// which they stand there. What a receive can match keeps its order.
func (w *world) fetch(m *msg, at cluster.Time, wire int64) cluster.Time {
	if !w.staged {
		return at
	}
	if w.fromDevice(m) {
		at = w.stage(m.src, at, wire)
	}
	if m.kind != msgEager && m.kind != msgAsk {
		return at
	}
	t := w.ranks[m.src].agent
	if m.thread >= 0 {
		t = w.threads[m.thread]
	}
	t.order = max(t.order, at)
	return t.order
}

// turn gives the time at which a message's thread has injected what it posted
// before. A handshake does not wait for that: its byte goes between those of a
// message under way.
func (w *world) turn(m *msg, at cluster.Time, wire int64) cluster.Time {
	way := &w.ways[m.class]
	if way.threadRate == 0 || m.class != cluster.Remote || m.thread < 0 {
		return at
	}
	t := w.threads[m.thread]
	if m.handshake() {
		return max(at, t.firm)
	}
	at = max(at, t.inject)
	t.inject = at + way.threadRate.time(wire-1)
	if !m.loose() {
		t.firm = t.inject
	}
	return at
}

// fromDevice reports whether a message's bytes have to be brought into the host's
// memory before they can leave.
func (w *world) fromDevice(m *msg) bool {
	return w.staged && m.more != nil && m.more.from == cluster.DeviceMemory && m.brings()
}

// depart reserves the way of a message whose bytes are ready, and lets it arrive.
func (w *world) depart(i int32, at cluster.Time) {
	m := &w.msgs[i]
	p := passage{at: at, staged: at, begin: at}
	var known cluster.Time // of the way of a train, how much its thread has paid for by now
	if m.train > 1 {
		known = w.passTrain(m, at, &p)
		m = &w.msgs[i] // the list may have grown
	} else {
		w.pass(m, m.wire(), &p)
	}
	reach := p.start + p.latency
	if (m.kind == msgEager || m.kind == msgAsk) && (w.overtaking || m.class != cluster.Remote) {
		var at cluster.Time
		reach, at = w.ranks[m.src].lanes.arrive(m.dst, reach, p.arrival(), w.now)
		p.late = at - p.latency
	}
	left := m.cause // of the time at which the last byte has left
	if w.trace != nil {
		own, gap := min(p.late-p.start, p.carry), min(p.reserved-p.begin, w.ways[m.class].g)
		pieces := []piece{
			{CauseMemory, p.staged - p.at}, {CauseBytes, p.begin - p.staged},
			{CauseGap, gap}, {CauseAdapter, p.reserved - p.begin - gap}, {CauseLink, p.start - p.reserved},
			{CauseBytes, own}, {p.rest, p.late - p.start - own},
		}
		known = after(known, pieces)
		left = w.trace.chain(m.cause, m.src, pieces)
		pieces = []piece{{CauseLatency, p.latency - max(p.jitter, 0)}, {CauseNoise, max(p.jitter, 0)}}
		after(known, pieces)
		m.cause = w.trace.chain(left, m.src, pieces)
	}
	switch m.kind {
	case msgData:
		// The bytes are taken here, so that the sender may write again; the
		// receiver does not look before they have arrived.
		s := &w.ranks[m.src].slots.list[m.req]
		copy(w.ranks[m.dst].slots.list[m.recv].bytes(), s.bytes())
		s.set(cluster.Done{Peer: m.dst, Tag: m.tag, Size: m.size})
		s.cause = left
		w.completeAt(p.late, m.src, m.req)
	case msgPut:
		w.freeSource(m, p.late, left)
	case msgAtomic:
		if m.more.again {
			w.real--
		}
	}
	if w.arrows {
		w.arrow(&w.msgs[i], &p)
	}
	if w.msgs[i].class != cluster.Remote {
		w.push(p.arrival(), evArrive, i)
		return
	}
	w.lasts[i] = p.arrival()
	w.push(reach, evReach, i)
}

// passTrain is pass for a train: all its messages take their resources in one go.
// p becomes the way of the last to arrive. It gives how much of that lies before
// the thread was done with posting.
func (w *world) passTrain(m *msg, at cluster.Time, p *passage) (before cluster.Time) {
	wire := max(m.size/int64(m.train), 1)
	beat, n := w.beat(m), cluster.Time(m.train)
	var freed cluster.Time
	for k := range n {
		one := passage{at: at + k*beat}
		one.staged = w.fetch(m, one.at, wire)
		one.begin = w.turn(m, one.staged, wire)
		w.pass(m, wire, &one)
		if k == 0 {
			m.more.first, m.more.reach = one.arrival(), one.start+one.latency
		}
		if w.uneven {
			m.more.reaches = append(m.more.reaches, one.start+one.latency)
		}
		if k == 0 || one.arrival() >= p.arrival() {
			*p, before = one, (n-1-k)*beat
		}
		if w.fromDevice(m) {
			freed = max(freed, one.staged)
		} else {
			freed = max(freed, one.late)
		}
	}
	cause := m.cause
	if w.trace != nil {
		cause = w.trace.chain(cause, m.src, []piece{{CauseBytes, freed - at - (n-1)*beat}})
	}
	w.freeSource(m, freed, cause)
	return before
}

// pass reserves the way of a message of some bytes that may begin at p.begin.
func (w *world) pass(m *msg, wire int64, p *passage) {
	way := &w.ways[m.class]
	p.carry = way.carry(wire)
	p.start = p.begin
	var passed, links cluster.Time
	if m.class == cluster.Remote {
		p.start, p.carry = w.reserve(m, way, p.begin, p.carry)
		p.reserved = p.start
		if w.network != nil {
			p.start, passed, links = w.route(m, p.start, wire)
		}
		inject := p.carry
		if way.threadRate > 0 && m.thread >= 0 { // no faster than its thread, whatever the adapter does
			inject = max(inject, p.begin+way.threadRate.time(wire-1)-p.start)
		}
		p.late, p.rest = p.start+inject, CauseBytes
		if passed > p.late {
			p.late, p.rest = passed, CauseLink
		}
	} else {
		if m.class != cluster.InRank && (m.kind == msgEager || m.kind == msgData) {
			// Inside a node a core moves the bytes, one message after another.
			r := &w.ranks[m.src]
			p.start = max(p.start, r.moves)
			r.moves = p.start + way.g + p.carry
		}
		p.reserved, p.rest = p.start, CauseMemory
		p.late = p.start + p.carry
		if memory := &w.memories[w.nodeOf[m.src]]; memory.rate > 0 {
			p.late = memory.serve(p.start, wire, p.carry)
		}
	}
	p.latency = way.l + links
	if w.linkNoise > 0 && m.class == cluster.Remote {
		p.jitter = w.linkRand.jitter(way.l, w.linkNoise)
		p.latency += p.jitter
	}
}

// after leaves out what pieces have at their front, for a time, and gives what of it
// they do not have.
func after(front cluster.Time, pieces []piece) cluster.Time {
	for i := range pieces {
		cut := min(front, max(pieces[i].span, 0))
		pieces[i].span -= cut
		front -= cut
	}
	return front
}

// freeSource lets the program write to a message's buffer again, if it waits for
// that.
func (w *world) freeSource(m *msg, at cluster.Time, cause int32) {
	if m.more == nil || m.more.source == 0 {
		return
	}
	slot := m.more.source - 1
	m.more.source = 0
	s := &w.ranks[m.src].slots.list[slot]
	s.set(cluster.Done{Peer: m.dst, Tag: m.tag, Size: m.size})
	s.cause = cause
	w.completeAt(at, m.src, slot)
}

// reserve takes the first adapter that is free; starts are g + (n − 1)G apart. It
// gives the start, and what the bytes take there.
func (w *world) reserve(m *msg, way *way, at, carry cluster.Time) (start, own cluster.Time) {
	node, gap := w.nodeOf[m.src], way.g
	best, a := first(w.of(w.out, node), at, m)
	if w.slow != nil {
		gap, carry = w.slow.adapter(node, best, gap), w.slow.adapter(node, best, carry)
	}
	return a.take(at, gap, carry, m), carry
}

// stage copies bytes between a device's memory and the host's, over the rank's
// own way to its device, and gives the end.
func (w *world) stage(rank int32, at cluster.Time, n int64) cluster.Time {
	r := &w.ranks[rank]
	begin := max(at, r.device)
	r.device = begin + w.device.carry(n)
	return r.device + w.device.l
}

// route passes the links between two nodes one after another, each as soon as it
// is free, and gives the times at which the first byte has passed the last and the
// last byte has passed them all, and the latency of the links after the first.
func (w *world) route(m *msg, start cluster.Time, wire int64) (first, last, latency cluster.Time) {
	w.path = w.network.Route(int(w.nodeOf[m.src]), int(w.nodeOf[m.dst]), w.path[:0])
	for _, l := range w.path {
		start = max(start, w.linkFree[l])
		w.linkFree[l] = start + w.linkRate[l].time(wire)
		last = max(last, start+w.linkRate[l].time(wire-1))
	}
	return start, last, w.hop * cluster.Time(max(0, len(w.path)-1))
}
