package live

// pause executes YIELD, the hint for spin loops. It has an effect on cores with several hardware
// threads.
//
//go:noescape
func pause()
