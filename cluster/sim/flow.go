package sim

import "github.com/hybridtop/hybridtop/cluster"

// If the messages of a packet train reach each resource at even intervals, the first and the last
// message determine all others. Such a train reserves each resource once instead of once per
// message. Each step below does for a train what the function of the same name without Evenly does
// for a message: fetch, serve, reserveThread, leave, passLink,
// enter.

// isRegular reports whether the messages of a train reach each resource at even intervals.
func (n *network) isRegular(class cluster.Class) bool {
	return class == cluster.Remote && n.adapters == 1 && n.linkNoise == 0
}

// flow has the times at which the first and the last message of a train reach a resource. Steps of
// the way move both.
type flow struct {
	first, last           cluster.Time
	gaps                  cluster.Time // intervals between messages: their number less one
	firstCause, lastCause int32        // if traced
}

// flowOf returns the flow of a train between two times.
func flowOf(m *msg, first, last cluster.Time) flow {
	return flow{first: first, last: last, gaps: cluster.Time(m.train - 1)}
}

// through passes a train through a resource that needs each per message and is free at a time. It
// returns the time at which the resource is free again. Idle time between the messages is available
// to others, so trains of several ranks pass at the rate of the resource.
func (f *flow) through(free, each cluster.Time) cluster.Time {
	f.first = max(f.first, free)
	f.last = max(f.last, f.first+f.gaps*each)
	return f.first + (f.gaps+1)*each
}

// delay delays all messages.
func (f *flow) delay(dt cluster.Time) {
	f.first += dt
	f.last += dt
}

// passEvenly is passTrain for a regular train. p becomes the passage of the last message.
func (w *world) passEvenly(m *msg, at cluster.Time, p *passage) {
	net := &w.net
	wire := max(m.size/int64(m.train), 1) // bytes of one message
	f := flowOf(m, at, at+cluster.Time(m.train-1)*w.beat(m))
	if w.trace.on {
		f.firstCause, f.lastCause = m.cause, w.post(m, m.cause, f.gaps)
	}
	*p = passage{at: f.last}
	w.fetchEvenly(m, wire, &f)
	p.staged = f.last
	freedCause := f.lastCause
	net.serveEvenly(net.nodeOf[m.src], m, net.server.Send, ofServerSend, &f)
	p.served = f.last
	w.reserveThreadEvenly(m, wire, &f)
	p.begin = f.last
	begun := f.lastCause
	net.leaveEvenly(m, wire, &f, p)
	if way := &net.ways[cluster.Remote]; way.threadRate > 0 && m.thread >= 0 { // not faster than its thread
		if by := p.begin + way.threadRate.time(wire-1); by > p.left {
			p.left = by
			p.leftCause = w.trace.charge(begun, way.threadRate.time(wire-1), ofThreadRate.class(cluster.Remote), m.src)
		}
		p.leftLinks = p.left
	}
	p.lastCause = p.leftCause
	if c := &net.trainCrossing; net.shape != nil && net.startCrossing(c, m, wire, p) {
		net.passLinksEvenly(c, m, &f)
		*p = c.passage
	}
	m.more.reach = f.first + p.latency
	m.more.first = m.more.reach + p.carry
	if w.trace.on {
		w.recordEvenTrain(m, p, &f)
	}
	freed := p.left
	if w.fromDevice(m) {
		freed = p.staged
	} else {
		freedCause = w.trace.departure(m, p)
	}
	w.freeSource(m, freed, freedCause)
}

// fetchEvenly copies the bytes of a train from device memory to host memory.
func (w *world) fetchEvenly(m *msg, wire int64, f *flow) {
	if !w.fromDevice(m) {
		return
	}
	r := &w.ranks[m.src]
	each := w.device.carry(wire)
	if tr := &w.trace; tr.on {
		tr.through(f, r.device, tr.paths[m.src], use{bytes: each, why: ofBandwidth.class(onDevice)}, DevicePath, m.src)
	}
	f.through(r.device, each)
	r.device = f.last + each
	f.delay(each + w.device.l)
	if tr := &w.trace; tr.on {
		tr.delay(f, each, ofBandwidth.class(onDevice), m.src)
		tr.paths[m.src] = f.lastCause
		tr.delay(f, w.device.l, ofLatency.class(onDevice), m.src)
	}
}

// serveEvenly handles a train at the message server of a node.
func (n *network) serveEvenly(node int32, m *msg, cost cluster.Time, why Constant, f *flow) {
	if !n.served {
		return
	}
	each := min(cost, end)
	if tr := n.trace; tr != nil {
		h := &tr.servers[node]
		*h = tr.through(f, n.servers[node], tr.settle(h), use{bytes: each, why: why}, MessageServer, m.src)
		tr.delay(f, each, why, n.rankAt(node, m))
		tr.ofNode(orderServer, node, m.taker())
	}
	n.servers[node] = f.through(n.servers[node], each)
	f.delay(each)
}

