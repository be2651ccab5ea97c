package session

import "golang.org/x/sys/unix"

// hostMemory is this host's memory in bytes; 0: unknown.
func hostMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
