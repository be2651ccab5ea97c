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
// The program has no partitioned sends. With them, the threads of a rank fill one message together,
// so a rate of messages per thread does not exist.
package msgrate
