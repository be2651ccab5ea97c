package coll

import "github.com/hybridtop/hybridtop/cluster"

// This file has the algorithms on the machine's collective network. Its tree combines data on the
// way up and broadcasts them on the way down (paper 5, section 3.5). One rank per node uses it.

func init() {
	all := []*Algorithm{{
		Collective: OpBcast,
		Doc:        "the root's node sends the data to the collective network, which broadcasts them to all nodes",
		Make:       (*Builder).hardwareCast,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.nodeGroup(0)
			return c.O + c.hardware(n) + c.handOutTime(h.size-1, n, 0)
		},
	}, {
		Collective: OpReduce,
		Doc: "each node's leader combines the data of its node, " +
			"and the collective network combines the data of all nodes",
		Needs: Commutative,
		Make:  func(b *Builder) { b.hardwareFold(false) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.nodeGroup(0)
			return c.leaderFoldTime(h.size, n) + c.O + c.hardware(n)
		},
	}, {
		Collective: OpAllreduce,
		Doc: "each node's leader combines the data of its node, " +
			"and the collective network combines and broadcasts them",
		Needs: Commutative,
		Make:  func(b *Builder) { b.hardwareFold(true) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.nodeGroup(0)
			return c.leaderFoldTime(h.size, n) + c.O + c.hardware(n) + c.handOutTime(h.size-1, n, 0)
		},
	}, {
		Collective: OpBarrier,
		Doc: "the ranks of a node notify its leader, " +
			"the leaders enter the collective network's barrier, and each notifies its node",
		Make: (*Builder).hardwareMeet,
		Predict: func(c *Cost, k Key, _ int64) cluster.Time {
			h := k.nodeGroup(0)
			return c.gatherTime(h.size-1, 0) + c.O + c.hardware(0) + c.handOutTime(h.size-1, 0, 0)
		},
	}}
	for _, a := range all {
		a.Name, a.Paper = "hardware", "paper 5, section 3.5"
		a.Needs |= Network
		a.UsesPlaces = true
		a.Class = Key.meetingClass
	}
	register(all...)
}

// leaderFoldTime returns the time until a leader has combined n bytes from each rank of its node.
func (c *Cost) leaderFoldTime(size int32, n int64) cluster.Time {
	if size == 1 {
		return 0
	}
	next := max(c.Gap+c.bytesTime(n), c.recvTime()+c.combines(n)) // for each further message
	return c.copies(n) + c.message(n) + cluster.Time(size-2)*next + c.combines(n)
}

// CollectiveNetwork has the costs of a call on a collective network.
type CollectiveNetwork struct {
	L, Barrier cluster.Time
	G          cluster.Time // a byte
}

// hardware returns the time of a call on the collective network after the last rank has arrived.
func (c *Cost) hardware(n int64) cluster.Time {
	if n == 0 {
		return c.Network.Barrier
	}
	return c.Network.L + c.Network.G*cluster.Time(n)
}

// meetingClass distinguishes ranks by their peers in the node.
func (k Key) meetingClass(rel int32) int64 {
	b := k.branchOf(rel)
	if b.isLeader() {
		h := emptyHash
		for i := range b.mateCount() {
			h.add(b.mate(i + 1).D)
		}
		if rel == 0 { // the root sends or receives
			h++
		}
		return int64(h)
	}
	return int64(b.mate(0).D)
}

// hardware adds a node that contributes from to the collective network and receives the combined
// data of all leaders in r. Either may have no blocks.
func (b *Builder) hardware(r, from Ref, nodes int32, after ...id) id {
	return b.add(Node{Kind: Hardware, Count: nodes, Ref: r, From: from}, after)
}

func (b *Builder) hardwareCast() {
	at := b.branchOf(b.Rel)
	all := part(Out, 0, -1)
	if !at.isLeader() {
		b.recv(at.mate(0), all)
		return
	}
	give, get := noWindow, all
	if b.Rel == 0 {
		give, get = all, noWindow
	}
	have := b.hardware(get, give, at.nodes)
	for i := range at.mateCount() {
		b.send(at.mate(i+1), all, have)
	}
}

