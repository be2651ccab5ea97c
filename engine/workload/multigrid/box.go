package multigrid

import "math"

// box is a cube of cells of a level, owned by one rank.
type box struct {
	shape
	slot  int
	first [3]int // its first cell in the domain
	h     float64
	v     [vectors][]float64 // nil in a size-only problem
}

// edge reports whether the low and the high side of a box in dimension d are on the domain's
// boundary.
func (b *box) edge(d int) (low, high bool) {
	return b.first[d] == 0, b.first[d]+b.side == b.cells()
}

// fillBoundary fills the ghosts of a vector outside the domain with the negative inner values, once
// for each dimension.
func (b *box) fillBoundary(x []float64) {
	n, s := b.side, b.stride()
	if low, high := b.edge(0); low || high {
		for row := 0; row < len(x); row += s {
			if low {
				x[row] = -x[row+1]
			}
			if high {
				x[row+n+1] = -x[row+n]
			}
		}
	}
	if low, high := b.edge(1); low || high {
		for plane := 0; plane < len(x); plane += s * s {
			if low {
				negate(x[plane:plane+s], x[plane+s:])
			}
			if high {
				negate(x[plane+(n+1)*s:plane+(n+2)*s], x[plane+n*s:])
			}
		}
	}
	low, high := b.edge(2)
	if low {
		negate(x[:s*s], x[s*s:])
	}
	if high {
		negate(x[(n+1)*s*s:], x[n*s*s:])
	}
}

// edgeLoops returns the number of loops of fillBoundary.
func (b *box) edgeLoops() (loops int) {
	for d, each := range [3]int{1, b.stride(), 1} {
		low, high := b.edge(d)
		switch {
		case low && high && d > 0:
			loops += 2 * each
		case low || high:
			loops += each
		}
	}
	return loops
}

func negate(to, from []float64) {
	for i := range to {
		to[i] = -from[i]
	}
}

// apply writes the operator's values in the cells of a row into to, −h⁻²Σβ(u_neighbour − u). first is
// the index of the row's first cell. Products are rounded before they are added, on every
// processor.
func (b *box) apply(x, to []float64, first int) {
	n, s := b.side, b.stride()
	ss, scale := s*s, 1/(b.h*b.h)
	line := func(v []float64, at, cells int) []float64 { return v[at : at+cells] }
	bi, bj, bk := line(b.v[vBetaI], first, n+1), line(b.v[vBetaJ], first, n), line(b.v[vBetaK], first, n)
	bjNext, bkNext := line(b.v[vBetaJ], first+s, n), line(b.v[vBetaK], first+ss, n)
	row, to := line(x, first-1, n+2), to[:n]
	south, north := line(x, first-s, n), line(x, first+s, n)
	below, above := line(x, first-ss, n), line(x, first+ss, n)
	for i := range to {
		c := row[i+1]
		sum := float64(bi[i+1]*(row[i+2]-c)) - float64(bi[i]*(c-row[i]))
		sum += float64(bjNext[i]*(north[i]-c)) - float64(bj[i]*(c-south[i]))
		sum += float64(bkNext[i]*(above[i]-c)) - float64(bk[i]*(c-below[i]))
		to[i] = -scale * sum
	}
}

// sweep does one step of a Chebyshev pass in some planes. It reads x, and to, which holds the x before it, and
// writes to. line is scratch space for a row.
func (b *box) sweep(of planes, x, to, f, line []float64, c1, c2 float64) {
	line = line[:b.side]
	b.rowsOf(of, func(first int) {
		end := first + b.side
		b.apply(x, line, first)
		x, to, f, d := x[first:end], to[first:end], f[first:end], b.v[vDinv][first:end]
		if c1 == 0 {
			for i, ax := range line {
				to[i] = x[i] + float64(c2*float64(d[i]*(f[i]-ax)))
			}
			return
		}
		for i, ax := range line {
			to[i] = x[i] + float64(c1*(x[i]-to[i])) + float64(c2*float64(d[i]*(f[i]-ax)))
		}
	})
}

// residual writes f − Ax into to in some planes, and returns the largest absolute value.
func (b *box) residual(of planes, x, f, to []float64) (largest float64) {
	b.rowsOf(of, func(first int) {
		b.apply(x, to[first:], first)
		for p := first; p < first+b.side; p++ {
			to[p] = f[p] - to[p]
			largest = max(largest, math.Abs(to[p]))
		}
	})
	return largest
}

// planes are planes [lo, hi) of a box along k, without its ghosts.
type planes struct{ lo, hi int }

// rows calls row for each row of the box.
func (b *box) rows(row func(at int)) { b.rowsOf(planes{0, b.side}, row) }

// rowsOf calls row for each row of some planes.
func (b *box) rowsOf(of planes, row func(at int)) {
	for k := of.lo + 1; k <= of.hi; k++ {
		for j := 1; j <= b.side; j++ {
			row(b.index(1, j, k))
		}
	}
}

// grid is the position of values: the first one, and the distances of rows and planes.
type grid struct {
	v              []float64
	at, row, plane int
}

func (b *box) grid(v, i, j, k int) grid {
	return b.image(v, b.index(i, j, k))
}

