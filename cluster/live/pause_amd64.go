package live

// pause tells the processor that the thread polls, so that the other hardware thread of its core
// runs faster.
//
//go:noescape
func pause()
