package multigrid

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// Face is the data that a rank sends across the faces of the finest grid along one dimension: the
// number of rows and the bytes of a row. Link is the farthest link that any pair of ranks crosses
// (0: on a socket, 1: on a node, 2: the adapter, 3 to 5: the network's ranks). Table II of paper 3
// lists them.
type Face struct{ Messages, Bytes, Link int }

// weakLayout returns the layout of the paper's weak scaling: one box per rank, with side cells
// along each side.
func weakLayout(ranks, side int) *layout {
	return newLayout(shapes(int(math.Round(math.Cbrt(float64(ranks)))), side, 8), ranks, false)
}

// Faces returns the Face of each dimension.
func Faces(l *cluster.Layout, m *cluster.Machine, side int) (along [3]Face) {
	ranks := l.Ranks()
	grid := weakLayout(ranks, side)
	n := grid.shapes[0].boxes
	for r := range ranks {
		for _, p := range grid.sends(0, faces, r) {
			d := 0
			for span := abs(p.to - p.from); d < 2 && span >= n; d++ {
				span /= n
			}
			f := &along[d]
			f.Messages, f.Bytes = p.of.Blocks(), int(p.of.Block)
			f.Link = max(f.Link, linkOf(l, m, p.from, p.to))
		}
	}
	return along
}

func abs(n int) int { return max(n, -n) }

// Puts returns the number of puts of ghost rows in a whole solve, the maximum of any rank and of
// any node. A V-cycle has two passes of four sweeps and a residual on each of its levels.
func Puts(l *cluster.Layout, side int) (rank, node int64) {
	ranks := l.Ranks()
	grid := weakLayout(ranks, side)
	nodes := make([]int64, l.Nodes)
	for r := range ranks {
		n := int64(0)
		for at := range len(grid.shapes) - 1 {
			times := int64(9 * (at + 1))
			if at == 0 {
				times++ // the last residual
			}
			for _, p := range grid.sends(at, faces, r) {
				n += times * int64(p.of.Blocks())
			}
		}
		rank = max(rank, n)
		nodes[l.NodeOf(r)] += n
	}
	for _, n := range nodes {
		node = max(node, n)
	}
	return rank, node
}
