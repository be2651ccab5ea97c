package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// ID implements cluster.Port.
func (t *thread) ID() int { return int(t.r.id) }

// Segment implements cluster.Port.
func (t *thread) Segment() []byte { return t.r.seg }

// Reach implements cluster.Port: loads and stores reach the rank's node. The memory contains all
// changes up to the current time.
func (t *thread) Reach(rank int) []byte {
	if t.w.net.nodeOf[rank] != t.w.net.nodeOf[t.r.id] {
		t.check()
		return nil
	}
	t.syncForLoad()
	return t.w.ranks[rank].seg
}

// Direct implements cluster.Port.
func (t *thread) Direct() bool { return false }

// Serve implements cluster.Port.
func (t *thread) Serve(f func(cluster.RPC) (uint64, bool)) { t.r.serve = f }

// Now implements cluster.Port.
func (t *thread) Now() cluster.Time {
	t.check()
	dt := t.w.clockTime
	why := ofClock
	if dt == 0 && t.clockRead == t.now {
		dt, why = minPoll, ofFixed // a loop that only reads the clock must end
	}
	t.spend(dt, why)
	t.clockRead = t.now
	return t.now
}

// Post implements cluster.Port.
func (t *thread) Post(op *cluster.Op) cluster.Handle {
	t.check()
	if op.Kind >= cluster.KindThreadBarrier {
		return t.regional(op)
	}
	if op.Kind-cluster.KindPut <= cluster.KindAtomic-cluster.KindPut && t.direct(op) {
		return t.access(op)
	}
	if t.w.onlyCalls && op.Kind < cluster.KindEvent {
		t.serveRequests()
	}
	if t.r.region == nil {
		h := t.post(op)
		if len(t.r.steps) > 0 {
			t.r.runSteps(t)
		}
		return h
	}
	t.sync(evResume) // threads of a rank post in the order of time
	lock := int(t.r.id)*t.w.vcis + t.vciOf(op)
	t.takeLock(lock)
	t.lock = 1 + lock
	t.holdLock()
	h := t.post(op)
	t.r.runSteps(t)
	t.holdLock()
	t.lock = 0
	return h
}

// holdLock records that a thread in a call holds its lock at least until now. A call that lets other threads run
// records it before.
func (t *thread) holdLock() {
	lock := t.lock - 1
	if lock < 0 {
		return
	}
	if t.w.locks[lock] > t.now { // a call that began at the same time has the lock for longer
		return
	}
	t.w.locks[lock] = t.now
	if t.w.trace.on {
		t.w.trace.locks[lock] = t.cause
	}
}

// vciOf returns the VCI of a call: messages of a context use one VCI, all other calls use the rank's first.
func (t *thread) vciOf(op *cluster.Op) int {
	if t.w.vcis == 1 {
		return 0
	}
	ctx := op.Ctx
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend, cluster.KindRecv, cluster.KindIprobe, cluster.KindProbe,
		cluster.KindImprobe, cluster.KindMprobe:
	case cluster.KindMrecv:
		k := op.A - 1
		if k >= uint64(len(t.r.unmatched.held)) || t.r.unmatched.held[k] == 0 {
			return 0 // no message
		}
		ctx = t.w.msgs[t.r.unmatched.held[k]-1].ctx
	default:
		return 0
	}
	return t.w.spec.Layout.Series(ctx) % t.w.vcis
}

// takeLock takes the lock of a VCI. Threads take it in the order of their arrival. A thread that waits for it pays one
// transfer of the lock for each other thread that contends, at least one.
func (t *thread) takeLock(lock int) {
	w := t.w
	if w.lockTime > 0 && (w.locks[lock] > t.now || w.contenders[lock] > 0) {
		w.contenders[lock]++
		for again := true; again; again = w.locks[lock] > t.now { // another thread was first
			by := noCause
			if w.trace.on {
				by = w.trace.locks[lock]
			}
			t.pass(w.locks[lock], by, LibraryLock, w.lockTime, ofLock)
			t.sync(evResume)
		}
		w.contenders[lock]--
		if others := w.contenders[lock]; others > 1 {
			t.spend(cluster.Time(others-1)*w.lockTime, ofLock)
		}
	}
	if w.trace.on {
		w.trace.ofRank(orderLock, t.r.id, uint64(t.number)|uint64(w.contenders[lock])<<16|uint64(lock%w.vcis)<<32)
	}
}

