package sim

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// eventKind is the type of an event.
type eventKind uint8

const (
	evResume   eventKind = iota // ref: thread that continues
	evPoll                      // ref: thread that continues and only polls
	evInject                    // ref: message that requests the adapter
	evReach                     // ref: message whose first byte reaches its target's node
	evArrive                    // ref: message whose last byte has arrived
	evComplete                  // ref: message whose operation is complete
	evBarrier                   // ref: thread that leaves a barrier
	evLink                      // ref: message whose head reaches a link
)

// end is the latest time of a run, an eighth of the maximum Time, so that sums of a few times
// cannot overflow.
const end = cluster.Time(math.MaxInt64 / 8)

// kernel implements virtual time: the queue of events, the coroutines, and the count of polls that
// detects a livelock. It does not depend on messages.
type kernel struct {
	queue   queue
	now     cluster.Time
	reached uint64 // last bit of the keys of evReach: 0 if these are before other events of their time
	events  uint64
	control *control
	begun   bool
	err     error

	threads   []*thread
	running   *thread // thread whose coroutine runs now
	dueThread *thread // thread that runs after the current event
	acting    int32   // rank whose step or body ran last
	ended     int     // number of ranks whose first thread has returned

	idlePolls  int // polls since the last other event
	idleBefore int // idlePolls before this event
	realEvents int // events in the queue that are not polls
}

func newKernel(c *control, ranks int) kernel {
	return kernel{control: c, threads: make([]*thread, ranks), reached: 1}
}

// push adds an event.
func (k *kernel) push(at cluster.Time, kind eventKind, ref int32) {
	if uint64(at) > uint64(end) {
		k.overflow()
		at = end
	}
	if kind != evPoll {
		k.realEvents++
	}
	last := uint64(1)
	if kind == evReach {
		last = k.reached
	}
	k.queue.push(uint64(at)<<1|last, kind, ref)
}

// quietUntil reports whether there is no event up to and including t.
func (k *kernel) quietUntil(t cluster.Time) bool {
	return k.queue.len() == 0 || cluster.Time(k.queue.earliest()>>1) > t
}

// advance advances the clock to an event.
func (k *kernel) advance(e event) {
	k.now = cluster.Time(e.key >> 1)
	k.events++
}

// prepareSwitch prepares the switch to a thread.
func (k *kernel) prepareSwitch(t *thread) {
	t.now = max(t.now, k.now)
	t.state = threadRuns
	k.running = t
	if t.next == nil {
		t.next, t.stop = iter.Pull(t.life)
	}
}

// resume switches to a thread until it waits again.
func (k *kernel) resume(t *thread) {
	before := k.running
	k.prepareSwitch(t)
	t.next()
	k.running = before
}

// wake resumes a thread whose wait has ended: at once from the loop, or by an event from another
// coroutine or a step.
func (k *kernel) wake(t *thread) {
	if k.running == nil && !t.r.stepping {
		k.resume(t)
		return
	}
	t.state = threadReady
	k.push(max(t.now, k.now), evResume, t.id)
}

// unwind ends all remaining coroutines.
func (k *kernel) unwind() {
	if k.err == nil {
		k.err = errEnded // no coroutine continues from here
		defer func() { k.err = nil }()
	}
	for _, t := range k.threads {
		if t.stop != nil {
			t.stop()
		}
	}
}

var errEnded = errors.New("the run has ended")

// abort ends the run. The first reason is kept.
func (k *kernel) abort(err error) {
	if k.err == nil {
		k.err = err
	}
}

// overflow ends a run whose clock exceeds the limit.
func (k *kernel) overflow() {
	k.abort(fmt.Errorf("virtual time overflow: more than %v (check for a size or a cost with too many digits)", end))
}

// caught aborts the run if code of the program panicked with v or ended its goroutine. A deferred
// function of the goroutine calls it.
func (k *kernel) caught(v any, returned bool, rank int32) {
	if _, ok := v.(unwound); ok || returned {
		return
	}
	k.abort(cluster.Ended(v, int(rank)))
}
