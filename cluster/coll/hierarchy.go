package coll

import "github.com/hybridtop/hybridtop/cluster"

// PlacesOf returns the rule by which the members of a team share nodes. Without a rule, or with one
// process per thread, each member is alone.
func PlacesOf(l *cluster.Layout, t *cluster.Team) Places { return PlacesAmong(l, t.Members()) }

// PlacesAmong returns the rule for a team of the given ranks, in the order of their numbers in it.
func PlacesAmong(l *cluster.Layout, members []int32) Places {
	n := len(members)
	node := func(i int) int { return l.NodeOf(int(members[i])) }
	// fits reports whether each member i is on the node of member first(i). A member with first(i) == i
	// must begin a new node.
	fits := func(first func(i int) int) bool {
		for i := range n {
			if node(i) != node(first(i)) {
				return false
			}
			if i > 0 && first(i) == i && node(i) == node(i-1) {
				return false
			}
		}
		return true
	}
	per := 1 // members at the beginning that share a node
	for per < n && node(per) == node(0) {
		per++
	}
	if per > 1 && fits(func(i int) int { return i / per * per }) {
		return Places{Per: int32(per)}
	}
	nodes := 1 // members up to the next one on the first node
	for nodes < n && node(nodes) != node(0) {
		nodes++
	}
	if nodes > 1 && nodes < n && n%nodes == 0 && fits(func(i int) int { return i % nodes }) {
		return Places{Places: int32(nodes)}
	}
	return Places{}
}

// nodeGroup is a rank's position in its node group: ranks that share a node, or threads of one
// process (paper 5, section 3.1). The first rank of a group, counted from the root, is its leader.
// Groups are numbered from the root's group on. All numbers follow from the rule, without messages.
type nodeGroup struct {
	ranks, perNode int32
	rootAt         int32 // position of the root in the numbering of the team
	isRoundRobin   bool  // ranks are assigned to nodes round-robin
	nodes          int32
	node           int32 // of the rank
	index          int32 // number in the node; 0: the leader
	size           int32 // number of ranks on the node
}

// nodeGroup returns the node group of the rank that is rel ranks after the root.
func (k Key) nodeGroup(rel int32) nodeGroup {
	h := nodeGroup{ranks: k.Ranks, perNode: max(k.Places.Per, 1), rootAt: k.rootAt}
	h.isRoundRobin = k.Places.Places > 0
	if h.isRoundRobin {
		h.nodes = min(k.Places.Places, k.Ranks)
		h.node = rel % h.nodes
		h.index = rel / h.nodes
		h.size = h.sizeOf(h.node)
		return h
	}
	h.nodes = (k.Ranks + h.perNode - 1) / h.perNode
	at := wrap(rel+h.rootAt, h.ranks)
	h.node = wrap(at/h.perNode-h.rootNode(), h.nodes)
	h.size = h.sizeOf(h.node)
	h.index = rel - h.leader(h.node)
	if h.node == 0 && h.index >= h.size-h.rootAt%h.perNode { // before the root in its node
		h.index -= h.ranks - h.size
	}
	return h
}

// rootNode returns the root's node, counted from the node of the team's first member.
func (h *nodeGroup) rootNode() int32 { return h.rootAt / h.perNode }

// sizeOf returns the number of ranks on a node.
func (h *nodeGroup) sizeOf(node int32) int32 {
	if h.isRoundRobin {
		return h.ranks / h.nodes
	}
	first := wrap(node+h.rootNode(), h.nodes) * h.perNode
	return min(h.perNode, h.ranks-first)
}

// leader returns the leader of a node, counted from the root.
func (h *nodeGroup) leader(node int32) int32 {
	if node == 0 {
		return 0
	}
	return h.first(node)
}

// member returns rank i of this node, counted from the root.
func (h *nodeGroup) member(i int32) int32 {
	if h.isRoundRobin {
		return h.node + i*h.nodes
	}
	if h.node > 0 {
		return h.leader(h.node) + i
	}
	if after := h.size - h.rootAt%h.perNode; i >= after { // before the root
		return h.ranks - h.size + i
	}
	return i
}

