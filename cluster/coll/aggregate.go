package coll

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// Collectives on blocks of members. The leader of a node aggregates the blocks of its node. Two
// nodes then exchange one message, instead of one message per pair of their ranks (paper 5, section
// 3.1).

// maxSlots is the maximum number of blocks in a leader's buffer.
const maxSlots = 1 << 30

func init() {
	const paper = "paper 5, section 3.1"
	register(&Algorithm{
		Collective: OpGather, Name: "hierarchical", Paper: paper, Radix: 2, UsesPlaces: true,
		Doc:  "each node's leader gathers the blocks of its node, and the leaders send them up a k-nomial tree",
		Make: (*Builder).gatherUp, Class: Key.blockClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return rise(k.hierarchyVertex, k.blockClass, func(size int32) int64 { return int64(size) * n },
				func(int32) cluster.Time { return 0 }, c)
		},
	}, &Algorithm{
		Collective: OpScatter, Name: "hierarchical", Paper: paper, Radix: 2, UsesPlaces: true,
		Doc:  "the blocks go down a k-nomial tree of the nodes' leaders, and each leader scatters to its node",
		Make: (*Builder).scatterDown, Class: Key.blockClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return walk(k.hierarchyVertex, k.blockClass, 0, func(d edge) int64 { return int64(d.size) * n }, c)
		},
	}, &Algorithm{
		Collective: OpAllgather, Name: "hierarchical", Paper: paper + " and 3.4", Radix: 2, UsesPlaces: true,
		Doc: "each node's leader gathers the blocks of its node, the leaders exchange them by dissemination, and each " +
			"leader broadcasts to its node",
		Make: (*Builder).gatherAround, Class: leaderClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.nodeGroup(0)
			all := n * int64(k.Ranks)
			t := c.copies(n) + c.gatherTime(h.size-1, n) + c.copies(all)
			have, messages := digits(h.nodes, k.Radix)
			for i, w := range have {
				var sizes []int64
				for d := range messages[i] {
					sizes = append(sizes, n*int64(h.size)*int64(min(w, h.nodes-(d+1)*w)))
				}
				t += c.round(sizes, 0)
			}
			return t + c.handOutTime(h.size-1, all, 0)
		},
	}, &Algorithm{
		Collective: OpExchange, Name: "hierarchical", Paper: paper + " and 3.4", Needs: EvenBlocks, UsesPlaces: true,
		Check: slotted,
		Doc: "each node's leader gathers the blocks of its node, sends each other leader the blocks for its node, and " +
			"scatters the received blocks",
		Make: func(b *Builder) { b.exchangeNodes(false) }, Class: leaderClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.nodeGroup(0)
			away := n * int64(h.size) * int64(k.Ranks-h.size) / int64(max(h.nodes-1, 1)) // average, if the last node is not full
			return k.inNodesTime(c, n) + c.copies(n*int64(h.size)*int64(h.size)) + c.bundlesTime(h.nodes-1, away)
		},
	}, &Algorithm{
		Collective: OpExchange, Name: "hierarchical-bruck", Paper: paper + " and 3.4", Radix: 2, Needs: EvenBlocks,
		UsesPlaces: true, Check: slotted,
		Doc: "aggregation by the nodes' leaders, and dissemination between the leaders; a partly filled node counts as " +
			"a full one",
		Make: func(b *Builder) { b.exchangeNodes(true) }, Class: leaderClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			h := k.nodeGroup(0)
			pairBytes := n * int64(h.size) * int64(h.size)
			t := k.inNodesTime(c, n) + 2*c.copies(pairBytes*int64(h.nodes))
			have, messages := digits(h.nodes, k.Radix)
			for i, w := range have {
				var sizes []int64
				for d := range messages[i] {
					sizes = append(sizes, pairBytes*int64(digit(h.nodes, k.Radix, w, d+1)))
					t += c.copies(sizes[d])
				}
				t += c.round(sizes, c.Copy)
			}
			return t
		},
	})
}

// slotted returns an error if leaders would need too many blocks.
func slotted(k Key) error {
	h := k.nodeGroup(0)
	full := int64(h.largestNode())
	if n := full * full * int64(h.nodes); n > maxSlots {
		return fmt.Errorf("%d ranks per node on %d nodes: a leader would need %d blocks, want at most %d (use fewer "+
			"ranks per node)", full, h.nodes, n, maxSlots)
	}
	return nil
}

