package cholesky

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"gonum.org/v1/gonum/mat"
)

// oracleRows is the maximum number of rows for a comparison with gonum's factor.
const oracleRows = 512

// verify compares U with the expected factor.
func (c *process) verify(f *factor) error {
	of := c.matrix(f)
	size := fmt.Sprintf("%d rows on %d × %d processes", f.n, f.tx, f.ty)
	if c.verified != c.timed {
		size += "; the timed matrix is size-only"
	}
	if of.name == exact {
		if wrong := f.compareExact(); wrong != "" {
			c.p.Verify(false, fmt.Sprintf("rank %d, iteration %d: %s", f.r.ID(), c.p.Iteration(), wrong))
			return nil
		}
		c.p.Verify(true, fmt.Sprintf("every element of U is bitwise correct (%s)", size))
		return nil
	}
	wrong, also := "", ""
	if f.n <= oracleRows {
		also = ", and U matches gonum"
		wrong = f.compareGonum(of)
	}
	residual, err := f.residual(of)
	if err != nil {
		return err
	}
	if f.world.Rank() == 0 {
		c.p.Report("residual", residual)
	}
	if !(residual < acceptable) {
		wrong = fmt.Sprintf("‖A − UᵀU‖ / (n·ε·‖A‖) is %.3g, want less than %d", residual, acceptable)
	}
	if wrong != "" {
		c.p.Verify(false, fmt.Sprintf("rank %d, iteration %d: %s", f.r.ID(), c.p.Iteration(), wrong))
		return nil
	}
	c.p.Verify(true,
		fmt.Sprintf("‖A − UᵀU‖ / (n·ε·‖A‖) is %.2g, below %d%s (%s)", residual, acceptable, also, size))
	return nil
}

// compareExact returns a message about the first element of U that differs from the closed form, or
// "".
func (f *factor) compareExact() string {
	wrong := ""
	f.each(func(i, j, at int) {
		if got, want := f.a[at], factorOf(i, j); wrong == "" && math.Float64bits(got) != math.Float64bits(want) {
			wrong = fmt.Sprintf("U(%d, %d) is %v, want %v", i, j, got, want)
		}
	})
	return wrong
}

// oracle is the key of gonum's factor in a launch.
type oracle struct{ of matrix }

// compareGonum returns a message about the first element of U that differs from gonum's, or "".
func (f *factor) compareGonum(of matrix) string {
	want := f.r.Lib().Shared(oracle{of}, func() any {
		a := mat.NewSymDense(f.n, nil)
		for i := range f.n {
			for j := i; j < f.n; j++ {
				a.SetSym(i, j, of.at(i, j))
			}
		}
		var c mat.Cholesky
		if !c.Factorize(a) {
			return (*mat.TriDense)(nil)
		}
		u := mat.NewTriDense(f.n, mat.Upper, nil)
		c.UTo(u)
		return u
	}).(*mat.TriDense)
	if want == nil {
		return "gonum reports that the matrix is not positive definite"
	}
	wrong := ""
	bound := acceptable * float64(f.n) * epsilon * math.Sqrt(2*float64(f.n)) // the numbers are at most √(n + 1)
	f.each(func(i, j, at int) {
		if got := f.a[at]; wrong == "" && !(math.Abs(got-want.At(i, j)) <= bound) {
			wrong = fmt.Sprintf("U(%d, %d) is %v, want gonum's %v", i, j, got, want.At(i, j))
		}
	})
	return wrong
}

// residual returns ‖A − UᵀU‖ / (n·ε·‖A‖) with Frobenius norms. It repeats the rounds to send U to
// all processes, and subtracts UᵀU from the matrix.
func (f *factor) residual(of matrix) (float64, error) {
	rest := make([]float64, len(f.a))
	of.fill(f, rest)
	sums := []float64{0, f.frobenius(rest)}
	for k := range f.blocks() {
		s := step{k, f.first(k)}
		if f.x == k%f.tx {
			f.diag.Slice()[0] = 0
			f.pack(s)
		}
		if err := f.broadcastRow(s); err != nil {
			return 0, err
		}
		f.update(rest, s, f.rowsFrom(s.from))
	}
	sums[0] = f.frobenius(rest)
	if err := coll.Allreduce(f.r, f.world, cluster.Sum, sums, sums); err != nil {
		return 0, err
	}
	return backward(f.n, sums[0], sums[1]), nil
}

// frobenius returns this process's part of the squared Frobenius norm of a symmetric matrix that is
// stored as its upper triangle.
func (f *factor) frobenius(a []float64) float64 {
	sum := 0.0
	f.each(func(i, j, at int) {
		x := a[at] * a[at]
		if i != j {
			x *= 2
		}
		sum += x
	})
	return sum
}

// wrongFlops describes a number of flops that is not that of the process's elements, or returns "". An element of
// row i, from 0, needs i products, i sums and one more operation.
func (f *factor) wrongFlops() string {
	want := 0.
	for li := range f.rows.Len(f.x) {
		i := f.rows.Global(f.x, li)
		want += float64(2*i+1) * float64(f.cols.Len(f.y)-f.cols.From(f.y, i))
	}
	if math.Abs(f.flops-want) > 1e-9*want {
		return fmt.Sprintf("the kernels have %.12g flops, want %.12g", f.flops, want)
	}
	return ""
}
