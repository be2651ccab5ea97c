package session

import "golang.org/x/sys/unix"

// hostMemory is this host's memory in bytes; 0: unknown.
func hostMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit))
}
