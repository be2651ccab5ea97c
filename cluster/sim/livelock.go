package sim

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// maxPolls is the number of consecutive unsuccessful polls, without another event, after which a
// run counts as a livelock. Many threads with a few polls each reach this number, too. Therefore
// one thread must also have polled at least minThreadPolls times since it did anything else.
const (
	maxPolls       = 100_000
	minThreadPolls = 10_000
)

// maxFreeLoads is the number of consecutive direct reads of memory that cost nothing, because a
// program may read its data. Each further read costs a poll. A loop that waits for a store then
// sees time pass, and is a livelock if nothing can end it. A read at another time than the previous
// one counts as laterLoad reads: such a loop reads the clock and is slower to simulate.
const (
	maxFreeLoads = 10_000_000
	laterLoad    = 20
)

// countPoll counts an unsuccessful poll.
func (t *thread) countPoll() {
	w := t.w
	if w.idlePolls++; w.idlePolls > maxPolls && t.polls > minThreadPolls && w.realEvents == 0 {
		w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: append(w.loops(), w.waits(nil, math.MaxInt)...)})
	}
}

// loops lists the threads that do not wait and only poll.
func (w *world) loops() []cluster.Wait {
	var out []cluster.Wait
	for _, t := range w.threads {
		if t.runs() {
			out = append(out,
				cluster.Wait{Rank: int(t.r.id), Thread: int(t.number), Call: "an endless loop of polls (livelock)"})
		}
	}
	return out
}

// syncForLoad advances the world to the thread's time for a direct load. A second load at that time
// sees the same memory.
func (t *thread) syncForLoad() {
	switch {
	case t.polls > maxFreeLoads:
		t.poll()
	case t.polls > 0 && t.loadTime == t.now:
		t.polls++
		t.check()
	default:
		t.sync(t.pollKind())
		t.polls += laterLoad
	}
	t.loadTime = t.now
}

// pollKind returns the event kind for a thread that continues to poll. A thread that did something
// else before may do so again, so it is not in a livelock.
func (t *thread) pollKind() eventKind {
	if t.polls > 0 {
		return evPoll
	}
	return evResume
}

// reloads reports whether an atomic loads the same word as the previous one, and counts it as a
// poll.
func (t *thread) reloads(op *cluster.Op) bool {
	var at wordAddress
	if cluster.AtomicOp(op.Arg) == cluster.AtomicLoad {
		at = wordAddress{rank: op.Peer + 1, off: op.Off}
	}
	if at == (wordAddress{}) || at != t.loadedWord {
		t.w.idlePolls = 0
		t.polls = 0
		t.loadedWord = at
		return false
	}
	t.polls++
	t.countPoll()
	return true
}

// isPoll reports whether the message belongs to a poll: its atomic loads the same word again.
func (m *msg) isPoll() bool { return m.more != nil && m.more.isPoll }

// countAsPoll makes the current event count as a poll, if its message belongs to one.
func (w *world) countAsPoll(m *msg) {
	if m.isPoll() {
		w.realEvents++
		w.idlePolls = w.idleBefore
	}
}

// pushFor pushes an event of a message. If the message belongs to a poll, the event counts as one.
func (w *world) pushFor(m *msg, at cluster.Time, kind eventKind, i int32) {
	w.push(at, kind, i)
	if m.isPoll() {
		w.realEvents--
	}
}

// wordAddress identifies a word: a rank, + 1, and an offset in its segment.
type wordAddress struct {
	rank int32
	off  int64
}

// poll polls once. It costs time, and the world catches up.
func (t *thread) poll() {
	w := t.w
	t.check()
	t.spend(w.pollTime, ofPoll)
	t.holdLock()
	if t.polls == 0 { // it did something else since the last poll
		w.idlePolls = 0
	}
	t.countPoll()
	t.answer()
	t.sync(t.pollKind())
	t.polls++
	t.answer()
}
