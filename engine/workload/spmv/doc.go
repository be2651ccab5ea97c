// Package spmv implements the sparse matrix-vector product of paper 2, section 7.2.2. The matrix is
// the seven-point discretisation of a differential operator on a periodic grid. It is divided into
// blocks of planes along k, and the threads of each process compute its block. Run computes the
// product twice per iteration, under the same conditions: masteronly, part by part, and by the
// scheme that the knobs choose. ε is the ratio of the two times.
//
// Point {i, j, k} of the grid has the number l = i + (j−1)·n_i + (k−1)·n_i·n_j (equation (10)).
// Process p of the MPI_COMM_WORLD holds planes p·n_k to (p+1)·n_k−1 and the halo: the last plane of
// the process before it and the first plane of the process after it.
//
// The matrix is in compressed row storage with 8-byte values and 4-byte columns. A row needs seven
// multiplications and additions. Its memory traffic is
//
//	7·(8 + 4)   values and columns, which are used once
//	4           where the row starts
//	3·8         x at k−1, k and k+1: a cache holds some lines of a plane (4 kB each
//	            at n_i = 512), so that i±1 and j±1 are found there, and not planes
//	            (2 MB each; SR8000: 128 kB of cache a processor)
//	8           y
//
// This is 120 bytes. Reading y before writing it is not included.
//
// The knob split chooses the part of the product that waits for the halo. It is the last seventh of
// the product, as in the paper (one of a row's seven entries, the neighbour across the boundary if
// it has one; x_non/x_overlap = 1/6), or the rows of the two boundary planes. With one local plane
// two entries of a row wait. They are computed with the last seventh, and are charged like the
// paper's one entry.
//
// The knob threading chooses the scheme:
//
//	single       no threads; masteronly on one
//	masteronly   exchange, then a parallel region in which all n threads compute
//	funneled     in a parallel region the master exchanges while n − 1 threads
//	             compute what need not wait; then all compute the rest
//	serialized   likewise, and the thread that comes first exchanges (SINGLE NOWAIT)
//	multiple     likewise, and m threads exchange, each its share of the planes; or,
//	             balanced, the master exchanges and then helps computing
//
// Section 4 has two constructs around the exchange. MASTER needs FUNNELED. SINGLE lets any thread
// communicate, so it needs SERIALIZED; the knob section selects one of them. MASTER has no barriers.
// If the whole product follows, it needs one before and one after it, and is then masteronly again
// (T1b). SINGLE has a barrier only at its end, with the same effect, unless NOWAIT drops it. The
// knobs master-section and nowait select these barriers, or the incorrect program without them: some
// threads then compute with the halo of the product before, and the verification reports it. Only in
// this variant threads check a flag before they use the halo, so that they see either the old one or
// the new one.
package spmv
