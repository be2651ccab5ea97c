package multigrid

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// Face is what a rank gives across the faces of the finest grid along one dimension: the
// rows of a face, and the farthest link that any pair of ranks crosses (0: on a socket, 1:
// on a node, 2: the adapter, 3 to 5: the network's ranks). Paper 3's table II has them.
type Face struct{ Messages, Bytes, Link int }

// weak is the paper's scaling: a box of so many cells a side for each rank.
func weak(ranks, side int) *layout {
	return newLayout(shapes(int(math.Round(math.Cbrt(float64(ranks)))), side, 8), ranks, false)
}

// Faces gives them for each dimension.
func Faces(l *cluster.Layout, m *cluster.Machine, side int) (along [3]Face) {
	ranks := l.Ranks()
	grid := weak(ranks, side)
	n := grid.shapes[0].boxes
	for r := range ranks {
		for _, p := range grid.gives(0, faces, r) {
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

// Puts gives how many puts of ghosts' rows a whole solve has, the most of any rank and of
// any node: a V-cycle has two passes of four sweeps and a residual on each of its levels.
func Puts(l *cluster.Layout, side int) (rank, node int64) {
	ranks := l.Ranks()
	grid := weak(ranks, side)
	nodes := make([]int64, l.Nodes)
	for r := range ranks {
		n := int64(0)
		for at := range len(grid.shapes) - 1 {
			times := int64(9 * (at + 1))
			if at == 0 {
				times++ // the last residual
			}
			for _, p := range grid.gives(at, faces, r) {
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
