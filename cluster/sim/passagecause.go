package sim

import "github.com/hybridtop/hybridtop/cluster"

// move records that a rank's core moves a message inside the node after the previous one, and
// returns the cause of its begin.
func (t *trace) move(m *msg, at, free cluster.Time, cause int32, x hold) int32 {
	t.ofRank(orderMoved, m.src, m.taker())
	h := &t.movers[m.src]
	if free > at {
		cause = t.held(t.settle(h), Mover, m.src)
	}
	x.cause = cause
	*h = x
	return cause
}

// inject records that a thread injects a message from a time on, or from the end of its previous
// one, and returns the cause of the begin.
func (t *trace) inject(m *msg, at, free, span cluster.Time, why Constant, cause int32) int32 {
	t.ofRank(orderInjected, m.src, m.taker())
	by := causeIn(&t.injections, m.thread)
	cause = t.wait(at, cause, free, *by, Injection, m.src)
	*by = t.charge(cause, span, why.class(cluster.Remote), m.src)
	if !m.isInterruptible() && !m.isHandshake() {
		*causeIn(&t.handshakes, m.thread) = *by
	}
	return cause
}

// link records that the head of a message takes a link.
func (t *trace) link(c *crossing, m *msg, l int32, free, span cluster.Time) {
	t.ofLink(l, m.taker())
	h := &t.links[l]
	if free > c.head {
		c.cause = t.held(t.settle(h), NetworkLink, m.src)
	}
	*h = hold{cause: c.cause, bytes: span, why: ofLink, rank: m.src}
}

// endCrossing records which of three times determines the end of a crossing: the head and the time
// of the bytes, the adapter, or the slowest link. Causes after a crossing include its hops.
func (t *trace) endCrossing(c *crossing, m *msg, start, hop cluster.Time) {
	last := start + c.carry
	c.lastCause = byBytes
	if c.left > last {
		last = c.left
		c.lastCause = t.charge(t.departure(m, &c.passage), hop*cluster.Time(c.next-1), ofHop, m.src)
	}
	if c.passed > last {
		c.lastCause = t.charge(c.passedCause, c.passedTime, ofLink, m.src)
		c.lastCause = t.charge(c.lastCause, hop*cluster.Time(c.next-1-c.passedHops), ofHop, m.src)
	}
}

// departure returns the cause of the time at which the last byte of a message leaves its adapter.
func (t *trace) departure(m *msg, p *passage) int32 {
	if !t.on {
		return m.cause
	}
	if p.leftCause == byBytes {
		p.leftCause = t.bytes(m, p, p.startCause)
	}
	return p.leftCause
}

// bytes records the time of a message's bytes after a time.
func (t *trace) bytes(m *msg, p *passage, cause int32) int32 {
	why := ofBandwidth.class(m.class)
	cause = t.charge(cause, p.carry-p.slowdown, why, m.src)
	return t.extra(cause, p.slowdown, why, NoteSlow, m.src)
}

// arrivals records the latency of a message, and returns the causes of the arrivals of its first and
// its last byte.
func (t *trace) arrivals(m *msg, p *passage) (reach, last int32) {
	latency := p.flightWhy.class(m.class)
	fly := func(cause int32) int32 {
		cause = t.charge(cause, p.flight+min(p.jitter, 0), latency, m.src)
		return t.extra(cause, max(p.jitter, 0), latency, NoteNoise, m.src)
	}
	reach = fly(p.cause)
	if p.lastCause == byBytes {
		return reach, t.bytes(m, p, reach)
	}
	return reach, fly(p.lastCause)
}