// hierarchyTime returns the time at which the last rank has the root's data, sent piece by piece
// from time 0. Each message is followed by work before the next one is sent.
func (k Key) hierarchyTime(c *Cost, n int64, work cluster.Time) cluster.Time {
	piece := (n + int64(k.Segments) - 1) / int64(k.Segments)
	first, messages := k.firstPieceTime(c, piece, work)
	adapter := messages * max(c.sendInterval(piece), work)
	processor := messages*c.O + c.recvTime()
	return first + cluster.Time(k.Segments-1)*max(adapter, processor)
}

// firstPieceTime returns the time at which the last rank has the first piece, and the maximum number
// of messages that one rank sends for a piece.
func (k Key) firstPieceTime(c *Cost, piece int64, work cluster.Time) (last, messages cluster.Time) {
	type subtree struct{ nodes, ranks int32 } // nodes in the subtree, ranks on the node
	times := map[subtree]cluster.Time{}
	isRegular := k.Ranks%max(k.Places.Per, 1) == 0 // equal subtrees have equal times
	var below func(rel int32) cluster.Time
	below = func(rel int32) cluster.Time {
		b := k.branch(rel)
		at := subtree{nodes: b.vertex.size, ranks: b.nodeGroup.size}
		if t, ok := times[at]; ok && isRegular {
			return t
		}
		messages = max(messages, cluster.Time(len(b.children))+cluster.Time(b.mateCount()))
		var clock sendClock
		var last cluster.Time
		for _, limb := range b.largest() {
			under := below(rel + b.child(limb).D)
			last = max(last, clock.send(c, piece, work)+work+under, clock.processor)
		}
		for range b.mateCount() {
			last = max(last, clock.send(c, piece, work)+work, clock.processor)
		}
		times[at] = last
		return last
	}
	return below(0), messages
}

// setRoot rotates the placement to begin at a call's root.
func (k *Key) setRoot(root int32) {
	k.rootAt = 0
	if k.Places.Per > 0 {
		k.rootAt = root
		if k.Ranks%k.Places.Per == 0 {
			k.rootAt = root % k.Places.Per
		}
	}
}

// branch is a rank's part in a tree of the nodes' leaders.
type branch struct {
	nodeGroup
	vertex
	rel int32
}

func (k Key) branch(rel int32) branch {
	b := branch{nodeGroup: k.nodeGroup(rel), rel: rel}
	if b.index == 0 {
		b.vertex = knomial(b.nodes, k.Radix, b.node)
	}
	return b
}

// parent returns the leader of the parent node in the tree.
func (b *branch) parent() Peer      { return me(b.leader(b.node-b.up) - b.rel) }
func (b *branch) child(c edge) Peer { return me(b.leader(b.node+c.d) - b.rel) }

// mate returns rank i of this node; 0: its leader.
func (b *branch) mate(i int32) Peer { return me(b.member(i) - b.rel) }

// hop returns the leader of the node d nodes after this one.
func (b *branch) hop(d int32) Peer {
	return me(wrap(b.leader(wrap(b.node+d, b.nodes))-b.rel, b.ranks))
}

// mateCount returns the number of the node's ranks without its leader.
func (b *branch) mateCount() int32 { return b.nodeGroup.size - 1 }

func (b *branch) isLeader() bool  { return b.index == 0 }
func (b *branch) hasParent() bool { return b.up > 0 }

// branchClass distinguishes ranks by their peers.
func (k Key) branchClass(rel int32) int64 {
	b := k.branch(rel)
	h := emptyHash
	h.add(b.index)
	if !b.isLeader() {
		h.add(b.mate(0).D)
		return int64(h)
	}
	h.add(b.mateCount())
	for i := range b.mateCount() {
		h.add(b.mate(i + 1).D)
	}
	if b.hasParent() {
		h.add(b.parent().D)
	}
	for _, c := range b.children {
		h.add(b.child(c).D)
	}
	return int64(h)
}

