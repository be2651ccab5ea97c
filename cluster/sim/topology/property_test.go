package topology_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
)

// small generates networks that are small enough to check all routes.
func small() *rapid.Generator[cluster.Topology] {
	return rapid.OneOf(smallTorus(), smallHyper(), smallFatTree(0.25, 0.5, 0.75, 1, 1.5, 2), smallDragonfly())
}

func smallTorus() *rapid.Generator[cluster.Topology] {
	return rapid.Custom(func(t *rapid.T) cluster.Topology {
		return torus(rapid.SliceOfN(rapid.IntRange(1, 5), 3, 3).Draw(t, "dims")...)
	})
}

func smallHyper() *rapid.Generator[cluster.Topology] {
	return rapid.Custom(func(t *rapid.T) cluster.Topology {
		return hyper(rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "dims")...)
	})
}

func smallFatTree(tapers ...float64) *rapid.Generator[cluster.Topology] {
	return rapid.Custom(func(t *rapid.T) cluster.Topology {
		top := fatTree(rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(t, "dims")...)
		top.Taper = rapid.SliceOfN(rapid.SampledFrom(tapers), 0, len(top.Dims)-1).Draw(t, "taper")
		return top
	})
}

func smallDragonfly() *rapid.Generator[cluster.Topology] {
	return rapid.Custom(func(t *rapid.T) cluster.Topology {
		top := dragonfly(rapid.SliceOfN(rapid.IntRange(1, 3), 3, 4).Draw(t, "dims")...)
		top.Taper = rapid.SliceOfN(rapid.SampledFrom([]float64{0.1, 0.5, 1, 3}), 0, len(top.Dims)-1).Draw(t, "taper")
		return top
	})
}

// pairs calls f for every two nodes.
func pairs(n *topology.Network, f func(from, to int)) {
	for from := range n.Nodes() {
		for to := range n.Nodes() {
			f(from, to)
		}
	}
}

// distances returns the minimum number of links from a router to every other one, over the links of
// keep; -1: unreachable.
func distances(n *topology.Network, start int, keep func(link int) bool) []int {
	out := make([][]int, n.Routers())
	for l := range n.Links() {
		if keep(l) {
			from, to := n.Ends(l)
			out[from] = append(out[from], to)
		}
	}
	far := make([]int, n.Routers())
	for i := range far {
		far[i] = -1
	}
	far[start] = 0
	for line := []int{start}; len(line) > 0; line = line[1:] {
		for _, next := range out[line[0]] {
			if far[next] < 0 {
				far[next] = far[line[0]] + 1
				line = append(line, next)
			}
		}
	}
	return far
}

func all(int) bool { return true }

// walk follows a route from router to router.
func walk(t *rapid.T, n *topology.Network, from, to int, path []int32) {
	at := n.Router(from)
	for i, l := range path {
		a, b := n.Ends(int(l))
		if a != at {
			t.Fatalf("%d→%d: step %d, %s, leaves router %d, not %d", from, to, i, n.Name(int(l)), a, at)
		}
		at = b
	}
	if sorted := slices.Sorted(slices.Values(path)); len(slices.Compact(sorted)) < len(path) {
		t.Fatalf("%d→%d: a link twice in %v", from, to, path)
	}
	if at != n.Router(to) {
		t.Fatalf("%d→%d ends at router %d, not %d", from, to, at, n.Router(to))
	}
}

// Every route leads from its start to its end and has no link twice, and Hops is its number of
// links. Earlier entries of path are kept.
func TestRoutesConnect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t, small().Draw(t, "topology"))
		pairs(n, func(from, to int) {
			path := n.Route(from, to, []int32{-1})
			if path[0] != -1 {
				t.Fatalf("%d→%d: overwrites the path before it", from, to)
			}
			path = path[1:]
			walk(t, n, from, to, path)
			if n.Hops(from, to) != len(path) {
				t.Fatalf("%d→%d: %d hops, the route has %d links", from, to, n.Hops(from, to), len(path))
			}
			if n.Router(from) == n.Router(to) && len(path) > 0 {
				t.Fatalf("%d→%d: %d links inside one router", from, to, len(path))
			}
		})
	})
}

