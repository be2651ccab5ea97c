package live

// pause executes PAUSE, the hint for spin loops. It leaves more of the core to the other hardware
// thread.
//
//go:noescape
func pause()
