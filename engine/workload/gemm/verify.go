package gemm

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine/workload"
)

// A(i, k) = f(i) + g(k) and B(k, j) = p(k) + q(j), where f, g, p and q are small integers from a
// hash of the index. Every element of C = A·B follows from its row, its column and four sums. All
// intermediate results are integers, which floating point represents exactly:
//
//	C(i, j) = f(i)·Σp + n·f(i)·q(j) + Σ g·p + q(j)·Σg
const (
	inF = iota
	inG
	inP
	inQ
)

// entry returns an integer from −128 to 127.
func entry(which, i int) float64 {
	x := (uint64(which)<<40 + uint64(i) + 1) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return float64(int(x>>56) - 128)
}

// fill computes the rank's parts of A and B.
func (x *product) fill() {
	rows, cols := x.along(x.rows), x.along(x.cols)
	for i := range x.m {
		f := entry(inF, rows.Global(x.me[column], i))
		for k := range x.inner[0] {
			x.a[i*x.inner[0]+k] = f + entry(inG, cols.Global(x.me[row], k))
		}
	}
	for k := range x.inner[1] {
		p := entry(inP, rows.Global(x.me[column], k))
		for j := range x.w {
			x.b[k*x.w+j] = p + entry(inQ, cols.Global(x.me[row], j))
		}
	}
}

// sums are the sums of the closed form.
type sums struct{ p, g, gp float64 }

func sumsOf(n int) sums {
	var s sums
	for k := range n {
		g, p := entry(inG, k), entry(inP, k)
		s.p += p
		s.g += g
		s.gp += g * p
	}
	return s
}

// element returns a local element of C by the closed form.
func (x *product) element(s sums, i, j int) float64 {
	f, q := entry(inF, x.along(x.rows).Global(x.me[column], i)), entry(inQ, x.along(x.cols).Global(x.me[row], j))
	return f*s.p + float64(x.n)*f*q + s.gp + q*s.g
}

// firstWrong describes the first wrong element of the rank's part of C, or returns "" if all are
// right.
func (x *product) firstWrong(s sums) string {
	for i := range x.m {
		for j, got := range x.c[i*x.w:][:x.w] {
			if want := x.element(s, i, j); got != want {
				return fmt.Sprintf("C(%d, %d) is %v, want %v", x.along(x.rows).Global(x.me[column], i),
					x.along(x.cols).Global(x.me[row], j), got, want)
			}
		}
	}
	return ""
}

// wrongOverlap describes a product with more or fewer steps in progress than the schedule has, or returns
// "". A product without prefetching has the same elements.
func (x *product) wrongOverlap(schedule string, ahead int64) string {
	want := 1
	if schedule != blocking {
		want = min(int(ahead)+1, x.steps())
	}
	if x.most != want {
		return fmt.Sprintf("the panels of %d steps were in progress at most, want %d", x.most, want)
	}
	return ""
}

// firstWrongPanel describes the first wrong element of the panels of step 0, or returns "". Their
// owners are the first column and the first row of the grid.
func (x *product) firstWrongPanel() string {
	wide := x.along(1).Width(0)
	a, b := x.lines[row].panel(0, wide).Slice(), x.lines[column].panel(0, wide).Slice()
	for k := range wide {
		for i := range x.m {
			want := entry(inF, x.along(x.rows).Global(x.me[column], i)) + entry(inG, k)
			if got := a[i*wide+k]; got != want {
				return fmt.Sprintf("element (%d, %d) of the first panel of A is %v, want %v", i, k, got, want)
			}
		}
		for j := range x.w {
			want := entry(inP, k) + entry(inQ, x.along(x.cols).Global(x.me[row], j))
			if got := b[k*x.w+j]; got != want {
				return fmt.Sprintf("element (%d, %d) of the first panel of B is %v, want %v", k, j, got, want)
			}
		}
	}
	return ""
}

// checksum returns the rank's part of the checksum of C.
func (x *product) checksum() uint64 {
	var sum workload.Checksum
	rows, cols := x.along(x.rows), x.along(x.cols)
	for i := range x.m {
		for j, c := range x.c[i*x.w:][:x.w] {
			sum.Add(int64(rows.Global(x.me[column], i))*int64(x.n)+int64(cols.Global(x.me[row], j)), c)
		}
	}
	return uint64(sum)
}