// The length of a torus route is the sum of the shortest distances in each ring. The route uses the
// dimensions in order, and no route is shorter.
func TestTorusRoutesAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := smallTorus().Draw(t, "topology")
		n := network(t, top)
		pairs(n, func(from, to int) {
			want := 0
			f := from
			d := to
			for _, l := range top.Dims {
				way := (d%l - f%l + l) % l
				want += min(way, l-way)
				f, d = f/l, d/l
			}
			path := n.Route(from, to, nil)
			if len(path) != want || len(path) != n.Hops(to, from) {
				t.Fatalf("%d→%d: %d links, and %d back, want %d", from, to, len(path), n.Hops(to, from), want)
			}
			if !slices.IsSortedFunc(path, func(a, b int32) int { return n.Rank(int(a)) - n.Rank(int(b)) }) {
				t.Fatalf("%d→%d: dimensions out of order", from, to)
			}
		})
		far := distances(n, 0, all)
		for to := range n.Nodes() {
			if n.Hops(0, to) != far[to] {
				t.Fatalf("0→%d: %d links, there is a way of %d", to, n.Hops(0, to), far[to])
			}
		}
	})
}

// A hyper-crossbar route has two links per dimension in which the nodes differ: to a crossbar and
// back. It uses the dimensions in order and is shortest.
func TestHyperCrossbarRoutesAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := smallHyper().Draw(t, "topology")
		n := network(t, top)
		for from := range n.Nodes() {
			far := distances(n, n.Router(from), all)
			for to := range n.Nodes() {
				var want []int
				f, d := from, to
				for i, l := range top.Dims {
					if f%l != d%l {
						want = append(want, i+1, i+1)
					}
					f, d = f/l, d/l
				}
				path := n.Route(from, to, nil)
				if got := ranks(n, path); !slices.Equal(got, want) || len(path) != far[to] {
					t.Fatalf("%d→%d: dimensions %v, want %v; there is a way of %d", from, to, got, want, far[to])
				}
				for i, l := range path {
					a, b := n.Ends(int(l))
					if node := min(a, b); node >= n.Nodes() || max(a, b) < n.Nodes() || (a < b) != (i%2 == 0) {
						t.Fatalf("%d→%d: step %d, %s, leads from router %d to %d", from, to, i, n.Name(int(l)), a, b)
					}
				}
			}
		}
	})
}

// Flows inside one line of a hyper-crossbar share no links except at their ends: in a permutation
// of a line's nodes each flow has its own link. Flows across dimensions may share links.
func TestHyperCrossbarBlocksAcrossDimensionsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := smallHyper().Draw(t, "topology")
		n := network(t, top)
		stride := 1
		for _, l := range top.Dims {
			for shift := 1; shift < l; shift++ {
				flows := make([]int, n.Links())
				for from := range n.Nodes() {
					x := from / stride % l
					for _, link := range n.Route(from, from+((x+shift)%l-x)*stride, nil) {
						if flows[link]++; flows[link] > 1 {
							t.Fatalf("shift by %d in a line of %d: %s carries two flows", shift, l, n.Name(int(link)))
						}
					}
				}
			}
			stride *= l
		}
	})
	// (0,0) to (1,1) changes the dimension at (1,0), which itself sends to (1,1).
	n := network(t, hyper(2, 2))
	if a, b := n.Route(0, 3, nil), n.Route(1, 3, nil); !slices.Equal(a[2:], b) {
		t.Errorf("0→3 over %v, 1→3 over %v: they do not share the links of the second dimension", a, b)
	}
}

// In a shift of all nodes by one, up or down, each flow has its own link in a hyper-crossbar of any
// lengths.
func TestHyperCrossbarCarriesNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t, smallHyper().Draw(t, "topology"))
		for _, shift := range []int{1, n.Nodes() - 1} {
			flows := make([]int, n.Links())
			for from := range n.Nodes() {
				for _, l := range n.Route(from, (from+shift)%n.Nodes(), nil) {
					if flows[l]++; flows[l] > 1 {
						t.Fatalf("shift by %d: %s carries two flows", shift, n.Name(int(l)))
					}
				}
			}
		}
	})
}

