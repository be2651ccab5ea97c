//go:build !unix

package bench

import "time"

// processorTime is not available on this system.
func processorTime() (time.Duration, bool) { return 0, false }
