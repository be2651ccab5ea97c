// Package spmv is the sparse matrix-vector product of paper 2, section 7.2.2: the
// seven-point discretisation of a differential operator on a periodic grid, stored
// as a matrix, in blocks of planes along k, and computed by the threads of each
// process. Run times it twice an iteration, under the same conditions: masteronly,
// part by part, and by the scheme that the knobs ask for. ε is the ratio.
//
// Point {i, j, k} of the grid has the number l = i + (j−1)·n_i + (k−1)·n_i·n_j
// (equation (10)). Process p of the MPI_COMM_WORLD holds planes p·n_k to (p+1)·n_k−1
// and, before and after them, the halo: the last plane of the process before it and
// the first one of the process after it.
//
// The matrix is in compressed row storage with 8-byte values and 4-byte columns. A
// row is seven multiplications and additions, and moves from and to memory
//
//	7·(8 + 4)   values and columns, which are used once
//	4           where the row starts
//	3·8         x at k−1, k and k+1: a cache holds some lines of a plane (4 kB each
//	            at n_i = 512), so that i±1 and j±1 are found there, and not planes
//	            (2 MB each; SR8000: 128 kB of cache a processor)
//	8           y
//
// which is 120 bytes. Nothing is added for y to be read before it is written.
//
// What waits for the halo is, by the knob split, the last seventh of the product, as
// in the paper (one of a row's seven entries, its neighbour across the boundary if it
// has one; x_non/x_overlap = 1/6), or the rows of the two boundary planes. With one
// local plane two entries of a row wait; they are computed with the last seventh,
// and cost what the paper's one does.
//
// The schemes, by the knob threading:
//
//	single       no threads; masteronly on one
//	masteronly   exchange, then a parallel region in which all n threads compute
//	funneled     in a parallel region the master exchanges while n − 1 threads
//	             compute what need not wait; then all compute the rest
//	serialized   likewise, and the thread that comes first exchanges
//	multiple     likewise, and m threads exchange, each its share of the planes; or,
//	             balanced, the master exchanges and then helps computing
//
// A region's MASTER section needs a barrier before and after it when all of the
// product follows (section 4); with both the scheme is masteronly again (T1b). The
// knob master-section has that, and the program that forgets them: some threads
// then compute with the halo of the product before, and the verification shows it.
// In this variant, and in it alone, threads load the halo's words one by one with
// atomics, so that they see old words or new ones and nothing else.
package spmv
