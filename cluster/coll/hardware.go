package coll

import "github.com/hybridtop/hybridtop/cluster"

// The machine's collective network, where it has one: what goes up its tree is combined on
// the way, and comes down to all (paper 5, section 3.5). One rank of a node comes to it.

func init() {
	const paper = "paper 5, section 3.5"
	add := func(of Collective, words string, needs Needs, make func(b *Builder), predict func(c *Cost, h house, n int64) cluster.Time) {
		register(&Algorithm{
			Collective: of, Name: "hardware", Doc: words, Paper: paper, Needs: Network | needs, Housed: true,
			Make: make, Class: Key.meetingClass,
			Predict: func(c *Cost, k Key, n int64) cluster.Time { return predict(c, k.house(0), n) },
		})
	}
	up := func(c *Cost, h house, n int64) cluster.Time { // into a leader
		if h.size == 1 {
			return 0
		}
		return c.copies(n) + c.message(n) + cluster.Time(h.size-2)*max(c.Gap+c.carry(n), c.in()+c.combines(n)) + c.combines(n)
	}
	add(OpBcast, "the root's node gives it to the collective network, which brings it to all nodes", 0, (*Builder).hardwareCast, func(c *Cost, h house, n int64) cluster.Time {
		return c.O + c.hardware(n) + c.handed(h.size-1, n, 0)
	})
	add(OpReduce, "each node's leader combines what its node has, and the collective network that of all nodes", Commutative, func(b *Builder) { b.hardwareFold(false) }, func(c *Cost, h house, n int64) cluster.Time {
		return up(c, h, n) + c.O + c.hardware(n)
	})
	add(OpAllreduce, "the same, which also brings it to all nodes", Commutative, func(b *Builder) { b.hardwareFold(true) }, func(c *Cost, h house, n int64) cluster.Time {
		return up(c, h, n) + c.O + c.hardware(n) + c.handed(h.size-1, n, 0)
	})
	add(OpBarrier, "the ranks of a node tell its leader, the leaders come to the collective network's barrier, and each tells its node", 0, (*Builder).hardwareMeet, func(c *Cost, h house, _ int64) cluster.Time {
		return c.collected(h.size-1, 0) + c.O + c.hardware(0) + c.handed(h.size-1, 0, 0)
	})
}

// CollectiveNetwork is what a call on a collective network costs.
type CollectiveNetwork struct {
	L, Barrier cluster.Time
	G          cluster.Time // a byte
}

// hardware is the time from the last rank that comes to a call on the collective network.
func (c *Cost) hardware(n int64) cluster.Time {
	if n == 0 {
		return c.Network.Barrier
	}
	return c.Network.L + c.Network.G*cluster.Time(n)
}

// meetingClass tells ranks apart by whom they talk to in their node.
func (k Key) meetingClass(rel int32) int64 {
	b := k.branchOf(rel)
	if b.leads() {
		h := uint64(14695981039346656037)
		for i := range b.others() {
			h = (h ^ uint64(uint32(b.mate(i+1).D))) * 1099511628211
		}
		if rel == 0 { // the root gives, or gets
			h++
		}
		return int64(h)
	}
	return int64(b.mate(0).D)
}

// hardware comes to the collective network with what from has, and gets what all leaders
// came with in r; either may be of no blocks.
func (b *Builder) hardware(r, from Ref, nodes int32, after ...id) id {
	return b.add(Node{Kind: Hardware, Count: nodes, Ref: r, From: from}, after)
}

func (b *Builder) hardwareCast() {
	at := b.branchOf(b.Rel)
	all := part(Out, 0, -1)
	if !at.leads() {
		b.recv(at.mate(0), all)
		return
	}
	give, get := nothing, all
	if b.Rel == 0 {
		give, get = all, nothing
	}
	have := b.hardware(get, give, at.nodes)
	for i := range at.others() {
		b.send(at.mate(i+1), all, have)
	}
}

func (b *Builder) hardwareFold(everywhere bool) {
	at := b.branchOf(b.Rel)
	all := part(Out, 0, -1)
	if !at.leads() {
		b.send(at.mate(0), part(In, 0, -1))
		if everywhere {
			b.recv(at.mate(0), all)
		}
		return
	}
	give, have := part(In, 0, -1), none
	if at.others() > 0 {
		acc := part(b.temp(whole), 0, -1)
		theirs, free := b.landings(int(at.others()), func() Buf { return b.temp(whole) })
		have = b.copy(acc, give)
		for i := range at.others() {
			turn := int(i) % len(theirs)
			t := part(theirs[turn], 0, -1)
			have = b.combine(acc, t, b.recv(at.mate(i+1), t, free[turn]), have)
			free[turn] = have
		}
		give = acc
	}
	get := nothing
	if everywhere || b.Rel == 0 {
		get = all
	}
	have = b.hardware(get, give, at.nodes, have)
	if everywhere {
		for i := range at.others() {
			b.send(at.mate(i+1), all, have)
		}
	}
}

func (b *Builder) hardwareMeet() {
	at := b.branchOf(b.Rel)
	b.meetNode(at.branch, func(told []id) []id { return []id{b.hardware(nothing, nothing, at.nodes, told...)} })
}

// carriedKey is what a launch keeps calls on the collective network by.
type carriedKey struct{ ctx int32 }

// carried is what the collective network carries for a team, by call. A virtual clock lets
// one member run at a time.
type carried struct{ calls map[int32]*carrying }

type carrying struct {
	data  []byte
	taken int32
}

// Networked reports whether the team may use a collective network: the machine has one,
// the time is virtual, and the team is the world, as all nodes take part.
func (c *Comm) Networked() bool {
	m := &c.r.Spec().Machine
	return m.CollectiveNetwork.Bandwidth > 0 && (c.r.Spec().Clock == cluster.VirtualClock) && c.world
}

// Serves reports whether the team can use an algorithm, as far as that is a matter of
// where it is. Every member is told the same.
func (c *Comm) Serves(a *Algorithm) bool {
	return (a.Needs&Reach == 0 || c.Reaches()) && (a.Needs&Network == 0 || c.Networked())
}

// give is a member's part of a call on the network: what it brings is combined with what
// is there.
func (x *Run) give(n *Node) {
	if x.call.sizes {
		return
	}
	if x.comm.carried == nil {
		c := x.comm
		c.carried = c.lib.Shared(carriedKey{c.lib.Context(c.team)}, func() any { return &carried{calls: map[int32]*carrying{}} }).(*carried)
	}
	calls := x.comm.carried.calls
	at := calls[x.carried]
	if at == nil {
		at = &carrying{}
		calls[x.carried] = at
	}
	if n.From.N == 0 {
		return
	}
	mine := x.buffer(n.From.Buf)[:x.Bytes(n.From)]
	switch {
	case at.data == nil:
		at.data = append([]byte{}, mine...)
	case len(at.data) != len(mine):
		x.fail("%d B, others gave %d: every member must give the same sizes", len(mine), len(at.data))
	default:
		x.call.Combine(at.data, mine)
	}
}

// fetch takes what the network brings.
func (x *Run) fetch(n *Node) {
	if x.call.sizes {
		return
	}
	at := x.comm.carried.calls[x.carried]
	if n.Ref.N != 0 && x.trouble == nil {
		to := x.buffer(n.Ref.Buf)[:x.Bytes(n.Ref)]
		if len(to) != len(at.data) {
			x.fail("%d B wanted, %d came: every member must give the same sizes", len(to), len(at.data))
		}
		copy(to, at.data)
	}
	if at.taken++; at.taken == n.Count {
		delete(x.comm.carried.calls, x.carried)
	}
}
