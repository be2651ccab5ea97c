package host

import (
	"io/fs"
	"math"

	"golang.org/x/sys/unix"
)

// bounds returns the host's total memory, because the system releases idle memory.
func bounds(fs.FS) []Bound {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return nil
	}
	return []Bound{{"memory", int64(min(n, math.MaxInt64))}}
}
