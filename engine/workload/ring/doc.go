// Package ring is the example of a workload in CONTRIBUTING, which quotes its files. Tests run
// it like every workload. No program imports it, so that no user finds it in a list.
//
// Each MPI rank has a token and passes it on to the next rank, at the same time as all others.
// After as many hops as there are ranks, each rank has its own token again.
package ring
