package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/match"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// The states of a thread.
type threadState uint8

const (
	threadReady threadState = iota // an event will resume it
	threadRuns
	threadWaits // inside a call; a completion resumes it
	threadJoins // waits for the other threads of its region
	threadEnded // its body has returned; a rank's first thread then serves the others
)

// thread is one thread of execution: a coroutine with a clock, which may be ahead of the world's
// clock. The fields for completions and switches come first, in one cache line.
type thread struct {
	now   cluster.Time
	lane  *timeline.Lane // records its activity; nil: no recording
	cause int32          // cause of its current time, in the trace
	left  int32          // completions until the end of its wait
	id    int32          // number in the world
	state threadState
	call  cluster.Kind // call for which its time passes
	w     *world
	r     *rank
	next  func() (struct{}, bool)
	polls int // direct reads of memory since it did anything else

	yield         func(struct{}) bool
	hs            []cluster.Handle
	number        int32        // number in the rank
	peer          int32        // peer of that call
	inject        cluster.Time // time at which all its posts are injected
	handshakeFree cluster.Time // the same, without the bytes that a handshake may interrupt
	stagedUntil   cluster.Time // time at which its last sent message was in host memory
	loadTime      cluster.Time // time of the last direct read
	loadedWord    wordAddress  // word of its last atomic, if that was a load
	clockRead     cluster.Time // time of its last read of the clock
	peerReady     cluster.Time // arrival of the other side of its wait; 0: not arrived

	body func() error
	stop func()
	lock int // 1 + lock of the VCI whose call it is in; 0: none
}

// never is a time before all other times.
const never cluster.Time = -1

// unwound ends a coroutine after an abort.
type unwound struct{}

// check unwinds if the run was aborted, or should be: if a thread never yields, the loop cannot
// check.
func (t *thread) check() {
	if t.w.err != nil || t.w.control.cancelled.Load() {
		t.end()
	}
}

//go:noinline
func (t *thread) end() {
	if t.w.err == nil {
		t.w.cancel()
	}
	panic(unwound{})
}

// life is the coroutine of a thread.
func (t *thread) life(yield func(struct{}) bool) {
	t.yield = yield
	returned := false
	defer func() {
		t.state = threadEnded
		t.w.caught(recover(), returned, t.r.id)
	}()
	if err := t.body(); err != nil {
		t.w.abort(err)
	}
	returned = true
	t.w.count(stepEnd, t.now, t.r.id, t.r.id, uint64(t.number))
}

// suspend yields until the world resumes the thread. After the end of the run, the world resumes it
// to unwind it.
func (t *thread) suspend(s threadState) {
	t.state = s
	t.yield(struct{}{})
	if t.w.err != nil {
		panic(unwound{})
	}
}

// sync advances the world to the thread's time, so that all earlier changes by others are visible.
func (t *thread) sync(kind eventKind) {
	if t.w.err != nil {
		panic(unwound{})
	}
	if !t.w.alike.begun && t.w.quietUntil(t.now) {
		return
	}
	t.w.push(t.now, kind, t.id)
	t.suspend(threadReady)
}

// spend advances the thread's clock, with the constant that costs the time.
func (t *thread) spend(dt cluster.Time, why Constant) {
	t.now += dt
	if t.w.trace.watched || uint64(t.now) > uint64(end) {
		t.spent(dt, why)
	}
}

// spent is spend with a recorder, or for a clock beyond its limit.
func (t *thread) spent(dt cluster.Time, why Constant) {
	if uint64(t.now) > uint64(end) {
		t.w.overflow()
		t.now = end
	}
	if t.w.trace.watched && dt > 0 {
		t.explain(dt, why)
	}
}

// explain records the cause of time, for traces and timelines.
func (t *thread) explain(dt cluster.Time, why Constant) {
	if t.w.trace.on {
		t.cause = t.w.trace.add(t.cause, dt, why, NoNote, t.r.id)
		t.w.trace.spendIn(t, dt, why)
	}
	if t.lane != nil {
		t.recordSpent(dt, why)
	}
}

// spendMore is spend for time that noise or a slow part adds to the time of a constant.
func (t *thread) spendMore(dt cluster.Time, why Constant, note Note) {
	before := t.cause
	t.spend(dt, why)
	if t.w.trace.on && dt > 0 {
		t.cause = t.w.trace.add(before, dt, why, note, t.r.id)
	}
}

// pass lets a thread use a resource that is free at a time, and then spends the time of its use.
func (t *thread) pass(free cluster.Time, by int32, of Resource, dt cluster.Time, why Constant) {
	if free > t.now {
		before := t.now
		t.now = free
		if t.w.trace.watched {
			t.held(before, by, of, why)
		}
	}
	t.spend(dt, why)
}

