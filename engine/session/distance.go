package session

import (
	"context"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
)

// A mapping has three costs. The bytes between nodes come first, because all of them cross two
// adapters. The bytes of routes come second: each byte counts once per link. The bytes between
// sockets of a node come last.

// traffic is the number of bytes between two groups of ranks, both ways.
type traffic struct {
	with  int
	bytes int64
}

// distances has the bytes between groups of ranks, and the lengths of routes between their nodes.
type distances struct {
	groups [][]traffic // by group
	node   []int       // by group
	hops   func(a, b int) int
}

// length returns the bytes times links of a group on a node. with and at are another group and its
// node instead of its present one.
func (d *distances) length(group, node, with, at int) (sum int64) {
	for _, t := range d.groups[group] {
		to := d.node[t.with]
		if t.with == with {
			to = at
		}
		if to != node {
			sum += t.bytes * int64(d.hops(node, to))
		}
	}
	return sum
}

// sweep swaps every pair of groups whose routes are shorter the other way round. It reports whether
// any was.
func (d *distances) sweep(ctx context.Context) (any bool, err error) {
	for i := range d.node {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		for j := range i {
			a, b := d.node[i], d.node[j]
			before := d.length(i, a, j, b) + d.length(j, b, i, a)
			if d.length(i, b, j, a)+d.length(j, a, i, b) < before {
				d.node[i], d.node[j] = b, a
				any = true
			}
		}
	}
	return any, nil
}

// shortenRoutes returns the positions of ranks after its search for the nodes with the shortest
// routes. Ranks that share a node continue to share one.
func shortenRoutes(ctx context.Context, bytes [][]int64, positions []int32, perNode int,
	hops func(a, b int) int) ([]int32, error) {
	nodes := len(positions) / perNode
	between := make([]map[int]int64, nodes)
	for i := range between {
		between[i] = map[int]int64{}
	}
	for i := range bytes {
		for j, n := range bytes[i] {
			if a, b := int(positions[i])/perNode, int(positions[j])/perNode; n > 0 && a != b {
				between[a][b] += n
				between[b][a] += n
			}
		}
	}
	d := distances{groups: make([][]traffic, nodes), hops: hops}
	for a := range between {
		d.node = append(d.node, a)
		for b := range nodes {
			if n := between[a][b]; n > 0 {
				d.groups[a] = append(d.groups[a], traffic{b, n})
			}
		}
	}
	for range maxSweeps {
		any, err := d.sweep(ctx)
		if err != nil {
			return nil, err
		}
		if !any {
			break
		}
	}
	moved := slices.Clone(positions)
	for i, at := range positions {
		moved[i] = int32(d.node[int(at)/perNode]*perNode + int(at)%perNode)
	}
	return moved, nil
}

// fillSockets returns the positions of ranks after its search for the fewest bytes between sockets.
// No rank changes its node.
func fillSockets(ctx context.Context, bytes [][]int64, positions []int32, perNode, perSocket int) ([]int32, error) {
	moved := slices.Clone(positions)
	places := (perNode + perSocket - 1) / perSocket * perSocket // the last socket may have fewer ranks
	if places > perNode {
		return moved, nil // a rank of another socket cannot take an empty place
	}
	on := make([][]int, len(positions)/perNode)
	for rank, at := range positions {
		on[int(at)/perNode] = append(on[int(at)/perNode], rank)
	}
	for node, ranks := range on {
		slices.SortFunc(ranks, func(a, b int) int { return int(positions[a] - positions[b]) })
		inside, start := make([][]int64, perNode), make([]int, perNode)
		for i, a := range ranks {
			start[i] = i / perSocket
			for _, b := range ranks {
				inside[i] = append(inside[i], bytes[a][b])
			}
		}
		at, _, err := cheapestMapping(ctx, inside, perSocket, start)
		if err != nil {
			return nil, err
		}
		for i, rank := range ranks {
			moved[rank] = int32(node*perNode) + at[i]
		}
	}
	return moved, nil
}

// hopsOf returns the number of links between nodes, or nil if all nodes are equally far away.
func hopsOf(m *cluster.Machine, nodes int) (func(a, b int) int, error) {
	if shape := m.Topology.Shape; shape == "" || shape == cluster.Crossbar {
		return nil, nil
	}
	net, err := topology.New(m.Topology, nodes)
	if err != nil {
		return nil, err
	}
	return net.Hops, nil
}

// byDistance returns positions with shorter routes and fewer bytes between sockets, if the machine
// has them.
func byDistance(ctx context.Context, bytes [][]int64, positions []int32, m *cluster.Machine, l *cluster.Layout) ([]int32, error) {
	hops, err := hopsOf(m, l.Nodes)
	if err != nil {
		return nil, err
	}
	if hops != nil {
		if positions, err = shortenRoutes(ctx, bytes, positions, l.RanksPerNode, hops); err != nil {
			return nil, err
		}
	}
	if m.Sockets > 1 && l.RanksPerNode > m.Sockets {
		perSocket := (l.RanksPerNode + m.Sockets - 1) / m.Sockets
		return fillSockets(ctx, bytes, positions, l.RanksPerNode, perSocket)
	}
	return positions, nil
}
