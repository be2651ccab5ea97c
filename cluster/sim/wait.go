package sim

import "github.com/hybridtop/hybridtop/cluster"

// Wait implements cluster.Port.
func (t *thread) Wait(hs []cluster.Handle, need int) {
	if t.r.stepping {
		panic("sim: a wait inside an RPC body or a step, which may only post")
	}
	if need <= 0 {
		t.check()
		return
	}
	if len(t.r.deferred)+len(t.r.steps) > 0 {
		t.answer()
	}
	all := need == len(hs)
	for _, h := range hs {
		switch {
		case h == 0:
			need--
		case t.isDone(h):
			need--
			t.settle(h)
		default:
			t.mark(h, true)
		}
	}
	if need > 0 {
		t.hs, t.left = hs, int32(need)
		t.suspend(threadWaits)
		t.hs = nil
	}
	if !all { // else each completion has taken its mark off
		for _, h := range hs {
			t.mark(h, false)
		}
	}
	if need <= 0 {
		t.attend()
	}
}

// mark notes on what a thread waits.
func (t *thread) mark(h cluster.Handle, on bool) {
	switch {
	case h == 0:
	case h&barrierBit != 0:
		if m := t.r.memberOf(h); !t.r.passed(h) || !on {
			m.b.waiter[m.place] = nil
			if on {
				m.b.waiter[m.place] = t
			}
		}
	default:
		if s := t.r.slots.find(h); s.state == slotPending {
			s.waited, s.waiter = on, int32(t.number)
		}
	}
}

// Test implements cluster.Port.
func (t *thread) Test(h cluster.Handle) (d cluster.Done, ok bool) {
	if !t.isDone(h) || t.ahead(h) || !t.paid(h) {
		t.poll()
		if !t.isDone(h) || t.ahead(h) {
			return d, false
		}
	}
	t.settle(h)
	if h&barrierBit != 0 {
		return d, true
	}
	s := t.r.slots.find(h)
	// Field by field: a wide load behind narrow stores would wait for the cache.
	d.Peer, d.Tag, d.Size, d.Err, d.Found = s.peer, s.tag, s.size, s.err, s.found
	if s.more != nil {
		d.A = s.more.a
	}
	t.r.slots.give(uint32(h))
	return d, true
}

// ahead reports whether an operation is complete only in the thread's future: a
// barrier that all have entered, or what the rank's agent did ahead of the clock.
func (t *thread) ahead(h cluster.Handle) bool {
	if h&barrierBit == 0 {
		return t.r.slots.find(h).at > t.now
	}
	m := t.r.memberOf(h)
	return m.b.out[m.place] > t.now
}

// paid reports whether a wait has been here before, so that a test has nothing left
// to find out. It costs a poll else, however far the world has come.
func (t *thread) paid(h cluster.Handle) bool {
	return h&barrierBit != 0 || t.r.slots.find(h).charged
}

// maxPolls is how many polls in a row may find nothing while nothing else is on
// its way, before the run is taken for a livelock.
const maxPolls = 100_000

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
	if w.quiet++; w.quiet > maxPolls && w.real == 0 {
		w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: append(w.loops(), w.waits(nil)...)})
	}
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

// Cancel implements cluster.Port.
func (t *thread) Cancel(h cluster.Handle) bool {
	t.check()
	t.sync(evResume)
	if t.isDone(h) || h&barrierBit != 0 {
		return false
	}
	s := t.r.slots.find(h)
	if s.kind != cluster.KindRecv || !t.r.queues.Cancel(s.ctx, s.peer, s.tag, uint32(h)) {
		return false
	}
	s.pays = false
	t.r.complete(uint32(h), t.now, cluster.Done{Peer: s.peer, Tag: s.tag, Err: cluster.Cancelled}, t.cause)
	return true
}

// Progress implements cluster.Port.
func (t *thread) Progress() { t.poll() }
