package cluster

import "sync/atomic"

// Request is a nonblocking operation. The zero Request is complete (MPI_REQUEST_NULL). A Request
// belongs to the rank that started it and must not be copied while it is active.
type Request struct {
	h    Handle
	done Done // when h is 0
	team *Team
	kind Kind
	peer int32 // number in the team, for errors
	tag  int32
	size int64  // bytes of the buffer
	busy uint32 // in a parallel region: the thread that completes the request + 1, until the request starts again; atomic
}

// Active reports whether the request is started and not yet completed by a wait or a test.
func (q *Request) Active() bool { return q.kind != KindNone }

// Status is the result of a completed operation.
type Status struct {
	Source    int // number in the team; for one-sided calls the target
	Tag       int
	Bytes     int64
	Cancelled bool
	Word      uint64 // old word of an atomic, result of an RPC
}

// start posts r.op as request q.
func (r *Rank) start(q *Request, t *Team, peer, tag int) {
	q.kind, q.team, q.peer, q.tag, q.size = r.op.Kind, t, int32(peer), int32(tag), r.op.Bytes()
	q.busy = 0
	if q.h = r.port.Post(&r.op); q.h == 0 {
		q.done.Set(&r.op.Done)
	}
	if r.gated() && q.kind.admitted() {
		r.dismiss()
	}
}

// wait posts r.op and waits for its completion.
func (r *Rank) wait(t *Team, peer, tag int) (*Done, error) {
	kind, size := r.op.Kind, r.op.Bytes()
	d := &r.op.Done
	if h := r.port.Post(&r.op); h != 0 {
		hs := append(r.handles[:0], h)
		r.handles = hs
		r.port.Wait(hs, 1)
		r.port.Test(h, d)
	}
	if r.gated() && kind.admitted() {
		r.dismiss()
	}
	if d.Err != OK {
		return d, r.failure(kind, t, peer, tag, size, *d)
	}
	return d, nil
}

// run calls wait and returns a status.
func (r *Rank) run(t *Team, peer, tag int) (Status, error) {
	d, err := r.wait(t, peer, tag)
	if err != nil {
		return Status{}, err
	}
	return status(t, d), nil
}

func status(t *Team, d *Done) Status {
	s := Status{Source: int(d.Peer), Tag: int(d.Tag), Bytes: d.Size, Word: d.A}
	if t != nil {
		s.Source = t.Local(int(d.Peer))
	}
	return s
}

// failure returns the error of a completed operation.
func (r *Rank) failure(kind Kind, t *Team, peer, tag int, size int64, d Done) error {
	from := peer
	if peer == AnySource && t != nil {
		from = t.Local(int(d.Peer))
	}
	switch d.Err {
	case Truncated:
		return r.errorf("%s from %d tag %d: truncated, %d B into %d B", kind, from, d.Tag, d.Size, size)
	case Cancelled:
		return r.errorf("%s from %d tag %d: cancelled", kind, peer, tag)
	case OutOfSegment:
		return r.errorf("%s at rank %d: %d B reach beyond the end of its segment of %d B", kind, peer, size,
			r.launch.spec.Segment)
	case Misaligned:
		return r.errorf("%s at rank %d: the word must be 8-byte aligned and inside the segment", kind, peer)
	case NoFunction:
		return r.errorf("%s at rank %d: that rank has not registered a function with this number (register on every "+
			"rank in the same order, then call Barrier)", kind, peer)
	case NoMessage:
		return r.errorf("%s: the message was already received, or no probe of this rank matched it", kind)
	}
	return r.errorf("%s with %d: failed (code %d)", kind, peer, d.Err)
}

// clear makes a complete request the zero Request, except for its result.
func (q *Request) clear() {
	if q.kind == KindBarrier {
		atomic.StoreUint32(&q.team.split, 0)
	}
	q.kind, q.h = KindNone, 0
}

// finish takes the result of a complete request and clears it.
func (r *Rank) finish(q *Request, d *Done) (Status, error) {
	kind, t, peer, tag, size := q.kind, q.team, int(q.peer), int(q.tag), q.size
	q.clear()
	if d.Err == Cancelled {
		return Status{Source: peer, Tag: tag, Cancelled: true}, nil
	}
	if d.Err != OK {
		return Status{}, r.failure(kind, t, peer, tag, size, *d)
	}
	return status(t, d), nil
}

// take finishes a request whose handle is known to be complete.
func (r *Rank) take(q *Request) (Status, error) {
	if q.kind == KindNone {
		return Status{Source: AnySource, Tag: AnyTag}, nil
	}
	if q.h != 0 {
		r.port.Test(q.h, &r.op.Done) // a pointer to q.done would move q to the heap
		return r.finish(q, &r.op.Done)
	}
	return r.finish(q, &q.done)
}

