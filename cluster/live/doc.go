// Package live is the fabric that runs on this host: one goroutine per rank, with real bytes in
// shared segments.
//
// Each rank has an engine: its segment, its requests, its matching queues and its inbound rings. A
// sender writes small messages into the ring of the pair and passes larger ones by reference. The
// receiver's engine drains the rings while the rank is inside a call. The main loop is port.Wait:
// make progress until the handles are complete, spin for a while, then park until another goroutine
// wakes the engine.
//
// Workers are goroutines that run threads 1, 2, … of a rank's parallel regions (worker.go). They
// live until the rank ends. Between two regions they spin for a while, then park.
//
// The transport handles everything that depends on the peer's location or on the clock
// (transport.go). The direct transport runs puts, gets and atomics in place, and time is the wall
// clock. On an emulated machine every transfer and every Compute passes the wire: one goroutine
// that runs each event at the machine's time, multiplied by the time dilation. While the host is too
// busy to run an event that is due, the clock pauses.
//
// A monitor detects deadlocks: parked ranks without pending work whose waits only other such ranks
// could end.
package live
