package host

import "io/fs"

// limit is the least that the system and the control groups leave, and what this
// process has already.
func limit(root fs.FS) int64 {
	free := line(root, "proc/meminfo", "MemAvailable:")
	if free == 0 {
		return 0
	}
	for _, g := range groups(root) {
		if left, ok := g.left(root); ok {
			free = min(free, left)
		}
	}
	return sum(free, line(root, "proc/self/status", "RssAnon:"))
}
