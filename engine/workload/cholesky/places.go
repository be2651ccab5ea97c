package cholesky

import "github.com/hybridtop/hybridtop/cluster"

// places are offsets in the segment, the same at every process: what is there by a put has
// a place that all know.
type places struct {
	a, diag, words int64
	across         [2]int64
	pieces         [2][]int64 // by column of processes
	side           int64
	end            int64
}

// pad is behind a row of elements: rows of a power of two share the sets of a cache.
const pad = 8

// leading is the length of a row of own elements.
func (g *grid) leading() int { return g.cols.Most() + pad }

// placesFrom lays out what a process with the most of everything has, from an offset on.
func (g *grid) placesFrom(from int64) places {
	p := places{end: (from + lines - 1) &^ (lines - 1)}
	take := func(numbers int) int64 {
		at := p.end
		p.end += (word*int64(numbers) + lines - 1) &^ (lines - 1)
		return at
	}
	p.words = take(1 + g.tx)
	p.a = take(g.rows.Most() * g.leading())
	p.diag = take(1 + g.nb*g.nb)
	p.side = take(g.nb * g.cols.Most())
	common := gcd(g.tx, g.ty)
	for parity := range 2 {
		p.across[parity] = take(1 + g.nb*g.cols.Most())
		size := (word*int64(g.nb*g.both.Most()) + lines - 1) &^ (lines - 1)
		for y := range g.ty { // a row of processes has those of one y in so many
			p.pieces[parity] = append(p.pieces[parity], p.end+int64(y/common)*size)
		}
		p.end += int64(g.ty/common) * size
	}
	return p
}

// numbers is the view of so many at an offset.
func numbers(r *cluster.Rank, at int64, n int) []float64 {
	return cluster.View[float64](r.Segment()[at : at+word*int64(n)])
}
