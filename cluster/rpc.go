package cluster

// Register returns a number for body, for RPC. Every rank registers the same bodies in the same
// order and synchronizes before the first call. A body runs on the target while the target is
// inside a call, or on its progress thread. It may post through c.Poster and must not wait.
func (r *Rank) Register(body func(c RPC) uint64) int {
	s := r.services
	s.functions = append(s.functions, body)
	return len(s.functions)
}

// serve runs a body for the fabric.
func (r *Rank) serve(c RPC) (uint64, bool) {
	s := r.services
	if c.Fn < 0 {
		return s.run(c)
	}
	if c.Fn < 1 || int(c.Fn) > len(s.functions) {
		return 0, false
	}
	return s.functions[c.Fn-1](c), true
}

// RPC runs function fn at rank to on data with arg, and returns its result.
func (r *Rank) RPC(to, fn int, arg int32, data Data) (uint64, error) {
	var q Request
	if err := r.Irpc(&q, to, fn, arg, data); err != nil {
		return 0, err
	}
	st, err := r.Wait(&q)
	return st.Word, err
}

// Irpc starts an RPC into q; data must not be written until q completes.
func (r *Rank) Irpc(q *Request, to, fn int, arg int32, data Data) error {
	if err := r.target("rpc", to); err != nil {
		return err
	}
	switch {
	case fn < 1:
		return r.noFunction("rpc", to, fn)
	case data.n < 0:
		return r.negative(KindRPC, data.n)
	}
	r.Account(to, 1, data.n)
	r.rpc(q, to, fn, arg, data)
	return nil
}

func (r *Rank) noFunction(call string, to, fn int) error {
	return r.errorf("%s at rank %d: function %d: no function of that number is registered by the program; numbers "+
		"from Register start at 1", call, to, fn)
}

// rpc starts an RPC without checking whether UPC access reaches the target.
func (r *Rank) rpc(q *Request, to, fn int, arg int32, data Data) {
	r.op.Kind, r.op.Peer, r.op.Fn, r.op.Arg, r.op.Buf, r.op.Size, r.op.Then = KindRPC, int32(to), int32(fn), arg,
		data.Bytes(), data.n, nil
	r.start(q, nil, to, 0)
}

// Event is a counter on this rank: its request completes after a number of fires by steps,
// RPC bodies or the rank's own code. Wait and Test take the request once.
type Event struct{ Request }

// Handle returns the handle that a step or an RPC body passes to FireOn.
func (e *Event) Handle() Handle { return e.h }

// NewEvent returns an event that completes after fires fires (at least 1).
func (r *Rank) NewEvent(fires int) (*Event, error) {
	if fires < 1 {
		return nil, r.errorf("event of %d fires: needs at least one", fires)
	}
	e := &Event{}
	r.op.Kind, r.op.Arg, r.op.Buf, r.op.Size, r.op.Then = KindEvent, int32(fires), nil, 0, nil
	r.start(&e.Request, nil, int(r.id), 0)
	return e, nil
}

// FireOn fires an event from within a step or an RPC body.
func FireOn(p Poster, h Handle) {
	op := Op{Kind: KindFire, Event: h}
	p.Post(&op)
}