// Wait blocks until the request is complete and clears it.
func (r *Rank) Wait(q *Request) (Status, error) {
	if r.gate != gateOpen {
		if err := r.completing("wait", q); err != nil {
			return Status{}, err
		}
		defer r.completed(q)
	}
	switch {
	case q.kind == KindNone:
	case q.h != 0:
		r.handles = append(r.handles[:0], q.h)
		r.port.Wait(r.handles, 1)
	default:
		r.port.Wait(nil, 0) // batched messages leave
	}
	return r.take(q)
}

// Test reports whether the request is complete, and clears it if so.
func (r *Rank) Test(q *Request) (Status, bool, error) {
	if r.gate != gateOpen {
		if err := r.completing("test", q); err != nil {
			return Status{}, false, err
		}
		defer r.completed(q)
	}
	return r.test(q)
}

func (r *Rank) test(q *Request) (Status, bool, error) {
	if q.kind != KindNone && q.h != 0 {
		d := &r.op.Done
		if !r.port.Test(q.h, d) {
			return Status{}, false, nil
		}
		st, err := r.finish(q, d)
		return st, true, err
	}
	if q.kind != KindNone {
		r.port.Wait(nil, 0) // batched messages leave
	}
	st, err := r.take(q)
	return st, true, err
}

// Waitall blocks until every request is complete and clears them all. Statuses
// may be nil. The first failure in the order of requests is returned.
func (r *Rank) Waitall(qs []Request, statuses []Status) error {
	if r.gate != gateOpen {
		if err := r.completingAll("waitall", qs); err != nil {
			return err
		}
		defer func() { // busy may keep its value: no request is active any more
			for range qs {
				r.dismiss()
			}
		}()
	}
	hs := r.handles[:0]
	for i := range qs {
		if qs[i].h != 0 {
			hs = append(hs, qs[i].h)
		}
	}
	r.handles = hs
	r.port.Wait(hs, len(hs)) // also if all are complete: batched messages leave
	var first error
	for i := range qs {
		q := &qs[i]
		if q.h != 0 {
			d := &r.op.Done
			r.port.Test(q.h, d)
			q.h, q.done.Err = 0, d.Err
			if statuses != nil || d.Err != OK {
				q.done.Set(d)
			}
		}
		if statuses == nil && q.done.Err == OK {
			q.clear()
			continue
		}
		st, err := r.take(q)
		if err != nil && first == nil {
			first = err
		}
		if i < len(statuses) {
			statuses[i] = st
		}
	}
	return first
}

// Waitany blocks until one active request is complete, clears it and returns its
// index; −1 if none is active.
func (r *Rank) Waitany(qs []Request) (int, Status, error) {
	index := -1
	st, err := r.some("waitany", qs, func(i int) bool { index = i; return false })
	return index, st, err
}

// Waitsome blocks until at least one active request is complete. It clears all complete requests
// and appends their indices to done. If no request is active, it appends nothing.
func (r *Rank) Waitsome(qs []Request, done []int) ([]int, error) {
	_, err := r.some("waitsome", qs, func(i int) bool { done = append(done, i); return true })
	return done, err
}

// some waits until a request is complete. It clears complete requests, and calls next with the
// index of each, until next returns false. It returns the last status and the first failure.
func (r *Rank) some(call string, qs []Request, next func(i int) bool) (st Status, first error) {
	if r.gate != gateOpen {
		if err := r.completingAll(call, qs); err != nil {
			return st, err
		}
		defer r.completedAll(qs)
	}
	if active, ready := r.collect(qs); !active {
		return st, nil
	} else if !ready {
		r.port.Wait(r.handles, 1)
	}
	for i := range qs {
		if q := &qs[i]; q.kind != KindNone && r.known(q) {
			var err error
			if st, _, err = r.test(q); first == nil {
				first = err
			}
			if !next(i) {
				break
			}
		}
	}
	return st, first
}

// collect stores the handles of active requests in the scratch list. ready: one of them completed
// inside Post.
func (r *Rank) collect(qs []Request) (active, ready bool) {
	r.handles = r.handles[:0]
	for i := range qs {
		if qs[i].kind == KindNone {
			continue
		}
		active = true
		if qs[i].h == 0 {
			ready = true
		} else {
			r.handles = append(r.handles, qs[i].h)
		}
	}
	return active, ready
}

// known reports whether a wait has already found an active request complete.
func (r *Rank) known(q *Request) bool { return q.h == 0 || r.port.Peek(q.h) }

// Cancel cancels a receive that has not matched, and reports whether it did. The receive then
// completes with status Cancelled. Sends cannot be cancelled (MPI-4.0 deprecates it).
func (r *Rank) Cancel(q *Request) (bool, error) {
	switch q.kind {
	case KindNone:
		return false, nil
	case KindRecv:
		return q.h != 0 && r.port.Cancel(q.h), nil
	}
	return false, r.errorf("cancel of a %s: only a receive can be cancelled", q.kind)
}
