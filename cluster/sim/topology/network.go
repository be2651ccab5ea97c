package topology

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// most is the largest number of nodes and of links.
const most = 1 << 30

// wiring is one shape of network. Its links and routers are numbered from 0.
type wiring interface {
	capacity() int // nodes that it holds
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

// Network is the links between a number of nodes.
type Network struct {
	wiring wiring
	nodes  int
	rates  []int64 // by rank, from 1
}

// New lays out the network t for nodes nodes, which may be fewer than it holds. A
// layout that the network cannot hold, and a network that cannot be built, are
// errors.
func New(t cluster.Topology, nodes int) (*Network, error) {
	if nodes < 1 {
		return nil, fmt.Errorf("a network for %d nodes: there must be at least 1", nodes)
	}
	if !(t.LinkBandwidth >= 0 && t.LinkBandwidth <= 1e18) {
		return nil, fmt.Errorf("%s: link bandwidth of %g B/s: must be between 0 (no limit) and 1e18", title(t), t.LinkBandwidth)
	}
	for _, d := range t.Dims {
		if d < 1 || d > most {
			return nil, fmt.Errorf("%s: each of its dims must be between 1 and %d", title(t), most)
		}
	}
	for _, x := range t.Taper {
		if !(x > 0 && x <= most) {
			return nil, fmt.Errorf("%s: taper %g: must be above 0 and at most %d; 1 is no taper", title(t), x, most)
		}
	}
	n := &Network{nodes: nodes}
	var thickness []float64 // of a link, by rank
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
		err = fmt.Errorf("topology %q: must be %s, %s, %s, %s or %s", t.Shape, cluster.Crossbar, cluster.FatTree, cluster.Torus, cluster.Hyper, cluster.Dragonfly)
	}
	if err != nil {
		return nil, err
	}
	if holds := n.wiring.capacity(); nodes > holds {
		return nil, fmt.Errorf("%s holds %d nodes, the layout wants %d: use at most %d nodes or larger dims", title(t), holds, nodes, holds)
	}
	for _, x := range thickness {
		// One product and one rounding: the same on every processor.
		rate := int64(math.Round(math.Min(t.LinkBandwidth*x, 1e18)))
		if t.LinkBandwidth > 0 {
			rate = max(rate, 1)
		}
		n.rates = append(n.rates, rate)
	}
	return n, nil
}

// Nodes is the number of nodes that the network was laid out for. They are the
// first ones of those that its dims hold.
func (n *Network) Nodes() int { return n.nodes }

// Links is the number of links of the whole network, also of those between
// routers whose nodes are not used.
func (n *Network) Links() int { return n.wiring.links() }

// Route appends to path the numbers of the links from one node to another, in
// order. Nodes of one router have none between them. It does not allocate when
// path has the capacity.
func (n *Network) Route(from, to int, path []int32) []int32 {
	n.check(from, to)
	return n.wiring.route(from, to, path)
}

// Hops is the number of links of the route from one node to another.
func (n *Network) Hops(from, to int) int {
	n.check(from, to)
	return n.wiring.hops(from, to)
}

func (n *Network) check(from, to int) {
	if uint(from) >= uint(n.nodes) || uint(to) >= uint(n.nodes) {
		panic(fmt.Sprintf("topology: route from node %d to %d of %d", from, to, n.nodes))
	}
}

// Rate is the bandwidth of a link in bytes per second; 0: no limit.
func (n *Network) Rate(link int) int64 { return n.rates[n.wiring.rank(link)-1] }

// Rank is the kind of a link, from 1: of a dragonfly its rank (the last one joins
// groups), of a fat tree the level of the switch at its lower end, of a torus and
// of a hyper-crossbar its dimension.
func (n *Network) Rank(link int) int { return n.wiring.rank(link) }

// Ranks is the number of kinds of link that the shape has.
func (n *Network) Ranks() int { return len(n.rates) }

// Name is a link in words, as in "torus +x at (1,2,3)".
func (n *Network) Name(link int) string { return n.wiring.name(link) }

// Routers is the number of routers, or switches, between which the links run.
func (n *Network) Routers() int { return n.wiring.routers() }

// Router is the router that a node's adapters are plugged into.
func (n *Network) Router(node int) int { return n.wiring.router(node) }

// Ends are the routers that a link leads from and to.
func (n *Network) Ends(link int) (from, to int) { return n.wiring.ends(link) }

// Bisection is the least number of links, in one direction, whose removal leaves
// no way from one half of the network to the other, halved across its longest or
// its topmost dimension. It is 0 where halves share a router.
func (n *Network) Bisection() int { return n.wiring.bisection() }

// title is a topology in words, as in "torus of 4×4×4".
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

// product multiplies counts, none above most+1; so much stands for all that is more.
func product(counts ...int) int {
	p := int64(1)
	for _, c := range counts {
		p = min(p*int64(c), most+1)
	}
	return int(p)
}

// shares is the number of links that a taper makes of n, at least one.
func shares(n, taper float64) int {
	return int(math.Min(math.Max(math.Round(n*taper), 1), most+1))
}

func tooLarge(t cluster.Topology) error {
	return fmt.Errorf("%s has more than %d nodes or links: use smaller dims or a smaller taper", title(t), most)
}

// crossbar joins every node to every other without a shared link: one router.
type crossbar struct{ nodes int }

func newCrossbar(t cluster.Topology, nodes int) (wiring, error) {
	if len(t.Dims) > 0 || len(t.Taper) > 0 {
		return nil, fmt.Errorf("%s: a crossbar has no shared links: leave dims and taper out, or choose another topology", title(t))
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
