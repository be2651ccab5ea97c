//go:build amd64 || arm64

package sim

import "unsafe"

// prefetch asks for a cache line and does not wait for it. Any pointer will do, nil
// included.
//
//go:noescape
func prefetch(p unsafe.Pointer)

// prefetchLines asks for n lines from an address on, n > 0. Nothing need be there.
//
//go:noescape
func prefetchLines(at uintptr, n int)
