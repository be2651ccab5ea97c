// Package clustertest is one conformance suite over any fabric, as testing/fstest
// is over any file system. A fabric's test is
//
//	func TestConformance(t *testing.T) {
//		clustertest.Run(t, live.New(), clustertest.Host())
//	}
//
// The subtests are the specification of the contract: read their names with
// go test -v. Most are small SPMD programs against cluster.Rank that check what
// they see; those about handles, steps and size-only operations speak to cluster.Port.
// The last ones are random programs, made from a seed that is printed, whose
// histories an oracle checks: every message is received once, none overtakes
// another of its context, source and tag where the program orders them, and the
// data are those of a sequential run where the outcome is determined.
//
// Beside the suite stand what tests of the contract share: machines (Host, Emulated,
// Priced), launches (Spec, Grouped) and what runs a body on every rank (Must, Launch,
// Start).
//
// No test asserts on wall time. A guard ends a run that hangs, with the list of
// who waits for whom.
package clustertest