func (b *Builder) hardwareFold(everywhere bool) {
	at := b.branchOf(b.Rel)
	all := part(Out, 0, -1)
	if !at.isLeader() {
		b.send(at.mate(0), part(In, 0, -1))
		if everywhere {
			b.recv(at.mate(0), all)
		}
		return
	}
	give, have := part(In, 0, -1), none
	if at.mateCount() > 0 {
		acc := part(b.temp(whole), 0, -1)
		theirs, free := b.landings(int(at.mateCount()), func() Buf { return b.temp(whole) })
		have = b.copy(acc, give)
		for i := range at.mateCount() {
			slot := int(i) % len(theirs)
			t := part(theirs[slot], 0, -1)
			have = b.combine(acc, t, b.recv(at.mate(i+1), t, free[slot]), have)
			free[slot] = have
		}
		give = acc
	}
	get := noWindow
	if everywhere || b.Rel == 0 {
		get = all
	}
	have = b.hardware(get, give, at.nodes, have)
	if everywhere {
		for i := range at.mateCount() {
			b.send(at.mate(i+1), all, have)
		}
	}
}

func (b *Builder) hardwareMeet() {
	at := b.branchOf(b.Rel)
	b.nodeBarrier(at.branch, func(arrived []id) []id { return []id{b.hardware(noWindow, noWindow, at.nodes, arrived...)} })
}

// networkKey is the key of the collective network's calls in the launch.
type networkKey struct{ ctx int32 }

// networkData has the data of a team in the collective network, by call. It needs no lock: on a
// virtual clock one member runs at a time.
type networkData struct{ calls map[int32]*networkSum }

type networkSum struct {
	data    []byte
	fetched int32
}

// Networked reports whether the team may use a collective network. The machine has one, the time is
// virtual, and the team contains all ranks, because all nodes participate.
func (c *Comm) Networked() bool {
	m := &c.r.Spec().Machine
	return m.CollectiveNetwork.Bandwidth > 0 && (c.r.Spec().Clock == cluster.VirtualClock) && c.isWorld
}

// Serves reports whether the team's placement permits an algorithm. The result is the same on every
// member.
func (c *Comm) Serves(a *Algorithm) bool {
	return (a.Needs&Reach == 0 || c.Reaches()) && (a.Needs&Network == 0 || c.Networked())
}

// contribute adds a member's data to a call on the network.
func (x *Run) contribute(n *Node) {
	if x.call.isSizeOnly {
		return
	}
	if x.comm.network == nil {
		c := x.comm
		create := func() any { return &networkData{calls: map[int32]*networkSum{}} }
		c.network = c.lib.Shared(networkKey{c.lib.Context(c.team)}, create).(*networkData)
	}
	calls := x.comm.network.calls
	at := calls[x.networkCall]
	if at == nil {
		at = &networkSum{}
		calls[x.networkCall] = at
	}
	if n.From.N == 0 {
		return
	}
	mine := x.buffer(n.From.Buf)[:x.Bytes(n.From)]
	switch {
	case at.data == nil:
		at.data = append([]byte{}, mine...)
	case len(at.data) != len(mine):
		x.fail("got %d B, other members %d B: every member must pass the same sizes", len(mine), len(at.data))
	default:
		x.call.combine(at.data, mine)
	}
}

// fetch copies the network's result.
func (x *Run) fetch(n *Node) {
	if x.call.isSizeOnly {
		return
	}
	at := x.comm.network.calls[x.networkCall]
	if n.Ref.N != 0 && x.err == nil {
		to := x.buffer(n.Ref.Buf)[:x.Bytes(n.Ref)]
		if len(to) != len(at.data) {
			x.fail("want %d B, received %d B: every member must pass the same sizes", len(to), len(at.data))
		}
		copy(to, at.data)
	}
	if at.fetched++; at.fetched == n.Count {
		delete(x.comm.network.calls, x.networkCall)
	}
}
