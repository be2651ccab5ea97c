package host

import (
	"io/fs"
	"math"
	"strconv"
	"strings"
)

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

// line finds a line "name value [kB]" of a file in /proc; 0: there is none.
func line(root fs.FS, file, name string) int64 {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(l, name)
		if !ok {
			continue
		}
		rest, kibi := strings.CutSuffix(strings.TrimSpace(rest), "kB")
		n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
		switch {
		case err != nil || n < 0:
			return 0
		case kibi && n > math.MaxInt64>>10:
			return math.MaxInt64
		case kibi:
			return n << 10
		}
		return n
	}
	return 0
}
