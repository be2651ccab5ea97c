//go:build linux && (amd64 || arm64)

// Command hybridtop-mpi runs a workload over the processes of an MPI job:
//
//	mpirun -n 2 hybridtop-mpi run dot --machine this-host --nodes 2 --ranks-per-node 1 --group 1
//
// Every process has a session with the same scenario. Process 0 ends the run, collects the counts of the
// others and writes the result. It is a command of its own because it needs the C library of the host;
// hybridtop is static.
package main