// largestNode returns the number of ranks on the largest node.
func (h *nodeGroup) largestNode() int32 {
	if h.isRoundRobin {
		return h.ranks / h.nodes
	}
	return min(h.perNode, h.ranks)
}

// first returns the rank, counted from the root, with the first block of a node.
func (h *nodeGroup) first(node int32) int32 {
	if h.isRoundRobin {
		return node
	}
	return wrap(wrap(node+h.rootNode(), h.nodes)*h.perNode-h.rootAt, h.ranks)
}

// rankCount returns the number of ranks on n nodes.
func (h *nodeGroup) rankCount(node, n int32) int32 {
	if h.isRoundRobin || h.ranks%h.perNode == 0 {
		return n * h.largestNode()
	}
	if last := wrap(h.nodes-1-h.rootNode(), h.nodes); wrap(last-node, h.nodes) < n {
		return (n-1)*h.perNode + h.sizeOf(last)
	}
	return n * h.perNode
}

// blocks returns the blocks of n nodes in a buffer, starting d nodes after this one.
func (b *branch) blocks(buf Buf, d, n int32) Ref {
	node := wrap(b.node+d, b.nodes)
	r := from(buf, wrap(b.first(node)-b.rel, b.ranks), b.rankCount(node, n))
	if b.isRoundRobin {
		r.Run, r.Stride = n, b.nodes
	}
	return r
}

// subtree returns a temporary buffer for the blocks of a leader's subtree.
func (b *Builder) subtree(at branch) Buf {
	w := at.blocks(0, 0, at.vertex.size)
	if at.isRoundRobin {
		w = from(0, 0, (at.nodeGroup.size-1)*at.nodes+at.vertex.size)
	}
	return b.temp(w)
}

// gatherUp builds a gather.
func (b *Builder) gatherUp() {
	at := b.branch(b.Rel)
	if !at.isLeader() {
		b.send(at.mate(0), from(In, 0, 1))
		return
	}
	all := Out
	if at.hasParent() {
		if at.vertex.size == 1 && at.mateCount() == 0 {
			b.send(at.parent(), from(In, 0, 1))
			return
		}
		all = b.subtree(at)
	}
	ready := []id{b.copy(from(all, 0, 1), from(In, 0, 1))}
	for i := range at.mateCount() {
		ready = append(ready, b.recv(at.mate(i+1), from(all, at.mate(i+1).D, 1)))
	}
	for _, c := range at.children {
		ready = append(ready, b.recv(at.child(c), at.blocks(all, c.d, c.size)))
	}
	if at.hasParent() {
		b.send(at.parent(), at.blocks(all, 0, at.vertex.size), ready...)
	}
}

// scatterDown builds a scatter.
func (b *Builder) scatterDown() {
	at := b.branch(b.Rel)
	if !at.isLeader() {
		b.recv(at.mate(0), from(Out, 0, 1))
		return
	}
	all, ready := In, none
	if at.hasParent() {
		if at.vertex.size == 1 && at.mateCount() == 0 {
			b.recv(at.parent(), from(Out, 0, 1))
			return
		}
		all = b.subtree(at)
		ready = b.recv(at.parent(), at.blocks(all, 0, at.vertex.size))
	}
	for _, c := range at.largest() {
		b.send(at.child(c), at.blocks(all, c.d, c.size), ready)
	}
	for i := range at.mateCount() {
		b.send(at.mate(i+1), from(all, at.mate(i+1).D, 1), ready)
	}
	b.copy(from(Out, 0, 1), from(all, 0, 1), ready)
}

// gatherAround builds an allgather.
func (b *Builder) gatherAround() {
	at := b.branch(b.Rel)
	if !at.isLeader() {
		b.send(at.mate(0), from(In, 0, 1))
		b.recv(at.mate(0), part(Out, 0, -1))
		return
	}
	t := b.temp(from(0, 0, b.P))
	ready := []id{b.copy(from(t, 0, 1), from(In, 0, 1))}
	for i := range at.mateCount() {
		ready = append(ready, b.recv(at.mate(i+1), from(t, at.mate(i+1).D, 1)))
	}
	leaders := ring{n: at.nodes, to: at.hop, some: func(d, n int32) Ref { return at.blocks(t, d, n) }}
	have := b.around(leaders, b.join(ready), nil)
	have = b.copy(from(Out, 0, b.P), from(t, 0, b.P), have)
	b.channel = 0
	for i := range at.mateCount() {
		b.send(at.mate(i+1), part(Out, 0, -1), have)
	}
}

