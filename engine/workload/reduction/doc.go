// Package reduction sums vectors of all processes, as MPI_Allreduce does for long vectors, and splits
// the sum into the communication between processes and the local reduction (paper 2, section 7.1).
//
// The processes form a ring, and a vector has one piece per process. In each step a process receives
// a partial sum of a piece from the previous process, adds its own numbers, and sends the sum to the
// next one. After p − 1 steps of p processes each piece is complete at one process, and p − 1 more
// steps send it to all others. The settings of the knob reduction differ in who adds, and when:
//
//	whole       the master, as inside one MPI call; all other threads sleep
//	split       all n threads in a parallel loop, between the master's MPI calls: a
//	            parallel user-defined operation that runs while MPI does not communicate
//	overlapped  a piece has two parts, and the other threads add one of them while the
//	            master sends and receives the other. These threads run while MPI
//	            communicates, so the program needs FUNNELED
//
// The vectors contain small integers, so all orders of additions have the same result.
package reduction
