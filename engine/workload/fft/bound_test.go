package fft

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A transform of 4096 × 4096 × 2048 points on a separate torus of BlueGene/P with 32,768 cores: the
// bisection has 2 × 16 × 16 links each way, and half of all points cross it twice (paper 5, section
// 6.3).
func TestBoundOfThePaper(t *testing.T) {
	m := &cluster.Machine{Topology: workload.PartOf(cluster.Topology{Shape: cluster.Torus, LinkBandwidth: 425e6}, 8192)}
	l := &cluster.Layout{Nodes: 8192, RanksPerNode: 1, ThreadsPerRank: 4, Ranking: cluster.Sequential, Model: cluster.Flat}
	points := math.Pow(2, 35)
	exchange := 16 * points / 4 / (512 * 425e6)
	want := 5 * points * 35 / (2 * exchange)
	got := BoundOf([3]int{4096, 4096, 2048}, 64, 128, l, m, 0)
	if math.Abs(got.Half/want-1) > 1e-12 || got.Crossing != 0 || got.Busiest != 0 {
		t.Errorf("%+v, want half %v and no more without routes", got, want)
	}
}

// The routes cross the cut as often as messages have their ends on two sides of it. The busiest
// link carries at least the mean of the links of the cut.
func TestCrossingByRoutes(t *testing.T) {
	for _, c := range []struct {
		dims   []int
		ty, tz int
	}{{[]int{8, 4, 2}, 4, 16}, {[]int{8, 4, 2}, 8, 8}, {[]int{4, 4, 4}, 16, 4}, {[]int{2, 3, 6}, 6, 6},
		{[]int{5, 2, 1}, 2, 5}} {
		m := &cluster.Machine{Topology: cluster.Topology{Shape: cluster.Torus, Dims: c.dims, LinkBandwidth: 1e9}}
		nodes := m.Topology.Nodes()
		l := &cluster.Layout{Nodes: nodes, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat}
		net, err := topology.New(m.Topology, nodes)
		if err != nil {
			t.Fatal(err)
		}
		cut := cutOf(&m.Topology)
		for e := range exchanges {
			load, over := loads(net, cut, l, [exchanges]int{c.ty, c.tz}, e)
			var want [2]int64
			g := grid{ty: c.ty, tz: c.tz}
			for number := range []int{c.tz, c.ty}[e] {
				team := g.team(l.World(), e, number)
				for _, a := range team {
					for _, b := range team {
						switch x, y := cut(int(a)), cut(int(b)); {
						case !x && y:
							want[0]++
						case x && !y:
							want[1]++
						}
					}
				}
			}
			if over != want {
				t.Errorf("%v, %d × %d, exchange %d: %v messages cross by their routes, by their ends %v", c.dims, c.ty, c.tz, e,
					over, want)
			}
			busiest := int64(0)
			for _, n := range load {
				busiest = max(busiest, n)
			}
			if float64(busiest) < float64(max(over[0], over[1]))/float64(net.Bisection()) {
				t.Errorf("%v, exchange %d: the busiest link carries %d, %v cross %d links", c.dims, e, busiest, over,
					net.Bisection())
			}
		}
		b := BoundOf([3]int{c.ty * c.tz, c.ty * c.tz, c.ty * c.tz}, c.ty, c.tz, l, m, math.MaxInt)
		if !(b.Busiest > 0) || b.Crossing > 0 && b.Busiest > b.Crossing*(1+1e-12) {
			t.Errorf("%v: %+v: the busiest link must bound at least as much as the bisection", c.dims, b)
		}
	}
}