// rows is a leader's numbering of the blocks of an exchange. Blocks are in the order of their
// ranks, starting at the leader's own node, if the nodes have consecutive numbers. Leaders can then
// share schedules.
type rows struct{ branch }

// row returns the blocks that a rank of the node sends or receives.
func (r *rows) row(buf Buf) Ref {
	if r.isRoundRobin {
		return part(buf, 0, -1)
	}
	return from(buf, r.first(r.node)-r.rel, r.ranks)
}

// before returns the number of ranks before the node d nodes after this one.
func (r *rows) before(d int32) int32 {
	node := wrap(r.node+d, r.nodes)
	if r.isRoundRobin {
		return node * r.nodeGroup.size
	}
	return wrap(r.first(node)-r.first(r.node), r.ranks)
}

// ranksOn returns the number of ranks on the node d nodes after this one.
func (r *rows) ranksOn(d int32) int32 { return r.sizeOf(wrap(r.node+d, r.nodes)) }

// blocksFor returns the blocks of all rows for the node d nodes after this one, row after row.
func (r *rows) blocksFor(buf Buf, d int32) Ref {
	n := r.ranksOn(d)
	if r.isRoundRobin {
		return Ref{Buf: buf, Lo: wrap(r.node+d, r.nodes), N: r.nodeGroup.size * n, Run: 1, Stride: r.nodes}
	}
	return Ref{Buf: buf, Lo: r.before(d), N: r.nodeGroup.size * n, Run: n, Stride: r.ranks}
}

// exchangeNodes builds an exchange. The leader has one row of blocks from each of its ranks. The
// blocks for another node leave in one message. Received blocks are ordered by their source rank:
// each rank gets one column.
func (b *Builder) exchangeNodes(relayed bool) {
	at := b.branchOf(b.Rel)
	if !at.isLeader() {
		b.send(at.mate(0), at.row(In))
		b.recv(at.mate(0), at.row(Out))
		return
	}
	size := at.nodeGroup.size
	rowsBuf := b.slots(size * b.P)
	rowOf := func(i int32) Ref { return part(rowsBuf, i*b.P, b.P) }
	here := []id{b.copy(rowOf(0), at.row(In))}
	for i := range size - 1 {
		here = append(here, b.recv(at.mate(i+1), rowOf(i+1)))
	}
	have := b.join(here)
	var got Buf
	var all id
	if relayed {
		got, all = b.relayNodes(at, rowsBuf, have)
	} else {
		got, all = b.sendNodes(at, rowsBuf, have)
	}
	b.channel = 0
	for i := range size {
		to := rowOf(i) // its old data have been sent
		if i == 0 {
			to = at.row(Out)
		}
		all = b.column(at, to, got, i, all)
		if i > 0 {
			b.send(at.mate(i), to, all)
		}
	}
}

// sendNodes sends each other leader all blocks for its node, starting with the next node.
func (b *Builder) sendNodes(at rows, rowsBuf Buf, have id) (got Buf, all id) {
	size := at.nodeGroup.size
	out := b.slots(size * b.P)
	got = b.slots(size * b.P)
	bundle := func(buf Buf, d int32) Ref { return part(buf, at.before(d)*size, at.ranksOn(d)*size) }
	var done []id
	for d := int32(1); d < at.nodes; d++ {
		done = append(done, b.recv(at.hop(-d), bundle(got, -d)))
	}
	for d := int32(1); d < at.nodes; d++ {
		have = b.copy(bundle(out, d), at.blocksFor(rowsBuf, d), have)
		b.send(at.hop(d), bundle(out, d), have)
	}
	return got, b.join(append(done, b.copy(bundle(got, 0), at.blocksFor(rowsBuf, 0), have)))
}

