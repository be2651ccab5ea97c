// Package gemm multiplies matrices by SUMMA on a grid of ranks, with broadcasts of panels
// along rows and columns that may be prefetched (paper 5, section 6.1).
//
//	for k := range steps {
//		s.start(k + ahead)                    // broadcasts of a later panel, into a slot that is free
//		s.wait(k)                             // what of this step's is not hidden
//		for part := range slices {            // C += A's panel · B's panel
//			s.multiply(k, part)
//			s.poll()                      // who goes on with the broadcasts, where only calls do
//		}
//	}
//
// Blocks of nb × nb are dealt to the grid in turn; the inner dimension likewise, over the
// columns of the grid for A and over its rows for B.
package gemm
