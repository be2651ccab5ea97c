package models

import "fmt"

// RankShare is the share of uniformly random accesses to a replica spread over a
// group of ranks that land in the caller's own memory: 1/G (paper 1, section
// 4.3.1 and figure 7; for the baseline the group is all THREADS).
func RankShare(group int) float64 {
	if group < 1 {
		panic(fmt.Sprintf("models: a group of %d ranks", group))
	}
	return 1 / float64(group)
}

// NodeShare is the share that lands on the caller's own node, its own memory
// included: |group ∩ node| / G.
func NodeShare(intersection, group int) float64 {
	if group < 1 || intersection < 1 || intersection > group {
		panic(fmt.Sprintf("models: %d ranks on the node of a group of %d", intersection, group))
	}
	return float64(intersection) / float64(group)
}

// Shares says where uniformly random accesses land. Node includes Rank, so that
// 0 ≤ Rank ≤ Node ≤ 1; what is left, 1 − Node, is remote.
type Shares struct{ Rank, Node float64 }

// PlacedShares is the mean of both shares over ranks 0 to ranks − 1, each
// accessing its own group's replica, where node and group place the ranks. Groups
// need not be equally spread over nodes.
func PlacedShares(ranks int, node, group func(rank int) int) Shares {
	if ranks < 1 {
		panic(fmt.Sprintf("models: %d ranks", ranks))
	}
	size := make(map[int]int)
	together := make(map[[2]int]int)
	for r := range ranks {
		size[group(r)]++
		together[[2]int{group(r), node(r)}]++
	}
	var s Shares
	for r := range ranks { // by rank, so that the sum does not depend on a map's order
		g := size[group(r)]
		s.Rank += RankShare(g)
		s.Node += NodeShare(together[[2]int{group(r), node(r)}], g)
	}
	s.Rank = min(s.Rank/float64(ranks), 1)
	s.Node = min(s.Node/float64(ranks), 1)
	return s
}

// AverageLatency is l_avg = (l_l − l_r)·P + l_r: the mean latency of an access
// when a share p is local at ll seconds and the rest remote at lr (paper 1,
// section 4.3.1).
func AverageLatency(ll, lr, p float64) float64 { return (ll-lr)*p + lr }

// Levels are the latencies, in seconds, of the three ways an access can go.
type Levels struct{ Rank, Node, Remote float64 }

// Average is the law with three levels: each latency by its own share.
func (l Levels) Average(s Shares) float64 {
	return l.Rank*s.Rank + l.Node*(s.Node-s.Rank) + l.Remote*(1-s.Node)
}

// RelativeError is a prediction's miss, as a part of what was measured: negative
// when the prediction is too low.
func RelativeError(predicted, measured float64) float64 {
	return (predicted - measured) / measured
}
