//go:build !unix

package bench

import "time"

// processorTime is not asked for here.
func processorTime() (time.Duration, bool) { return 0, false }
