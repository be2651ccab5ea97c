package coll

import "github.com/hybridtop/hybridtop/cluster"

// PlacesOf returns the rule by which the members of a team share nodes. Without a rule, or with one
// process per thread, each member is alone.
func PlacesOf(l *cluster.Layout, t *cluster.Team) Places { return PlacesAmong(l, t.Members()) }

// PlacesAmong returns the rule for a team of the given ranks, in the order of their numbers in it.
func PlacesAmong(l *cluster.Layout, members []int32) Places {
	fits := func(place func(i int) int) bool {
		for i, rank := range members {
			if l.NodeOf(int(rank)) != l.NodeOf(int(members[place(i)])) || i > 0 && place(i) == i && l.NodeOf(int(rank)) == l.NodeOf(int(members[i-1])) {
				return false
			}
		}
		return true
	}
	per := 1
	for per < len(members) && l.NodeOf(int(members[per])) == l.NodeOf(int(members[0])) {
		per++
	}
	if per > 1 && fits(func(i int) int { return i / per * per }) {
		return Places{Per: int32(per)}
	}
	nodes := 1
	for nodes < len(members) && l.NodeOf(int(members[nodes])) != l.NodeOf(int(members[0])) {
		nodes++
	}
	if nodes > 1 && nodes < len(members) && len(members)%nodes == 0 && fits(func(i int) int { return i % nodes }) {
		return Places{Places: int32(nodes)}
	}
	return Places{}
}

// house is a rank's position in its node group: ranks that share a node, or threads of one process
// (paper 5, section 3.1). The first rank of a group, counted from the root, is its leader. Groups
// are numbered from the root's group on. All numbers follow from the rule, without messages.
type house struct {
	ranks, per, turn int32
	dealt            bool // ranks are assigned to nodes round-robin
	nodes            int32
	node             int32 // of the rank
	own              int32 // number in the node
	size             int32 // number of ranks on the node
}

// house returns the node group of the rank that is rel ranks after the root.
func (k Key) house(rel int32) house {
	h := house{ranks: k.Ranks, per: max(k.Places.Per, 1), turn: k.turn}
	if h.dealt = k.Places.Places > 0; h.dealt {
		h.nodes = min(k.Places.Places, k.Ranks)
		h.node, h.own, h.size = rel%h.nodes, rel/h.nodes, k.Ranks/h.nodes
		return h
	}
	h.nodes = (k.Ranks + h.per - 1) / h.per
	at := wrap(rel+h.turn, h.ranks)
	h.node = wrap(at/h.per-h.turn/h.per, h.nodes)
	h.size = h.sizeOf(h.node)
	if h.own = rel - h.leader(h.node); h.own >= h.size { // before the root in its node
		h.own -= h.ranks - h.size
	}
	return h
}

// sizeOf returns the number of ranks on a node.
func (h *house) sizeOf(node int32) int32 {
	if h.dealt {
		return h.ranks / h.nodes
	}
	first := wrap(node+h.turn/h.per, h.nodes) * h.per
	return min(h.per, h.ranks-first)
}

// leader returns the leader of a node, counted from the root.
func (h *house) leader(node int32) int32 {
	if node == 0 {
		return 0
	}
	return h.first(node)
}

// member returns rank i of this node, counted from the root.
func (h *house) member(i int32) int32 {
	if h.dealt {
		return h.node + i*h.nodes
	}
	if h.node > 0 {
		return h.leader(h.node) + i
	}
	if after := h.size - h.turn%h.per; i >= after { // before the root
		return h.ranks - h.size + i
	}
	return i
}

