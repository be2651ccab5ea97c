// Package dense has index arithmetic for block-cyclic distributions of dense matrices, and
// kernels for the matrices of one rank.
//
//	rows := dense.Cyclic{N: n, Block: nb, Ranks: grid.Rows} // one dimension of the grid
//	m := rows.Len(myRow)                                  // rows that this rank has
//	for i := range m {
//		a[i*lda+j] = element(rows.Global(myRow, i), …) // by closed form from global indices
//	}
//	t.Gemm(false, m, n, nb, 1, a, lda, b, ldb, c, ldc)   // C += A·B
//
// Matrices are row-major with a leading dimension. The kernels call gonum in tiles so small
// that it starts no goroutines: a rank computes only on its own goroutine.
package dense
