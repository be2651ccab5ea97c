package sim

import "github.com/hybridtop/hybridtop/cluster"

// maxPolls is how many polls in a row may find nothing while nothing else is on
// its way, before the run is taken for a livelock. Many threads that each look a few
// times come to as many: so one of them must have looked so often since it did
// anything else as none does that has something left to find, oftenest.
const (
	maxPolls = 100_000
	oftenest = 10_000
)

// maxLooks is how many direct looks at memory in a row cost nothing: they may be a
// program that reads its data. Each further one costs a poll, so that a loop that
// waits for a store sees time pass, and is a livelock where nothing can end it. A
// look at another time than the one before counts as many as laterLook: such a loop
// reads the clock, and is slower to simulate.
const (
	maxLooks  = 10_000_000
	laterLook = 20
)

// idle counts a look that found nothing.
func (t *thread) idle() {
	w := t.w
	if w.quiet++; w.quiet > maxPolls && t.looks > oftenest && w.real == 0 {
		w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: append(w.loops(), w.waits(nil)...)})
	}
}

// loops lists the threads that do not wait, when all that they do is look.
func (w *world) loops() []cluster.Wait {
	var out []cluster.Wait
	for _, t := range w.threads {
		if t.state == threadReady || t.state == threadRuns {
			out = append(out, cluster.Wait{Rank: int(t.r.id), Thread: int(t.number), Call: "a loop of looks that nothing can end (livelock)"})
		}
	}
	return out
}

// look brings the world to the thread's time for a direct load. A second one at that
// time sees what the first one saw.
func (t *thread) look() {
	switch {
	case t.looks > maxLooks:
		t.poll()
	case t.looks > 0 && t.looked == t.now:
		t.looks++
		t.check()
	default:
		t.sync(t.glance())
		t.looks += laterLook
	}
	t.looked = t.now
}

// glance is how a thread goes on to look: one that did something else before may do
// so again, and nobody is in a livelock before that.
func (t *thread) glance() eventKind {
	if t.looks > 0 {
		return evPoll
	}
	return evResume
}

// reload reports whether an atomic only loads the word that the one before loaded,
// and counts it as a look.
func (t *thread) reload(op *cluster.Op) bool {
	var at place
	if cluster.AtomicOp(op.Arg) == cluster.AtomicLoad {
		at = place{op.Peer + 1, op.Off}
	}
	if at == (place{}) || at != t.loaded {
		t.w.quiet, t.looks, t.loaded = 0, 0, at
		return false
	}
	t.looks++
	t.idle()
	return true
}

// overlook takes back that the event of a message that only looks counts as
// something that happens.
func (w *world) overlook() { w.real, w.quiet = w.real+1, w.before }

// place is a word: a rank, + 1, and an offset in its segment.
type place struct {
	rank int32
	off  int64
}

// poll looks once: it costs time, and the world catches up.
func (t *thread) poll() {
	w := t.w
	t.check()
	t.spend(w.pollTime, CauseOverhead)
	if t.looks == 0 { // it has done something since the last one
		w.quiet = 0
	}
	t.idle()
	t.answer()
	t.sync(t.glance())
	t.looks++
	t.answer()
}
