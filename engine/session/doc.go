// Package session runs a scenario on a fabric while a user changes its knobs.
//
// The main loop, in short (loop.go):
//
//	for {
//		setup := plan the wanted scenario, and check it against machine and host
//		run := cluster.Start(ctx, fabric, spec, body with a Probe per rank)
//		every 5 ms: sample the states of the ranks; every 50 ms: gather and publish
//		until the run ends, a knob changes, or the session is stopped
//	}
//
// Each rank owns a probe and counts in its own memory. To request the counts, the session
// increments a number. A rank that notices this at its next access copies its counters to a slot
// of its process. The slots are sent on as one frame per process, and the collector adds the
// frames. No rank waits for this, and no rank waits for a screen: the screen loads the latest
// [engine.Snapshot] from an atomic pointer at any time.
//
// Pausing, knobs and limits take effect between iterations: Probe.Next is a collective in which
// rank 0 passes a gate and the others learn its decision. Rank 0 waits at the gate outside the
// fabric, so a pause is not a deadlock.
//
// On a simulation, the session's own work takes no virtual time and adds no event, except one
// barrier before each iteration (virtual.go). The same seed therefore produces the same run,
// regardless of observers and pace.
package session
