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
	threadWaits // inside a call, until a completion resumes it
	threadJoins // waits for the other threads of its region
	threadEnded // its body has returned; a rank's first thread then serves the others
)

// thread is one thread of execution: a coroutine with a clock of its own, which
// may be ahead of the world's. What a completion and a switch need comes first, in
// one cache line.
type thread struct {
	now   cluster.Time
	lane  *timeline.Lane // what it does is written down here; nil: nowhere
	cause int32          // of its present time, in the trace
	left  int32          // completions until its wait is over
	id    int32          // in the world
	state threadState
	call  cluster.Kind // that its time passes for
	w     *world
	r     *rank
	next  func() (struct{}, bool)
	looks int // direct looks at memory since it did anything else

	yield  func(struct{}) bool
	hs     []cluster.Handle
	number int32        // in the rank
	peer   int32        // of the call that its time passes for
	inject cluster.Time // when it has injected all that it posted
	firm   cluster.Time // likewise, but for bytes that a handshake goes between
	order  cluster.Time // when the last message that it sent stood in the host's memory
	looked cluster.Time // when it last looked so
	loaded place        // by its last atomic, if that only loaded
	told   cluster.Time // when it last looked at the clock
	moves  cluster.Time // since when the other side of what it waits for has come; 0: it has not

	body func() error
	stop func()
	_    uint64 // to whole cache lines
}

// never is before all times.
const never cluster.Time = -1

// unwound ends a coroutine after an abort.
type unwound struct{}

// check unwinds if the run was aborted, or is to be: a thread that never gives way
// keeps the loop from looking.
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
}

// suspend gives way until the world resumes the thread; when the run has ended it
// does so to unwind it.
func (t *thread) suspend(s threadState) {
	t.state = s
	t.yield(struct{}{})
	if t.w.err != nil {
		panic(unwound{})
	}
}

// sync brings the world to the thread's own time, so that what others did until
// then can be seen.
func (t *thread) sync(kind eventKind) {
	if t.w.err != nil {
		panic(unwound{})
	}
	if t.w.queue.quietUntil(t.now) {
		return
	}
	t.w.push(t.now, kind, t.id)
	t.suspend(threadReady)
}

// spend moves the thread's clock, for a reason.
func (t *thread) spend(dt cluster.Time, why Cause) {
	t.now += dt
	if t.w.trace.watched || uint64(t.now) > uint64(end) {
		t.spent(dt, why)
	}
}

// spent is spend where somebody watches, or the clock has gone too far.
func (t *thread) spent(dt cluster.Time, why Cause) {
	if uint64(t.now) > uint64(end) {
		t.w.overflow()
		t.now = end
	}
	if t.w.trace.watched && dt > 0 {
		t.explain(dt, why)
	}
}

// explain writes down why time passed, for whoever wants to know.
func (t *thread) explain(dt cluster.Time, why Cause) {
	t.cause = t.w.trace.charge(t.cause, dt, why, t.r.id)
	if t.lane != nil {
		t.note(dt, why)
	}
}

// until moves the clock to at, if that is later: whatever happened then is why.
func (t *thread) until(at cluster.Time, cause int32) {
	if at > t.now {
		t.now, t.cause = at, cause
		if t.lane != nil {
			t.waited(at)
		}
	}
}

// rank is what the threads of a rank share. What the arrival of a message needs
// comes first, in four cache lines.
type rank struct {
	w      *world
	main   *thread
	queues match.Queues
	slots  slots
	id     int32

	stepping bool
	noisy    bool
	steps    []pendingStep
	then     int // operations under way that a step waits for
	asked    int // messages on their way here that will
	region   []*thread

	deferred  []int32      // messages that need a call to be answered
	taken     cluster.Time // when the last message arrives that the adapters were late with
	lanes     lanes
	unmatched unmatched

	forked  int // further threads of a region that have not ended
	meeting *meeting
	awaits  []uint32
	probes  []uint32
	members []member
	serve   func(cluster.RPC) (uint64, bool)
	seg     []byte
	atomics cluster.Time // when the last atomic on this rank is done
	device  cluster.Time // when its way to a device is free
	lock    cluster.Time // when the last call of a parallel region left the library
	agent   *thread      // who answers when no thread has to: the adapter, or a progress thread
	noise   noise
	_       uint64 // to whole cache lines
}

// pendingStep is a continuation that is due.
type pendingStep struct {
	then  cluster.Step
	arg   int32
	done  cluster.Done
	at    cluster.Time
	cause int32
	pays  fee // what the completion costs whoever runs the step
	class cluster.Class
}

// actor is who answers a message of time at on the rank's behalf: a thread that is
// inside a call, or the agent; nil: nobody before the next call. Its clock is
// brought to at.
func (r *rank) actor(at cluster.Time, cause int32) *thread {
	if r.w.progress != cluster.ProgressCall {
		if r.agent == nil {
			r.agent = &thread{w: r.w, r: r, id: -1, cause: noCause}
		}
		r.agent.until(at, cause)
		return r.agent
	}
	t := r.inCall()
	if t != nil {
		t.until(at, cause)
	}
	return t
}

// inCall gives a thread that is inside a call; the first one counts as inside when
// its body has returned.
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

// pay charges an actor for handling a message: the adapter handles for nothing.
func (t *thread) pay(o cluster.Time) {
	if t.id < 0 && t.w.progress == cluster.ProgressOffload {
		return
	}
	t.spend(o, CauseOverhead)
}

// fork runs a parallel region.
func (t *thread) fork(n int, body func(cluster.Port, int)) {
	r, w := t.r, t.w
	if r.region != nil {
		panic("sim: fork inside a parallel region")
	}
	if r.meeting == nil {
		r.meeting = &meeting{}
	}
	r.meeting.threads, r.meeting.counters = n, r.meeting.counters[:0]
	if n > 1 {
		t.spend(w.forkTime, CauseSync)
	}
	for i := 1; i < n; i++ {
		c := &thread{w: w, r: r, id: int32(len(w.threads)), number: int32(i), now: t.now, cause: t.cause, told: never}
		c.body = func() error {
			body(c, i)
			r.forked--
			if r.forked == 0 && t.state == threadJoins {
				r.join()
				w.push(max(t.now, w.now), evResume, t.id)
			}
			return nil
		}
		w.threads = append(w.threads, c)
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

// join brings the first thread to the end of the last one of its region.
func (r *rank) join() {
	for _, c := range r.region {
		r.main.until(c.now, c.cause)
	}
}
