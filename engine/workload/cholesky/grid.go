package cholesky

import "github.com/hybridtop/hybridtop/engine/workload/dense"

// A grid is a matrix of n × n elements in blocks on TX × TY processes, with the position of one
// process.
type grid struct {
	n, nb  int
	tx, ty int // rows and columns of processes
	x, y   int // position of this process

	rows, cols dense.Cyclic // of elements over rows and columns of processes
	both       dense.Cyclic // of indices with equal classes in both, over the least common multiple
}

// gridOf returns the grid of process i of tx × ty. Processes are numbered row by row.
func gridOf(n, nb, tx, ty, i int) grid {
	return grid{
		n: n, nb: nb, tx: tx, ty: ty, x: i / ty, y: i % ty,
		rows: dense.Cyclic{N: n, Block: nb, Ranks: tx}, cols: dense.Cyclic{N: n, Block: nb, Ranks: ty},
		both: dense.Cyclic{N: n, Block: nb, Ranks: tx / gcd(tx, ty) * ty},
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// blocks returns the number of steps.
func (g *grid) blocks() int { return g.rows.Blocks() }

// width returns the number of indices in block k.
func (g *grid) width(k int) int { return g.rows.Width(k) }

// first returns the first index of block k.
func (g *grid) first(k int) int { return min(k*g.nb, g.n) }

// across returns the number of a process column's element columns from a global index on, and down
// the number of a process row's element rows.
func (g *grid) across(y, from int) int { return g.cols.Len(y) - g.cols.From(y, from) }
func (g *grid) down(x, from int) int   { return g.rows.Len(x) - g.rows.From(x, from) }

// classOf returns the class, in both, of the indices that process row x owns as rows and process
// column y owns as columns, or −1 if there are none.
func (g *grid) classOf(x, y int) int {
	for z := x; z < g.both.Ranks; z += g.tx {
		if z%g.ty == y {
			return z
		}
	}
	return -1
}

// shared returns the number of indices of a class from a global one on.
func (g *grid) shared(z, from int) int {
	if z < 0 {
		return 0
	}
	return g.both.Len(z) - g.both.From(z, from)
}
