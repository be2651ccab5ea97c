package cholesky

import "github.com/hybridtop/hybridtop/cluster"

// arrays are a process's arrays in symmetric memory. Puts need offsets that all processes know.
type arrays struct {
	matrix array // this process's elements
	diag   array // a status word, and U_kk
	side   array // pieces to hand over, by row of processes
	panels [2]panel
}

// A panel is the part of row k of U that a process needs, by the parity of k. It has the part of
// row k in this process's columns, and the pieces for its rows, one from each column of processes
// that has any.
type panel struct {
	across array   // a status word, then block × columns of elements
	pieces []array // by column of processes: block × shared
}

// An array is a buffer of numbers and its offset.
type array struct {
	cluster.Buf[float64]
	at int64
}

// pad is added to a row of elements, because rows of a power of two share cache sets.
const pad = 8

// rowLength returns the length of a row of this process's elements.
func (g *grid) rowLength() int { return g.cols.MaxLen() + pad }

// allocate allocates the arrays with alloc, in the sizes of the process that has the most elements.
func (g *grid) allocate(alloc func(numbers int) array) arrays {
	p := arrays{matrix: alloc(g.rows.MaxLen() * g.rowLength()), diag: alloc(1 + g.nb*g.nb),
		side: alloc(g.nb * g.cols.MaxLen())}
	common := gcd(g.tx, g.ty)
	for parity := range p.panels {
		to := &p.panels[parity]
		to.across = alloc(1 + g.nb*g.cols.MaxLen())
		to.pieces = make([]array, g.ty)
		for y := range g.ty {
			if y%common == 0 {
				to.pieces[y] = alloc(g.nb * g.both.MaxLen())
			} else { // a row of processes has pieces from only one of them
				to.pieces[y] = to.pieces[y-1]
			}
		}
	}
	return p
}
