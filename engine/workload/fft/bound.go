package fft

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
	"github.com/hybridtop/hybridtop/engine"
)

// Bound has limits by the network for the rate of a transform in flop/s. A rate is 5·N·log₂ N flops
// over the time of the exchanges (paper 5, section 6.3). 0 means that no limit is known.
type Bound struct {
	// Half is the paper's bound. It assumes that half of the points cross the bisection in each of
	// the two exchanges, as in an exchange of all ranks. It is an estimate, not a limit: if the
	// members of a team are in one half of the network, their exchange does not cross. On BlueGene/P
	// only one of the two exchanges crosses, so that a run can reach twice this rate.
	Half float64
	// Crossing is a limit: it uses the bytes that cross the bisection by the routes of the two teams.
	// Share is their share of an exchange's bytes.
	Crossing float64
	Share    [exchanges]float64
	// Busiest is a lower limit than Crossing: it uses the link that carries the most bytes by the
	// routes. The bytes of an exchange take at least its time.
	Busiest float64
}

// fewPairs is the maximum number of pairs of ranks that are routed while the screen waits.
const fewPairs = 1 << 14

// BoundOf returns the bound of a box on a grid of ranks with one team per plane and per row, placed
// according to the layout. It depends only on the network. If there are more than pairs pairs of
// ranks, it only computes Half.
func BoundOf(points [3]int, ty, tz int, l *cluster.Layout, m *cluster.Machine, pairs int) Bound {
	var b Bound
	net, err := topology.New(m.Topology, l.Nodes)
	if err != nil || net.Links() == 0 || net.Rate(0) == 0 || net.Bisection() == 0 || ty*tz != l.N().MPI {
		return b
	}
	box := problem{n: points}
	all := 16 * float64(box.points())
	cut := cutOf(&m.Topology)
	bisection := float64(net.Bisection()) * float64(net.Rate(0))
	flops := box.flops()
	b.Half = flops / (exchanges * all / 4 / bisection) // half crosses, half of that each way
	var crossing, busiest float64
	sizes := [exchanges]int{ty, tz} // of the teams
	for e, size := range sizes {
		if size == 1 {
			continue
		}
		if l.N().MPI*(size-1) > pairs {
			return b
		}
		load, over := loads(net, cut, l, sizes, e)
		each := all / float64(l.N().MPI) / float64(size) // bytes from a rank to another
		longest := 0.0
		for link, n := range load {
			if n > 0 {
				longest = max(longest, float64(n)*each/float64(net.Rate(link)))
			}
		}
		busiest += longest
		crossing += float64(max(over[0], over[1])) * each / bisection
		b.Share[e] = float64(over[0]+over[1]) * each / all
	}
	if crossing > 0 {
		b.Crossing = flops / crossing
	}
	if busiest > 0 {
		b.Busiest = flops / busiest
	}
	return b
}

// loads routes one message between every two members of each team of an exchange. It returns the
// number of messages on each link, and the number that cross the cut each way. sizes are the numbers
// of members of the teams.
func loads(net *topology.Network, cut func(router int) bool, l *cluster.Layout, sizes [exchanges]int,
	e int) (load []int64, over [2]int64) {
	load = make([]int64, net.Links())
	world := l.World()
	members := sizes[e]
	teams := sizes[1-e]
	step, next := 1, members // from a member to the next one, from a team to the next one
	if e == second {
		step, next = teams, 1
	}
	var path []int32
	for team := range teams {
		for i := range members {
			from := l.NodeOf(int(world[team*next+i*step]))
			for j := range members {
				to := l.NodeOf(int(world[team*next+j*step]))
				if from == to {
					continue
				}
				path = net.Route(from, to, path[:0])
				for _, link := range path {
					load[link]++
					if a, b := net.Ends(int(link)); cut(a) != cut(b) {
						way := 0
						if cut(a) {
							way = 1
						}
						over[way]++
					}
				}
			}
		}
	}
	return load, over
}

// messagesOf calls send for the data that the nodes exchange in a step.
func messagesOf(s *engine.Scenario, l *cluster.Layout, _ *cluster.Machine,
	send func(from, to int, bytes float64)) bool {
	world := l.World()
	g, err := gridOf(s, len(world), 0)
	b := problemOf(s)
	if err != nil || len(world)*(g.ty+g.tz-2) > fewPairs {
		return false
	}
	for e, members := range [exchanges]int{g.ty, g.tz} {
		each := pointBytes * float64(b.points()) / float64(len(world)) / float64(members)
		for t := range len(world) / members {
			team := g.team(world, e, t)
			for _, from := range team {
				for _, to := range team {
					if a, b := l.NodeOf(int(from)), l.NodeOf(int(to)); a != b {
						send(a, b, each)
					}
				}
			}
		}
	}
	return true
}

// cutOf returns which side of the bisection each router of a torus is on. The bisection halves the
// longest side. For other networks all routers are on one side.
func cutOf(t *cluster.Topology) func(router int) bool {
	if t.Shape == cluster.Torus {
		longest, stride := 0, 1
		for i, d := range t.Dims {
			if d > t.Dims[longest] {
				longest = i
			}
		}
		for _, d := range t.Dims[:longest] {
			stride *= d
		}
		side := t.Dims[longest]
		return func(router int) bool { return router/stride%side >= (side+1)/2 }
	}
	return func(int) bool { return false }
}
