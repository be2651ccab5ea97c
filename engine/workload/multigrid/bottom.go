package multigrid

import "math"

// A coarsest grid of more than one cell is solved by BiCGStab, with the operator's diagonal as
// preconditioner.
const (
	bottomTolerance     = 1e-3
	maxBottomIterations = 200 // iterations
)

// A size-only problem is charged for bottomRounds iterations, each with bottomLoops loops over each
// row.
const (
	bottomRounds = 10
	bottomLoops  = 18
)

// solveBottom solves the box's grid, which is the whole level. It returns the number of iterations.
func (b *box) solveBottom() int {
	u, f := b.v[vU], b.v[vR]
	if b.side == 1 {
		p := b.index(1, 1, 1)
		u[p] = float64(b.v[vDinv][p] * f[p])
		return 0
	}
	vector := func() []float64 { return make([]float64, len(u)) }
	r := vector()
	r0 := vector()
	p := vector()
	ap := vector()
	s := vector()
	as := vector()
	y := vector()
	clear(u)
	copy(r, f)
	copy(r0, r)
	copy(p, r)
	rho, norm := b.dot(r, r0), b.largest(r)
	if norm == 0 || rho == 0 {
		return 0
	}
	for round := 1; round <= maxBottomIterations; round++ {
		b.applyPreconditioned(p, y, ap)
		down := b.dot(ap, r0)
		if down == 0 || math.IsInf(down, 0) {
			return round
		}
		alpha := rho / down
		b.combine(s, r, ap, -alpha)
		b.applyPreconditioned(s, y, as)
		size := b.dot(as, as)
		omega := 0.
		if size != 0 {
			omega = b.dot(as, s) / size
		}
		b.precondition(p, y)
		b.combine(u, u, y, alpha)
		b.precondition(s, y)
		b.combine(u, u, y, omega)
		b.combine(r, s, as, -omega)
		if omega == 0 || b.largest(r) <= bottomTolerance*norm {
			return round
		}
		next := b.dot(r, r0)
		if next == 0 {
			return round
		}
		beta := next / rho * (alpha / omega)
		rho = next
		b.combine(p, p, ap, -omega)
		b.rows(func(at int) {
			for q := at; q < at+b.side; q++ {
				p[q] = r[q] + float64(beta*p[q])
			}
		})
	}
	return maxBottomIterations
}

// precondition puts D⁻¹x into to.
func (b *box) precondition(x, to []float64) {
	b.rows(func(at int) {
		for q := at; q < at+b.side; q++ {
			to[q] = b.v[vDinv][q] * x[q]
		}
	})
}

// applyPreconditioned puts A D⁻¹x into to.
func (b *box) applyPreconditioned(x, y, to []float64) {
	b.precondition(x, y)
	b.fillBoundary(y)
	b.rows(func(at int) { b.apply(y, to[at:], at) })
}

// combine puts a + c·x into to.
func (b *box) combine(to, a, x []float64, c float64) {
	b.rows(func(at int) {
		for q := at; q < at+b.side; q++ {
			to[q] = a[q] + float64(c*x[q])
		}
	})
}

func (b *box) dot(x, y []float64) (sum float64) {
	b.rows(func(at int) {
		for q := at; q < at+b.side; q++ {
			sum += float64(x[q] * y[q])
		}
	})
	return sum
}

func (b *box) largest(x []float64) (greatest float64) {
	b.rows(func(at int) {
		for q := at; q < at+b.side; q++ {
			greatest = max(greatest, math.Abs(x[q]))
		}
	})
	return greatest
}
