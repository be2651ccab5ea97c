package coll

import (
	"cmp"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/memory"
)

// A Site is the machine and the placement of a team, for estimates.
type Site struct {
	Machine    *cluster.Machine
	EagerLimit int64   // longest eager message in bytes
	Nodes      []int32 // node of each member
	PerNode    int     // ranks per node in the whole launch; they share its cores
	Links      Links   // links between nodes; nil: messages share no link
	Sharing    int     // teams that make the same call at the same time on each node; 0: one
}

// Links are the links of a network. Package cluster/sim/topology implements it.
type Links interface {
	Links() int
	Rate(link int) int64 // bytes per second; 0: no limit
	Route(from, to int, path []int32) []int32
}

// perByte is the time of a byte in picoseconds; 0: no cost.
type perByte float64

func perByteOf(rate float64) perByte {
	if !(rate > 0) {
		return 0
	}
	return perByte(float64(cluster.Second) / rate)
}

// time returns the time of n bytes. The conversion of the product prevents a fused addition, so that
// estimates are the same on every processor.
func (p perByte) time(n int64) cluster.Time {
	return cluster.Time(float64(float64(p)*float64(max(n, 0))) + 0.5)
}

// linkCost has the costs of one locality class.
type linkCost struct {
	l, o, g                   cluster.Time
	handshakeGap              cluster.Time
	bytes                     perByte // of an adapter, or of the core that moves bytes
	thread, receive           perByte // of a thread that injects, or receives a rendezvous
	inline                    int64   // longest inline message; −1: none
	inlineL, inlineO, inlineG cluster.Time
	copy                      perByte // of a thread's copy of an eager message
	pull, uncached            perByte // of the receiver's copy of a rendezvous
	cached                    int64   // longest message in the sender's cache; 0: no limit
}

func linkCostOf(l *cluster.Link) linkCost {
	c := linkCost{
		l: l.Latency, o: l.Overhead, g: l.Gap, handshakeGap: cmp.Or(l.HandshakeGap, l.Gap), inline: -1,
		bytes: perByteOf(l.Bandwidth), thread: perByteOf(l.ThreadRate), receive: perByteOf(l.ReceiveRate),
		copy: perByteOf(l.EagerCopy), pull: perByteOf(l.SingleCopy), uncached: perByteOf(l.Uncached.Copy),
		cached: l.Uncached.Limit,
	}
	if l.Inline.Limit > 0 {
		c.inline, c.inlineL, c.inlineO = l.Inline.Limit, l.Inline.Latency, l.Inline.Overhead
		c.inlineG = cmp.Or(l.Inline.Gap, l.Gap)
	}
	return c
}

// overhead returns the CPU time of an eager message at each end, without copies.
func (c *linkCost) overhead(n int64) cluster.Time {
	if n <= c.inline {
		return c.inlineO
	}
	return c.o
}

// copies returns the time of a thread's copy of an eager message.
func (c *linkCost) copies(n int64) cluster.Time {
	if n <= c.inline {
		return 0
	}
	return c.copy.time(n)
}

// isMovedByThreads reports whether the threads at both ends move the bytes of an eager message.
func (c *linkCost) isMovedByThreads(n int64) bool { return n <= c.inline || c.copy > 0 }

// Classes of an estimate, after the classes of a machine.
const (
	sameSocket = cluster.Classes
	classCount = cluster.Classes + 1
)

// resources are the costs of a site, and the times until which its resources are busy. The
// resources of a node are adjacent.
type resources struct {
	classes   [classCount]linkCost
	nodes     []int32 // number of nodes in the order of their first member
	nodeOf    []int32 // by member: index into nodes
	socketOf  []int32 // by member; nil: no separate class
	adapters  int
	out, in   []adapterTime
	servers   []cluster.Time
	memories  []memory.Server[cluster.Time]
	isServed  bool
	server    cluster.Server
	memory    perByte // of a node's memory
	work      perByte // of a thread's copy or reduction, per byte of memory
	flop      perByte // per operation
	crowding  float64 // threads per core, at least 1
	hasEngine bool    // a thread or the adapter makes progress
	isOffload bool

	links    Links
	hop      cluster.Time
	linkFree []cluster.Time
	linkRate []perByte // −1: not known yet
	busy     []int32   // links with a time

	fold *folding // for walks in which one node stands for all
}