// reserveThreadEvenly injects a train behind the earlier messages of its thread.
func (w *world) reserveThreadEvenly(m *msg, wire int64, f *flow) {
	way := &w.net.ways[cluster.Remote]
	if way.threadRate == 0 || m.thread < 0 {
		return
	}
	t := w.threads[m.thread]
	each := way.threadRate.time(wire - 1)
	if tr := &w.trace; tr.on {
		by := causeIn(&tr.injections, m.thread)
		why := ofThreadRate.class(cluster.Remote)
		tr.through(f, t.inject, *by, use{bytes: each, why: why}, Injection, m.src)
		*by = tr.charge(f.lastCause, each, why, m.src)
	}
	f.through(t.inject, each)
	t.inject = f.last + each
}

// leaveEvenly sends a train through the adapter of its node. It sets the times of the last message.
func (n *network) leaveEvenly(m *msg, wire int64, f *flow, p *passage) {
	way := &n.ways[cluster.Remote]
	node := n.nodeOf[m.src]
	gap, carry := n.slow.atAdapter(node, 0, n.gaps[m.kind], way.carry(wire))
	out := &n.adaptersOf(n.out, node)[0]
	if tr := n.trace; tr != nil {
		tr.ofNode(orderOut, node, m.taker()<<4)
		n.adapterEvenly(&tr.out[node], f, out.free, n.holdOf(m, node, 0, way.carry(wire)), AdapterOut, m.src)
		p.slowdown = carry - way.carry(wire)
	}
	out.free = f.through(out.free, gap+carry)
	out.handshakeNext = f.first + gap
	p.reserved = f.last
	p.start = f.last
	p.carry = carry
	p.left = f.last + carry
	p.leftLinks = p.left
	p.latency, p.flight = way.l, way.l
	p.cause, p.startCause, p.leftCause = f.lastCause, f.lastCause, byBytes
}

// passLinksEvenly passes a train over all its links; c is the crossing of the last message. As in
// crossing.end, the latency includes the hops. The times of the flow do not.
func (n *network) passLinksEvenly(c *crossing, m *msg, f *flow) {
	hops := cluster.Time(0)
	for i, l := range c.path {
		if i > 0 {
			f.delay(n.hop)
			hops += n.hop
			if n.trace != nil {
				n.trace.delay(f, n.hop, ofHop, m.src)
			}
		}
		if tr := n.trace; tr != nil {
			each := n.linkRate[l].time(c.wire)
			h := &tr.links[l]
			*h = tr.through(f, n.linkFree[l], tr.settle(h), use{bytes: each, why: ofLink}, NetworkLink, m.src)
			tr.ofLink(l, m.taker())
		}
		n.linkFree[l] = f.through(n.linkFree[l], n.linkRate[l].time(c.wire))
		if n.trace != nil && f.last-hops+n.linkRate[l].time(c.wire-1) > c.passed {
			c.passedCause, c.passedTime, c.passedHops = f.lastCause, n.linkRate[l].time(c.wire-1), i
		}
		c.passed = max(c.passed, f.last-hops+n.linkRate[l].time(c.wire-1))
	}
	f.delay(-hops)
	if n.trace != nil {
		c.cause, c.next = f.lastCause, len(c.path)
		n.trace.endCrossing(c, m, f.last, n.hop)
	}
	c.end(f.last, hops)
}

// enterEvenly receives a train at the adapter of the target's node, and returns the end and its
// cause. The first message arrives at a time, and the last one now.
func (w *world) enterEvenly(m *msg, first, carry cluster.Time, last int32) (cluster.Time, int32) {
	net := &w.net
	node := net.nodeOf[m.dst]
	f := flowOf(m, first, w.now)
	f.firstCause, f.lastCause = m.more.reachCause, last
	net.serveEvenly(node, m, net.server.Receive, ofServerReceive, &f)
	x := net.holdOf(m, node, 0, carry)
	gap, carry := net.slow.atAdapter(node, 0, net.gaps[m.kind], carry)
	in := &net.adaptersOf(net.in, node)[0]
	in.recordIdle(f.first)
	received := f.backfill(in, gap+carry)
	tr := &w.trace
	if received > f.gaps { // all messages
		if tr.on {
			tr.ofNode(orderIn, node, m.taker()<<4|uint64(received)<<48)
			f.lastCause = tr.slowed(f.lastCause, x.bytes, x.parts, x.why, m.dst)
		}
		return f.last + carry, f.lastCause
	}
	if received > 0 {
		f.first = in.free
		f.gaps -= received
		if tr.on {
			f.firstCause = tr.settle(&tr.in[node].free)
		}
	}
	if tr.on {
		tr.ofNode(orderIn, node, m.taker()<<4|uint64(received)<<48)
		net.adapterEvenly(&tr.in[node], &f, in.free, x, AdapterIn, m.src)
		f.lastCause = tr.slowed(f.lastCause, x.bytes, x.parts, x.why, m.dst)
	}
	in.free = f.through(in.free, gap+carry)
	in.handshakeNext = f.first + gap
	return f.last + carry, f.lastCause
}

// backfill receives messages in the adapter's last idle period, before messages that it has already
// received, and returns their number. The simulator processes a train with its last message, so
// shorter messages that left later may already have been received.
func (f *flow) backfill(a *adapter, each cluster.Time) cluster.Time {
	from := max(f.first, a.idleBegin)
	if from >= a.idleEnd || each <= 0 {
		return 0
	}
	n := min(f.gaps+1, (a.idleEnd-from)/each)
	a.idleBegin = from + n*each
	return n
}
