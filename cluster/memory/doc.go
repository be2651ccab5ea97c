// Package memory computes when a shared resource serves its users, for fabrics that charge time. The
// resource is the memory of a node or of a device. Computations and messages use it at the same time.
//
// A fabric calls [Server.Serve] or [Server.Work] for each use, in the order of time. The unit of time
// is the caller's.
package memory
