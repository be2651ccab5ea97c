package cluster

import "sync/atomic"

// Barrier returns when every member of the team has entered it.
func (r *Rank) Barrier(t *Team) error {
	if err := r.member("barrier", t); err != nil {
		return err
	}
	if err := r.enterBarrier("barrier", t); err != nil {
		return err
	}
	r.op.Kind, r.op.Ctx, r.op.Buf, r.op.Size, r.op.Then = KindBarrier, t.ctx, nil, 0, nil
	_, err := r.wait(t, 0, 0)
	r.release(t)
	return err
}

// Notify starts a split-phase barrier: the rank has arrived and may compute until it waits for q
// (UPC's upc_notify and upc_wait). A team has at most one barrier in progress.
func (r *Rank) Notify(q *Request, t *Team) error {
	if err := r.member("notify", t); err != nil {
		return err
	}
	if err := r.enterBarrier("notify", t); err != nil {
		return err
	}
	r.op.Kind, r.op.Ctx, r.op.Buf, r.op.Size, r.op.Then = KindBarrier, t.ctx, nil, 0, nil
	atomic.StoreUint32(&t.split, 1)
	r.start(q, t, 0, 0)
	r.release(t)
	return nil
}

// enterBarrier is enterAlone for a barrier. It refuses a second barrier before the rank has waited
// for a split-phase one.
func (r *Rank) enterBarrier(call string, t *Team) error {
	if err := r.enterAlone(call, t); err != nil {
		return err
	}
	if atomic.LoadUint32(&t.split) != 0 {
		r.release(t)
		r.leave()
		return r.errorf("%s on %s: the rank has not waited for the barrier that notify started on this team (wait for "+
			"its request)", call, t.name)
	}
	return nil
}
