package topology

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// maxCount is the maximum number of nodes and of links.
const maxCount = 1 << 30

// wiring is one shape of network. Its links and routers are numbered from 0.
type wiring interface {
	capacity() int // maximum number of nodes
	links() int
	routers() int
	router(node int) int
	route(from, to int, path []int32) []int32
	hops(from, to int) int
	ends(link int) (from, to int)
	rank(link int) int
	name(link int) string
	bisection() int
}

// Network is a network for a number of nodes.
type Network struct {
	wiring wiring
	nodes  int
	rates  []int64 // by rank, from 1
}

// New returns the network t for nodes nodes, at most its capacity. An invalid topology and too
// many nodes are errors.
func New(t cluster.Topology, nodes int) (*Network, error) {
	if nodes < 1 {
		return nil, fmt.Errorf("a network for %d nodes: want at least 1", nodes)
	}
	if !(t.LinkBandwidth >= 0 && t.LinkBandwidth <= 1e18) {
		return nil, fmt.Errorf("%s: link bandwidth of %g B/s: want 0 (no limit) to 1e18", title(t), t.LinkBandwidth)
	}
	for _, d := range t.Dims {
		if d < 1 || d > maxCount {
			return nil, fmt.Errorf("%s: want each of its dims between 1 and %d", title(t), maxCount)
		}
	}
	for _, x := range t.Taper {
		if !(x > 0 && x <= maxCount) {
			return nil, fmt.Errorf("%s: taper %g: want a number above 0 and at most %d (1: no taper)", title(t), x, maxCount)
		}
	}
	n := &Network{nodes: nodes}
	var thickness []float64 // thickness of a link, by rank
	var err error
	switch t.Shape {
	case "", cluster.Crossbar:
		n.wiring, err = newCrossbar(t, nodes)
	case cluster.FatTree:
		n.wiring, thickness, err = newFatTree(t)
	case cluster.Torus:
		n.wiring, thickness, err = newTorus(t)
	case cluster.Hyper:
		n.wiring, thickness, err = newHyperCrossbar(t)
	case cluster.Dragonfly:
		n.wiring, thickness, err = newDragonfly(t)
	default:
		err = fmt.Errorf("topology %q: must be %s, %s, %s, %s or %s", t.Shape, cluster.Crossbar, cluster.FatTree,
			cluster.Torus, cluster.Hyper, cluster.Dragonfly)
	}
	if err != nil {
		return nil, err
	}
	if holds := n.wiring.capacity(); nodes > holds {
		return nil,
			fmt.Errorf("%s has %d nodes, the layout needs %d (use at most %d nodes or larger dims)", title(t), holds, nodes,
				holds)
	}
	for _, x := range thickness {
		// One product and one rounding: the result is the same on every processor.
		rate := int64(math.Round(math.Min(t.LinkBandwidth*x, 1e18)))
		if t.LinkBandwidth > 0 {
			rate = max(rate, 1)
		}
		n.rates = append(n.rates, rate)
	}
	return n, nil
}

// Nodes returns the number of nodes of New. They are the first nodes of the topology.
func (n *Network) Nodes() int { return n.nodes }

// Links returns the number of links of the whole network, including links between routers of unused
// nodes.
func (n *Network) Links() int { return n.wiring.links() }

// Route appends to path the numbers of the links from one node to another, in order. Nodes of one
// router have no links between them. Route does not allocate if path has the capacity.
func (n *Network) Route(from, to int, path []int32) []int32 {
	n.check(from, to)
	return n.wiring.route(from, to, path)
}

// Hops returns the number of links of the route from one node to another.
func (n *Network) Hops(from, to int) int {
	n.check(from, to)
	return n.wiring.hops(from, to)
}

func (n *Network) check(from, to int) {
	if uint(from) >= uint(n.nodes) || uint(to) >= uint(n.nodes) {
		panic(fmt.Sprintf("topology: route from node %d to %d of %d", from, to, n.nodes))
	}
}

// Rate returns the bandwidth of a link in bytes per second; 0: no limit.
func (n *Network) Rate(link int) int64 { return n.rates[n.wiring.rank(link)-1] }

// Rank returns the kind of a link, from 1. In a dragonfly it is the link's rank (the last one joins
// groups), in a fat tree the level of the switch at its lower end, in a torus and in a
// hyper-crossbar its dimension.
func (n *Network) Rank(link int) int { return n.wiring.rank(link) }

// Ranks returns the number of kinds of links of the shape.
func (n *Network) Ranks() int { return len(n.rates) }

// Name returns a description of a link, as in "torus +x at (1,2,3)".
func (n *Network) Name(link int) string { return n.wiring.name(link) }

// Routers returns the number of routers or switches.
func (n *Network) Routers() int { return n.wiring.routers() }

// Router returns the router of a node.
func (n *Network) Router(node int) int { return n.wiring.router(node) }

// Ends returns the routers at the begin and the end of a link.
func (n *Network) Ends(link int) (from, to int) { return n.wiring.ends(link) }

// Bisection returns the minimum number of links, in one direction, whose removal separates the two
// halves of the network. The halves are along its longest or its topmost dimension. It returns 0 if
// the halves share a router.
func (n *Network) Bisection() int { return n.wiring.bisection() }

// title returns a description of a topology, as in "torus of 4×4×4".
func title(t cluster.Topology) string {
	shape := t.Shape
	if shape == "" {
		shape = cluster.Crossbar
	}
	if len(t.Dims) == 0 {
		return string(shape)
	}
	var dims []string
	for _, d := range t.Dims {
		dims = append(dims, strconv.Itoa(d))
	}
	return string(shape) + " of " + strings.Join(dims, "×")
}

// product multiplies counts. It saturates at maxCount+1.
func product(counts ...int) int {
	p := int64(1)
	for _, c := range counts {
		p = min(p*int64(c), maxCount+1)
	}
	return int(p)
}

// shares returns n times a taper, rounded, at least one.
func shares(n, taper float64) int {
	return int(math.Min(math.Max(math.Round(n*taper), 1), maxCount+1))
}

func tooLarge(t cluster.Topology) error {
	return fmt.Errorf("%s has more than %d nodes or links (use smaller dims or a smaller taper)", title(t), maxCount)
}

// crossbar joins any two nodes without a shared link: it is one router.
type crossbar struct{ nodes int }

func newCrossbar(t cluster.Topology, nodes int) (wiring, error) {
	if len(t.Dims) > 0 || len(t.Taper) > 0 {
		return nil, fmt.Errorf("%s: a crossbar has no shared links (omit dims and taper, or choose another "+
			"topology)", title(t))
	}
	return crossbar{nodes}, nil
}

func (c crossbar) capacity() int                      { return c.nodes }
func (crossbar) links() int                           { return 0 }
func (crossbar) routers() int                         { return 1 }
func (crossbar) router(int) int                       { return 0 }
func (crossbar) route(_, _ int, path []int32) []int32 { return path }
func (crossbar) hops(_, _ int) int                    { return 0 }
func (crossbar) bisection() int                       { return 0 }
func (crossbar) ends(link int) (from, to int)         { panic(noLink(link)) }
func (crossbar) rank(link int) int                    { panic(noLink(link)) }
func (crossbar) name(link int) string                 { panic(noLink(link)) }
func noLink(link int) string {
	return fmt.Sprintf("topology: link %d of a crossbar, which has none", link)
}
