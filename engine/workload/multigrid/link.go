package multigrid

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// The links that messages cross, the nearest first. Table II of the paper has the links of a
// dragonfly.
const (
	linkSocket = iota
	linkNode
	linkRouter // out of the node, by the adapter
	linkChassis
	linkGroup
	linkGlobal
	links
)

var linkNames = [links]string{"socket", "node", "adapter", "rank-1", "rank-2", "rank-3"}

// linkOf returns the farthest link between two ranks. On a network that is not a dragonfly every
// message that leaves a node counts as crossing the adapter.
func linkOf(l *cluster.Layout, m *cluster.Machine, from, to int) int {
	a, b := l.NodeOf(from), l.NodeOf(to)
	if a == b {
		if l.SocketOf(from, m.Sockets) == l.SocketOf(to, m.Sockets) {
			return linkSocket
		}
		return linkNode
	}
	if m.Topology.Shape != cluster.Dragonfly {
		return linkRouter
	}
	span := 1
	for i, n := range m.Topology.Dims[:3] {
		span *= n
		if a/span == b/span {
			return linkRouter + i
		}
	}
	return linkGlobal
}

// sizes is the number of classes of message sizes, powers of two from 8 B up.
const sizes = 22

func sizeOf(n int64) int { return min(max(bits.Len64(uint64(max(n, 1)-1))-3, 0), sizes-1) }

// count adds the messages of a step by level, link and size. Copies by loads and stores are not
// messages.
func (s *solver) count(c *channel) {
	layout, m := &s.r.Spec().Layout, &s.r.Spec().Machine
	for i := range c.out {
		g := &c.out[i]
		link := linkOf(layout, m, s.r.ID(), g.peer)
		if s.variant.packs {
			s.messages[c.level][link][sizeOf(g.bytes)]++
			continue
		}
		for k := range g.pieces {
			n, each := s.variant.messages(link, &g.pieces[k].of)
			s.messages[c.level][link][sizeOf(each)] += n
		}
	}
}

// messages returns the number of messages for a piece on a link, and the bytes of each.
func (v *variant) messages(link int, of *cluster.Strided) (n, each int64) {
	switch {
	case v.packs, v.vis && link >= linkRouter:
		return 1, of.Bytes()
	case v.local && link < linkRouter, v.path != cluster.PathAdapter && link < linkRouter:
		return 0, of.Block
	}
	return int64(of.Blocks()), of.Block
}
