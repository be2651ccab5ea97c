package host

import (
	"io/fs"
	"math"

	"golang.org/x/sys/unix"
)

// limit is all of the host's memory: the system gives away what is idle.
func limit(fs.FS) int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(min(n, math.MaxInt64))
}
