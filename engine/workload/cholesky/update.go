package cholesky

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// A span is a range of this process's row blocks, by local number: from lo (included) to hi
// (excluded).
type span struct{ lo, hi int }

// rowsFrom returns this process's row blocks from a global index on.
func (f *factor) rowsFrom(from int) span {
	return span{f.rows.From(f.x, from) / f.nb, (f.rows.Len(f.x) + f.nb - 1) / f.nb}
}

// update computes C_ij −= U_kiᵀU_kj for this process's row blocks i and the columns j ≥ i.
func (f *factor) update(c []float64, s step, rows span) {
	w := f.updating(s, rows)
	if w.Flops == 0 {
		return
	}
	f.compute(w, func() {
		for l := rows.lo; l < rows.hi; l++ {
			f.updateRow(c, s, l*f.tx+f.x)
		}
	})
}

// updating returns the work of update.
func (f *factor) updating(s step, rows span) cluster.Work {
	w := cluster.Work{Kernel: cluster.Dgemm}
	b, touched := f.width(s.k), 0
	for l := rows.lo; l < rows.hi; l++ {
		i := l*f.tx + f.x
		m, n := f.width(i), f.across(f.y, f.first(i))
		if i%f.ty == f.y { // only the upper triangle of the block on the diagonal
			n -= m
			w.Flops += float64(m) * float64(m+1) * float64(b)
			touched += m * (m + 1) / 2
		}
		w.Flops += dense.GemmFlops(m, n, b)
		touched += m * n
	}
	if touched > 0 {
		w.Bytes = 2*word*float64(touched) + float64(f.acrossBytes(s))
	}
	return w
}

// updateRow updates row block i, which this process owns.
func (f *factor) updateRow(c []float64, s step, i int) {
	g := f.first(i)
	b := f.width(s.k)
	m := f.width(i)
	z := i % f.both.Ranks
	ldLeft, ldRight := f.shared(z, s.from), f.across(f.y, s.from)
	left := f.piece(s, i%f.ty).Slice()[f.both.Local(g)-f.both.From(z, s.from):]
	col := f.cols.From(f.y, g)
	w := f.cols.Len(f.y) - col
	at := f.rows.Local(g)*f.ld + col
	right := f.panels[s.k%2].across.Slice()[1+col-f.cols.From(f.y, s.from):]
	if i%f.ty == f.y {
		f.tiles.Syrk(m, b, left, ldLeft, c[at:], f.ld)
		w -= m
		at += m
		right = right[m:]
	}
	if w > 0 {
		f.tiles.Gemm(true, m, w, b, -1, left, ldLeft, right, ldRight, c[at:], f.ld)
	}
}
