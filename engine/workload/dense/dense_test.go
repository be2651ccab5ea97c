package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// Every global index has one owner, and a rank's local indices have the order of the global ones,
// for all sizes.
func TestCyclic(t *testing.T) {
	for n := range 40 {
		for block := 1; block <= 9; block++ {
			for ranks := 1; ranks <= 6; ranks++ {
				c := Cyclic{N: n, Block: block, Ranks: ranks}
				have := make([]int, ranks)
				for g := range n {
					owner := c.Owner(g)
					for rank := range ranks {
						if got := c.From(rank, g); got != have[rank] {
							t.Fatalf("%+v: %d indices of rank %d before %d, want %d", c, got, rank, g, have[rank])
						}
					}
					if l := c.Local(g); l != have[owner] || c.Global(owner, l) != g {
						t.Fatalf("%+v: index %d is number %d of rank %d, and that is index %d; want number %d", c, g, l, owner,
							c.Global(owner, l), have[owner])
					}
					if g%block == 0 && owner != g/block%ranks {
						t.Fatalf("%+v: block %d is rank %d's", c, g/block, owner)
					}
					have[owner]++
				}
				width := 0
				for k := range c.Blocks() {
					width += c.Width(k)
				}
				if width != n || c.Width(c.Blocks()) != 0 {
					t.Fatalf("%+v: blocks have %d indices", c, width)
				}
				for rank := range ranks {
					if got := c.Len(rank); got != have[rank] || got > c.MaxLen() {
						t.Fatalf("%+v: rank %d has %d indices, at most %d, want %d", c, rank, got, c.MaxLen(), have[rank])
					}
				}
			}
		}
	}
}

// whole returns a matrix of small integers, so that products are exact, in a wider array.
func whole(rng *rand.Rand, rows, cols, ld int) []float64 {
	a := make([]float64, max(rows, 1)*ld)
	for i := range a {
		a[i] = float64(rng.IntN(17) - 8)
	}
	return a
}

func TestGemmIsExact(t *testing.T) {
	const seed = 20110115
	rng := rand.New(rand.NewPCG(seed, 1))
	var tiles Tiles
	for _, size := range [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {64, 128, 256}, {65, 129, 257},
		{100, 300, 70}, {131, 17, 300}} {
		m, n, p := size[0], size[1], size[2]
		for _, trans := range []bool{false, true} {
			rows, cols := m, p
			if trans {
				rows, cols = p, m
			}
			lda, ldb, ldc := cols+3, n+1, n+5
			a, b, c := whole(rng, rows, cols, lda), whole(rng, p, n, ldb), whole(rng, m, n, ldc)
			want := append([]float64{}, c...)
			for i := range m {
				for j := range n {
					for k := range p {
						at := i*lda + k
						if trans {
							at = k*lda + i
						}
						want[i*ldc+j] -= a[at] * b[k*ldb+j]
					}
				}
			}
			tiles.Gemm(trans, m, n, p, -1, a, lda, b, ldb, c, ldc)
			for i := range c {
				if c[i] != want[i] {
					t.Fatalf("seed %d: %v, transposed %t: element %d is %v, want %v", seed, size, trans, i, c[i], want[i])
				}
			}
		}
	}
}

// Syrk computes the upper triangle of the product, and does not change tiles below the diagonal.
func TestSyrk(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 2))
	var tiles Tiles
	for _, size := range [][2]int{{1, 1}, {64, 32}, {200, 65}, {300, 10}} {
		n, p := size[0], size[1]
		a, c := whole(rng, p, n, n), whole(rng, n, n, n)
		was, want := append([]float64{}, c...), append([]float64{}, c...)
		tiles.Gemm(true, n, n, p, -1, a, n, a, n, want, n)
		tiles.Syrk(n, p, a, n, c, n)
		for i := range n {
			for j := range n {
				got := c[i*n+j]
				if j >= i && got != want[i*n+j] || j < i-2*tileCols && got != was[i*n+j] {
					t.Fatalf("seed %d: %v: (%d, %d) is %v, was %v, the product has %v", seed, size, i, j, got, was[i*n+j], want[i*n+j])
				}
			}
		}
	}
}

// Potrf factors A = UᵀU into U, and Trsm computes B from UᵀB.
func TestPotrfAndTrsm(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 3))
	var tiles Tiles
	for _, n := range []int{1, 2, 7, 64, 130} {
		u := mat.NewDense(n, n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				u.Set(i, j, rng.Float64())
			}
			u.Set(i, i, float64(n)+1)
		}
		var a mat.Dense
		a.Mul(u.T(), u)
		got := mat.DenseCopyOf(&a).RawMatrix()
		if bad := tiles.Potrf(n, got.Data, got.Stride); bad >= 0 {
			t.Fatalf("seed %d: %d rows: row %d has a pivot that is not positive", seed, n, bad)
		}
		b := mat.NewDense(n, 5, nil)
		b.Apply(func(i, j int, _ float64) float64 { return float64(i - j) }, b)
		var solved mat.Dense
		solved.Mul(u.T(), b)
		tiles.Trsm(n, 5, got.Data, got.Stride, solved.RawMatrix().Data, 5)
		for i := range n {
			for j := i; j < n; j++ {
				if d := math.Abs(got.Data[i*got.Stride+j] - u.At(i, j)); d > 1e-11 {
					t.Fatalf("seed %d: %d rows: U(%d, %d) is off by %g", seed, n, i, j, d)
				}
			}
		}
		if !mat.EqualApprox(&solved, b, 1e-11) {
			t.Errorf("seed %d: %d rows: the solution differs from B", seed, n)
		}
		if n > 2 {
			bad := mat.DenseCopyOf(&a).RawMatrix()
			bad.Data[2*bad.Stride+2] = -1
			if row := tiles.Potrf(n, bad.Data, bad.Stride); row != 2 {
				t.Errorf("%d rows: a negative pivot in row 2 is found in row %d", n, row)
			}
		}
	}
}

// Code that starts goroutines allocates channels for them: gonum's own call does so at this size.
func TestGemmStartsNoGoroutines(t *testing.T) {
	const n = 256
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	var tiles Tiles
	tiles.Gemm(false, n, n, n, 1, a, n, b, n, c, n)
	if allocs := testing.AllocsPerRun(3, func() { tiles.Gemm(false, n, n, n, 1, a, n, b, n, c, n) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
	if allocs := testing.AllocsPerRun(3, func() {
		gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 1, c, n)
	}); allocs == 0 {
		t.Error("gonum's own call allocates nothing: this test proves nothing")
	}
}

// Square is the nearest to a square, with at most as many rows as columns.
func TestSquare(t *testing.T) {
	for p, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 6: 2, 8: 2, 12: 3, 16: 4, 17: 1, 36: 6, 1024: 32} {
		if got := Square(p); got != want {
			t.Errorf("%d processes in %d rows, want %d", p, got, want)
		}
	}
}
