//go:build linux && (amd64 || arm64)

// Command hybridtop-mpi runs a workload over the processes of an MPI job:
//
//	mpirun -n 2 hybridtop-mpi run dot --machine this-host --nodes 2 --ranks-per-node 1 --group 1
//
// Every process has a session with the same scenario. Process 0 ends the run, collects the counts of all
// processes and writes the result. This command needs the C library of the host. It is separate from
// hybridtop, which is static.
package main
