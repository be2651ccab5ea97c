package sim

import "github.com/hybridtop/hybridtop/cluster"

// use is the time for which one message of a packet train needs a resource.
type use struct {
	gap, bytes  cluster.Time
	parts       uint64 // slowdown of both; 0: none
	whyGap, why Constant
}

// backTo returns the cause of the time at which a thread has posted the first message of a train. It
// has already paid for all others.
func (w *world) backTo(m *msg) int32 {
	return w.post(m, m.cause, -cluster.Time(m.train-1))
}

// post records the posts of n messages of a train.
func (w *world) post(m *msg, cause int32, n cluster.Time) int32 {
	if w.beat(m) == 0 {
		return cause
	}
	o := w.net.ways[m.class].o
	cause = w.trace.charge(cause, n*o, ofOverhead.class(m.class), m.src)
	return w.trace.charge(cause, n*(w.beat(m)-o), ofCopy.class(cluster.Remote), m.src)
}

// through records that a train passes a resource, before flow.through changes its times. It returns
// the hold of the resource.
func (t *trace) through(f *flow, free cluster.Time, by int32, x use, of Resource, rank int32) hold {
	each := scale(x.gap, x.parts) + scale(x.bytes, x.parts)
	first := max(f.first, free)
	f.firstCause = t.wait(f.first, f.firstCause, free, by, of, rank)
	many := func(k cluster.Time) int32 {
		return t.many(f.firstCause, k, x, rank)
	}
	if first+f.gaps*each > f.last {
		f.lastCause = many(f.gaps)
	}
	return hold{cause: many(f.gaps + 1)}
}

// many records k uses of a resource.
func (t *trace) many(cause int32, k cluster.Time, x use, rank int32) int32 {
	cause = t.charge(cause, k*x.gap, x.whyGap, rank)
	cause = t.charge(cause, k*x.bytes, x.why, rank)
	if x.parts != 0 {
		cause = t.extra(cause, k*(scale(x.gap, x.parts)-x.gap), x.whyGap, NoteSlow, rank)
		cause = t.extra(cause, k*(scale(x.bytes, x.parts)-x.bytes), x.why, NoteSlow, rank)
	}
	return cause
}

// delay records a delay of all messages of a train.
func (t *trace) delay(f *flow, dt cluster.Time, why Constant, rank int32) {
	f.firstCause = t.charge(f.firstCause, dt, why, rank)
	f.lastCause = t.charge(f.lastCause, dt, why, rank)
}

// adapterEvenly records that a train passes an adapter that is free at a time.
func (n *network) adapterEvenly(h *adapterHold, f *flow, free cluster.Time, x hold, of Resource, rank int32) {
	t := n.trace
	by := int32(noCause)
	if free > f.first {
		by = t.settle(&h.free)
	}
	h.free = t.through(f, free, by, use{gap: x.gap, bytes: x.bytes, parts: x.parts, whyGap: x.whyGap, why: x.why}, of, rank)
	x.cause, x.bytes = f.firstCause, 0
	h.handshakeNext = x
}

// recordTrain stores the causes of the arrival of one message of an irregular train.
func (w *world) recordTrain(m *msg, p *passage) {
	reach, last := w.trace.arrivals(m, p)
	if len(m.more.reachCauses) == 0 {
		m.more.reachCause, m.more.firstCause = reach, last
	}
	m.more.reachCauses = append(m.more.reachCauses, reach)
}

// recordEvenTrain stores the causes of the arrival of the first message of a regular train.
func (w *world) recordEvenTrain(m *msg, p *passage, f *flow) {
	why := ofBandwidth.class(m.class)
	m.more.reachCause = w.trace.charge(f.firstCause, p.flight, ofLatency.class(m.class), m.src)
	m.more.firstCause = w.trace.charge(m.more.reachCause, p.carry-p.slowdown, why, m.src)
	m.more.firstCause = w.trace.extra(m.more.firstCause, p.slowdown, why, NoteSlow, m.src)
}

// trainCause returns the cause of the arrival of message k of a train.
func (w *world) trainCause(m *msg, k int, at cluster.Time, last int32) int32 {
	if w.uneven {
		return m.more.reachCauses[k]
	}
	return last
}
