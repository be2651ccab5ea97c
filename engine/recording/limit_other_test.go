//go:build !linux

package recording_test

import (
	"testing"
	"time"
)

func limitFiles(*testing.T) {}

var started = time.Now()

// busy returns the wall time, because processor time is not available here.
func busy(testing.TB) time.Duration { return time.Since(started) }
