// Package workload holds the registry of programs; each program stands in a
// folder of its own and registers itself. To add one: write the folder, and name
// it in the import list of engine/workload/all.
//
// A workload is one SPMD function over *cluster.Rank. It never reads a clock,
// starts a goroutine, locks or draws randomness: the Rank gives it these.
package workload
