package sim

import "github.com/hybridtop/hybridtop/cluster"

// regular reports whether the messages of a train reach each resource at even intervals. Then the
// first and the last message determine all others.
func (n *network) regular(class cluster.Class) bool {
	return class == cluster.Remote && n.adapters == 1 && n.linkNoise == 0
}

// flow has the times of the first and the last message of a train.
type flow struct {
	first, last cluster.Time
	gaps        cluster.Time // gaps between messages: their number less one
}

// through passes a train through a resource that needs each per message and is free at a time. It
// returns the time at which the resource is free again. Idle time between the messages is available
// to others, so trains of several ranks pass at the rate of the resource.
func (f *flow) through(free, each cluster.Time) cluster.Time {
	f.first = max(f.first, free)
	f.last = max(f.last, f.first+f.gaps*each)
	return f.first + (f.gaps+1)*each
}

func (f *flow) later(dt cluster.Time) { f.first, f.last = f.first+dt, f.last+dt }

// passEvenly is passTrain for a regular train.
func (w *world) passEvenly(m *msg, at cluster.Time, p *passage) {
	net, way, wire := &w.net, &w.net.ways[cluster.Remote], max(m.size/int64(m.train), 1)
	node, beat := net.nodeOf[m.src], w.beat(m)
	f := flow{first: at, last: at + cluster.Time(m.train-1)*beat, gaps: cluster.Time(m.train - 1)}
	*p = passage{at: f.last}
	if w.fromDevice(m) {
		r, each := &w.ranks[m.src], w.device.carry(wire)
		f.through(r.device, each)
		r.device = f.last + each
		f.later(each + w.device.l)
	}
	if p.staged = f.last; net.served {
		each := min(net.server.Send, end)
		net.servers[node] = f.through(net.servers[node], each)
		f.later(each)
	}
	p.served = f.last
	if way.threadRate > 0 && m.thread >= 0 {
		t, each := w.threads[m.thread], way.threadRate.time(wire-1)
		f.through(t.inject, each)
		t.inject = f.last + each
	}
	p.begin = f.last
	p.carry = way.carry(wire)
	gap := net.gaps[m.kind]
	if net.slow != nil {
		gap, p.carry = net.slow.adapter(node, 0, gap), net.slow.adapter(node, 0, p.carry)
	}
	out := net.of(net.out, node)
	out[0].free = f.through(out[0].free, gap+p.carry)
	out[0].next = f.first + gap
	p.start, p.reserved, p.rest = f.last, f.last, CauseBytes
	p.left = p.start + p.carry
	if way.threadRate > 0 && m.thread >= 0 {
		p.left = max(p.left, p.begin+way.threadRate.time(wire-1))
	}
	p.late, p.latency = p.left, way.l
	reach := f.first
	if c := &net.once; net.shape != nil && net.embark(c, m, wire, p) {
		reach = net.crossEvenly(c, f)
		*p = c.passage
	}
	m.more.reach = reach + p.latency
	m.more.first = m.more.reach + p.carry
	freed := p.left
	if w.fromDevice(m) {
		freed = p.staged
	}
	w.freeSource(m, freed, w.trace.charge(m.cause, freed-p.at, CauseBytes, m.src))
}

// crossEvenly passes a regular train over all its links; c is the crossing of the last message. It
// returns the time at which the first byte of the first message has passed the links.
func (n *network) crossEvenly(c *crossing, f flow) cluster.Time {
	for i, l := range c.path {
		each, hops := n.linkRate[l].time(c.wire), n.hop*cluster.Time(i)
		n.linkFree[l] = f.through(n.linkFree[l], each)
		c.passed = max(c.passed, f.last-hops+n.linkRate[l].time(c.wire-1))
		if i+1 < len(c.path) {
			f.later(n.hop)
			continue
		}
		c.start = f.last - hops
		if c.late = max(c.start+c.carry, c.left); c.passed > c.late {
			c.late, c.rest = c.passed, CauseLink
		}
		c.latency += hops
		f.later(-hops)
	}
	return f.first
}

// enterEvenly receives a train at an adapter of the target's node, and returns the end. The first
// message arrives at a time, and the last one now.
func (w *world) enterEvenly(m *msg, first, carry cluster.Time) cluster.Time {
	net := &w.net
	node, f := net.nodeOf[m.dst], flow{first: first, last: w.now, gaps: cluster.Time(m.train - 1)}
	if net.served {
		each := min(net.server.Receive, end)
		net.servers[node] = f.through(net.servers[node], each)
		f.later(each)
	}
	gap := net.gaps[m.kind]
	if net.slow != nil {
		gap, carry = net.slow.adapter(node, 0, gap), net.slow.adapter(node, 0, carry)
	}
	in := &net.of(net.in, node)[0]
	in.rest(f.first)
	if n := f.earlier(in, gap+carry); n > f.gaps {
		return f.last + carry
	} else if n > 0 {
		f = flow{first: in.free, last: f.last, gaps: f.gaps - n}
	}
	in.free = f.through(in.free, gap+carry)
	in.next = f.first + gap
	return f.last + carry
}

// earlier receives messages in the adapter's last idle period, before messages that it has already
// received, and returns their number. The simulator processes a train with its last message, so
// shorter messages that left later may already have been received.
func (f *flow) earlier(a *adapter, each cluster.Time) cluster.Time {
	from := max(f.first, a.rested)
	if from >= a.began || each <= 0 {
		return 0
	}
	n := min(f.gaps+1, (a.began-from)/each)
	a.rested = from + n*each
	return n
}