// means writes the mean of every eight cells of x into to, for the pairs of planes whose first one is among some
// planes.
func (b *box) means(of planes, x []float64, to grid) {
	n, s := b.side/2, b.stride()
	ss := s * s
	for k := (of.lo + 1) / 2; k < min((of.hi+1)/2, n); k++ {
		for j := range n {
			p, q := b.index(1, 2*j+1, 2*k+1), to.at+j*to.row+k*to.plane
			for range n {
				sum := ((x[p] + x[p+1]) + (x[p+s] + x[p+s+1])) + ((x[p+ss] + x[p+ss+1]) + (x[p+ss+s] + x[p+ss+s+1]))
				to.v[q] = 0.125 * sum
				p, q = p+2, q+1
			}
		}
	}
}

// spread copies each cell of from, the coarse image of a fine box of this side, into eight cells of
// to, in some planes. If add is set, it adds them.
func spread(of planes, from, to grid, side int, add bool) {
	for k := of.lo; k < of.hi; k++ {
		for j := range side {
			p, q := from.at+j/2*from.row+k/2*from.plane, to.at+j*to.row+k*to.plane
			if add {
				for i := range side {
					to.v[q+i] += from.v[p+i/2]
				}
				continue
			}
			for i := range side {
				to.v[q+i] = from.v[p+i/2]
			}
		}
	}
}

// interpolate is like spread, with trilinear interpolation: weights 27, 9, 3 and 1 of 64.
func interpolate(of planes, from, to grid, side int) {
	for k := of.lo; k < of.hi; k++ {
		dk := from.plane * (2*(k&1) - 1)
		for j := range side {
			dj := from.row * (2*(j&1) - 1)
			p, q := from.at+j/2*from.row+k/2*from.plane, to.at+j*to.row+k*to.plane
			for i := range side {
				c, di := p+i/2, 2*(i&1)-1
				v := from.v
				near := float64(9 * ((v[c+di] + v[c+dj]) + v[c+dk]))
				far := float64(3 * ((v[c+di+dj] + v[c+di+dk]) + v[c+dj+dk]))
				to.v[q+i] = (float64(27*v[c]) + near + far + v[c+di+dj+dk]) * (1. / 64)
			}
		}
	}
}

// fill evaluates a function at the centres of cells, and stores the values in a vector.
func (b *box) fill(v int, value func(x, y, z float64) float64) {
	for k := 1; k <= b.side; k++ {
		for j := 1; j <= b.side; j++ {
			for i := 1; i <= b.side; i++ {
				b.v[v][b.index(i, j, k)] = value(b.coordinate(0, 2*i-1), b.coordinate(1, 2*j-1), b.coordinate(2, 2*k-1))
			}
		}
	}
}

// coordinate returns the coordinate in the domain of a point that is a number of half cells from
// the box's first corner.
func (b *box) coordinate(d, halves int) float64 {
	return float64(2*b.first[d]+halves) / float64(2*b.cells())
}

// betas fills the coefficients on the finest level's faces, including those at the upper end of the
// box.
func (b *box) betas() {
	for k := 1; k <= b.side+1; k++ {
		for j := 1; j <= b.side+1; j++ {
			for i := 1; i <= b.side+1; i++ {
				x := 2*i - 2
				y := 2*j - 2
				z := 2*k - 2
				p := b.index(i, j, k)
				b.v[vBetaI][p], _ = coefficient(b.coordinate(0, x), b.coordinate(1, y+1), b.coordinate(2, z+1))
				b.v[vBetaJ][p], _ = coefficient(b.coordinate(0, x+1), b.coordinate(1, y), b.coordinate(2, z+1))
				b.v[vBetaK][p], _ = coefficient(b.coordinate(0, x+1), b.coordinate(1, y+1), b.coordinate(2, z))
			}
		}
	}
}

// faceMeans writes the means of every four faces across dimension d into to, for faces below n
// coarse cells.
func (b *box) faceMeans(d int, n [3]int, to grid) {
	x, s := b.v[vBetaI+d], b.stride()
	across := [3][2]int{{s, s * s}, {1, s * s}, {1, s}}[d]
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				p := b.index(2*i+1, 2*j+1, 2*k+1)
				to.v[to.at+i+j*to.row+k*to.plane] = 0.25 * ((x[p] + x[p+across[0]]) + (x[p+across[1]] + x[p+across[0]+across[1]]))
			}
		}
	}
}

// invert computes D⁻¹ from the faces. A face of the domain counts twice, because the ghost behind
// it is the negative of its cell.
func (b *box) invert() {
	scale := 1 / (b.h * b.h)
	s := b.stride()
	for k := 1; k <= b.side; k++ {
		for j := 1; j <= b.side; j++ {
			for i := 1; i <= b.side; i++ {
				p, sum := b.index(i, j, k), 0.
				for d, at := range [3]int{i, j, k} {
					step := [3]int{1, s, s * s}[d]
					low, high := b.edge(d)
					left, right := b.v[vBetaI+d][p], b.v[vBetaI+d][p+step]
					if low && at == 1 {
						left *= 2
					}
					if high && at == b.side {
						right *= 2
					}
					sum += left + right
				}
				b.v[vDinv][p] = 1 / (scale * sum)
			}
		}
	}
}
