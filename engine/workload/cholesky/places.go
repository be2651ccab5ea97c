package cholesky

import "github.com/hybridtop/hybridtop/cluster"

// places are the arrays of a process in symmetric memory: what comes there by a put has a
// place that all processes know.
type places struct {
	matrix array // own elements
	diag   array // a word, and U_kk
	side   array // what is handed over, for one row of processes after the other
	panels [2]panel
}

// panel is what a process needs of row k of U, by the parity of k: the own columns' part of
// the row, and what came of it for the own rows, a piece for each column of processes that
// has any.
type panel struct {
	across array   // a word, then block by columns of elements
	pieces []array // by column of processes: block by shared
}

// array is numbers at an offset.
type array struct {
	cluster.Buf[float64]
	at int64
}

// pad is behind a row of elements: rows of a power of two share the sets of a cache.
const pad = 8

// leading is the length of a row of own elements.
func (g *grid) leading() int { return g.cols.Most() + pad }

// places takes what a process with the most of everything has.
func (g *grid) places(take func(numbers int) array) places {
	p := places{matrix: take(g.rows.Most() * g.leading()), diag: take(1 + g.nb*g.nb), side: take(g.nb * g.cols.Most())}
	common := gcd(g.tx, g.ty)
	for parity := range p.panels {
		to := &p.panels[parity]
		to.across = take(1 + g.nb*g.cols.Most())
		to.pieces = make([]array, g.ty)
		for y := range g.ty {
			if y%common == 0 {
				to.pieces[y] = take(g.nb * g.both.Most())
			} else { // a row of processes has pieces of one of them
				to.pieces[y] = to.pieces[y-1]
			}
		}
	}
	return p
}
