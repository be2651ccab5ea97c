package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// Dimensions of a tile. gonum's Dgemm starts goroutines for four or more blocks of 64 × 64 and
// waits for them, which a fabric does not see. Tiles have two such blocks.
const (
	tileRows  = 64
	tileCols  = 128
	tileDepth = 256
	pad       = 8 // after a packed row, because strides of powers of two share cache sets
)

// Tiles are the kernels of one rank, with buffers to pack their operands. The zero value is ready
// to use. A rank has its own Tiles.
type Tiles struct {
	left, right, sum []float64
	blas             gonum.Implementation
	lapack           lapack.Implementation
}

// Gemm computes C += alpha·op(A)·B with m × p by p × n elements. If trans is set, op(A) is the
// transpose of the p × m matrix A.
func (t *Tiles) Gemm(trans bool, m, n, p int, alpha float64, a []float64, lda int, b []float64, ldb int, c []float64,
	ldc int) {
	t.product(trans, m, n, p, alpha, a, lda, b, ldb, c, ldc, func(int, int) bool { return true })
}

// Syrk computes the upper triangle of C −= AᵀA, where A has p × n elements. Tiles on the diagonal
// are computed completely; their elements below the diagonal have no meaning.
func (t *Tiles) Syrk(n, p int, a []float64, lda int, c []float64, ldc int) {
	t.product(true, n, n, p, -1, a, lda, a, lda, c, ldc, func(row, col int) bool { return col+tileCols > row })
}

// product multiplies tile by tile. It skips tiles for which wanted, called with the first row and
// column, is false.
func (t *Tiles) product(trans bool, m, n, p int, alpha float64, a []float64, lda int, b []float64, ldb int,
	c []float64, ldc int, wanted func(row, col int) bool) {
	left, right, sum := packed(m, p)
	t.left = grow(t.left, left)
	t.right = grow(t.right, right)
	t.sum = grow(t.sum, sum)
	for l := 0; l < p; l += tileDepth {
		depth := min(tileDepth, p-l)
		for j := 0; j < n; j += tileCols {
			cols := min(tileCols, n-j)
			for k := range depth {
				copy(t.right[k*(tileCols+pad):][:cols], b[(l+k)*ldb+j:][:cols])
			}
			for i := 0; i < m; i += tileRows {
				if !wanted(i, j) {
					continue
				}
				rows := min(tileRows, m-i)
				t.pack(trans, a, lda, i, l, rows, depth)
				for r := range rows {
					copy(t.sum[r*(tileCols+pad):][:cols], c[(i+r)*ldc+j:])
				}
				t.blas.Dgemm(blas.NoTrans, blas.NoTrans, rows, cols, depth, alpha,
					t.left, tileDepth+pad, t.right, tileCols+pad, 1, t.sum, tileCols+pad)
				for r := range rows {
					copy(c[(i+r)*ldc+j:][:cols], t.sum[r*(tileCols+pad):])
				}
			}
		}
	}
}

// packed returns the maximum number of elements in the tiles of a product of m × p by p × any.
func packed(m, p int) (left, right, sum int) {
	m, p = min(m, tileRows), min(p, tileDepth)
	return m * (tileDepth + pad), p * (tileCols + pad), m * (tileCols + pad)
}

// Bytes returns the memory of a rank's tiles for such products.
func Bytes(m, p int) int64 {
	left, right, sum := packed(m, p)
	return 8 * int64(left+right+sum)
}

func grow(b []float64, n int) []float64 {
	if n > len(b) {
		return make([]float64, n)
	}
	return b
}

// pack copies a tile of op(A) row by row.
func (t *Tiles) pack(trans bool, a []float64, lda, i, l, rows, depth int) {
	if !trans {
		for r := range rows {
			copy(t.left[r*(tileDepth+pad):][:depth], a[(i+r)*lda+l:][:depth])
		}
		return
	}
	for k := range depth {
		for r, v := range a[(l+k)*lda+i:][:rows] {
			t.left[r*(tileDepth+pad)+k] = v
		}
	}
}

// Potrf factors the upper triangle of the n × n matrix A = UᵀU in place. It returns −1, or the
// first row with a pivot that is not positive: A is then not positive definite.
func (t *Tiles) Potrf(n int, a []float64, lda int) int {
	if t.lapack.Dpotf2(blas.Upper, n, a, lda) {
		return -1
	}
	for j := range n {
		if d := a[j*lda+j]; d <= 0 || math.IsNaN(d) {
			return j
		}
	}
	return n - 1
}

// Trsm computes B = U⁻ᵀB with the m × m upper triangular U and the m × n matrix B.
func (t *Tiles) Trsm(m, n int, u []float64, ldu int, b []float64, ldb int) {
	t.blas.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, m, n, 1, u, ldu, b, ldb)
}

// GemmFlops returns the flops of an m × n × p product, as LAPACK's working notes count them. The
// other functions count a factorization of n × n and a solve of m × m by m × n.
func GemmFlops(m, n, p int) float64 { return 2 * float64(m) * float64(n) * float64(p) }

// PotrfFlops returns the flops of a factorization.
func PotrfFlops(n int) float64 {
	x := float64(n)
	return x*x*x/3 + x*x/2 + x/6
}

// TrsmFlops returns the flops of a solve.
func TrsmFlops(m, n int) float64 { return float64(m) * float64(m) * float64(n) }
