package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// dispatch sends a message at a thread's time. If no event is earlier, it requests the adapter
// here, otherwise in the order of time. Even the adapter of a single rank may have to answer
// another rank first.
func (w *world) dispatch(i int32, t *thread) {
	m := &w.msgs[i]
	m.thread = t.id
	m.cause = t.cause
	if w.trace.on {
		m.cause = w.trace.giveReason(t.cause, NoNote, t.r.id)
	}
	m.phase = 0
	m.staged = false
	if w.alike.possible {
		w.checkAlike(t)
	}
	if w.onlyCalls && m.needsTarget() {
		w.ranks[w.local(m.dst)].requests++
	}
	at := t.now
	if m.train > 1 { // the first message was posted before the thread paid for the others
		if w.trace.on {
			m.cause = w.backTo(m)
		}
		at = max(at-cluster.Time(m.train-1)*w.beat(m), w.now)
	}
	if !w.alike.begun && w.quietUntil(at) || m.class != cluster.Remote && !w.sharesMemory() {
		w.inject(i, at)
		return
	}
	w.pushFor(m, at, evInject, i)
}

// sharesMemory reports whether messages inside a node may wait for each other: at a path to a
// device, or at the node's memory.
func (w *world) sharesMemory() bool { return w.staged || w.net.memories[0].rate > 0 }

// proceed processes the event of a message's next step.
func (w *world) proceed(i int32) {
	w.countAsPoll(&w.msgs[i])
	w.inject(i, w.now)
}

// The phases of a message: its next step on the way to the adapter.
const (
	toMemory uint8 = iota // to host memory
	toServer              // to the node's message server
	toThread              // to its thread's injection
	toAdapter
	handled // also handled by the server of the target's node
)

// inject advances a message on its way to the adapter, until a step ends in the future. Then an
// event continues, because steps run in the order of time.
func (w *world) inject(i int32, at cluster.Time) {
	if w.delays {
		for w.msgs[i].train <= 1 && w.msgs[i].phase < toAdapter {
			next, behind := w.step(i, at)
			if behind || next > at && (w.alike.begun || !w.quietUntil(next)) {
				w.pushFor(&w.msgs[i], next, evInject, i)
				return
			}
			at = next
		}
	}
	w.depart(i, at)
}

// step runs the next step of a message and returns its end. behind reports whether other messages
// of that time go first.
func (w *world) step(i int32, at cluster.Time) (next cluster.Time, behind bool) {
	m := &w.msgs[i]
	switch m.phase {
	case toMemory:
		next, m.cause = w.fetch(m, at, m.wire(), m.cause)
	case toServer:
		next, m.cause = w.net.serve(w.net.nodeOf[m.src], m, at, w.net.server.Send, m.cause, ofServerSend)
	case toThread:
		behind = w.yieldsToHandshake(m, at)
		next, m.cause = w.reserveThread(m, at, m.wire(), m.cause)
	}
	fetched := m.phase == toMemory
	m.phase++
	if fetched && w.fromDevice(m) {
		w.freeSource(m, next, m.cause)
	}
	return next, behind
}

// reserveThread lets a message's thread inject it after its earlier messages, and returns the
// begin and its cause. A handshake does not wait: its byte goes between the bytes of a message in progress.
func (w *world) reserveThread(m *msg, at cluster.Time, wire int64, cause int32) (cluster.Time, int32) {
	way := &w.net.ways[m.class]
	if way.threadRate == 0 || m.class != cluster.Remote || m.thread < 0 {
		return at, cause
	}
	t := w.threads[m.thread]
	if m.isHandshake() {
		if w.trace.on {
			cause = w.trace.wait(at, cause, t.handshakeFree, *causeIn(&w.trace.handshakes, m.thread), Injection, m.src)
		}
		return max(at, t.handshakeFree), cause
	}
	if w.trace.on {
		cause = w.trace.inject(m, at, t.inject, way.threadRate.time(wire-1), ofThreadRate, cause)
	}
	at = max(at, t.inject)
	t.inject = at + way.threadRate.time(wire-1)
	if !m.isInterruptible() {
		t.handshakeFree = t.inject
	}
	return at, cause
}

