// Package mpi carries frames between processes with the MPI library of a cluster.
//
// [Open] finds the library at run time, without a C compiler (purego), and calls a dozen of its functions.
// Handles such as MPI_COMM_WORLD are pointers in Open MPI and integers in MPICH; a table has the values
// of both. No call reads a status, so that its layout does not matter. Instead, each process has posted
// receives of a fixed size for every other process. A frame begins with its length. A longer frame
// continues in a second message, which the receiver expects after the first one.
//
// All calls are under one lock (MPI_THREAD_SERIALIZED). MPI_Init_thread and MPI_Finalize run on one
// locked thread. The library must not handle signals, which belong to Go's runtime.
//
// The package does not know the operations of a program.
package mpi
