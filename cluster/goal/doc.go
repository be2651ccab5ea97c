// Package goal writes what a program does as GOAL text, which simulators of LogGOPS
// read: for each rank its sends, receives and calculations, and what each of them
// requires. It stands around a fabric on a virtual clock:
//
//	trace, err := goal.New()
//	defer trace.Close()
//	err = cluster.Launch(ctx, trace.On(sim.New()), spec, body)
//	err = trace.Write(w)
//
// A program's operations follow each other: each one may start once the one before has
// started (irequires), and after all those that the program has waited for since (requires).
// A wait that follows another one without an operation between has an empty calculation
// before it, as the order of waits says when a rank pays for what has come. A collective
// that runs as a schedule is written as the messages of the schedule, with the dependencies
// that its nodes have; a barrier as the empty messages that it stands for, a dissemination.
// The time that the program computes, in whole nanoseconds whose remainder is carried on, is
// a calculation, a parallel region without messages too. GOAL has one space of tags: each
// tag of a team becomes a number of its own. Ranks are numbered node by node.
//
// A replay makes calls of operations that follow each other, and answers handshakes between
// two of them, as the program did. The steps of a collective post without such calls; GOAL
// text does not tell them apart, so where messages ask first and collectives go on in steps,
// a replay may take another time: Note says so.
//
// What GOAL cannot say ends the program with an error: transfers and atomics on segments,
// loads, probes, the collective network, messages inside a parallel region.
//
// Operations go to a temporary file as they come: what is kept in memory is what is
// under way.
package goal
