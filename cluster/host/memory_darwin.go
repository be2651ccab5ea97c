package host

import (
	"io/fs"
	"math"

	"golang.org/x/sys/unix"
)

// limit returns the host's total memory, because the system releases idle memory.
func limit(fs.FS) int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(min(n, math.MaxInt64))
}
