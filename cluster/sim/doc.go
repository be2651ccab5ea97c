// Package sim is the fabric in virtual time: the same programs, as coroutines on
// one deterministic clock, on a machine that is described and not owned.
//
// The main loop is world.run: take the earliest event by (time, order of making), let
// it happen, and switch at once to the rank whose wait it ends.
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
//	          (kernel.go queue.go ahead.go thread.go wait.go livelock.go deadlock.go)
//	protocol  messages: eager, rendezvous, one-sided, staged, trains; who answers them
//	          (protocol.go sending.go passage.go reception.go receiving.go ..)
//	network   what bytes pass: adapters, links, memory, noise
//	          (network.go adapter.go slow.go cost.go topology/)
//	trace     why time passed: one hook, charge, that all others call
//	          (trace.go observed.go)
//
// A rank's call goes to the protocol, which charges the thread o, asks the network when
// the bytes are where, and leaves events with the kernel.
//
// A rank runs ahead of the clock as long as it only posts; whatever several ranks
// contend for (adapters, links, memory, the target's words) is reserved when its
// event is taken, in the order of time. Events at one time are taken in the order
// in which they were made, which depends on nothing but the program and the spec;
// so a run has one hash, on every machine.
//
// Where a network's links are shared, a message's head takes each as it comes to it, a hop
// after the one before, and waits there until the link is free. What waits has left its
// node.
//
// Costs are LogGP's, in integer picoseconds: a message of s bytes takes
// 2o + L + (s − 1)G when eager, and an adapter starts messages at least
// g + (s − 1)G apart, and takes them in so: what several nodes send to one waits there.
// Where a thread's copies have a rate, it pays for one into the eager buffer, and for one
// out of it. Above the eager limit the sender first asks (o + L) and the
// receiver answers (o + L); inside a node the receiver may instead copy the bytes out of
// the sender's memory itself. Where the adapter progresses by itself both answers
// cost no o.
//
// A run that nothing can go on with is a deadlock, at once. One in which threads
// only look is a livelock: tests, probes, atomics that load the word that they have
// just loaded, calls of Reach, with looks at the clock between, are counted, and end
// the run after many in a row with nothing else on its way. Who computes or starts
// something between two looks is at work, and never in a livelock; nor is a loop
// seen that loads through a slice that Reach once gave: it makes no call, so that
// neither the clock nor anybody else can go on, and a program that waits so must ask
// Reach again, Await the word or load it with AtomicLoad.
package sim