// post starts an operation on behalf of a thread, or of the rank's progress engine.
func (t *thread) post(op *cluster.Op) cluster.Handle {
	if op.Kind != cluster.KindIprobe && op.Kind != cluster.KindImprobe && op.Kind != cluster.KindAtomic {
		t.w.idlePolls, t.polls = 0, 0 // more than a poll
	}
	if t.w.trace.on && !t.r.stepping {
		t.w.trace.ofRank(orderPosts, t.r.id, uint64(op.Kind)<<8|uint64(t.number))
	}
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend:
		return t.send(op)
	case cluster.KindRecv:
		return t.recv(op)
	case cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe:
		return t.startProbe(op)
	case cluster.KindMrecv:
		return t.mrecv(op)
	case cluster.KindPut:
		return t.put(op)
	case cluster.KindGet:
		return t.get(op)
	case cluster.KindAtomic:
		return t.atomic(op)
	case cluster.KindAwait:
		return t.await(op)
	case cluster.KindRPC:
		return t.rpc(op)
	case cluster.KindBarrier:
		return t.enter(op)
	case cluster.KindWork:
		return t.work(op)
	case cluster.KindFlagAdd:
		return t.addToFlag(op)
	case cluster.KindFlagWait:
		return t.waitFlag(op)
	case cluster.KindLoad:
		return t.loadBuffers(op)
	case cluster.KindLaunch:
		return t.launch(op)
	case cluster.KindTree:
		return t.enterGathering(op)
	case cluster.KindEvent:
		return t.event(op)
	case cluster.KindFire:
		return t.fire(op)
	}
	panic("sim: post of an unknown kind")
}

// takeSlot returns a slot for a pending operation.
func (t *thread) takeSlot(op *cluster.Op) (*slot, uint32) {
	s, i := t.r.slots.take(op.Kind)
	s.peer = op.Peer
	s.ctx = op.Ctx
	s.tag = op.Tag
	s.size = op.Bytes()
	s.at = t.now
	s.cause = t.cause
	s.buf = dataOf(op.Buf)
	if op.Then != nil {
		t.r.continuations++
		t.w.continuations++
		t.r.slots.setContinuation(i, op.Then, op.ThenArg)
	}
	if op.Kind >= cluster.KindMrecv {
		s.more = t.r.slots.takeMore()
		s.more.arg = op.Arg
		s.more.off = op.Off
		s.more.a = op.A
	}
	return s, i
}

// postResult returns the result of Post for a slot. An operation with a step is detached.
func (t *thread) postResult(op *cluster.Op, i uint32) cluster.Handle {
	if op.Then != nil {
		return 0
	}
	return t.r.slots.handle(i)
}

// finish sets the result of an operation that completes inside Post.
func (t *thread) finish(op *cluster.Op, d cluster.Done) cluster.Handle {
	setResult(op, d)
	if op.Then != nil {
		t.queueContinuation(op)
	}
	return 0
}

// setResult is finish for an operation without a step.
func setResult(op *cluster.Op, d cluster.Done) {
	o := &op.Done
	o.Peer = d.Peer
	o.Tag = d.Tag
	o.Size = d.Size
	o.A = d.A
	o.Err = d.Err
	o.Found = d.Found
}

// queueContinuation runs the step of an operation that has completed inside Post.
//
//go:noinline
func (t *thread) queueContinuation(op *cluster.Op) {
	w, r := t.w, t.r
	steps := &r.steps
	if w.stepper == r && len(r.steps) == 0 {
		steps = &w.inline
	}
	*steps = append(*steps, pendingStep{then: op.Then, arg: op.ThenArg, done: op.Done, at: t.now, cause: t.cause})
}

// complete finishes a slot at a time, and resumes the thread whose wait has ended.
func (r *rank) complete(i uint32, at cluster.Time, d cluster.Done, cause int32) {
	r.slots.list[i].set(d)
	r.completeStored(i, at, cause)
}

// completeStored is complete for a slot that has its result.
func (r *rank) completeStored(i uint32, at cluster.Time, cause int32) {
	if t := r.finishSlot(i, at, cause); t != nil {
		r.w.wake(t)
	}
}

// finishSlot is completeStored without waking the thread; it returns the thread, if any. The last
// action of an event passes it to the loop as dueThread. With a deeper call between the loop and a
// coroutine, one more return would be mispredicted after the switch.
func (r *rank) finishSlot(i uint32, at cluster.Time, cause int32) *thread {
	s := &r.slots.list[i]
	if s.at > at { // the posting thread is ahead of the world
		at, cause = s.at, s.cause
	}
	if s.state == slotSteps {
		c := &r.slots.thens[i]
		st := pendingStep{then: c.then, arg: c.arg, done: s.done(), at: at, cause: cause, fee: s.fee, class: s.class}
		c.then = nil
		if r.main.lane != nil {
			r.recordTaken(r.voyage(i), 0, at)
		}
		r.slots.give(i)
		r.continuations--
		r.w.continuations--
		a := r.actor(at, cause)
		if a == nil || r.stepping || len(r.steps) > 0 {
			r.steps = append(r.steps, st)
			if a != nil {
				r.runSteps(a)
			}
			return nil
		}
		r.runContinuations(a, &st)
		return nil
	}
	s.state = slotDone
	s.at = at
	s.cause = cause
	if !s.waited {
		return nil
	}
	t := r.threadOf(int(s.waiter))
	s.waited = false
	if t.lane != nil {
		t.recordFound(s, i)
	}
	t.until(at, cause)
	r.charge(t, s)
	if t.lane != nil {
		r.recordTaken(r.voyage(i), t.number, t.now)
	}
	if t.left--; t.left > 0 {
		return nil
	}
	return t
}

