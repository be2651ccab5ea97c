package host

import (
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// bounds returns the memory that the system and the control groups leave, plus the memory that this
// process already has. It returns nil if the system does not report its memory.
func bounds(root fs.FS) []Bound {
	free := line(root, "proc/meminfo", "MemAvailable:")
	if free == 0 {
		return nil
	}
	own := line(root, "proc/self/status", "RssAnon:")
	all := []Bound{{"available memory", sum(free, own)}}
	for _, g := range groups(root) {
		if left, ok := g.left(root); ok {
			all = append(all, Bound{"control group /" + g.folder, sum(left, own)})
		}
	}
	return all
}

// line returns the value of a line "name value [kB]" in a file in /proc, or 0 if there is no such
// line.
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
