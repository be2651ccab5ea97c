package soak

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/internal/inputfile"
)

// The environment of a long run.
const (
	timeVariable = "SOAKTIME"
	seedVariable = "SOAKSEED"
	actsVariable = "SOAKACTS"
)

// Limits of the growth of a process after its first rounds. Pools grow a little with the largest
// round so far.
const (
	moreMemory = 64 << 20
	moreFiles  = 4
)

// maxWait is the maximum time to wait for goroutines that end.
const maxWait = time.Minute

// resources counts the resources of a process.
type resources struct {
	goroutines, files int
	memory            uint64
	resident          int64 // bytes; 0: unknown
}

// Rounds runs usual rounds, or more until SOAKTIME has passed, each with its own seed. Do not use
// it in tests that run in parallel with others.
func Rounds(t *testing.T, usual int, round func(t *testing.T, seed uint64)) {
	t.Helper()
	first, long := uint64(1), time.Duration(0)
	if text := os.Getenv(seedVariable); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
		first = n
	}
	if text := os.Getenv(timeVariable); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", timeVariable, err)
		}
		long = d
		runtime.MemProfileRate = 0 // its table grows with each new stack; a program without a profile has none
	}
	goroutines := runtime.NumGoroutine()
	began, n := time.Now(), 0
	var before, middle resources
	for ; n < usual || time.Since(began) < long; n++ {
		seed := first + uint64(n)
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d: %s=%d repeats it", seed, seedVariable, seed)
				}
			}()
			round(t, seed)
		}()
		if t.Failed() {
			t.FailNow()
		}
		if n == usual/2 {
			before = count(t, goroutines)
		}
		if middle.goroutines == 0 && long > 0 && time.Since(began) > long/2 {
			middle = count(t, goroutines)
		}
	}
	after := count(t, goroutines)
	t.Logf("%d rounds from seed %d in %v: %d goroutines (%d before), %d files (%d), %d KiB of heap (%d)", n, first,
		time.Since(began).Round(time.Millisecond),
		after.goroutines, goroutines, after.files, before.files, after.memory>>10, before.memory>>10)
	t.Logf("resident memory: %d KiB at the begin, %d in the middle, %d at the end", before.resident>>10,
		middle.resident>>10, after.resident>>10)
	if after.goroutines > goroutines {
		stacks := make([]byte, 1<<18)
		t.Errorf("%d goroutines remain, %d before:\n%s", after.goroutines, goroutines, stacks[:runtime.Stack(stacks, true)])
	}
	if after.files > before.files+moreFiles {
		t.Errorf("%d files are open, %d after %d rounds", after.files, before.files, usual/2+1)
	}
	if m := middle.resident; m > 0 && after.resident > m+m/10 {
		t.Errorf("the resident memory grew by more than 10 %%: %d KiB in the middle, %d at the end", m>>10, after.resident>>10)
	}
	if after.memory > before.memory+moreMemory {
		t.Errorf("the heap has %d KiB, %d KiB after %d rounds", after.memory>>10, before.memory>>10, usual/2+1)
	}
}

// Acts returns the number of steps per round: usual, or the value of SOAKACTS.
func Acts(t *testing.T, usual int) int {
	t.Helper()
	text := os.Getenv(actsVariable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: want a number above 0", actsVariable, text)
	}
	return n
}

// count waits for ending goroutines and counts the resources of the process.
func count(t *testing.T, goroutines int) resources {
	ctx, stop := context.WithTimeout(t.Context(), maxWait)
	defer stop()
	for runtime.NumGoroutine() > goroutines && ctx.Err() == nil {
		runtime.Gosched()
	}
	h := resources{goroutines: runtime.NumGoroutine()}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil { // other systems count no files
		h.files = len(files)
	}
	runtime.GC()
	debug.FreeOSMemory() // the second collection empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.memory = m.HeapAlloc
	if text, err := inputfile.Read("/proc/self/statm", 1<<10); err == nil { // other systems count no pages
		var size, pages int64
		if _, err := fmt.Sscan(string(text), &size, &pages); err == nil {
			h.resident = pages * int64(os.Getpagesize())
		}
	}
	return h
}
