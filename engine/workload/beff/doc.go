// Package beff is the effective bandwidth benchmark b_eff as paper 2 uses it
// (section 6, table 1), with the three-dimensional cyclic pattern that it measures
// besides.
//
// The definition is the benchmark's own: Rabenseifner and Koniges, "Effective
// Bandwidth (b_eff) Benchmark" (fs.hlrs.de/projects/par/mpi/b_eff, release 3.1 and
// the source of release 3.6.0.1, b_eff.c). In it
//
//	b(pattern, L, method, repetition) = L · messages of the pattern · loops / time of the slowest process
//	b_eff = logavg( logavg over ring patterns, logavg over random patterns )
//	        of the mean over 21 sizes L of the best b over methods and repetitions
//
// and, at Lmax, the same without the mean, of the longest message alone.
//
// Patterns. Six ring patterns part the processes, in the order of MPI_COMM_WORLD,
// into rings of about 2, 4, 8, max(16, p/4), max(32, p/2) and all p; a process sends
// to both neighbours (in a ring of two there is one message each way). A random
// pattern is one ring of all processes in an order that is drawn; b_eff draws 30.
// The 3-D cyclic pattern is a periodic grid of processes whose lengths are those of
// MPI_Dims_create: six neighbours each, in a direction of length two one message
// instead of two to the same neighbour, in a direction of length one none.
//
// Methods. Sendrecv, neighbour after neighbour; Alltoallv; nonblocking: Irecv and
// Isend to every neighbour, then Waitall.
//
// Sizes. Paper 2 has 21 sizes from 8 B to 8 MB: powers of two. b_eff has 1 B to 4 kB
// by powers of two (13 sizes) and from there eight equal factors to Lmax, which is
// the memory of a process over 128 and at most 128 MB.
package beff