// walk returns the time at which the last rank has the root's data, sent piece by piece from time
// 0. Each message is followed by work before the next one is sent.
func (k Key) walk(c *Cost, n int64, work cluster.Time) cluster.Time {
	piece := (n + int64(k.Segments) - 1) / int64(k.Segments)
	type like struct{ nodes, ranks int32 }
	known := map[like]cluster.Time{}
	most := 0
	var below func(rel int32) cluster.Time
	below = func(rel int32) cluster.Time {
		b := k.branch(rel)
		at := like{b.vertex.size, b.house.size}
		if t, ok := known[at]; ok && k.Ranks%max(k.Places.Per, 1) == 0 {
			return t
		}
		most = max(most, len(b.kids)+int(b.others()))
		var last, processor, adapter cluster.Time
		next := func(under cluster.Time) {
			processor += c.O
			leaves := max(processor, adapter)
			adapter = leaves + max(c.Gap+c.carry(piece), work)
			last = max(last, processor, leaves+c.L+c.carry(piece)+c.in()+work+under)
		}
		for _, limb := range b.largest() {
			next(below(rel + b.child(limb).D))
		}
		for range b.others() {
			next(0)
		}
		known[at] = last
		return last
	}
	first := below(0)
	return first + cluster.Time(k.Segments-1)*max(cluster.Time(most)*max(c.apart(piece), work), c.O*cluster.Time(most)+c.in())
}

// at rotates the placement to begin at a call's root.
func (k *Key) at(root int32) {
	if k.turn = 0; k.Places.Per > 0 {
		if k.turn = root; k.Ranks%k.Places.Per == 0 {
			k.turn = root % k.Places.Per
		}
	}
}

// branch is a rank's part in a tree of the nodes' leaders.
type branch struct {
	house
	vertex
	rel int32
}

func (k Key) branch(rel int32) branch {
	b := branch{house: k.house(rel), rel: rel}
	if b.own == 0 {
		b.vertex = knomial(b.nodes, k.Radix, b.node)
	}
	return b
}

// parent returns the leader of the parent node in the tree.
func (b *branch) parent() Peer      { return me(b.leader(b.node-b.up) - b.rel) }
func (b *branch) child(c limb) Peer { return me(b.leader(b.node+c.d) - b.rel) }

// mate returns rank i of this node; 0: its leader.
func (b *branch) mate(i int32) Peer { return me(b.member(i) - b.rel) }

// hop returns the leader of the node d nodes after this one.
func (b *branch) hop(d int32) Peer {
	return me(wrap(b.leader(wrap(b.node+d, b.nodes))-b.rel, b.ranks))
}

// others returns the number of the node's ranks without its leader.
func (b *branch) others() int32 { return b.house.size - 1 }

func (b *branch) leads() bool { return b.own == 0 }
func (b *branch) inner() bool { return b.up > 0 }

// branchClass distinguishes ranks by their peers.
func (k Key) branchClass(rel int32) int64 {
	b := k.branch(rel)
	h := uint64(14695981039346656037)
	add := func(w int32) { h = (h ^ uint64(uint32(w))) * 1099511628211 }
	add(b.own)
	if !b.leads() {
		add(b.mate(0).D)
		return int64(h)
	}
	add(b.others())
	for i := range b.others() {
		add(b.mate(i + 1).D)
	}
	if b.inner() {
		add(b.parent().D)
	}
	for _, c := range b.kids {
		add(b.child(c).D)
	}
	return int64(h)
}

