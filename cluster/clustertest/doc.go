// Package clustertest is one conformance suite over any fabric, as testing/fstest
// is over any file system. A fabric's test is
//
//	func TestConformance(t *testing.T) {
//		clustertest.Run(t, live.New(), clustertest.Host())
//	}
//
// The subtests are the specification of the contract: read their names with go test -v. Most are
// small SPMD programs against cluster.Rank that check what they see; those about handles, steps and
// size-only operations speak to cluster.Port. The last cases are random programs, made from a
// printed seed. An oracle checks their histories. Every message is received once. No message
// overtakes another one with the same context, source and tag if the program orders them. If the
// outcome is determined, the data equal the data of a sequential run.
//
// The package also has what tests of programs share: machines (Host, Emulated, Priced), specs
// (Spec, Grouped), and functions that run a body on every rank (Must, Launch, Start).
//
// No test asserts on wall time. A guard ends a run that hangs, with the list of
// who waits for whom.
package clustertest