// relayNodes sends the blocks for other nodes by dissemination.
func (b *Builder) relayNodes(at rows, rowsBuf Buf, have id) (got Buf, all id) {
	size, full := at.nodeGroup.size, at.largestNode()
	group := full * full
	t := b.slots(at.nodes * group)
	for d := range at.nodes {
		have = b.copy(part(t, d*group, size*at.ranksOn(d)), at.blocksFor(rowsBuf, d), have)
	}
	last := b.relay(t, at.nodes, group, at.hop, have)
	got = b.slots(size * b.P)
	all = b.join(last)
	for d := range at.nodes {
		n := at.ranksOn(-d) * size
		all = b.copy(part(got, at.before(-d)*size, n), part(t, d*group, n), all)
	}
	return got, all
}

// column copies the received blocks for a rank of the node into the order of their source ranks.
func (b *Builder) column(at rows, to Ref, got Buf, i int32, after id) id {
	size := at.nodeGroup.size
	if !at.isRoundRobin {
		return b.copy(to, Ref{Buf: got, Lo: i, N: b.P, Run: 1, Stride: size}, after)
	}
	for j := range size {
		some := part(to.Buf, to.Lo+j*at.nodes, at.nodes)
		after = b.copy(some, Ref{Buf: got, Lo: j*size + i, N: at.nodes, Run: 1, Stride: size * size}, after)
	}
	return after
}

// branchOf returns a rank's node group without a tree.
func (k Key) branchOf(rel int32) rows { return rows{branch{nodeGroup: k.nodeGroup(rel), rel: rel}} }

// leaderClass distinguishes ranks by their position in the node, and leaders by their order of the
// nodes.
func leaderClass(k Key, rel int32) int64 {
	h := k.nodeGroup(rel)
	if h.index == 0 && (h.isRoundRobin || h.ranks%h.perNode != 0) {
		return int64(rel) | 1<<32
	}
	return int64(h.index)
}

// blockClass extends branchClass by the sizes of subtrees.
func (k Key) blockClass(rel int32) int64 {
	b := k.branch(rel)
	h := wordHash(k.branchClass(rel))
	if !b.isLeader() {
		return int64(h)
	}
	for _, c := range b.children {
		h.add(b.rankCount(b.node+c.d, c.size))
	}
	h.add(b.rankCount(b.node, b.vertex.size))
	return int64(h)
}

// hierarchyVertex returns a rank's vertex in the tree of all ranks, which consists of the leaders'
// tree and the nodes.
func (k Key) hierarchyVertex(rel int32) vertex {
	b := k.branch(rel)
	if !b.isLeader() {
		return vertex{size: 1}
	}
	v := vertex{size: b.rankCount(b.node, b.vertex.size)}
	for _, c := range b.children {
		v.children = append(v.children, edge{b.child(c).D, b.rankCount(b.node+c.d, c.size)})
	}
	for i := range b.mateCount() {
		v.children = append(v.children, edge{b.mate(i + 1).D, 1})
	}
	return v
}

// gatherTime returns the time until a leader has received a message of n bytes from each of the
// others.
func (c *Cost) gatherTime(others int32, n int64) cluster.Time {
	if others == 0 {
		return 0
	}
	return c.message(n) + cluster.Time(others-1)*max(c.Gap+c.bytesTime(n), c.recvTime())
}

// handOutTime returns the time until the last of the others has its message, if the sender prepares
// each message in time before.
func (c *Cost) handOutTime(others int32, n int64, before cluster.Time) cluster.Time {
	if others == 0 {
		return 0
	}
	return before + c.message(n) + cluster.Time(others-1)*max(before+c.O, c.Gap+c.bytesTime(n))
}

// bundlesTime returns the time to send m messages of n bytes, each copied together first, and to
// receive m messages.
func (c *Cost) bundlesTime(m int32, n int64) cluster.Time {
	if m == 0 {
		return 0
	}
	return c.handOutTime(m, n, c.copies(n)) + cluster.Time(m-1)*c.recvTime()/2
}

// inNodesTime returns the time of an exchange inside the nodes.
func (k Key) inNodesTime(c *Cost, n int64) cluster.Time {
	h := k.nodeGroup(0)
	row := n * int64(k.Ranks)
	return max(c.copies(row), c.gatherTime(h.size-1, row)) + c.copies(row) + c.handOutTime(h.size-1, row, c.copies(row))
}