// charge charges a thread for a completion.
func (r *rank) charge(t *thread, s *slot) {
	if s.fee != feeNone && !s.charged {
		t.payCompletion(s)
		if t.w.trace.on {
			t.w.trace.ofRank(orderHandled, r.id, uint64(s.peer)<<8|uint64(s.kind))
		}
	}
	s.charged = true
}

func (t *thread) payCompletion(s *slot) {
	way := &t.w.net.ways[s.class]
	switch s.fee {
	case feeO:
		t.spend(way.o, ofOverhead.class(s.class))
	case feeEager:
		t.spend(way.overhead(s.size), way.overheadConstant(s.size).class(s.class))
		if way.copy > 0 {
			t.payCopies(s.class, 1, s.size)
		}
	case feeUnpack:
		t.payPacking(s.size)
	case feeFence:
		t.payFence(s.at)
	}
}

func (r *rank) threadOf(number int) *thread {
	if number == 0 {
		return r.main
	}
	return r.region[number-1]
}

// isDone reports whether the operation of a handle is complete. A barrier may complete in the
// thread's future.
func (t *thread) isDone(h cluster.Handle) bool {
	if h&barrierBit != 0 {
		return t.r.hasOpened(h)
	}
	return t.r.slots.find(h).state == slotDone
}

// chargeHandle charges a thread for a complete handle.
func (t *thread) chargeHandle(h cluster.Handle) {
	if h&barrierBit != 0 {
		m := t.r.memberOf(h)
		t.leave(m)
		return
	}
	s := t.r.slots.find(h)
	if t.lane == nil {
		t.until(s.at, s.cause)
		t.r.charge(t, s)
		return
	}
	if !s.charged {
		t.recordFound(s, uint32(h))
	}
	t.until(s.at, s.cause)
	t.r.charge(t, s)
	t.r.recordTaken(t.r.voyage(uint32(h)), t.number, t.now)
}

// answer handles the messages that waited until the rank is inside a call.
func (t *thread) answer() {
	r := t.r
	for i := 0; i < len(r.deferred); i++ {
		r.w.trace.reason = NotePoll
		r.w.handle(r.deferred[i], t)
	}
	r.deferred = r.deferred[:0]
	r.runSteps(t)
}

// runSteps runs the continuations that are due, on an actor's clock.
func (r *rank) runSteps(t *thread) {
	if r.stepping || len(r.steps) == 0 {
		return
	}
	r.runContinuations(t, nil)
}

// runContinuations runs the continuation first, if there is one, and then all due continuations.
// Continuations that become due meanwhile run after them. If an operation inside a step completes
// at once and nothing else of the rank is due, its continuation is in w.inline. That list is in the
// cache.
func (r *rank) runContinuations(t *thread, first *pendingStep) {
	w := r.w
	outer, base := w.stepper, len(w.inline)
	r.stepping = true
	w.acting = r.id
	w.stepper = r
	if first != nil {
		first.run(t)
	}
	var st pendingStep
	for i := base; i < len(w.inline); i++ {
		st = w.inline[i]
		w.inline[i].then = nil
		st.run(t)
	}
	w.inline = w.inline[:base]
	for i := 0; i < len(r.steps); i++ {
		st = r.steps[i]
		r.steps[i].then = nil
		st.run(t)
	}
	if len(r.steps) > 0 {
		r.steps = r.steps[:0]
	}
	r.stepping, w.stepper = false, outer
}

// run runs a continuation on an actor's clock.
func (st *pendingStep) run(t *thread) {
	t.until(st.at, st.cause)
	switch st.fee {
	case feeO:
		t.spend(t.w.net.ways[st.class].o, ofOverhead.class(st.class))
	case feeEager:
		way := &t.w.net.ways[st.class]
		t.spend(way.overhead(st.done.Size), way.overheadConstant(st.done.Size).class(st.class))
		t.payCopies(st.class, 1, st.done.Size)
	case feeUnpack:
		t.payPacking(st.done.Size)
	case feeFence:
		t.payFence(st.at)
	}
	st.then.Step(inside{t}, st.arg, st.done)
}