func init() {
	const paper = "paper 5, section 3.1"
	class := func(k Key, rel int32) int64 { return k.branchClass(rel) }
	register(&Algorithm{
		Collective: OpBcast, Name: "hierarchical", Paper: paper, Radix: 2, Segmented: true, UsesPlaces: true,
		Doc:   "down a k-nomial tree of the nodes' leaders, and from each leader to its node",
		Make:  func(b *Builder) { b.castDown(b.branch(b.Rel), nil) },
		Class: class,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return k.hierarchyTime(c, n, 0)
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "hierarchical", Paper: paper, Radix: 2, Segmented: true, UsesPlaces: true,
		Needs: Commutative,
		Doc:   "each node's leader combines the data of its node, and the leaders reduce up a k-nomial tree",
		Make:  func(b *Builder) { b.foldUp(b.branch(b.Rel)) },
		Class: class,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n) + k.hierarchyTime(c, n, c.combines(n))
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "hierarchical", Paper: paper, Radix: 2, Segmented: true, UsesPlaces: true,
		Needs: Commutative,
		Doc:   "up to the leaders and their k-nomial tree, and down again",
		Make: func(b *Builder) {
			at := b.branch(b.Rel)
			done := b.foldUp(at)
			b.castDown(at, done)
		},
		Class: class,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n) + k.hierarchyTime(c, n, c.combines(n)) + k.hierarchyTime(c, n, 0)
		},
	}, &Algorithm{
		Collective: OpBarrier, Name: "hierarchical", Paper: paper, Radix: 2, UsesPlaces: true,
		Doc: "the ranks of a node notify its leader, the leaders synchronize by dissemination, and each notifies its node",
		Make: func(b *Builder) {
			at := b.branch(b.Rel)
			b.nodeBarrier(at, func(arrived []id) []id {
				have, messages := digits(at.nodes, b.Radix)
				for i, w := range have {
					b.channel = uint16(i + 1)
					var next []id
					for d := range messages[i] {
						next = append(next, b.recv(at.hop(-(d+1)*w), noWindow, arrived...))
					}
					for d := range messages[i] {
						b.send(at.hop((d+1)*w), noWindow, arrived...)
					}
					arrived = next
				}
				b.channel = 0
				return arrived
			})
		},
		Class: func(k Key, rel int32) int64 {
			h := k.nodeGroup(rel)
			if !h.isRoundRobin && h.ranks%h.perNode == 0 {
				return int64(h.index)
			}
			return int64(rel)
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.nodeGroup(0)
			var t cluster.Time
			_, messages := digits(h.nodes, k.Radix)
			for _, m := range messages {
				t += c.all(m, 0)
			}
			if h.size > 1 {
				t += 2*c.message(0) + cluster.Time(h.size-2)*(c.recvTime()+c.sendInterval(0))
			}
			return t
		},
	})
}

// foldUp reduces the parts of In into Out at the root, first inside the nodes into their leaders.
// It returns the nodes after which each part is complete or sent.
func (b *Builder) foldUp(at branch) (done []id) {
	if !at.isLeader() {
		for i := range b.s.Parts {
			b.channel = uint16(i)
			done = append(done, b.send(at.mate(0), part(In, i, 1)))
		}
		return done
	}
	acc := Out
	if at.hasParent() {
		acc = b.temp(part(0, 0, -1))
	}
	var from []Peer
	for i := range at.mateCount() {
		from = append(from, at.mate(i+1))
	}
	for _, c := range at.children {
		from = append(from, at.child(c))
	}
	theirs, free := b.landings(len(from), func() Buf { return b.temp(part(0, 0, -1)) })
	slot := 0
	for i := range b.s.Parts {
		b.channel = uint16(i)
		have := b.copy(part(acc, i, 1), part(In, i, 1))
		for _, peer := range from {
			t := theirs[slot]
			have = b.combine(part(acc, i, 1), part(t, i, 1), b.recv(peer, part(t, i, 1), free[slot]), have)
			free[slot] = have
			slot = (slot + 1) % len(theirs)
		}
		if at.hasParent() {
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
	if at.isLeader() {
		from = at.parent()
		for _, c := range at.largest() {
			to = append(to, at.child(c))
		}
		for i := range at.mateCount() {
			to = append(to, at.mate(i+1))
		}
	}
	root := at.isLeader() && !at.hasParent()
	last := [2]id{none, none}
	for i := range b.s.Parts {
		b.channel = uint16(i)
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

// nodeBarrier builds a barrier. The ranks of a node notify its leader. synchronize builds a barrier
// of the leaders after these messages. Then each leader notifies its node.
func (b *Builder) nodeBarrier(at branch, synchronize func(arrived []id) []id) {
	if !at.isLeader() {
		b.recv(at.mate(0), noWindow, b.send(at.mate(0), noWindow))
		return
	}
	var arrived []id
	for i := range at.mateCount() {
		arrived = append(arrived, b.recv(at.mate(i+1), noWindow))
	}
	released := synchronize(arrived)
	for i := range at.mateCount() {
		b.send(at.mate(i+1), noWindow, released...)
	}
}