// yieldsToHandshake reports whether waiting handshakes of the same thread may leave at this exact
// time. A receive must not match this message first, so it goes behind them.
func (w *world) yieldsToHandshake(m *msg, at cluster.Time) bool {
	return m.isMatchable() && m.class == cluster.Remote && m.thread >= 0 && at > 0 &&
		w.threads[m.thread].handshakeFree == at
}

// depart reserves the resources of a ready message at its node, and sends it.
func (w *world) depart(i int32, at cluster.Time) {
	m := &w.msgs[i]
	p := passage{at: at, staged: at, served: at, begin: at, cause: m.cause, lastCause: byBytes}
	w.countMessage(stepDepart, at, m, m.src, m.dst)
	if m.train > 1 {
		w.passTrain(m, at, &p)
	} else {
		w.net.reserveNode(m, m.wire(), &p)
	}
	w.leaveSource(i, &p)
	if w.trace.recorder != nil {
		w.recordDeparture(i, &p)
	}
	if w.net.shape == nil || !w.enterLinks(i, &p) {
		w.approach(i, &p)
	}
}

// leaveSource completes the source of a message whose last byte leaves the node. A rendezvous
// copies its bytes here, so the sender may reuse its buffer. The receiver does not read them before
// their arrival.
func (w *world) leaveSource(i int32, p *passage) {
	m := &w.msgs[i]
	switch {
	case m.kind == msgData:
		s := &w.ranks[m.src].slots.list[m.req]
		if from := s.bytes(); len(from) > 0 {
			copy(w.ranks[w.local(m.dst)].slots.list[m.recv].bytes(), from)
		}
		s.set(cluster.Done{Peer: m.dst, Tag: m.tag, Size: m.size})
		s.cause = w.trace.departure(m, p)
		w.completeAt(p.left, m.src, m.req)
	case m.kind == msgPut && m.more.source != 0:
		w.freeSource(m, p.left, w.trace.departure(m, p))
	}
}

// enterLinks begins the way of a message over the links to another node, and reports whether there
// are any. A train has already passed its links.
func (w *world) enterLinks(i int32, p *passage) bool {
	m := &w.msgs[i]
	if m.class != cluster.Remote || m.train > 1 {
		return false
	}
	c := w.net.crossingOf(i)
	if !w.net.startCrossing(c, m, m.wire(), p) {
		return false
	}
	if m.isMatchable() && w.net.linkOrders != nil {
		c.head, c.cause = w.net.linkOrders[m.src].enter(m.dst, c.head, w.now, c.cause)
	}
	w.cross(i, c)
	return true
}

// cross passes a message over the links that its head has reached by now. Reaching another link is
// an event.
func (w *world) cross(i int32, c *crossing) {
	for c.head <= w.now {
		if w.net.passLink(c, &w.msgs[i]) {
			w.approach(i, &c.passage)
			return
		}
	}
	w.pushFor(&w.msgs[i], c.head, evLink, i)
}

// link processes the event of a message whose head has reached a link.
func (w *world) link(i int32) {
	w.countAsPoll(&w.msgs[i])
	w.cross(i, w.net.crossingOf(i))
}

// approach pushes the arrival of a message that only has its latency left.
func (w *world) approach(i int32, p *passage) {
	m := &w.msgs[i]
	reach := p.start + p.latency
	var reachCause, cause int32
	if w.trace.on {
		reachCause, cause = w.trace.arrivals(m, p)
	}
	if m.isMatchable() && (w.overtaking || m.class != cluster.Remote) {
		var at cluster.Time
		first, last := reach, p.arrival()
		reach, at = w.ranks[m.src].channels.arrive(m.dst, reach, last, w.now)
		p.leftLinks = at - p.latency
		if w.trace.on {
			reachCause, cause = w.ranks[m.src].channels.blame(&w.trace, m.dst, m.src, first, last, reachCause, cause)
		}
	}
	if w.trace.on {
		m.cause = cause
		*causeIn(&w.trace.reaches, i) = reachCause
	}
	if m.class != cluster.Remote {
		w.pushFor(m, p.arrival(), evArrive, i)
		return
	}
	if w.alike.merged {
		w.turn(i)
	}
	w.lastByte[i] = p.arrival()
	w.pushFor(m, reach, evReach, i)
}

// freeSource completes the source of a message, if the program waits for it.
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