// inside posts from within the fabric: a step, an RPC body.
type inside struct{ t *thread }

func (i inside) Post(op *cluster.Op) cluster.Handle { return i.t.post(op) }
func (i inside) ID() int                            { return int(i.t.r.id) }

// Compute implements cluster.Port.
func (t *thread) Compute(work cluster.Work, body func()) {
	w := t.w
	t.polls, t.loadedWord = 0, wordAddress{}
	t.check()
	if body != nil {
		body()
	}
	if work.Until > 0 {
		t.spend(max(0, work.Until-t.now), ofClocks)
		return
	}
	cores := min(max(work.Cores, 1), maxCores)
	dt, why := w.kernels[work.Kernel].times(cores).time(toInt(work.Flops)), ofKernel+Constant(work.Kernel)
	if x := w.memRate.times(cores).time(toInt(work.Bytes)); x > dt {
		dt, why = x, ofMemoryRate
	}
	alone := dt
	if w.loopTime > 0 {
		dt += cluster.Time(min(toInt(work.Loops*float64(w.loopTime)/float64(cores)), int64(end)))
	}
	c := computation{why: why, alone: alone, all: dt, cores: cores}
	dt = t.r.shared(dt, cores)
	c.shared = dt
	if w.net.slow != nil {
		dt = w.net.slow.compute(w.net.nodeOf[t.r.id], dt)
	}
	begin, jitter := t.now, cluster.Time(0)
	if w.compNoise > 0 {
		jitter = t.r.jitter(dt)
		dt += min(jitter, 0)
	}
	memory := &w.net.memories[w.net.nodeOf[t.r.id]]
	if memory.rate == 0 || work.Bytes <= 0 {
		t.compute(&c, dt)
	} else {
		t.sync(evResume)
		use := t.useMemory(memory)
		done := memory.work(t.now, toInt(work.Bytes), dt)
		use.need = memory.rate.time(toInt(work.Bytes))
		t.compute(&c, dt)
		t.endMemory(&use, done)
	}
	if jitter > 0 {
		t.spendMore(jitter, why, NoteNoise)
	}
	if w.detours.mean > 0 && t.id >= 0 {
		n := w.detours.count(t.id, begin, t.now-begin)
		t.spend(n*w.detours.length, ofDetour)
		if w.trace.on {
			w.trace.ofRank(orderDetours, t.r.id, uint64(n))
		}
	}
}

// computation has the times of a piece of work, for the trace.
type computation struct {
	why         Constant
	alone       cluster.Time // of the flops or bytes
	all, shared cluster.Time // with the starts of loops; the same for a share of the cores
	cores       int
}

// compute spends the time of a piece of work.
func (t *thread) compute(c *computation, dt cluster.Time) {
	if !t.w.trace.on {
		t.spend(dt, c.why)
		return
	}
	loops := t.r.shared(c.all-c.alone, c.cores)
	more := max(dt-c.shared, 0) // of a slow node
	base := dt - more
	loops = min(loops, base)
	t.spend(base-loops, c.why)
	t.spend(loops, ofLoop)
	t.spendMore(more, c.why, NoteSlow)
}

// work computes on the clock of the poster: a thread, or the progress engine that runs a step. The
// node's memory serves work in the order of posts.
func (t *thread) work(op *cluster.Op) cluster.Handle {
	w := t.w
	flops, bytes := int64(min(op.A, 1<<62)), int64(min(op.B, 1<<62))
	dt, why := w.flops.time(flops), ofKernel
	if x := w.memRate.time(bytes); x > dt {
		dt, why = x, ofMemoryRate
	}
	c := computation{why: why, alone: dt, all: dt, cores: 1}
	dt = t.r.shared(dt, 1)
	c.shared = dt
	if w.net.slow != nil {
		dt = w.net.slow.compute(w.net.nodeOf[t.r.id], dt)
	}
	memory := &w.net.memories[w.net.nodeOf[t.r.id]]
	use := t.useMemory(memory)
	t.compute(&c, dt)
	if memory.rate > 0 && bytes > 0 {
		use.need = memory.rate.time(bytes)
		t.endMemory(&use, memory.work(t.now-dt, bytes, dt))
	}
	return t.finish(op, cluster.Done{})
}

// maxCores is the maximum number of cores of a piece of work. Nodes have fewer (presets).
const maxCores = 1 << 20

// toInt returns a count as an integer.
func toInt(x float64) int64 {
	if !(x > 0) {
		return 0
	}
	if x >= 1<<62 {
		return 1 << 62
	}
	return int64(x + 0.5)
}

// Fork implements cluster.Port.
func (t *thread) Fork(n int, body func(cluster.Port, int)) {
	t.check()
	t.fork(n, body)
}
