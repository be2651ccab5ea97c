// Package gemm multiplies matrices by SUMMA on a grid of ranks, with broadcasts of panels
// along rows and columns that may be prefetched (paper 5, section 6.1).
//
//	for k := range steps {
//		s.start(k + ahead)                    // broadcasts of a later panel, into a slot that is free
//		s.wait(k)                             // the part of this step's broadcasts that is not hidden
//		for part := range slices {            // C += A's panel · B's panel
//			s.multiply(k, part)
//			s.poll()                      // advances the broadcasts if only calls make progress
//		}
//	}
//
// Blocks of nb × nb are distributed block-cyclically over the grid. The inner dimension is
// distributed over the columns of the grid for A, and over its rows for B.
//
// The threads of a rank share the rows of a slice and of a panel to pack. The cores of the rank's kernels are
// divided among the threads.
package gemm
