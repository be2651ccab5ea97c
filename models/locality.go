package models

import "fmt"

// RankShare returns the share of uniformly random accesses that hit the caller's own memory, for a
// replica spread over a group of ranks: 1/G (paper 1, section 4.3.1 and figure 7). The baseline's
// group is all THREADS.
func RankShare(group int) float64 {
	if group < 1 {
		panic(fmt.Sprintf("models: a group of %d ranks", group))
	}
	return 1 / float64(group)
}

// NodeShare returns the share that hits the caller's own node, including its own memory: |group ∩
// node| / G.
func NodeShare(intersection, group int) float64 {
	if group < 1 || intersection < 1 || intersection > group {
		panic(fmt.Sprintf("models: %d ranks on the node of a group of %d", intersection, group))
	}
	return float64(intersection) / float64(group)
}

// Shares are the shares of uniformly random accesses by target. Node includes Rank, so 0 ≤ Rank ≤
// Node ≤ 1. The rest, 1 − Node, is remote.
type Shares struct{ Rank, Node float64 }

// PlacedShares returns the mean of both shares over ranks 0 to ranks − 1. Each rank accesses its
// own group's replica; node and group return the place of a rank. Groups can be spread unevenly
// over nodes.
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
	for r := range ranks { // by rank: the sum must not depend on the order of a map
		g := size[group(r)]
		s.Rank += RankShare(g)
		s.Node += NodeShare(together[[2]int{group(r), node(r)}], g)
	}
	s.Rank = min(s.Rank/float64(ranks), 1)
	s.Node = min(s.Node/float64(ranks), 1)
	return s
}

// AverageLatency returns l_avg = (l_l − l_r)·P + l_r: the mean latency of an access if a share p is
// local at ll seconds and the rest remote at lr (paper 1, section 4.3.1).
func AverageLatency(ll, lr, p float64) float64 { return (ll-lr)*p + lr }

// Levels are the latencies in seconds of the three kinds of access.
type Levels struct{ Rank, Node, Remote float64 }

// Average returns the mean latency by the law with three levels: each latency times its share.
func (l Levels) Average(s Shares) float64 {
	return l.Rank*s.Rank + l.Node*(s.Node-s.Rank) + l.Remote*(1-s.Node)
}

// RelativeError returns the error of a prediction relative to the measured value. It is negative if
// the prediction is too low.
func RelativeError(predicted, measured float64) float64 {
	return (predicted - measured) / measured
}