func init() {
	const paper = "paper 5, section 3.1"
	class := func(k Key, rel int32) int64 { return k.branchClass(rel) }
	register(&Algorithm{
		Collective: OpBcast, Name: "hierarchical", Paper: paper, Radix: 2, Segmented: true, Housed: true,
		Doc:   "down a k-nomial tree of the nodes' leaders, and from each leader to its node",
		Make:  func(b *Builder) { b.castDown(b.branch(b.Rel), nil) },
		Class: class,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return k.walk(c, n, 0)
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "hierarchical", Paper: paper, Radix: 2, Segmented: true, Housed: true, Needs: Commutative,
		Doc:   "each node's leader combines the data of its node, and the leaders reduce up a k-nomial tree",
		Make:  func(b *Builder) { b.foldUp(b.branch(b.Rel)) },
		Class: class,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n) + k.walk(c, n, c.combines(n))
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "hierarchical", Paper: paper, Radix: 2, Segmented: true, Housed: true, Needs: Commutative,
		Doc: "up to the leaders and their k-nomial tree, and down again",
		Make: func(b *Builder) {
			at := b.branch(b.Rel)
			done := b.foldUp(at)
			b.castDown(at, done)
		},
		Class: class,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n) + k.walk(c, n, c.combines(n)) + k.walk(c, n, 0)
		},
	}, &Algorithm{
		Collective: OpBarrier, Name: "hierarchical", Paper: paper, Radix: 2, Housed: true,
		Doc: "the ranks of a node notify its leader, the leaders synchronize by dissemination, and each notifies its node",
		Make: func(b *Builder) {
			at := b.branch(b.Rel)
			b.meetNode(at, func(told []id) []id {
				have, messages := digits(at.nodes, b.Radix)
				for i, w := range have {
					b.lane = uint16(i + 1)
					var next []id
					for d := range messages[i] {
						next = append(next, b.recv(at.hop(-(d+1)*w), nothing, told...))
					}
					for d := range messages[i] {
						b.send(at.hop((d+1)*w), nothing, told...)
					}
					told = next
				}
				b.lane = 0
				return told
			})
		},
		Class: func(k Key, rel int32) int64 {
			h := k.house(rel)
			if !h.dealt && h.ranks%h.per == 0 {
				return int64(h.own)
			}
			return int64(rel)
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.house(0)
			var t cluster.Time
			_, messages := digits(h.nodes, k.Radix)
			for _, m := range messages {
				t += c.all(m, 0)
			}
			if h.size > 1 {
				t += 2*c.message(0) + cluster.Time(h.size-2)*(c.in()+c.apart(0))
			}
			return t
		},
	})
}

// foldUp reduces the parts of In into Out at the root, first inside the nodes into their leaders.
// It returns the nodes after which each part is complete or sent.
func (b *Builder) foldUp(at branch) (done []id) {
	if !at.leads() {
		for i := range b.s.Parts {
			b.lane = uint16(i)
			done = append(done, b.send(at.mate(0), part(In, i, 1)))
		}
		return done
	}
	acc := Out
	if at.inner() {
		acc = b.temp(part(0, 0, -1))
	}
	var from []Peer
	for i := range at.others() {
		from = append(from, at.mate(i+1))
	}
	for _, c := range at.kids {
		from = append(from, at.child(c))
	}
	theirs, free := b.landings(len(from), func() Buf { return b.temp(part(0, 0, -1)) })
	turn := 0
	for i := range b.s.Parts {
		b.lane = uint16(i)
		have := b.copy(part(acc, i, 1), part(In, i, 1))
		for _, peer := range from {
			t := theirs[turn]
			have = b.combine(part(acc, i, 1), part(t, i, 1), b.recv(peer, part(t, i, 1), free[turn]), have)
			free[turn] = have
			turn = (turn + 1) % len(theirs)
		}
		if at.inner() {
			have = b.send(at.parent(), part(acc, i, 1), have)
		}
		done = append(done, have)
	}
	return done
}

// castDown broadcasts the parts of Out, each when its node in after is complete.
func (b *Builder) castDown(at branch, after []id) {
	var to []Peer
	from := at.mate(0)
	if at.leads() {
		from = at.parent()
		for _, c := range at.largest() {
			to = append(to, at.child(c))
		}
		for i := range at.others() {
			to = append(to, at.mate(i+1))
		}
	}
	root := at.leads() && !at.inner()
	last := [2]id{none, none}
	for i := range b.s.Parts {
		b.lane = uint16(i)
		ready := none
		if after != nil {
			ready = after[i]
		}
		if !root {
			ready = b.recv(from, part(Out, i, 1), ready, last[i%2])
			if !b.Transfer.lands() {
				last[i%2] = ready
			}
		}
		for _, peer := range to {
			b.send(peer, part(Out, i, 1), ready)
		}
	}
}

// meetNode builds a barrier. The ranks of a node notify its leader. meet synchronizes the leaders
// after these messages. Then each leader notifies its node.
func (b *Builder) meetNode(at branch, meet func(told []id) []id) {
	if !at.leads() {
		b.recv(at.mate(0), nothing, b.send(at.mate(0), nothing))
		return
	}
	var told []id
	for i := range at.others() {
		told = append(told, b.recv(at.mate(i+1), nothing))
	}
	met := meet(told)
	for i := range at.others() {
		b.send(at.mate(i+1), nothing, met...)
	}
}
