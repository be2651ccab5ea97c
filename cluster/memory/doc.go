// Package memory has the time at which a shared resource serves its users: a node's memory, or the
// memory of a device. Computations and messages use it at the same time.
//
// A fabric calls [Server.Serve] or [Server.Work] for each use, in the order of time. The unit of time
// is the caller's.
package memory
