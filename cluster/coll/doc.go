// Package coll holds collective operations as data: an algorithm gives each rank of
// a team a small graph of sends, receives, copies and reductions, its schedule.
//
//	a, err := coll.Find(coll.OpBcast, "knomial")
//	key, err := a.Key(coll.Parameters{Ranks: 8, Radix: 4}) // refused where the algorithm is restricted
//	s := cache.Schedule(key, rel)           // of the rank that is rel after the root
//	p := coll.Place{Schedule: s, Rel: rel, Root: root, Blocks: coll.Share(bytes, s.Parts)}
//	p.Peer(s.Nodes[i].Peer)                 // a number in the team
//	p.Runs(s.Nodes[i].Ref, func(off, n int64) { … })
//
// A schedule names peers and blocks relative to its rank, the root only turns
// numbers, and sizes are bound when it is used. So ranks share schedules: a
// dissemination has one for any number of ranks, a binomial tree one for each size
// of subtree. Make is called once a class of ranks, and what it gives is interned by
// content.
//
// A node is posted once all nodes that it waits for are complete, in any order among
// those that are ready; a schedule is right in each of these orders, with sends that
// complete at once and with sends that wait for their receives. Messages from one
// rank to another match by their lane, first to first.
//
// A program calls them on any team of its own, in MPI's terms, and needs nothing else:
//
//	err := coll.Allreduce(r, r.World(), cluster.Sum, in, out) // [Bcast], [Reduce], [Gather], [Allgather]
//
// A [Comm] runs schedules that are chosen, blocking or not, on a team of ranks, on any fabric, blocking or not:
//
//	c, err := coll.New(r, team)             // every member
//	x, err := c.Start(coll.Call{Key: key, Root: root, Out: data, Blocks: key.Blocks(n, 8)})
//	…                                       // compute, other calls, other collectives
//	err = x.Wait()                          // or x.Test, now and then
//
// A call under way, a [Run], is a step of the fabric: whoever progresses for the rank
// goes on with it.
//
// A [Table] says which algorithm to take for a team and a size; a Comm chooses by it,
// and a [Refiner] tries in the run what it holds to be near the best:
//
//	c.Use(table)
//	key, err := c.Choose(coll.OpAllreduce, n, 0)
//
// Where loads reach all members a schedule needs no messages: a member marks what it has
// at the team's board, and the others load it from there ([Comm.Reaches], direct.go).
//
// Each algorithm is a file, or a part of one, with its restrictions (Needs) and its
// cost (Predict, in LogGP's terms) beside it. Trace prices any schedule, message by
// message, on the same terms; the drawings and GOAL files are made from it.
package coll