func resourcesOf(s *Site) *resources {
	m := s.Machine
	x := &resources{
		adapters: max(1, m.Classes[cluster.Remote].Adapters), server: m.Server, isServed: m.Server != (cluster.Server{}),
		memory: perByteOf(m.NodeRate), work: perByteOf(m.MemoryRate), flop: perByteOf(m.Flops), crowding: 1,
		hasEngine: m.Progress == cluster.ProgressThread || m.Progress == cluster.ProgressOffload,
		isOffload: m.Progress == cluster.ProgressOffload, links: s.Links, hop: m.Topology.HopLatency,
	}
	for i := range m.Classes {
		x.classes[i] = linkCostOf(&m.Classes[i])
	}
	remote := &x.classes[cluster.Remote]
	remote.copy, remote.pull, remote.inline = perByteOf(m.CopyRate), 0, -1
	if s.Sharing > 1 { // messages of other teams alternate with each message
		remote.g *= cluster.Time(s.Sharing)
		remote.bytes *= perByte(s.Sharing)
	}
	if x.adapters == 1 && remote.thread <= remote.bytes && remote.receive == 0 {
		remote.thread = 0
	}
	if m.CoresPerNode > 0 {
		threads := s.PerNode
		if m.Progress == cluster.ProgressThread {
			threads *= 2
		}
		x.crowding = max(1, float64(threads)/float64(m.CoresPerNode))
	}
	x.place(s)
	if x.links != nil && len(s.Nodes) <= MaxEstimated {
		x.linkFree = make([]cluster.Time, x.links.Links())
		x.linkRate = slices.Repeat([]perByte{-1}, len(x.linkFree))
	}
	return x
}

// place numbers the nodes, and the sockets in them.
func (x *resources) place(s *Site) {
	numbers := map[int32]int32{}
	var placed []int32
	x.nodeOf = make([]int32, len(s.Nodes))
	hasSockets := s.Machine.Sockets > 1 && s.Machine.Socket != (cluster.Link{})
	if hasSockets {
		socket := s.Machine.InSocket()
		x.classes[sameSocket] = linkCostOf(&socket)
		x.socketOf = make([]int32, len(s.Nodes))
	}
	perSocket := int32((s.PerNode + max(s.Machine.Sockets, 1) - 1) / max(s.Machine.Sockets, 1))
	for i, node := range s.Nodes {
		n, isKnown := numbers[node]
		if !isKnown {
			n = int32(len(x.nodes))
			numbers[node] = n
			x.nodes, placed = append(x.nodes, node), append(placed, 0)
		}
		x.nodeOf[i] = n
		if hasSockets {
			x.socketOf[i] = placed[n] / max(perSocket, 1)
		}
		placed[n]++
	}
	if len(s.Nodes) > MaxEstimated && len(x.nodes) > 1 {
		return // at most one node is walked, as a separate site
	}
	x.out = make([]adapterTime, len(x.nodes)*x.adapters)
	x.in = make([]adapterTime, len(x.nodes)*x.adapters)
	x.servers, x.memories = make([]cluster.Time, len(x.nodes)), make([]memory.Server[cluster.Time], len(x.nodes))
}

// reset makes all resources free from time 0.
func (x *resources) reset() {
	clear(x.out)
	clear(x.in)
	clear(x.servers)
	for i := range x.memories {
		x.memories[i].Reset()
	}
	for _, l := range x.busy {
		x.linkFree[l] = 0
	}
	x.busy = x.busy[:0]
	if x.fold != nil {
		clear(x.fold.free)
	}
}

func (x *resources) class(from, to int32) cluster.Class {
	switch {
	case from == to:
		return cluster.InRank
	case x.nodeOf[from] != x.nodeOf[to]:
		return cluster.Remote
	case x.socketOf != nil && x.socketOf[from] == x.socketOf[to]:
		return sameSocket
	}
	return cluster.InNode
}

// adapterTime is one direction of an adapter. A handshake goes between the bytes of a message in
// progress that no receive has to match.
type adapterTime struct{ free, handshakeFree, handshakeNext cluster.Time }

func (a *adapterTime) startAt(at cluster.Time, isHandshake bool) cluster.Time {
	if isHandshake {
		return max(at, a.handshakeFree, a.handshakeNext)
	}
	return max(at, a.free)
}

// start starts a message at the first free adapter of a node, and returns its start.
func (x *resources) start(all []adapterTime, node int32, at, carry cluster.Time, kind transitKind) cluster.Time {
	list := all[int(node)*x.adapters:][:x.adapters]
	isHandshake := kind == transitRTS || kind == transitCTS
	a := &list[0]
	for i := 1; i < len(list); i++ {
		if list[i].startAt(at, isHandshake) < a.startAt(at, isHandshake) {
			a = &list[i]
		}
	}
	at = a.startAt(at, isHandshake)
	if isHandshake {
		gap := x.classes[cluster.Remote].handshakeGap
		a.handshakeNext, a.handshakeFree = at+gap, at+gap
		a.free = max(a.free, at) + gap
		return at
	}
	gap := x.classes[cluster.Remote].g
	a.free = at + gap + carry
	a.handshakeNext = at + gap
	if kind == transitEager {
		a.handshakeFree = a.free
	}
	return at
}

// serve returns the end of a message's turn at the message server of a node.
func (x *resources) serve(node int32, at, cost cluster.Time, kind transitKind) cluster.Time {
	if kind == transitRTS || kind == transitCTS {
		cost = x.server.Handshake
	}
	x.servers[node] = max(x.servers[node], at) + cost
	return x.servers[node]
}
