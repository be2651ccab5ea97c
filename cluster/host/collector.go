package host

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// collectorSlack is the memory of a run that the garbage collector may leave uncollected, if the run
// needs less. Small runs share it with screens and recordings.
const collectorSlack = 512 << 20

// needs is the need of all runs of this process, in bytes.
var needs struct {
	sync.Mutex
	sum     int64
	most    int64 // maximum memory limit of the collector
	large   bool  // the sum exceeds collectorSlack
	watched bool  // a finalizer waits for the next collection
	percent int   // GOGC without a large run
}

// Admit sets the memory limit of the garbage collector for a run that begins. The caller must call end when
// the run has ended. limit is the limit that the run was admitted by (0: unknown). need is its computed need.
//
// Without a limit, the collector waits until the heap has twice the live memory. Neither limit nor need
// includes that garbage. The new limit is a sixteenth above the need of all runs, so that a large run has
// little garbage. Setting it also frees the memory of the previous run before the next one allocates.
//
// While the runs are large, only the limit starts the collector. The data of a large run live until its end,
// and each collection would read all of them. If the runs need more than computed, the limit rises.
func Admit(limit, need int64) (end func()) {
	needs.Lock()
	defer needs.Unlock()
	needs.sum = sum(needs.sum, need)
	wanted := max(sum(needs.sum, needs.sum/16), collectorSlack)
	needs.most = userLimit
	if limit > 0 {
		wanted = min(wanted, limit)
		needs.most = min(sum(limit, Reserve), userLimit)
	}
	debug.SetMemoryLimit(min(sum(wanted, Reserve), userLimit))
	setPercent()
	return sync.OnceFunc(func() {
		needs.Lock()
		defer needs.Unlock()
		needs.sum -= need
		setPercent()
	})
}

// setPercent turns GOGC off for large runs. needs must be locked.
func setPercent() {
	large := needs.sum > collectorSlack
	switch {
	case large && !needs.large:
		needs.percent = debug.SetGCPercent(-1)
	case !large && needs.large:
		debug.SetGCPercent(needs.percent)
	}
	needs.large = large
	if large && !needs.watched {
		watchCollector()
	}
}

// collected is an object that the next collection frees.
type collected struct{ _ *collected }

// watchCollector raises the memory limit after each collection that leaves too little room, until no run is large.
// needs must be locked.
func watchCollector() {
	needs.watched = true
	runtime.SetFinalizer(&collected{}, func(*collected) {
		needs.Lock()
		defer needs.Unlock()
		needs.watched = false
		if !needs.large {
			return
		}
		heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}}
		metrics.Read(heap)
		now := debug.SetMemoryLimit(-1)
		if next := raisedLimit(now, needs.most, heap[0].Value.Uint64(), heap[1].Value.Uint64()); next > now {
			debug.SetMemoryLimit(next)
		}
		watchCollector()
	})
}

// raisedLimit returns the memory limit after a collection. live is the live heap, and goal the heap at which the next
// collection starts. If the room between them is less than an eighth of the live heap, collections follow each other
// without a pause. The limit then rises by half of the live heap, to at most most.
func raisedLimit(now, most int64, live, goal uint64) int64 {
	live, goal = min(live, math.MaxInt64), min(goal, math.MaxInt64)
	if int64(goal)-int64(live) >= int64(live)/8 {
		return now
	}
	return max(now, min(sum(now, int64(live)/2), most))
}
