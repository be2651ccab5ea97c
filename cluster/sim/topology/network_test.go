package topology_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
)

// TestNetworks prints small networks link by link and route by route:
//
//	network <shape> dims=(..) [taper=(..)] [nodes=n] [bandwidth=B/s]   its counts
//	links [rank=r]                    every link: routers, bytes/s, name
//	routes                            every pair of nodes: links, by number
//	route from=a to=b                 one route, link by link
func TestNetworks(t *testing.T) {
	datadriven.Walk(t, "testdata/networks", func(t *testing.T, path string) {
		var net *topology.Network
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			switch d.Cmd {
			case "network":
				top, nodes := described(t, d)
				n, err := topology.New(top, nodes)
				if err != nil {
					return "error: " + err.Error()
				}
				net = n
				fmt.Fprintf(&out, "%d nodes, %d routers, %d links of %d ranks, bisection %d\n",
					n.Nodes(), n.Routers(), n.Links(), n.Ranks(), n.Bisection())
			case "links":
				rank := 0
				if d.HasArg("rank") {
					d.ScanArgs(t, "rank", &rank)
				}
				for l := range net.Links() {
					if rank == 0 || rank == net.Rank(l) {
						from, to := net.Ends(l)
						fmt.Fprintf(&out, "%2d: %2d→%-2d %d B/s, %s\n", l, from, to, net.Rate(l), net.Name(l))
					}
				}
			case "routes":
				for from := range net.Nodes() {
					for to := range net.Nodes() {
						if from == to {
							continue
						}
						fmt.Fprintf(&out, "%d→%d:", from, to)
						for _, l := range net.Route(from, to, nil) {
							fmt.Fprintf(&out, " %d", l)
						}
						out.WriteByte('\n')
					}
				}
			case "route":
				var from, to int
				d.ScanArgs(t, "from", &from)
				d.ScanArgs(t, "to", &to)
				path := net.Route(from, to, nil)
				fmt.Fprintf(&out, "%d links\n", len(path))
				for _, l := range path {
					fmt.Fprintf(&out, "%s\n", net.Name(int(l)))
				}
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			return out.String()
		})
	})
}

// described returns the topology of a network command, and its number of nodes; the default is its
// capacity.
func described(t *testing.T, d *datadriven.TestData) (cluster.Topology, int) {
	top := cluster.Topology{Shape: cluster.Shape(d.CmdArgs[0].Key), LinkBandwidth: 1e9}
	nodes := 1
	for _, a := range d.CmdArgs[1:] {
		for _, v := range a.Vals {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil {
				d.Fatalf(t, "%s: %v", a.Key, err)
			}
			switch a.Key {
			case "dims":
				top.Dims = append(top.Dims, int(x))
				nodes *= int(x)
			case "taper":
				top.Taper = append(top.Taper, x)
			case "bandwidth":
				top.LinkBandwidth = x
			case "nodes":
				nodes = int(x)
			default:
				d.Fatalf(t, "unknown argument %s", a.Key)
			}
		}
	}
	return top, nodes
}

// A route is written into the caller's slice, and the memory of a network does not grow with its
// nodes.
func TestAllocations(t *testing.T) {
	for _, c := range []struct{ small, large cluster.Topology }{
		{torus(2, 2, 2), torus(48, 48, 48)},
		{hyper(2, 2, 2), hyper(48, 48, 48)},
		{fatTree(2, 2, 2), fatTree(48, 48, 48)},
		{dragonfly(2, 2, 2, 2), dragonfly(4, 16, 6, 300)},
	} {
		build := func(top cluster.Topology) float64 {
			return testing.AllocsPerRun(10, func() { network(t, top) })
		}
		if small, large := build(c.small), build(c.large); small != large {
			t.Errorf("%s: %v allocations for a small network, %v for a large one", c.small.Shape, small, large)
		}
		n := network(t, c.large)
		path := make([]int32, 0, 128)
		at := 0
		if a := testing.AllocsPerRun(1000, func() {
			path = n.Route(at, n.Nodes()-1-at, path[:0])
			at = (at + 7919) % n.Nodes()
		}); a != 0 {
			t.Errorf("%s: %v allocations per route", c.large.Shape, a)
		}
	}
}

// An invalid node number is a bug of the caller.
func TestRouteOutside(t *testing.T) {
	n, err := topology.New(torus(2, 2, 2), 6)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]int{{-1, 0}, {0, -1}, {6, 0}, {0, 6}} {
		for name, call := range map[string]func(){
			"route": func() { n.Route(pair[0], pair[1], nil) },
			"hops":  func() { n.Hops(pair[0], pair[1]) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s %v of 6 nodes did not panic", name, pair)
					}
				}()
				call()
			}()
		}
	}
}

func BenchmarkRoute(b *testing.B) {
	for _, c := range []struct {
		name string
		top  cluster.Topology
		step int // step to the destination; 0: any
	}{
		{"torus=32x32x32/to=x", torus(32, 32, 32), 1},
		{"torus=32x32x32/to=z", torus(32, 32, 32), 32 * 32},
		{"torus=32x32x32/to=any", torus(32, 32, 32), 0},
		{"hyper=32x32x32/to=any", hyper(32, 32, 32), 0},
		{"fattree=18x18x15/to=any", fatTree(18, 18, 15), 0},
		{"dragonfly=4x16x6x15/to=chassis", dragonfly(4, 16, 6, 15), 4},
		{"dragonfly=4x16x6x15/to=any", dragonfly(4, 16, 6, 15), 0},
	} {
		n := network(b, c.top)
		b.Run(c.name, func(b *testing.B) {
			path := make([]int32, 0, 128)
			from := 0
			to := 0
			links := 0
			b.ReportAllocs()
			for b.Loop() {
				if c.step > 0 {
					to = (from + c.step) % n.Nodes()
				} else {
					to = (to + 7919) % n.Nodes()
				}
				path = n.Route(from, to, path[:0])
				links += len(path)
				if from++; from == n.Nodes() {
					from = 0
				}
			}
			b.ReportMetric(float64(links)/float64(b.N), "links/op")
		})
	}
}

func torus(dims ...int) cluster.Topology {
	return cluster.Topology{Shape: cluster.Torus, Dims: dims, LinkBandwidth: 1e9}
}

func hyper(dims ...int) cluster.Topology {
	return cluster.Topology{Shape: cluster.Hyper, Dims: dims, LinkBandwidth: 1e9}
}

func fatTree(dims ...int) cluster.Topology {
	return cluster.Topology{Shape: cluster.FatTree, Dims: dims, LinkBandwidth: 1e9}
}

func dragonfly(dims ...int) cluster.Topology {
	return cluster.Topology{Shape: cluster.Dragonfly, Dims: dims, LinkBandwidth: 1e9}
}

// network returns top for its maximum number of nodes.
func network(t rapid.TB, top cluster.Topology) *topology.Network {
	nodes := 1
	for _, d := range top.Dims {
		nodes *= d
	}
	n, err := topology.New(top, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
