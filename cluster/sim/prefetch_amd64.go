package sim

import "unsafe"

// prefetchLines loads n cache lines from p on, n > 0, and does not wait for them.
// Nothing need be there, and p may be nil.
//
//go:noescape
func prefetchLines(p unsafe.Pointer, n int)
