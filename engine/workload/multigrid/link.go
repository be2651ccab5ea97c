package multigrid

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// The links that messages cross, the nearest first: table II of the paper has those of a
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

// linkOf is the farthest link between two ranks. On a network that is no dragonfly all
// that leaves a node crosses the adapter, and nothing farther is known.
func linkOf(l *cluster.Layout, m *cluster.Machine, from, to int) int {
	a, b := l.NodeOf(from), l.NodeOf(to)
	if a == b {
		per := (l.RanksPerNode + max(1, m.Sockets) - 1) / max(1, m.Sockets)
		if l.Ranking == cluster.RoundRobin {
			from, to = from/l.Nodes, to/l.Nodes
		}
		if from%l.RanksPerNode/per == to%l.RanksPerNode/per {
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

// sizes is how many powers of two of message sizes are told apart: 8 B and up.
const sizes = 22

func sizeOf(n int64) int { return min(max(bits.Len64(uint64(max(n, 1)-1))-3, 0), sizes-1) }

// count adds the messages of a step by level, link and size. What is copied by loads and
// stores is no message.
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

// messages is how many messages a piece makes on a link, and how long each is.
func (v *variant) messages(link int, of *cluster.Strided) (n, each int64) {
	switch {
	case v.packs, v.vis && link >= linkRouter:
		return 1, of.Bytes()
	case v.local && link < linkRouter, v.path != cluster.PathAdapter && link < linkRouter:
		return 0, of.Block
	}
	return int64(of.Blocks()), of.Block
}
