// Package workload is the registry of programs. Each program has its own folder and registers
// itself. To add one, write the folder and name it in the import list of engine/workload/all.
//
// A workload is one SPMD function over *cluster.Rank. It never reads a clock, starts a goroutine,
// locks or draws random numbers: the Rank does this for it.
package workload
