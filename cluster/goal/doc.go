// Package goal reads, writes, replays and records GOAL text, the input of LogGOPS simulators:
// for each rank its sends, receives and calculations, and the requirements of each of them.
//
//	num_ranks 2
//
//	rank 0 {
//	l1: calc 700
//	l2: send 8b to 1 tag 3
//	l2 requires l1
//	}
//
//	rank 1 {
//	l1: recv 8b from 0 tag 3
//	}
//
// An operation with requires waits until the other operation is complete. An operation with
// irequires waits only until the other one has started.
//
// [Write] writes the schedules of a collective. [Read] reads text as a stream; [Load] reads a
// whole [Program], which Price runs on LogGP's model and a [Replay] runs on a cluster:
//
//	p, err := goal.Load(file, most)
//	replay, err := p.NewReplay(machine.Flops)
//	err = cluster.Launch(ctx, sim.New(), spec, replay.Rank)
//
// A [Recorder] surrounds a fabric on a virtual clock and records what a program posts:
//
//	rec, err := goal.NewRecorder()
//	defer rec.Close()
//	err = cluster.Launch(ctx, rec.On(sim.New()), spec, body)
//	err = rec.Write(w)
//
// The operations of a recorded program follow each other. Each one irequires its predecessor,
// and requires all operations that the program has waited for since. Between two waits without
// an operation there is an empty calculation, because the order of waits determines when a rank
// pays for arrived messages.
//
// A collective that runs as a schedule becomes the messages of the schedule, with the
// dependencies of its nodes. A barrier becomes the empty messages of a dissemination. The
// computation between two operations becomes a calculation in whole nanoseconds; the remainder
// is added to the next one. A parallel region without messages becomes a calculation, too.
// Each tag of a team becomes a separate number, because GOAL has only one space of tags.
// Ranks are numbered node by node.
//
// A rank answers RTS messages only between calls, and GOAL text does not mark the calls of a
// program. So a replay may take another time than the program if messages use rendezvous and
// collectives run as continuations. [Recorder.Note] reports this case.
//
// A program with operations that GOAL does not have ends with an error: one-sided transfers,
// atomics, loads, probes, the collective network, and messages inside a parallel region.
//
// The recorder writes operations to a temporary file. Only a bounded part of them, and the
// operations in progress, are in memory.
package goal
