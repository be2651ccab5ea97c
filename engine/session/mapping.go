package session

import (
	"context"
	"slices"
)

// maxSweeps is the maximum number of passes of the local search over all pairs of ranks.
const maxSweeps = 50

// A mapping assigns ranks to nodes with places for perNode ranks each.
type mapping struct {
	bytes   [][]int64 // between two ranks, both ways
	perNode int
	node    []int   // by rank
	toNode  []int64 // bytes between a rank and the ranks of a node, row after row
}

// cheapestMapping returns the positions of ranks that a greedy start and a local search find for the
// bytes between ranks, and the bytes between nodes. The search also starts from the given
// assignments of nodes, of which the first wins among equals, so that the result is at most as
// expensive as each of them. The end of ctx ends the search.
func cheapestMapping(ctx context.Context, bytes [][]int64, perNode int, starts ...[]int) (positions []int32, between int64, err error) {
	m := mapping{bytes: make([][]int64, len(bytes)), perNode: perNode}
	for i := range bytes {
		m.bytes[i] = make([]int64, len(bytes))
		for j := range bytes {
			if i != j {
				m.bytes[i][j] = bytes[i][j] + bytes[j][i]
			}
		}
	}
	between = -1
	var best []int
	for _, start := range append(starts, m.greedy()) {
		m.begin(start)
		for range maxSweeps {
			any, err := m.sweep(ctx)
			if err != nil {
				return nil, 0, err
			}
			if !any {
				break
			}
		}
		if cost := m.cost(); between < 0 || cost < between {
			between, best = cost, slices.Clone(m.node)
		}
	}
	return positionsOf(best, perNode), between, nil
}

// positionsOf returns the positions of ranks on nodes. Nodes are numbered by their first rank, and
// have their ranks in order.
func positionsOf(node []int, perNode int) []int32 {
	number, taken := map[int]int{}, map[int]int{}
	positions := make([]int32, len(node))
	for rank, n := range node {
		if _, known := number[n]; !known {
			number[n] = len(number)
		}
		positions[rank] = int32(number[n]*perNode + taken[n])
		taken[n]++
	}
	return positions
}

// greedy fills one node after the other. The first rank of a node has the most bytes to ranks
// without a node, and each next rank has the most bytes to the ranks of this node.
func (m *mapping) greedy() []int {
	node := make([]int, len(m.bytes))
	free := make([]int64, len(node)) // bytes to ranks without a node
	for i := range node {
		node[i] = -1
		for _, b := range m.bytes[i] {
			free[i] += b
		}
	}
	here := make([]int64, len(node)) // bytes to ranks of this node
	for k := range node {
		n := k / m.perNode
		by := here
		if k%m.perNode == 0 {
			clear(here)
			by = free
		}
		next := -1
		for i := range node {
			if node[i] < 0 && (next < 0 || by[i] > by[next]) {
				next = i
			}
		}
		node[next] = n
		for i, b := range m.bytes[next] {
			free[i] -= b
			here[i] += b
		}
	}
	return node
}

// begin starts a search from an assignment.
func (m *mapping) begin(node []int) {
	nodes := len(node) / m.perNode
	m.node = slices.Clone(node)
	m.toNode = make([]int64, len(node)*nodes)
	for i := range node {
		for j, b := range m.bytes[i] {
			m.toNode[i*nodes+node[j]] += b
		}
	}
}

// cost returns the bytes between nodes.
func (m *mapping) cost() int64 {
	var between int64
	for i := range m.node {
		for j := range i {
			if m.node[i] != m.node[j] {
				between += m.bytes[i][j]
			}
		}
	}
	return between
}

// sweep swaps every pair of ranks that is cheaper the other way round. It reports whether any was.
func (m *mapping) sweep(ctx context.Context) (any bool, err error) {
	nodes := len(m.node) / m.perNode
	for i := range m.node {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		for j := range i {
			a, b := m.node[i], m.node[j]
			if a == b {
				continue
			}
			gain := m.toNode[i*nodes+b] - m.toNode[i*nodes+a] + m.toNode[j*nodes+a] - m.toNode[j*nodes+b] - 2*m.bytes[i][j]
			if gain <= 0 {
				continue
			}
			m.node[i], m.node[j] = b, a
			for k := range m.node {
				moved := m.bytes[k][j] - m.bytes[k][i]
				m.toNode[k*nodes+a] += moved
				m.toNode[k*nodes+b] -= moved
			}
			any = true
		}
	}
	return any, nil
}