// A fat tree route goes up level by level, then down level by level, and is shortest.
func TestFatTreeRoutesAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t, smallFatTree(0.25, 0.5, 1, 2).Draw(t, "topology"))
		for from := range n.Nodes() {
			far := distances(n, n.Router(from), all)
			for to := range n.Nodes() {
				path := n.Route(from, to, nil)
				if len(path) != far[n.Router(to)] || len(path) != n.Hops(to, from) {
					t.Fatalf("%d→%d: %d links, and %d back, there is a way of %d", from, to, len(path), n.Hops(to, from),
						far[n.Router(to)])
				}
				for i, l := range path {
					if want := min(i, len(path)-1-i) + 1; n.Rank(int(l)) != want {
						t.Fatalf("%d→%d: link %d is of level %d, want %d", from, to, i, n.Rank(int(l)), want)
					}
				}
			}
		}
	})
}

// Without taper, no two flows of a shift of all nodes share a link: Zahavi's theorem.
func TestFatTreeCarriesShifts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t, smallFatTree(1).Draw(t, "topology"))
		for shift := 1; shift < n.Nodes(); shift++ {
			flows := make([]int, n.Links())
			for from := range n.Nodes() {
				for _, l := range n.Route(from, (from+shift)%n.Nodes(), nil) {
					if flows[l]++; flows[l] > 1 {
						t.Fatalf("shift by %d: %s carries two flows", shift, n.Name(int(l)))
					}
				}
			}
		}
	})
}

// Without taper, a link down leads to only one destination, so only messages to the same node share
// it.
func TestFatTreeLinksDownHaveOneDestination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t, smallFatTree(1).Draw(t, "topology"))
		leads := map[int32]int{}
		pairs(n, func(from, to int) {
			path := n.Route(from, to, nil)
			for _, l := range path[len(path)/2:] {
				if d, ok := leads[l]; ok && d != to {
					t.Fatalf("%s leads to %d and %d", n.Name(int(l)), d, to)
				}
				leads[l] = to
			}
		})
	})
}

// Inside a group a dragonfly route is shortest, uses rank 1 before rank 2, and is as long as the
// way back. Between groups it uses one link of the last rank, and the shortest routes to it and
// from it.
func TestDragonflyRoutesAreMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := smallDragonfly().Draw(t, "topology")
		n := network(t, top)
		last := len(top.Dims) - 1
		group := n.Nodes() / top.Dims[last]
		local := func(l int) bool { return n.Rank(l) < last }
		var far [][]int // by router, without leaving the group
		for r := range n.Routers() {
			far = append(far, distances(n, r, local))
		}
		pairs(n, func(from, to int) {
			path := n.Route(from, to, nil)
			f, d := n.Router(from), n.Router(to)
			if from/group == to/group {
				if !slices.IsSorted(ranks(n, path)) {
					t.Fatalf("%d→%d: ranks %v", from, to, ranks(n, path))
				}
				if len(path) != far[f][d] || len(path) != n.Hops(to, from) {
					t.Fatalf("%d→%d: %d links, and %d back, there is a way of %d", from, to, len(path), n.Hops(to, from), far[f][d])
				}
				return
			}
			crossed := slices.Collect(func(yield func(int) bool) {
				for _, l := range path {
					if !local(int(l)) && !yield(int(l)) {
						return
					}
				}
			})
			if len(crossed) != 1 {
				t.Fatalf("%d→%d: ranks %v: %d links between groups", from, to, ranks(n, path), len(crossed))
			}
			out, in := n.Ends(crossed[0])
			if want := far[f][out] + 1 + far[in][d]; len(path) != want {
				t.Fatalf("%d→%d: %d links, over %s it takes %d", from, to, len(path), n.Name(crossed[0]), want)
			}
		})
	})
}

func ranks(n *topology.Network, path []int32) []int {
	var r []int
	for _, l := range path {
		r = append(r, n.Rank(int(l)))
	}
	return r
}