// held records that a thread has waited for a resource. why is the constant of its use.
func (t *thread) held(before cluster.Time, by int32, of Resource, why Constant) {
	tr := &t.w.trace
	if tr.on {
		note := NoteHeld
		if of == LibraryLock {
			note = NoteLocked
		}
		t.cause = tr.add(by, 0, Constant(of), note, t.r.id)
		tr.waitIn(t, t.now-before, t.cause)
	}
	if t.lane != nil {
		t.recordSpent(t.now-before, why)
	}
}

// until advances the clock to at, if that is later. The event at that time is the cause.
func (t *thread) until(at cluster.Time, cause int32) {
	if at > t.now {
		before := t.now
		t.now, t.cause = at, cause
		if t.w.trace.watched {
			t.waited(before, at)
		}
	}
}

// waited records that the thread did nothing from one time to another.
func (t *thread) waited(from, until cluster.Time) {
	if t.w.trace.on {
		t.w.trace.waitIn(t, until-from, t.cause)
	}
	if t.lane != nil {
		t.recordWait(until)
	}
}

// rank is the shared data of a rank's threads. The fields for the arrival of a message come first,
// in four cache lines.
type rank struct {
	w      *world
	main   *thread
	queues match.Queues
	slots  slots
	engine *thread // makes progress without a call: the adapter, or a progress thread
	id     int32

	stepping      bool
	alike         bool // it is between BeginAlike and EndAlike
	noisy         bool
	steps         []pendingStep
	continuations int // operations in progress with a continuation
	requests      int // messages in flight to this rank that need its CPU
	region        []*thread

	deferred    []int32      // messages that wait for a call
	lastDelayed cluster.Time // arrival of the last message that adapters delayed
	channels    channels
	unmatched   unmatched

	forked  int // additional threads of a region that have not ended
	group   *threadGroup
	awaits  []uint32
	probes  []uint32
	members []member
	serve   func(cluster.RPC) (uint64, bool)
	seg     []byte
	atomics cluster.Time // end of the last atomic on this rank
	device  cluster.Time // time at which its path to a device is free
	noise   noise
	_       [2]uint64 // padding to whole cache lines
}

// pendingStep is a continuation that is due.
type pendingStep struct {
	then  cluster.Step
	arg   int32
	done  cluster.Done
	at    cluster.Time
	cause int32
	fee   fee // cost of the completion for the thread that runs it
	class cluster.Class
}

// actor returns the thread that handles a message at a time for the rank: a thread inside a call,
// or the progress engine; nil: none before the next call. Its clock is advanced to at.
func (r *rank) actor(at cluster.Time, cause int32) *thread {
	if r.w.progress != cluster.ProgressCall {
		if r.engine == nil {
			r.engine = &thread{w: r.w, r: r, id: -1, cause: noCause}
		}
		r.engine.until(at, cause)
		return r.engine
	}
	t := r.inCall()
	if t != nil {
		t.until(at, cause)
	}
	return t
}

// inCall returns a thread that is inside a call. The first thread counts as inside after its body
// has returned.
func (r *rank) inCall() *thread {
	if r.main.state == threadWaits || r.main.state == threadEnded {
		return r.main
	}
	for _, t := range r.region {
		if t.state == threadWaits {
			return t
		}
	}
	return nil
}

// pay charges an actor for handling a message. The adapter handles messages for free, except that a
// receive costs o in spend.
func (t *thread) pay(o cluster.Time, why Constant) {
	if t.id < 0 && t.w.progress == cluster.ProgressOffload {
		return
	}
	t.spend(o, why)
}

// fork runs a parallel region.
func (t *thread) fork(n int, body func(cluster.Port, int)) {
	r, w := t.r, t.w
	if r.region != nil {
		panic("sim: fork inside a parallel region")
	}
	if r.group == nil {
		r.group = &threadGroup{}
	}
	r.group.threads, r.group.counters = n, r.group.counters[:0]
	if n > 1 {
		t.spend(w.forkTime, ofFork)
	}
	for i := 1; i < n; i++ {
		c := r.group.worker(w, i)
		*c = thread{w: w, r: r, id: c.id, number: int32(i), now: t.now, cause: t.cause, clockRead: never,
			inject: c.inject, handshakeFree: c.handshakeFree, stagedUntil: c.stagedUntil}
		c.body = func() error {
			body(c, i)
			r.forked--
			if r.forked == 0 && t.state == threadJoins {
				r.join()
				w.push(max(t.now, w.now), evResume, t.id)
			}
			return nil
		}
		r.region = append(r.region, c)
		r.forked++
		w.push(t.now, evResume, c.id)
	}
	body(t, 0)
	if r.forked > 0 {
		t.suspend(threadJoins)
	}
	r.join()
	r.region = nil
}

// join advances the first thread to the end of the last thread of its region.
func (r *rank) join() {
	for _, c := range r.region {
		if c.now > r.main.now {
			r.main.until(c.now, r.w.trace.because(c.cause, NoteJoin, NoResource, r.id))
		}
	}
}
