// Package live is the fabric that runs on this host: a goroutine a rank, real
// bytes through real shared segments.
//
// Each rank has an engine: its segment, its requests, its matching queues and
// its inbound rings. A sender writes small messages into the ring of the pair and
// passes larger ones by reference; the receiver's engine drains the rings while
// the rank is inside a call. The main loop is port.Wait: progress until the
// handles are complete, spin for a while, then park until another goroutine wakes the
// engine.
//
// What depends on where the other rank is, and on what time is, is the transport's
// (transport.go). Direct: puts, gets and atomics are done in place and time is the
// wall clock. On an emulated machine every transfer and every Compute
// passes the wire, one goroutine that lets each thing happen at the machine's own
// time, stretched by a dilation that the host can keep.
//
// A monitor looks for deadlock: parked ranks with nothing pending whose waits only
// others of their kind could end.
package live