// A dragonfly's cables between groups are spread over the routers of a group, and any two groups
// have the same number of cables.
func TestDragonflySpreadsCables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := smallDragonfly().Draw(t, "topology")
		n := network(t, top)
		last := len(top.Dims) - 1
		group := n.Routers() / top.Dims[last]
		plugs := make([]int, n.Routers())
		between := map[[2]int]int{}
		for l := range n.Links() {
			if n.Rank(l) == last {
				from, to := n.Ends(l)
				plugs[from]++
				between[[2]int{from / group, to / group}]++
			}
		}
		if groups := top.Dims[last]; len(between) != groups*(groups-1) {
			t.Fatalf("%d pairs of %d groups are joined", len(between), groups)
		}
		cables := between[[2]int{0, 1}]
		for pair, c := range between {
			if c != cables {
				t.Fatalf("groups %v have %d cables, others %d", pair, c, cables)
			}
		}
		if largest, smallest := slices.Max(plugs), slices.Min(plugs); largest > smallest+1 {
			t.Fatalf("routers have %d to %d cables", smallest, largest)
		}
	})
}

// Links join two routers of the network and have unique names. Two routers have the same number of
// links in both directions.
func TestLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t, small().Draw(t, "topology"))
		names := map[string]int{}
		balance := map[[2]int]int{}
		for l := range n.Links() {
			from, to := n.Ends(l)
			if from == to || min(from, to) < 0 || max(from, to) >= n.Routers() {
				t.Fatalf("%s leads from router %d to %d of %d", n.Name(l), from, to, n.Routers())
			}
			if other, ok := names[n.Name(l)]; ok {
				t.Fatalf("links %d and %d are both %s", other, l, n.Name(l))
			}
			names[n.Name(l)] = l
			if r := n.Rank(l); r < 1 || r > n.Ranks() {
				t.Fatalf("%s is of rank %d of %d", n.Name(l), r, n.Ranks())
			}
			balance[[2]int{from, to}]++
			balance[[2]int{to, from}]--
		}
		for ends, b := range balance {
			if b != 0 {
				t.Fatalf("between routers %v: %d more links in one direction than in the other", ends, b)
			}
		}
	})
}

// Every link is used if every node sends to every other, unless a taper above 1 creates more links
// than there are destinations.
func TestEveryLinkIsUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.OneOf(smallTorus(), smallHyper(), smallFatTree(0.25, 0.5, 0.75, 1), smallDragonfly()).Draw(t, "topology")
		if top.Shape == cluster.FatTree && top.Dims[len(top.Dims)-1] == 1 {
			t.Skip("the topmost switches join nothing")
		}
		if last := len(top.Dims) - 1; top.Shape == cluster.Dragonfly && len(top.Taper) == last && top.Taper[last-1] >
			float64(top.Dims[last]-1) {
			t.Skip("more cables to a group than nodes in it")
		}
		n := network(t, top)
		used := make([]bool, n.Links())
		pairs(n, func(from, to int) {
			for _, l := range n.Route(from, to, nil) {
				used[l] = true
			}
		})
		for l, u := range used {
			if !u {
				t.Fatalf("%s is not used", n.Name(l))
			}
		}
	})
}

// A network for fewer nodes is the same network.
func TestFewerNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := small().Draw(t, "topology")
		whole := network(t, top)
		part, err := topology.New(top, rapid.IntRange(1, whole.Nodes()).Draw(t, "nodes"))
		if err != nil {
			t.Fatal(err)
		}
		if part.Links() != whole.Links() || part.Routers() != whole.Routers() {
			t.Fatalf("%d links, %d routers, the whole has %d and %d", part.Links(), part.Routers(), whole.Links(),
				whole.Routers())
		}
		pairs(part, func(from, to int) {
			if a, b := part.Route(from, to, nil), whole.Route(from, to, nil); !slices.Equal(a, b) {
				t.Fatalf("%d→%d: %v, in the whole %v", from, to, a, b)
			}
		})
		if _, err := topology.New(top, whole.Nodes()+1); err == nil {
			t.Fatalf("%d nodes in a network of %d", whole.Nodes()+1, whole.Nodes())
		}
	})
}

