// Package msgrate measures how fast the threads of a rank send small messages: the message rate and
// the latency at MPI_THREAD_MULTIPLE.
//
// Each rank of the first half has a partner in the second half. Thread i of a rank sends to thread i
// of its partner. The threads share one communicator, or each has its own communicator or endpoint.
// A library with several VCIs (virtual communication interfaces) can then give each thread its own
// lock and queues.
//
// The receiving threads post their receives, or they are the workers of a task runtime. A worker
// takes a message from a communicator by a matched probe and runs its task.
//
// Partitioned sends are not among the ways. All threads fill one message with Pready, so no thread
// has a message of its own whose rate could be measured.
package msgrate
