package cholesky

import "github.com/hybridtop/hybridtop/engine/workload/dense"

// grid is a matrix of n × n elements in blocks on TX × TY processes, and the place of one
// of these.
type grid struct {
	n, nb  int
	tx, ty int // rows and columns of processes
	x, y   int // the own place

	rows, cols dense.Cyclic // of elements over rows and columns of processes
	both       dense.Cyclic // of those that have equal places in both, over the least common multiple
}

// gridOf is the grid as process i of tx × ty sees it; they are numbered row by row.
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

// blocks is how many steps there are.
func (g *grid) blocks() int { return g.rows.Blocks() }

// width is how many indices block k has.
func (g *grid) width(k int) int { return g.rows.Width(k) }

// first is the first index of block k.
func (g *grid) first(k int) int { return min(k*g.nb, g.n) }

// across is how many columns of elements from a global one on a column of processes has,
// and down how many rows a row of processes has.
func (g *grid) across(y, from int) int { return g.cols.Len(y) - g.cols.From(y, from) }
func (g *grid) down(x, from int) int   { return g.rows.Len(x) - g.rows.From(x, from) }

// meet is the class, in both, of the blocks whose row is process row x's and whose column
// is process column y's when row and column are one number; −1: there are none.
func (g *grid) meet(x, y int) int {
	for z := x; z < g.both.Ranks; z += g.tx {
		if z%g.ty == y {
			return z
		}
	}
	return -1
}

// shared is how many indices from a global one on are in a class.
func (g *grid) shared(z, from int) int {
	if z < 0 {
		return 0
	}
	return g.both.Len(z) - g.both.From(z, from)
}
