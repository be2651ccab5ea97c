// Package session runs a scenario on a fabric while a user turns its knobs.
//
// The main loop, in short (loop.go):
//
//	for {
//		setup := plan the wanted scenario, and check it against machine and host
//		run := cluster.Start(ctx, fabric, spec, body with a Probe per rank)
//		every 5 ms: sample what the ranks do; every 50 ms: gather and publish
//		until the run ends, a knob turns, or the session is stopped
//	}
//
// A rank owns its probe and counts in the rank's own memory. Now and then the
// session asks for the counts by raising a number; each rank that sees it raised
// at its next access copies its counters to a place of its process. These go on as
// one frame a process, and the collector adds the frames up. No rank waits for that,
// and none ever waits for a screen: the screen loads the latest [engine.Snapshot]
// from an atomic pointer whenever it likes.
//
// Pausing, knobs and limits act between iterations: Probe.Next is a collective
// in which rank 0 passes a gate and the others learn what it decided. Rank 0
// waits at the gate outside the fabric, so a pause is no deadlock.
//
// On a simulation nothing that the session wants takes virtual time or makes an
// event, but for one barrier before each iteration (virtual.go): the same seed gives
// the same run, whoever looks on, however often, and at whatever pace.
package session
