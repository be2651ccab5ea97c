//go:build unix

package bench

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of the process. It returns false if the system does not
// report it.
func processorTime() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
