package host

import (
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Cores returns the number of the host's cores. This process may be bound to some of them. If the number
// is unknown, Cores returns the number of usable cores.
func Cores() int {
	if b, err := fs.ReadFile(os.DirFS("/sys"), "devices/system/cpu/online"); err == nil {
		if n := countList(strings.TrimSpace(string(b))); n > 0 {
			return n
		}
	}
	return runtime.NumCPU()
}

// countList returns the number of elements of a list such as "0-3,6", or 0 if it is not one.
func countList(list string) int {
	n := 0
	for item := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		a, err := strconv.Atoi(first)
		b, failed := strconv.Atoi(last)
		if err != nil || failed != nil || a < 0 || b < a || b > 1<<20 {
			return 0
		}
		n += b - a + 1
	}
	return n
}
