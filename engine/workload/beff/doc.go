// Package beff runs the effective bandwidth benchmark b_eff as paper 2 uses it (section 6, table
// 1). It also measures paper 2's three-dimensional cyclic pattern.
//
// The benchmark is defined by Rabenseifner and Koniges, "Effective Bandwidth (b_eff) Benchmark"
// (fs.hlrs.de/projects/par/mpi/b_eff, release 3.1, and the source of release 3.6.0.1, b_eff.c):
//
//	b(pattern, L, method, repetition) = L · messages of the pattern · loops / time of the slowest process
//	b_eff = logavg( logavg over ring patterns, logavg over random patterns )
//	        of the mean over 21 sizes L of the best b over methods and repetitions
//
// b_eff at Lmax is the same for the longest message only, without the mean over sizes.
//
// Patterns. Six ring patterns split the processes, in the order of MPI_COMM_WORLD, into rings of
// about 2, 4, 8, max(16, p/4), max(32, p/2) and p processes. A process sends to both neighbours; a
// ring of two has one message each way. A random pattern is one ring of all processes in random
// order; b_eff has 30 of them. The 3-D cyclic pattern is a periodic grid of processes with the
// dimensions of MPI_Dims_create. Each process has six neighbours. A dimension of length two has one
// message instead of two to the same neighbour, and a dimension of length one has none.
//
// Methods. Sendrecv with one neighbour after the other; Alltoallv; nonblocking: Irecv and Isend for
// every neighbour, then Waitall.
//
// Sizes. Paper 2 has 21 sizes from 8 B to 8 MB, all powers of two. b_eff has the 13 powers of two
// from 1 B to 4 kB, and above them eight equal factors to Lmax. Lmax is 1/128 of a process's
// memory, at most 128 MB.
package beff
