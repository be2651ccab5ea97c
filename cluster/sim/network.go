package sim

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
)

// network has the resources between two ranks: adapters and links, inside a node the core that
// moves bytes and the node's memory, and the noise. A message reserves each resource when it
// requests it, so the protocol makes requests in the order of time.
type network struct {
	ways       [cluster.Classes + 1]way // by class, and within a socket
	nodeOf     []int32                  // by rank
	socketOf   []int32                  // by rank; nil: no separate class
	out, in    []adapter                // of all nodes; adapters of a node are adjacent
	adapters   int                      // per node and direction
	memories   []server                 // by node
	linkOrders []linkOrder              // by rank; nil: messages reach the links in the order of posting anyway
	// by rank: bytes of its sends in host memory that receivers have not copied yet; nil: the cost
	// of a copy does not depend on the cache
	uncopied []int64
	movers   []cluster.Time // by rank: earliest start of the next message inside the node

	shape         *topology.Network // nil: no shared link
	linkFree      []cluster.Time
	linkRate      []rate
	hop           cluster.Time
	trainCrossing crossing   // crossing of a packet train
	crossings     []crossing // by message

	gaps    [msgKinds]cluster.Time // gap of adapters, by kind of message
	served  bool                   // nodes have a message server
	server  cluster.Server         // its times per message
	servers []cluster.Time         // by node: time at which its server is free

	slow         *slowness
	trace        *trace // nil: not traced
	handshakeGap bool   // handshakes have their own gap
	linkNoise    int64
	linkRand     noise
}

