package topology

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// fatTree is an extended generalized fat tree. A tree of level 1 is one switch with its nodes. A
// tree of level i joins Dims[i-1] trees of level i-1 by its top switches; each of them has one link
// down to each of these trees. A switch of level i has Taper[i-1] times as many links up as links
// down, rounded, at least one. The trees of the next level have this factor more top switches.
// Without taper, each level has as many links up as the tree below it has nodes, and in shift
// permutations of all nodes each flow has its own link.
//
// The number of the destination determines the way up ("D-mod-k", as in Rodriguez et al., Oblivious
// Routing Schemes in Extended Generalized Fat Tree Networks, 2009, and Zahavi, D-Mod-K Routing
// Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees, 2010). A switch of
// level i uses its link number ⌊d / (w1 w2 … wi)⌋ mod w(i+1), where w are the numbers of parents by
// level and w1 is 1. The way down is unique. The switch of level i on the route has the number d
// mod (w1 … wi) within its tree.
//
// The links from one level to the next are numbered by lower tree, then by upper switch. The links
// down follow all links up in the same order.
type fatTree struct {
	nodes  uint32
	up     uint32 // number of links up on all levels
	levels []level
}

// level is one level of switches. Only the last level has no links up.
type level struct {
	nodes    uint32 // nodes of a tree
	children uint32 // children of a tree
	tops     uint32 // top switches of a tree
	above    uint32 // links up from a tree: the top switches of a tree of the next level
	link     uint32 // first link up
	router   uint32 // first switch
}

func newFatTree(t cluster.Topology) (*fatTree, []float64, error) {
	if len(t.Dims) == 0 {
		return nil, nil, fmt.Errorf("%s: no dims (set the children per switch by level, from the leaves)", title(t))
	}
	if len(t.Taper) >= len(t.Dims) {
		return nil, nil,
			fmt.Errorf("%s: %d tapers for %d levels below the top (omit the last one)", title(t), len(t.Taper), len(t.Dims)-1)
	}
	nodes := product(t.Dims...)
	if nodes > maxCount {
		return nil, nil, tooLarge(t)
	}
	w := &fatTree{nodes: uint32(nodes)}
	var thickness []float64
	trees := nodes
	tops := 1
	links := 0
	routers := 0
	for i, children := range t.Dims {
		trees /= children
		l := level{
			nodes: uint32(nodes / trees), children: uint32(children), tops: uint32(tops),
			link: uint32(links), router: uint32(routers),
		}
		routers += trees * tops
		if i < len(t.Dims)-1 {
			taper := 1.0
			if i < len(t.Taper) {
				taper = t.Taper[i]
			}
			above := product(tops, shares(float64(children), taper))
			links += product(trees, above)
			if above > maxCount || links > maxCount/2 || routers > maxCount {
				return nil, nil, tooLarge(t)
			}
			l.above, tops = uint32(above), above
			thickness = append(thickness, 1)
		}
		w.levels = append(w.levels, l)
	}
	w.up = uint32(links)
	return w, thickness, nil
}

func (w *fatTree) capacity() int       { return int(w.nodes) }
func (w *fatTree) links() int          { return 2 * int(w.up) }
func (w *fatTree) routers() int        { top := w.levels[len(w.levels)-1]; return int(top.router + top.tops) }
func (w *fatTree) router(node int) int { return node / int(w.levels[0].nodes) }

func (w *fatTree) route(from, to int, path []int32) []int32 {
	f, t := uint32(from), uint32(to)
	high := 0
	for ; ; high++ {
		l := &w.levels[high]
		s := f / l.nodes
		if s == t/l.nodes {
			break
		}
		path = append(path, int32(l.link+s*l.above+t%l.above))
	}
	for high--; high >= 0; high-- {
		l := &w.levels[high]
		path = append(path, int32(w.up+l.link+t/l.nodes*l.above+t%l.above))
	}
	return path
}

func (w *fatTree) hops(from, to int) int {
	for i := range w.levels {
		if l := int(w.levels[i].nodes); from/l == to/l {
			return 2 * i
		}
	}
	panic("topology: the top tree holds all nodes")
}

// climbs returns the parts of a link: its levels, the switches at its lower and its upper end,
// numbered within their levels, and whether it leads down.
func (w *fatTree) climbs(link int) (lower int, child, parent uint32, down bool) {
	n := uint32(link)
	down = n >= w.up
	if down {
		n -= w.up
	}
	for lower = len(w.levels) - 2; n < w.levels[lower].link; lower-- {
	}
	l, next := &w.levels[lower], &w.levels[lower+1]
	n -= l.link
	tree, top := n/l.above, n%l.above
	return lower, tree*l.tops + top%l.tops, tree/next.children*next.tops + top, down
}

func (w *fatTree) ends(link int) (from, to int) {
	lower, child, parent, down := w.climbs(link)
	from, to = int(w.levels[lower].router+child), int(w.levels[lower+1].router+parent)
	if down {
		from, to = to, from
	}
	return from, to
}

func (w *fatTree) rank(link int) int {
	lower, _, _, _ := w.climbs(link)
	return lower + 1
}

func (w *fatTree) name(link int) string {
	lower, child, parent, down := w.climbs(link)
	if down {
		return fmt.Sprintf("fat tree down from level %d switch %d to level %d switch %d", lower+2, parent, lower+1, child)
	}
	return fmt.Sprintf("fat tree up from level %d switch %d to level %d switch %d", lower+1, child, lower+2, parent)
}

// bisection halves the topmost level that joins more than one tree. The cut has the fewest links
// out of the smaller half.
func (w *fatTree) bisection() int {
	top := len(w.levels) - 1
	for top > 0 && w.levels[top].children == 1 {
		top--
	}
	half := uint64(w.levels[top].children / 2)
	least := uint64(0)
	for i := top - 1; i >= 0; i-- {
		l := &w.levels[i]
		links := half * uint64(w.levels[top-1].nodes/l.nodes) * uint64(l.above)
		if i == top-1 || links < least {
			least = links
		}
	}
	return int(least)
}
