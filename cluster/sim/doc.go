// Package sim is the fabric in virtual time. It runs programs as coroutines on one deterministic
// clock, on a described machine.
//
// The main loop is world.run: take the earliest event by (time, order of creation), process it, and
// switch at once to the rank whose wait it ends.
//
//	for e := range events by time {
//		switch e.kind {
//		case resume, poll:               due = its thread
//		case inject, reach, arrive, ...: the protocol acts, and may name a thread due
//		}
//		switch to due
//	}
//
// A world has four parts:
//
//	kernel    the queue, the clock, the coroutines, what counts as a livelock
//	          (kernel.go queue.go hash.go prefetch.go thread.go wait.go livelock.go deadlock.go)
//	protocol  messages: eager, rendezvous, one-sided, staged, trains; who answers them
//	          (protocol.go sending.go passage.go reception.go receiving.go ..)
//	network   what bytes pass: adapters, links, memory, noise
//	          (network.go adapter.go slow.go cost.go topology/)
//	trace     why time passed: a record for each time, with the constant that cost it. The path
//	          of a wait continues with the message or thread that held the resource
//	          (trace.go constant.go holders.go passagecause.go traincause.go barriercause.go
//	          mark.go path.go observed.go)
//
// A rank's call goes to the protocol. The protocol charges the thread o, gets the times of the
// bytes from the network, and pushes events to the kernel.
//
// A rank runs ahead of the clock as long as it only posts. Shared resources (adapters, links,
// memory, the target's words) are reserved when their event is processed, in the order of time.
// Events with equal times are processed in the order of their creation. This order depends only on
// the program and the spec, so a run has the same hash on every machine. On a uniform network, the
// first bytes of messages from other nodes come first, so that the order inside a node does not
// depend on the number of its node.
//
// If all ranks make a call alike, the first node represents all others (alike.go alikecause.go).
//
// If links are shared, the head of a message reserves each link when it reaches it, one hop after
// the previous link, and waits until the link is free. A waiting message has left its node.
//
// Costs follow LogGP, in integer picoseconds. An eager message of s bytes takes 2o + L + (s − 1)G.
// An adapter starts messages at least g + (s − 1)G apart, and receives them at the same rate, so
// messages from several nodes to one node wait there. If copies have a rate, a thread pays for a
// copy into the eager buffer and a copy out of it. Above the eager limit the sender first sends an
// RTS (o + L) and the receiver a CTS (o + L). Inside a node the receiver may instead copy the bytes
// from the sender's memory. If the adapter makes progress by itself, both answers cost no o. A
// receive always costs its receiver o.
//
// If no event can advance the run, it is deadlocked; the simulator detects this at once. A run in
// which threads only poll is a livelock. Polls are tests, probes, atomics that load the same word
// again, and calls of Reach, also with reads of the clock between them. After many polls in a row
// without another event, the run ends. A thread that computes or starts an operation between two
// polls is not in a livelock. The simulator cannot detect a loop that loads through a slice of an
// earlier Reach. The loop makes no call, so neither the clock nor another rank can advance. Such a
// program must call Reach again, Await the word or load it with AtomicLoad.
package sim