// Bisection equals the maximum flow between the halves, with capacity 1 per link.
func TestBisection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := small().Draw(t, "topology")
		n := network(t, top)
		// The dimension to halve: the longest one of a torus or a hyper-crossbar, otherwise the
		// topmost one.
		dim := len(top.Dims) - 1
		for dim > 0 && top.Dims[dim] == 1 {
			dim--
		}
		if top.Shape == cluster.Torus || top.Shape == cluster.Hyper {
			dim = slices.Index(top.Dims, slices.Max(top.Dims))
		}
		stride := 1
		for _, d := range top.Dims[:dim] {
			stride *= d
		}
		side := map[int]bool{} // by router with nodes: true in the lower half
		for node := range n.Nodes() {
			r, lower := n.Router(node), node/stride%top.Dims[dim] < top.Dims[dim]/2
			if s, ok := side[r]; ok && s != lower {
				if n.Bisection() != 0 {
					t.Fatalf("router %d is in both halves, bisection %d", r, n.Bisection())
				}
				return
			}
			side[r] = lower
		}
		if got, want := n.Bisection(), flow(n, side); got != want {
			t.Fatalf("bisection %d, the maximum flow is %d", got, want)
		}
	})
}

// flow returns the number of disjoint paths from routers on the true side to routers on the false
// side (Ford and Fulkerson).
func flow(n *topology.Network, side map[int]bool) int {
	out := make([][]int, n.Routers())
	for l := range n.Links() {
		from, to := n.Ends(l)
		out[from] = append(out[from], l)
		out[to] = append(out[to], l)
	}
	taken := make([]bool, n.Links())
	for ways := 0; ; ways++ {
		came := make([]int, n.Routers()) // link through which a router was reached, from 1
		var line []int
		for r := range n.Routers() {
			if lower, ok := side[r]; ok && lower {
				line, came[r] = append(line, r), -1
			}
		}
		end := -1
		for ; len(line) > 0 && end < 0; line = line[1:] {
			for _, l := range out[line[0]] {
				from, to := n.Ends(l)
				next := to
				if taken[l] { // a used link can be released
					from, next = to, from
				}
				if from != line[0] || came[next] != 0 {
					continue
				}
				came[next] = l + 1
				if lower, ok := side[next]; ok && !lower {
					end = next
					break
				}
				line = append(line, next)
			}
		}
		if end < 0 {
			return ways
		}
		for r := end; came[r] > 0; {
			l := came[r] - 1
			from, to := n.Ends(l)
			if taken[l] {
				r = to
			} else {
				r = from
			}
			taken[l] = !taken[l]
		}
	}
}

// Any topology of a machine file is either an error, or its routes are valid.
func TestAnyTopology(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.OneOf(rapid.IntRange(1, 2000), rapid.IntRange(1, 20), rapid.Int())
		top := cluster.Topology{
			Shape: rapid.SampledFrom([]cluster.Shape{"", cluster.Crossbar, cluster.FatTree, cluster.Torus,
				cluster.Hyper, cluster.Dragonfly, "ring"}).Draw(t, "shape"),
			Dims:          rapid.SliceOfN(length, 0, 5).Draw(t, "dims"),
			Taper:         rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0.01, 10), rapid.Float64()), 0, 3).Draw(t, "taper"),
			LinkBandwidth: rapid.OneOf(rapid.Float64Range(0, 1e12), rapid.Float64()).Draw(t, "bandwidth"),
		}
		n, err := topology.New(top, rapid.IntRange(-1, 5000).Draw(t, "nodes"))
		if err != nil {
			return
		}
		for range 5 {
			from, to := rapid.IntRange(0, n.Nodes()-1).Draw(t, "from"), rapid.IntRange(0, n.Nodes()-1).Draw(t, "to")
			walk(t, n, from, to, n.Route(from, to, nil))
		}
		if n.Links() > 0 {
			l := rapid.IntRange(0, n.Links()-1).Draw(t, "link")
			from, to := n.Ends(l)
			if from == to || min(from, to) < 0 || max(from, to) >= n.Routers() {
				t.Fatalf("%s leads from router %d to %d of %d", n.Name(l), from, to, n.Routers())
			}
			if rate := n.Rate(l); rate < 0 || (rate == 0) != (top.LinkBandwidth == 0) {
				t.Fatalf("%s has %d B/s of %g", n.Name(l), rate, top.LinkBandwidth)
			}
		}
	})
}
