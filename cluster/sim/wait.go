package sim

import "github.com/hybridtop/hybridtop/cluster"

// Wait implements cluster.Port.
func (t *thread) Wait(hs []cluster.Handle, need int) {
	if t.r.stepping {
		panic("sim: wait inside an RPC body or a step, which may only post")
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
			t.chargeHandle(h)
		default:
			t.setWaiter(h, true)
		}
	}
	if need > 0 {
		t.hs, t.left = hs, int32(need)
		t.suspend(threadWaits)
		t.hs = nil
	}
	if !all { // otherwise each completion has removed its mark
		for _, h := range hs {
			t.setWaiter(h, false)
		}
	}
	if need <= 0 {
		t.serveRequests()
	}
}

// setWaiter marks or unmarks a handle as one that the thread waits for.
func (t *thread) setWaiter(h cluster.Handle, on bool) {
	switch {
	case h == 0:
	case h&barrierBit != 0:
		if m := t.r.memberOf(h); !t.r.hasOpened(h) || !on {
			m.b.waiter[m.index] = nil
			if on {
				m.b.waiter[m.index] = t
			}
		}
	default:
		if s := t.r.slots.find(h); s.state == slotPending {
			s.waited, s.waiter = on, t.number
		}
	}
}

// Test implements cluster.Port.
func (t *thread) Test(h cluster.Handle, d *cluster.Done) bool {
	if !t.isDone(h) || t.isInFuture(h) || !t.isCharged(h) {
		t.poll()
		if !t.isDone(h) || t.isInFuture(h) {
			return false
		}
	}
	t.chargeHandle(h)
	if h&barrierBit != 0 {
		*d = cluster.Done{}
		return true
	}
	s := t.r.slots.find(h)
	// Field by field: a wide load after narrow stores would wait for the cache.
	d.Peer = s.peer
	d.Tag = s.tag
	d.Size = s.size
	d.Err = s.err
	d.Found = s.found
	d.A = 0
	if s.more != nil {
		d.A = s.more.a
	}
	t.r.slots.give(uint32(h))
	return true
}

// Peek implements cluster.Port.
func (t *thread) Peek(h cluster.Handle) bool {
	t.check()
	return h == 0 || t.isDone(h) && !t.isInFuture(h)
}

// isInFuture reports whether an operation completes only in the thread's future: a barrier that all
// members have entered, or an operation of the rank's progress engine ahead of the clock.
func (t *thread) isInFuture(h cluster.Handle) bool {
	if h&barrierBit == 0 {
		return t.r.slots.find(h).at > t.now
	}
	m := t.r.memberOf(h)
	return m.b.out[m.index] > t.now
}

// isCharged reports whether a wait has already seen the operation complete, so a test is free.
// Otherwise the test costs a poll.
func (t *thread) isCharged(h cluster.Handle) bool {
	return h&barrierBit != 0 || t.r.slots.find(h).charged
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
	s.fee = feeNone
	t.r.complete(uint32(h), t.now, cluster.Done{Peer: s.peer, Tag: s.tag, Err: cluster.Cancelled}, t.cause)
	return true
}

// Progress implements cluster.Port.
func (t *thread) Progress() { t.poll() }
