package multigrid

import (
	"fmt"
	"math"
)

// The sequential program shares its parts with the parallel one, so comparing them does not find an
// error of a part. The following checks do. They use the problem, and none of the parts' code.

// partTolerance is the tolerance of a part. Only rounding differs.
const partTolerance = 1e-11

// wrongPart describes the first wrong part of a sequential solver, or returns "".
func (s *solver) wrongPart() string {
	if off := passError(s.c1, s.c2); !(off <= partTolerance) {
		return fmt.Sprintf("a pass of %d sweeps differs from the Chebyshev polynomial by %.2g", len(s.c1), off)
	}
	for at, lv := range s.levels {
		b := lv.boxes[0]
		if off := b.faceError(s.levels[0].side); !(off <= partTolerance) {
			return fmt.Sprintf("level %d: β on faces differs from the means of the finest ones by %.2g", at, off)
		}
		if off := b.diagonalError(); !(off <= partTolerance) {
			return fmt.Sprintf("level %d: D⁻¹ times the operator's diagonal differs from 1 by %.2g", at, off)
		}
		if at == 0 {
			continue
		}
		if off := transferError(s.levels[at-1].boxes[0], b); !(off <= partTolerance) {
			return fmt.Sprintf("level %d: a linear function, brought up or down, is off by %.2g", at, off)
		}
	}
	return ""
}

// passError returns the error of a pass on single eigenvalues of D⁻¹A. It multiplies an error by the
// Chebyshev polynomial of [1/4, 2] that is 1 at 0.
func passError(c1, c2 []float64) (worst float64) {
	const high, low = 2., 0.25
	degree, middle, half := float64(len(c1)), (high+low)/2, (high-low)/2
	for _, lambda := range []float64{low, 0.6, 1, 1.7, high} {
		was, e := 0., 1.
		for i := range c1 {
			was, e = e, e+c1[i]*(e-was)-c2[i]*lambda*e
		}
		want := math.Cos(degree*math.Acos((middle-lambda)/half)) / math.Cosh(degree*math.Acosh(middle/half))
		worst = max(worst, math.Abs(e-want))
	}
	return worst
}

// faceError returns the largest error of β on a sample of the faces of a box that is the whole domain.
// A face has the mean of the faces of the finest grid in it.
func (b *box) faceError(finest int) (worst float64) {
	const most = 8 // faces along a dimension
	ratio, skip := finest/b.side, max(1, b.side/most)
	for d := range 3 {
		p, q := (d+1)%3, (d+2)%3
		for at := 0; at <= b.side; at += skip {
			for j := 0; j < b.side; j += skip {
				for k := j % skip; k < b.side; k += skip {
					sum := 0.
					for y := range ratio {
						for z := range ratio {
							var x [3]float64
							x[d] = float64(at) / float64(b.side)
							x[p] = (float64(j*ratio+y) + 0.5) / float64(finest)
							x[q] = (float64(k*ratio+z) + 0.5) / float64(finest)
							beta, _ := coefficient(x[0], x[1], x[2])
							sum += beta
						}
					}
					var i [3]int
					i[d], i[p], i[q] = at+1, j+1, k+1
					worst = max(worst, math.Abs(b.v[vBetaI+d][b.index(i[0], i[1], i[2])]-sum/float64(ratio*ratio)))
				}
			}
		}
	}
	return worst
}

// diagonalError returns the largest error of D⁻¹. The operator's diagonal is its value for a
// checkerboard of ones and zeros, because all neighbours of a one are zeros.
func (b *box) diagonalError() (worst float64) {
	n := len(b.v[vDinv])
	x, ax := make([]float64, n), make([]float64, n)
	for color := range 2 {
		eachCell(b.side, func(i, j, k int) { x[b.index(i, j, k)] = float64((i + j + k + color) % 2) })
		b.fillBoundary(x)
		b.rows(func(at int) { b.apply(x, ax[at:], at) })
		eachCell(b.side, func(i, j, k int) {
			if at := b.index(i, j, k); x[at] == 1 {
				worst = max(worst, math.Abs(b.v[vDinv][at]*ax[at]-1))
			}
		})
	}
	return worst
}

