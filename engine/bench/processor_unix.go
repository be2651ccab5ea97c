//go:build unix

package bench

import (
	"syscall"
	"time"
)

// processorTime is what the process has had of the processors; false: the system does not
// say.
func processorTime() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