// newNetwork returns the network of a machine and a layout.
func newNetwork(m *cluster.Machine, l *cluster.Layout, seed uint64) (n network, err error) {
	n.linkNoise, n.linkRand = partsOf(m.LinkNoise), newNoise(seed, math.MaxUint64)
	for i := range m.Classes {
		n.ways[i] = wayOf(m.Classes[i])
	}
	n.ways[cluster.Remote].copy = rateOf(m.CopyRate)
	n.ways[cluster.Remote].pull = 0
	n.ways[cluster.Remote].inline = -1
	sockets := m.Sockets > 1 && m.Socket != (cluster.Link{})
	if sockets {
		n.ways[sameSocket] = wayOf(m.InSocket())
	}
	n.slow, err = newSlowness(m.Slow, l.Nodes)
	if err != nil {
		return n, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	if shape := m.Topology.Shape; shape != "" && shape != cluster.Crossbar {
		n.shape, err = topology.New(m.Topology, l.Nodes)
		if err != nil {
			return n, fmt.Errorf("machine %s: %w", m.Name, err)
		}
		n.linkFree = make([]cluster.Time, n.shape.Links())
		n.linkRate = make([]rate, n.shape.Links())
		for i := range n.linkRate {
			n.linkRate[i] = rate(n.shape.Rate(i))
		}
		n.hop = m.Topology.HopLatency
	}
	for kind := range n.gaps {
		n.gaps[kind] = n.ways[cluster.Remote].g
		if gap := m.Classes[cluster.Remote].HandshakeGap; gap > 0 && (&msg{kind: msgKind(kind)}).isHandshake() {
			n.gaps[kind], n.handshakeGap = min(gap, end), true
		}
	}
	n.server, n.served = m.Server, m.Server != (cluster.Server{})
	n.servers = make([]cluster.Time, l.Nodes)
	n.adapters = max(1, n.ways[cluster.Remote].adapters)
	if n.shape != nil && n.adapters > 1 {
		n.linkOrders = make([]linkOrder, l.Ranks())
	}
	n.out, n.in = make([]adapter, l.Nodes*n.adapters), make([]adapter, l.Nodes*n.adapters)
	n.memories = make([]server, l.Nodes)
	for i := range n.memories {
		n.memories[i].rate = rateOf(m.NodeRate)
	}
	n.movers = make([]cluster.Time, l.Ranks())
	if m.Classes[cluster.InNode].Uncached.Limit > 0 || m.Socket.Uncached.Limit > 0 {
		n.uncopied = make([]int64, l.Ranks())
	}
	n.placeRanks(l, max(1, m.Sockets), sockets)
	return n, nil
}

// placeRanks sets the node and the socket of each rank.
func (n *network) placeRanks(l *cluster.Layout, perNode int, sockets bool) {
	n.nodeOf = make([]int32, l.Ranks())
	if sockets {
		n.socketOf = make([]int32, l.Ranks())
	}
	for i := range n.nodeOf {
		n.nodeOf[i] = int32(l.NodeOf(i))
		if sockets {
			n.socketOf[i] = int32(l.SocketOf(i, perNode))
		}
	}
}

// sameSocket is an additional locality class: in one socket of a node.
const sameSocket cluster.Class = cluster.Classes

func (n *network) class(from, to int32) cluster.Class {
	switch {
	case from == to:
		return cluster.InRank
	case n.nodeOf[from] != n.nodeOf[to]:
		return cluster.Remote
	case n.socketOf != nil && n.socketOf[from] == n.socketOf[to]:
		return sameSocket
	}
	return cluster.InNode
}

// isEven reports whether messages of one size that start at even intervals arrive at even
// intervals.
func (n *network) isEven() bool {
	return !n.served && n.adapters == 1 && n.slow == nil && n.shape == nil && n.linkNoise == 0
}

// isUniform reports whether all nodes have the same way to all others. Also, the first bytes of two messages of a
// node must never reach other nodes at the same time.
func (n *network) isUniform() bool {
	for _, gap := range n.gaps {
		if gap <= 0 {
			return false
		}
	}
	return n.isEven() && n.ways[cluster.Remote].l > 0
}

// passage has the times of a message along its way.
type passage struct {
	at        cluster.Time // posted
	staged    cluster.Time // its bytes are in host memory
	served    cluster.Time // its node's server has handled it
	begin     cluster.Time // its thread begins to inject it
	reserved  cluster.Time // its adapter or core begins
	start     cluster.Time // its first byte has passed the last link
	left      cluster.Time // its last byte has left its adapter
	leftLinks cluster.Time // the same, including waits at links
	carry     cluster.Time // time of its bytes
	latency   cluster.Time
	jitter    cluster.Time // part of the latency

	// if traced
	cause       int32        // of begin, and then of start
	startCause  int32        // of the start at the adapter
	stagedCause int32        // of staged, in a packet train
	lastCause   int32        // of leftLinks, or byBytes
	leftCause   int32        // of left, or byBytes
	flightWhy   Constant     // field of the latency
	flight      cluster.Time // latency without hops and jitter
	slowdown    cluster.Time // part of carry that a slow adapter adds
}

// byBytes is the cause of a time that is the carry after the start.
const byBytes int32 = -2

// arrival returns the arrival time of the last byte.
func (p *passage) arrival() cluster.Time { return p.leftLinks + p.latency }

// reserveNode reserves the resources of a message at its own node, from p.begin on: an adapter, or
// the core that moves it. Links follow later.
func (n *network) reserveNode(m *msg, wire int64, p *passage) {
	way := &n.ways[m.class]
	switch {
	case m.class == cluster.Remote:
		n.reserveAdapter(m, way, wire, p)
	case m.kind == msgEager && way.movedByThreads(m.size):
		n.reserveMover(m, way, p)
	default:
		n.reserveMemory(m, way, wire, p)
	}
	p.leftLinks = p.left
	p.lastCause, p.startCause = p.leftCause, p.cause
}

// reserveAdapter reserves an adapter for a message to another node.
func (n *network) reserveAdapter(m *msg, way *way, wire int64, p *passage) {
	begun := p.cause
	p.start, p.carry = n.leave(m, p.begin, way.carry(wire), p)
	p.reserved = p.start
	p.left = p.start + p.carry
	p.leftCause = byBytes
	if way.threadRate > 0 && m.thread >= 0 { // not faster than its thread
		if by := p.begin + way.threadRate.time(wire-1); by > p.left {
			p.left = by
			if n.trace != nil {
				p.leftCause = n.trace.charge(begun, way.threadRate.time(wire-1), ofThreadRate.class(cluster.Remote), m.src)
			}
		}
	}
	p.latency, p.flight = way.l, way.l
	if n.linkNoise > 0 {
		if n.trace != nil { // the order of departures determines which message draws which number
			combine(&n.trace.orders[len(n.trace.orders)-1], m.taker())
		}
		p.jitter = n.linkRand.jitter(way.l, n.linkNoise)
		p.latency += p.jitter
	}
}

// reserveMemory reserves the node's memory for a message inside the node. A core moves messages
// between ranks, one after another.
func (n *network) reserveMemory(m *msg, way *way, wire int64, p *passage) {
	p.start = p.begin
	p.carry = way.carry(wire)
	p.latency, p.flight = way.l, way.l
	if m.class != cluster.InRank && (m.kind == msgEager || m.kind == msgData) {
		mover := &n.movers[m.src]
		if n.trace != nil {
			p.cause = n.trace.move(m, p.begin, *mover, p.cause, hold{gap: way.g, bytes: p.carry, whyGap: ofGap.class(m.class),
				why: ofBandwidth.class(m.class), rank: m.src})
		}
		p.start = max(p.start, *mover)
		*mover = p.start + way.g + p.carry
	}
	p.reserved = p.start
	p.left = p.start + p.carry
	p.leftCause = byBytes
	if memory := &n.memories[n.nodeOf[m.src]]; memory.rate > 0 {
		use := memoryUse{server: memory, free: memory.Free(), at: moment{p.start, p.cause}, need: memory.rate.time(wire)}
		p.left = memory.serve(p.start, 1, wire, p.carry)
		if tr := n.trace; tr != nil {
			node := n.nodeOf[m.src]
			cause := tr.shared(&tr.memories[node], &use, moment{p.start + p.carry, noCause}, p.left, ofNodeRate, m.src, Memory,
				tr.order(orderMemory, node))
			if p.left > p.start+p.carry {
				p.leftCause = cause
			}
		}
	}
}

// reserveMover reserves the time of a message whose bytes the threads move: the gap after the
// previous message, and for a buffered message an additional copy.
func (n *network) reserveMover(m *msg, way *way, p *passage) {
	mover := &n.movers[m.src]
	p.start = max(p.begin, *mover)
	p.leftCause = byBytes
	if n.trace != nil {
		x := hold{gap: way.g, bytes: way.copy.time(m.size), whyGap: ofGap.class(m.class), why: ofCopy.class(m.class), rank: m.src}
		if m.size <= way.inline {
			x.gap, x.bytes, x.whyGap = way.inlineG, 0, ofInlineGap.class(m.class)
		}
		p.cause = n.trace.move(m, p.begin, *mover, p.cause, x)
	}
	if m.size > way.inline {
		*mover = p.start + way.g + way.copy.time(m.size)
	} else {
		*mover = p.start + way.inlineG
	}
	p.latency, p.flight, p.flightWhy = way.latency(m.size), way.latency(m.size), way.latencyConstant(m.size)
	p.reserved = p.start
	p.left = p.start
	p.carry = 0
}

// countUncopied counts the bytes of a rendezvous, which its sender has just written.
func (n *network) countUncopied(m *msg) {
	if n.uncopied != nil && (m.more == nil || m.more.from != cluster.DeviceMemory) {
		n.uncopied[m.src] += m.size
	}
}

// takeUncopied returns the number of uncopied bytes that the sender wrote since then, and removes
// the message from the count. The number determines whether the message is still in the sender's
// cache.
func (n *network) takeUncopied(m *msg) int64 {
	if n.uncopied == nil || m.more != nil && m.more.from == cluster.DeviceMemory {
		return m.size
	}
	all := n.uncopied[m.src]
	n.uncopied[m.src] -= m.size
	return all
}

// crossing is the position of a message on its path over links.
type crossing struct {
	passage
	wire   int64
	path   []int32
	next   int          // next link of the head
	head   cluster.Time // time at which the head reaches it
	passed cluster.Time // time at which the last byte has passed the previous links
	// if traced: cause of the begin of the bytes on the link that determines passed, their time there,
	// and the hops up to there
	passedCause int32
	passedTime  cluster.Time
	passedHops  int
}

// startCrossing begins the crossing of a message that has left its adapter. It returns false if its
// path has no link.
func (n *network) startCrossing(c *crossing, m *msg, wire int64, p *passage) bool {
	path := c.path[:0]
	*c = crossing{passage: *p, wire: wire, head: p.start}
	c.path = n.shape.Route(int(n.nodeOf[m.src]), int(n.nodeOf[m.dst]), path)
	return len(c.path) > 0
}

// passLink reserves the next link of the head as soon as it is free, and reports whether it was the
// last one.
func (n *network) passLink(c *crossing, m *msg) bool {
	l, hops := c.path[c.next], n.hop*cluster.Time(c.next)
	at := max(c.head, n.linkFree[l])
	if n.trace != nil {
		n.trace.link(c, m, l, n.linkFree[l], n.linkRate[l].time(c.wire))
		if last := n.linkRate[l].time(c.wire - 1); at-hops+last > c.passed {
			c.passedCause, c.passedTime, c.passedHops = c.cause, last, c.next
		}
	}
	n.linkFree[l] = at + n.linkRate[l].time(c.wire)
	c.passed = max(c.passed, at-hops+n.linkRate[l].time(c.wire-1))
	if c.next++; c.next < len(c.path) {
		c.head = at + n.hop
		if n.trace != nil {
			c.cause = n.trace.charge(c.cause, n.hop, ofHop, m.src)
		}
		return false
	}
	if n.trace != nil {
		n.trace.endCrossing(c, m, at-hops, n.hop)
	}
	c.end(at-hops, hops)
	return true
}

// end completes a crossing whose head has reached its last link. All times are less the hops up to
// there, which are added to the latency.
func (c *crossing) end(start, hops cluster.Time) {
	c.start = start
	c.leftLinks = max(start+c.carry, c.left)
	if c.passed > c.leftLinks { // a link was slower than the adapter, or busy
		c.leftLinks = c.passed
	}
	c.latency += hops
}

// crossingOf returns the crossing of a message. Its path memory is reused.
func (n *network) crossingOf(i int32) *crossing {
	if int(i) >= len(n.crossings) {
		n.crossings = append(n.crossings, make([]crossing, int(i)+1-len(n.crossings))...)
	}
	return &n.crossings[i]
}

// pass reserves the whole way at once, for packet trains.
func (n *network) pass(m *msg, wire int64, p *passage) {
	n.reserveNode(m, wire, p)
	if c := &n.trainCrossing; m.class == cluster.Remote && n.shape != nil && n.startCrossing(c, m, wire, p) {
		for !n.passLink(c, m) {
		}
		*p = c.passage
	}
}

// leave sends a message through the first free adapter of its node. Starts are g + (n − 1)G apart.
// It returns the start and the time of the bytes.
func (n *network) leave(m *msg, at, carry cluster.Time, p *passage) (start, bytes cluster.Time) {
	node := n.nodeOf[m.src]
	best, a := firstFree(n.adaptersOf(n.out, node), at, m)
	gap, bytes := n.slow.atAdapter(node, best, n.gaps[m.kind], carry)
	if n.trace != nil {
		n.trace.ofNode(orderOut, node, m.taker()<<4^uint64(best))
		p.slowdown = bytes - carry
		p.cause = n.trace.adapter(&n.trace.out[int(node)*n.adapters+best], a, at, p.cause, m, n.holdOf(m, node, best, carry),
			AdapterOut)
	}
	return a.start(at, gap, bytes, m), bytes
}

// enter receives a message, whose first byte arrives at a time, through the first free adapter of
// the target's node, and returns the end and its cause. Starts are g + (n − 1)G apart, in the order of the first
// bytes.
func (n *network) enter(m *msg, at, carry cluster.Time, cause int32) (cluster.Time, int32) {
	node := n.nodeOf[m.dst]
	best, a := firstFree(n.adaptersOf(n.in, node), at, m)
	gap, bytes := n.slow.atAdapter(node, best, n.gaps[m.kind], carry)
	if tr := n.trace; tr != nil {
		tr.ofNode(orderIn, node, m.taker()<<4^uint64(best))
		x := n.holdOf(m, node, best, carry)
		cause = tr.adapter(&tr.in[int(node)*n.adapters+best], a, at, cause, m, x, AdapterIn)
		cause = tr.slowed(cause, carry, x.parts, x.why, m.dst)
	}
	return a.start(at, gap, bytes, m) + bytes, cause
}

// holdOf returns the gap and the bytes of a message at an adapter of a node.
func (n *network) holdOf(m *msg, node int32, adapter int, carry cluster.Time) hold {
	x := hold{gap: n.gaps[m.kind], bytes: carry, whyGap: n.gapOf(m), why: ofBandwidth.class(cluster.Remote), rank: m.src}
	if n.slow != nil {
		x.parts = n.slow.adapters[[2]int{int(node), adapter}]
	}
	if node == n.nodeOf[m.dst] && node != n.nodeOf[m.src] {
		x.rank = m.dst
	}
	return x
}

// serve handles a message at the server of a node and returns the end and its cause. The server handles messages
// of both directions in order of arrival.
func (n *network) serve(node int32, m *msg, at, cost cluster.Time, cause int32, why Constant) (cluster.Time, int32) {
	if !n.served || m.class != cluster.Remote {
		return at, cause
	}
	if !m.carriesData() && m.kind != msgRPC {
		cost, why = n.server.Handshake, ofServerHandshake
	}
	if tr := n.trace; tr != nil {
		cause = tr.wait(at, cause, n.servers[node], tr.settle(&tr.servers[node]), MessageServer, m.src)
		cause = tr.charge(cause, min(cost, end), why, n.rankAt(node, m))
		tr.servers[node] = hold{cause: cause}
		tr.ofNode(orderServer, node, m.taker())
	}
	n.servers[node] = max(n.servers[node], at) + min(cost, end)
	return n.servers[node], cause
}

// rankAt returns the rank of a message on a node.
func (n *network) rankAt(node int32, m *msg) int32 {
	if n.nodeOf[m.src] == node {
		return m.src
	}
	return m.dst
}

// adaptersOf returns the adapters of a node.
func (n *network) adaptersOf(all []adapter, node int32) []adapter {
	return all[int(node)*n.adapters:][:n.adapters]
}
