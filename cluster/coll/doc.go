// Package coll implements collective operations as schedules.
//
// A schedule is a small graph of sends, receives, copies and reductions for one rank. An algorithm
// builds it once per class of ranks; ranks with the same role share it, because peers and blocks
// are numbered relative to the rank. Sizes and the root are bound when a call starts.
//
// Most programs only need the functions in MPI's style:
//
//	err := coll.Allreduce(r, r.World(), cluster.Sum, in, out) // [Bcast], [Reduce], [Gather], [Allgather]
//
// To choose the algorithm, or to overlap a call with computation, use a [Comm]:
//
//	c, err := coll.New(r, team) // on every member
//	x, err := c.Start(coll.Call{Key: key, Root: root, Out: data, Blocks: key.Blocks(n, 8)})
//	...                         // compute, or start other calls
//	err = x.Wait()              // or poll with x.Test
//
// A started call is a [Run]. The fabric's progress engine advances it. A node of the schedule is
// posted as soon as all nodes that it depends on are complete. Algorithms must be correct for every
// such order, with eager sends and with rendezvous. Messages between two ranks match by their
// channel, in order.
//
// A [Table] maps team and message size to an algorithm; [Comm.Choose] looks it up, and a
// [Refiner] tries several choices at run time. On a team whose members can load each other's memory
// ([Comm.Reaches]), algorithms may use shared-memory flags instead of messages (direct.go).
//
// Each algorithm states its restrictions (Needs) and its LogGP cost (Predict). [Price] computes
// the cost of any schedule message by message; drawings and GOAL files are made from it. Neither knows
// that ranks share resources. An [Estimator] predicts the time of a call on a machine and a layout
// (a [Site]), with the adapters, memory, message servers and links that ranks of a node share.
//
// # Ways to run a schedule
//
// There are four. The gains are measured on a host with two cores. Each is the ratio of two medians
// over seven alternating rounds, with and without the way.
//
// Continuations (run.go) run any schedule: Comm.Start always, and Comm.Do if the schedule has
// messages. Only they overlap a call with computation, and several calls with each other. The
// other ways are compared with them.
//
// The shared control block (board.go) runs schedules that consist of loads. All members can load
// each other's memory, so that flags replace messages. On the live fabric the fastest of these
// algorithms is faster than the algorithm of messages that Choose would take instead:
//
//	bench collectives    8 ranks              64 ranks
//	broadcast 8 B        5.1 times            9.2 times
//	allreduce 8 B        9.7 times            27 times
//	allreduce 64 KiB     8.5 times            6.6 times (minima)
//	all-to-all 8 B       5.7 times
//	broadcast 64 KiB     1.9 times
//
// Only broadcasts of 8 B back to back are slower, by a factor of 3, because eager messages do not
// wait for the receivers. Comm.Do runs such a schedule inline, node after node, and Comm.Start by
// continuations. The gains of the inline form are:
//
//	broadcast 8 B        3.3 times            3.7 times
//	allreduce 8 B        2.2 times            2.2 times
//	allreduce 64 KiB     1.1 times            1.1 times
//	all-to-all 8 B       2.3 times
//	broadcast 64 KiB     1.3 times
//
// In a simulation the inline form has no gain on the host. It stays because virtual times depend
// on it.
//
// A walk (walk.go) runs the MPI-style functions on other teams: broadcast, reduce, allreduce and
// gather along a tree, whose nodes can block one after another without a deadlock. It needs
// no Comm. Simulating 1,024 ranks, a call of 8 B takes 23 % (allreduce) and 29 % (broadcast)
// fewer instructions than by continuations, and a broadcast of 64 KiB 12 % fewer. The first
// call takes 45 % fewer, and each rank 6.4 kB less memory, of 76 kB. These are counts of
// callgrind. Combining takes no virtual time in a walk.
//
// The machine's collective network (hardware.go) is one kind of node that continuations post. It
// exists only in simulations of machines that have such a network. Among 2,048 ranks on 512 nodes
// of BlueGene/P it is faster than the best algorithm of messages without segments:
//
//	barrier             2.45 µs instead of 15.6 µs
//	broadcast 8 B       3.68 µs instead of 15.2 µs
//	broadcast 64 KiB    0.31 ms instead of 2.35 ms
//	allreduce 8 B       4.20 µs instead of 15.8 µs
//	allreduce 64 KiB    0.52 ms instead of 3.48 ms
package coll
