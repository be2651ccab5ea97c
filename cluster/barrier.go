package cluster

// Barrier returns when every member of the team has entered it.
func (r *Rank) Barrier(t *Team) error {
	if err := r.member("barrier", t); err != nil {
		return err
	}
	if err := r.enterAlone("barrier", t); err != nil {
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
	if err := r.enter("notify", t); err != nil {
		return err
	}
	r.op.Kind, r.op.Ctx, r.op.Buf, r.op.Size, r.op.Then = KindBarrier, t.ctx, nil, 0, nil
	r.start(q, t, 0, 0)
	return nil
}
