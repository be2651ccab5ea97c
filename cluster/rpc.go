package cluster

// Register gives body a number for RPC. Every rank registers the same bodies in
// the same order, and synchronizes before the first call. A body runs on the
// target while the target is inside a call (or on its progress thread); it may
// post through c.Poster, never wait.
func (r *Rank) Register(body func(c RPC) uint64) int {
	r.rpcs = append(r.rpcs, body)
	return len(r.rpcs)
}

// serve runs a body for the fabric.
func (r *Rank) serve(c RPC) (uint64, bool) {
	if c.Fn < 0 {
		return r.services.run(c)
	}
	if c.Fn < 1 || int(c.Fn) > len(r.rpcs) {
		return 0, false
	}
	return r.rpcs[c.Fn-1](c), true
}

// RPC runs function fn at rank to on data with arg, and gives the word that it
// returned.
func (r *Rank) RPC(to, fn int, arg int32, data []byte) (uint64, error) {
	var q Request
	if err := r.Irpc(&q, to, fn, arg, data); err != nil {
		return 0, err
	}
	st, err := r.Wait(&q)
	return st.Word, err
}

// Irpc starts an RPC into q; data must not be written until q completes.
func (r *Rank) Irpc(q *Request, to, fn int, arg int32, data []byte) error {
	if err := r.target("rpc", to); err != nil {
		return err
	}
	if fn < 1 {
		return r.errorf("rpc at rank %d: function %d: no function of that number is registered by the program; numbers from Register start at 1", to, fn)
	}
	r.Account(to, 1, int64(len(data)))
	r.rpc(q, to, fn, arg, data)
	return nil
}

// rpc starts an RPC without asking whether UPC access reaches that far.
func (r *Rank) rpc(q *Request, to, fn int, arg int32, data []byte) {
	r.op.Kind, r.op.Peer, r.op.Fn, r.op.Arg, r.op.Buf, r.op.Size, r.op.Then = KindRPC, int32(to), int32(fn), arg, data, int64(len(data)), nil
	r.start(q, nil, to, 0)
}

// Event is a thing that happens on this rank after a number of fires, by steps,
// RPC bodies or the rank's own code: a counter that can be waited for.
type Event struct{ q Request }

// Handle is what a step or an RPC body fires through its Poster.
func (e *Event) Handle() Handle { return e.q.h }

// NewEvent makes an event that happens after fires fires (at least 1).
func (r *Rank) NewEvent(fires int) (*Event, error) {
	if fires < 1 {
		return nil, r.errorf("event of %d fires: needs at least one", fires)
	}
	e := &Event{}
	r.op.Kind, r.op.Arg, r.op.Buf, r.op.Size, r.op.Then = KindEvent, int32(fires), nil, 0, nil
	r.start(&e.q, nil, int(r.id), 0)
	return e, nil
}

// Fire fires an event once.
func (r *Rank) Fire(e *Event) { FireOn(r.port, e.q.h) }

// FireOn fires an event from within a step or an RPC body.
func FireOn(p Poster, h Handle) {
	op := Op{Kind: KindFire, Event: h}
	p.Post(&op)
}

// WaitEvent blocks until the event has happened. It can be waited for once.
func (r *Rank) WaitEvent(e *Event) error {
	_, err := r.Wait(&e.q)
	return err
}

// TestEvent reports whether the event has happened.
func (r *Rank) TestEvent(e *Event) (bool, error) {
	_, ok, err := r.Test(&e.q)
	return ok, err
}
