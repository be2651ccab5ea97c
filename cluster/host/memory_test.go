package host

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// A 32-bit program may use less memory than its host has.
func TestLimitOfAddressSpace(t *testing.T) {
	for _, c := range []struct{ limit, maxAddress, want int64 }{
		{0, math.MaxInt64, 0},
		{1 << 40, math.MaxInt64, 1 << 40},
		{0, math.MaxInt32, math.MaxInt32},
		{1 << 40, math.MaxInt32, math.MaxInt32},
		{1 << 20, math.MaxInt32, 1 << 20},
	} {
		if got := clampToAddressSpace(c.limit, c.maxAddress); got != c.want {
			t.Errorf("limit %d where %d can be addressed: %d, want %d", c.limit, c.maxAddress, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	const gib = 1 << 30
	fits := func(ranks int, segment, overhead, limit int64) error {
		s := cluster.Spec{Layout: cluster.Layout{Nodes: 1, RanksPerNode: ranks}, Segment: segment}
		return Check(&s, overhead, limit)
	}
	if err := fits(4, gib, 4*gib, 8*gib); err != nil {
		t.Errorf("8 GiB of 8: %v", err)
	}
	if err := fits(1<<20, math.MaxInt64/2, 0, 0); err != nil {
		t.Errorf("a host of unknown memory: %v", err)
	}
	for _, segment := range []int64{2 * gib, math.MaxInt64} {
		if err := fits(4, segment, 1, 8*gib); err == nil ||
			!strings.Contains(err.Error(), "and 8 GiB are left: use a smaller problem") {
			t.Errorf("4 segments of %d B: %v", segment, err)
		}
	}
	if err := fits(1<<22, 0, 40*gib, 8*gib); err == nil {
		t.Error("four million ranks fit: want an error")
	}
}

func TestUserLimitAndReserve(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct{ host, userLimit, want int64 }{
		{0, math.MaxInt64, 0},
		{8 * gib, math.MaxInt64, 8*gib - Reserve},
		{8 * gib, 2 * gib, 2*gib - Reserve},
		{2 * gib, 8 * gib, 2*gib - Reserve},
		{0, 2 * gib, 2*gib - Reserve},
		{1000, math.MaxInt64, 1},
	} {
		if got := combineLimits(c.host, c.userLimit); got != c.want {
			t.Errorf("a host of %d and GOMEMLIMIT=%d: %d, want %d", c.host, c.userLimit, got, c.want)
		}
	}
}

// TestAdmit tests that only the memory limit starts the collector during large runs, and that the limit
// is a sixteenth above the need of all runs.
func TestAdmit(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	check := func(when string, wantPercent int, wantLimit int64) {
		t.Helper()
		if got := percent(); got != wantPercent {
			t.Errorf("%s: GOGC %d, want %d", when, got, wantPercent)
		}
		if got := debug.SetMemoryLimit(-1); got != min(wantLimit, userLimit) {
			t.Errorf("%s: limit of %d B, want %d", when, got, wantLimit)
		}
	}
	small := Admit(0, 1<<20)
	check("a small run", 100, collectorSlack+Reserve)
	large := Admit(0, 2<<30)
	need := int64(2<<30 + 1<<20)
	check("a small and a large run", -1, need+need/16+Reserve)
	second := Admit(3<<30, 2<<30)
	check("a second large run", -1, 3<<30+Reserve)
	large()
	large()
	check("after the first large run", -1, 3<<30+Reserve)
	second()
	check("after both large runs", 100, 3<<30+Reserve)
	small()
}

// TestRaisedLimit tests that the limit rises if a collection leaves too little room, up to the maximum.
func TestRaisedLimit(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name       string
		now, most  int64
		live, goal uint64
		want       int64
	}{
		{"enough room", 700 * mib, 4000 * mib, 400 * mib, 600 * mib, 700 * mib},
		{"no room", 700 * mib, 4000 * mib, 600 * mib, 600 * mib, 1000 * mib},
		{"a goal below the live heap", 700 * mib, 4000 * mib, 600 * mib, 500 * mib, 1000 * mib},
		{"near the maximum", 700 * mib, 720 * mib, 600 * mib, 600 * mib, 720 * mib},
		{"at the maximum", 700 * mib, 700 * mib, 600 * mib, 600 * mib, 700 * mib},
		{"above the maximum", 700 * mib, 600 * mib, 600 * mib, 600 * mib, 700 * mib},
		{"no limit", math.MaxInt64, math.MaxInt64, 600 * mib, 600 * mib, math.MaxInt64},
	} {
		if got := raisedLimit(c.now, c.most, c.live, c.goal); got != c.want {
			t.Errorf("%s: %d B, want %d", c.name, got, c.want)
		}
	}
}

// TestLargeRunHasRoom tests that the limit rises while a large run holds more memory than it computed.
func TestLargeRunHasRoom(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	defer Admit(0, collectorSlack+1)()
	held := make([]byte, 32<<20)
	debug.SetMemoryLimit(16 << 20)
	deadline := time.After(20 * time.Second)
	for debug.SetMemoryLimit(-1) == 16<<20 {
		runtime.GC()
		select {
		case <-deadline:
			t.Fatal("the limit did not rise")
		default:
			runtime.Gosched()
		}
	}
	runtime.KeepAlive(held)
}
