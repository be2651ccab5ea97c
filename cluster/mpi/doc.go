// Package mpi carries frames between processes with the MPI library of a cluster.
//
// [Open] finds the library at run time, without a C compiler (purego), and calls 14 of its functions. Its calls
// allocate nothing (invoke.go), because a waiting rank polls without a pause. Go's scheduler does not know of the calls
// that return in microseconds.
// Handles such as MPI_COMM_WORLD are pointers in Open MPI and integers in MPICH. A table has the values of
// both.
//
// Each process posts several receives of a fixed size for every other process. A frame begins with its
// length, so that no call needs a status, whose layout differs between libraries. A long frame continues
// in a second message. The receiver posts a receive for it after the first one.
//
// A body is a separate message, between the buffers of both ranks. Its tag is 2 more than
// its key. The sender uses MPI_Issend, so the send completes after the receiver posts its receive.
//
// One lock serializes the calls (MPI_THREAD_SERIALIZED), except MPI_Abort. MPI_Init_thread and
// MPI_Finalize run on one locked thread. The library must not handle signals, which belong to Go's runtime.
//
// The package does not know the operations of a program.
package mpi
