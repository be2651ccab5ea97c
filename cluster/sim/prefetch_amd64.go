package sim

import "unsafe"

// prefetchLines loads n > 0 cache lines, starting at p, and does not wait for them. p may be any
// address, also nil.
//
//go:noescape
func prefetchLines(p unsafe.Pointer, n int)
