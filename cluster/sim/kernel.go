package sim

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// eventKind says what happens.
type eventKind uint8

const (
	evResume   eventKind = iota // ref: thread: it goes on
	evPoll                      // likewise, and it only looks
	evInject                    // ref: message: it asks for the adapter
	evReach                     // ref: message: its first byte is at its target's node
	evArrive                    // ref: message: its last byte is there
	evComplete                  // ref: message: the operation that it names is complete
	evBarrier                   // ref: thread: a barrier lets it go
	evLink                      // ref: message: its head is at a link
)

// end is the latest time that a run may reach, an eighth of what a Time holds,
// so that sums of a few times cannot overflow.
const end = cluster.Time(math.MaxInt64 / 8)

// kernel is virtual time: the queue of events, the coroutines that they switch to, and
// the count of looks that finds a livelock. It knows nothing of messages.
type kernel struct {
	queue   queue
	now     cluster.Time
	hash    uint64
	events  uint64
	control *control
	begun   bool
	err     error

	threads []*thread
	running *thread // whose coroutine runs now
	due     *thread // who runs as soon as the event has been dealt with
	acting  int32   // the rank whose step or body ran last
	ended   int     // threads of the first kind that have returned

	quiet  int // polls since anything but polls happened
	before int // what quiet was before this event
	real   int // events in the queue that are not polls
}

func newKernel(c *control, ranks int) kernel {
	return kernel{control: c, hash: 14695981039346656037, threads: make([]*thread, ranks)}
}

// push makes an event.
func (k *kernel) push(at cluster.Time, kind eventKind, ref int32) {
	if uint64(at) > uint64(end) {
		k.overflow()
		at = end
	}
	if kind != evPoll {
		k.real++
	}
	k.queue.push(at, kind, ref)
}

// come brings the clock to an event.
func (k *kernel) come(e event) {
	k.now = cluster.Time(e.at)
	k.hash = (k.hash ^ e.at) * 1099511628211
	k.hash = (k.hash ^ e.what) * 1099511628211
	k.events++
}

// ready prepares the switch to a thread.
func (k *kernel) ready(t *thread) {
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
	k.ready(t)
	t.next()
	k.running = before
}

// wake resumes a thread whose wait is over: at once from the loop, by an event
// from within another coroutine or a step.
func (k *kernel) wake(t *thread) {
	if k.running == nil && !t.r.stepping {
		k.resume(t)
		return
	}
	t.state = threadReady
	k.push(max(t.now, k.now), evResume, t.id)
}

// unwind ends every coroutine that is left.
func (k *kernel) unwind() {
	if k.err == nil {
		k.err = errEnded // no coroutine goes on from here
		defer func() { k.err = nil }()
	}
	for _, t := range k.threads {
		if t.stop != nil {
			t.stop()
		}
	}
}

var errEnded = errors.New("the run has ended")

// abort ends the run; the first reason stands.
func (k *kernel) abort(err error) {
	if k.err == nil {
		k.err = err
	}
}

// overflow ends a run whose clock goes too far.
func (k *kernel) overflow() {
	k.abort(fmt.Errorf("virtual time overflow: more than %v; look for a size or a cost with too many digits", end))
}

// caught aborts the run where code of the program panicked with v, or neither did
// that nor returned. A deferred call of the goroutine makes it.
func (k *kernel) caught(v any, returned bool, rank int32) {
	if _, ok := v.(unwound); ok || returned {
		return
	}
	k.abort(cluster.Ended(v, int(rank)))
}