// eachCell calls do for each cell of a box.
func eachCell(side int, do func(i, j, k int)) {
	for k := 1; k <= side; k++ {
		for j := 1; j <= side; j++ {
			for i := 1; i <= side; i++ {
				do(i, j, k)
			}
		}
	}
}

// transferError returns the largest error of a linear function between two levels. Means and
// trilinear interpolation reproduce it, and spreading copies each coarse cell.
func transferError(fine, coarse *box) (worst float64) {
	value := func(b *box, i, j, k int) float64 {
		h := 1 / float64(b.side)
		return 1 + 2*(float64(i)-0.5)*h - 3*(float64(j)-0.5)*h + 5*(float64(k)-0.5)*h
	}
	whole := func(b *box) grid { // with ghosts
		g := grid{v: make([]float64, len(b.v[vDinv])), at: b.index(1, 1, 1), row: b.stride(), plane: b.stride() * b.stride()}
		for k := range b.stride() {
			for j := range b.stride() {
				for i := range b.stride() {
					g.v[b.index(i, j, k)] = value(b, i, j, k)
				}
			}
		}
		return g
	}
	compare := func(b *box, got grid, want func(i, j, k int) float64) {
		eachCell(b.side, func(i, j, k int) {
			worst = max(worst, math.Abs(got.v[b.index(i, j, k)]-want(i, j, k)))
		})
	}
	low, high := whole(coarse), whole(fine)
	above := func(i, j, k int) float64 { return value(coarse, (i+1)/2, (j+1)/2, (k+1)/2) }
	spread(planes{0, fine.side}, low, high, fine.side, false)
	compare(fine, high, above)
	spread(planes{0, fine.side}, low, high, fine.side, true)
	compare(fine, high, func(i, j, k int) float64 { return 2 * above(i, j, k) })
	interpolate(planes{0, fine.side}, low, high, fine.side)
	compare(fine, high, func(i, j, k int) float64 { return value(fine, i, j, k) })
	high = whole(fine)
	clear(low.v)
	fine.means(planes{0, fine.side}, high.v, low)
	compare(coarse, low, func(i, j, k int) float64 { return value(coarse, i, j, k) })
	return worst
}

// maxPlain is the largest number of cells along a side of the grids whose residual and error are computed again.
const maxPlain = 64

// plain returns the residual over f and the error of u in a box that is the whole domain, from the
// definition of finite volumes. u is −u behind the boundary.
func (b *box) plain() (residual, worst float64) {
	n, u := b.side, b.v[vU]
	h, norm := 1/float64(n), 0.
	eachCell(n, func(i, j, k int) {
		at := [3]int{i, j, k}
		c := u[b.index(i, j, k)]
		x := [3]float64{(float64(i) - 0.5) * h, (float64(j) - 0.5) * h, (float64(k) - 0.5) * h}
		f := source(x[0], x[1], x[2])
		rest := f
		for d := range 3 {
			for _, side := range []int{-1, 1} {
				to, face := at, x
				to[d] += side
				face[d] += float64(side) * h / 2
				other := -c
				if to[d] >= 1 && to[d] <= n {
					other = u[b.index(to[0], to[1], to[2])]
				}
				beta, _ := coefficient(face[0], face[1], face[2])
				rest -= beta * (c - other) / (h * h)
			}
		}
		residual, norm = max(residual, math.Abs(rest)), max(norm, math.Abs(f))
		worst = max(worst, math.Abs(c-exact(x[0], x[1], x[2])))
	})
	return residual / norm, worst
}

// wrongPlain describes a residual or an error that is not u's, or returns "".
func (x *solution) wrongPlain(residual, worst float64) string {
	if x.cells() > maxPlain {
		return ""
	}
	switch {
	case !(math.Abs(residual-x.residual) <= plainTolerance):
		return fmt.Sprintf("the residual over f is %.12g, want %.12g (from its definition)", residual, x.residual)
	case !(math.Abs(worst-x.worst) <= plainTolerance):
		return fmt.Sprintf("the error is %.12g, want %.12g (from its definition)", worst, x.worst)
	}
	return ""
}

// plainTolerance is the rounding error of a residual over f, which grows with h⁻², and of an error. They are at
// most 2e-13 on 64³ cells.
const plainTolerance = 1e-11
