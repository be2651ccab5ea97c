package host

import "io/fs"

// limit is what the system says may be taken, and what this process has already.
func limit(root fs.FS) int64 {
	free := line(root, "proc/meminfo", "MemAvailable:")
	if free == 0 {
		return 0
	}
	return sum(free, line(root, "proc/self/status", "RssAnon:"))
}
