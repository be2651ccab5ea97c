//go:build !linux && !darwin

package session

// hostMemory is this host's memory in bytes; 0: unknown.
func hostMemory() int64 { return 0 }
