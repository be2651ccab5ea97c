package cluster

// A phantom message has a size and no bytes: it costs what a real one does on a
// machine in virtual time, and no memory. A real receive of a phantom message
// leaves its buffer as it is.

// Phantoms says that a program may use them for its data: what is timed does not
// depend on bytes that are there, nor on memory that is touched.
func (r *Rank) Phantoms() bool { return r.launch.phantoms }

// IsendPhantom starts a send of size bytes that are not there.
func (r *Rank) IsendPhantom(q *Request, t *Team, to, tag int, size int64) error {
	if err := r.phantom(KindSend, size); err != nil {
		return err
	}
	if err := r.sending(KindSend, true, t, to, tag, nil); err != nil {
		return err
	}
	r.op.Size = size
	r.Account(int(r.op.Peer), 0, size)
	r.start(q, t, to, tag)
	return nil
}

// IrecvPhantom starts a receive of up to size bytes that are not kept.
func (r *Rank) IrecvPhantom(q *Request, t *Team, from, tag int, size int64) error {
	if err := r.phantom(KindRecv, size); err != nil {
		return err
	}
	if err := r.receiving(KindRecv, t, from, tag, nil); err != nil {
		return err
	}
	r.op.Size = size
	r.start(q, t, from, tag)
	return nil
}

// SendPhantom sends size bytes that are not there.
func (r *Rank) SendPhantom(t *Team, to, tag int, size int64) error {
	var q Request
	if err := r.IsendPhantom(&q, t, to, tag, size); err != nil {
		return err
	}
	_, err := r.Wait(&q)
	return err
}

// RecvPhantom receives up to size bytes that are not kept.
func (r *Rank) RecvPhantom(t *Team, from, tag int, size int64) (Status, error) {
	var q Request
	if err := r.IrecvPhantom(&q, t, from, tag, size); err != nil {
		return Status{}, err
	}
	return r.Wait(&q)
}

func (r *Rank) phantom(kind Kind, size int64) error {
	if size < 0 {
		return r.errorf("%s of %d B: a size must not be negative", kind, size)
	}
	return nil
}

// One-sided phantoms may reach as far as the segment that the machine has
// (Spec.Modelled). Nothing there changes but flag words, which are real.

// PutPhantom puts size bytes that are not there at byte off of rank to's segment.
func (r *Rank) PutPhantom(to int, off, size int64) error {
	if err := r.puttingPhantom("put", to, off, size); err != nil {
		return err
	}
	return r.transfer(to)
}

// IputPhantom starts such a put, as Iput.
func (r *Rank) IputPhantom(op, source *Request, to int, off, size int64) error {
	if err := r.puttingPhantom("put", to, off, size); err != nil {
		return err
	}
	r.startPut(op, source, to)
	return nil
}

// PutImplicitPhantom starts such a put that Quiet completes.
func (r *Rank) PutImplicitPhantom(to int, off, size int64) error {
	if err := r.puttingPhantom("put", to, off, size); err != nil {
		return err
	}
	return r.implicit(to)
}

// PutSignalPhantom is PutSignal of bytes that are not there.
func (r *Rank) PutSignalPhantom(to int, off, size, sig int64, how SigOp, value uint64) error {
	var op, source Request
	if err := r.IputSignalPhantom(&op, &source, to, off, size, sig, how, value); err != nil {
		return err
	}
	return r.signaled(&op, &source)
}

// IputSignalPhantom is IputSignal of bytes that are not there.
func (r *Rank) IputSignalPhantom(op, source *Request, to int, off, size, sig int64, how SigOp, value uint64) error {
	if err := r.puttingPhantom("signaling put", to, off, size); err != nil {
		return err
	}
	r.op.Sig, r.op.SigOp, r.op.A = sig, how, value
	r.startPut(op, source, to)
	return nil
}

// IputRPCPhantom is IputRPC of bytes that are not there.
func (r *Rank) IputRPCPhantom(op, source *Request, to int, off, size int64, fn int, arg int32) error {
	if err := r.remoteFunction(to, fn); err != nil {
		return err
	}
	if err := r.puttingPhantom("put with remote completion", to, off, size); err != nil {
		return err
	}
	r.op.Fn, r.op.Arg = int32(fn), arg
	r.startPut(op, source, to)
	return nil
}

// GetPhantom gets size bytes that are not there.
func (r *Rank) GetPhantom(to int, off, size int64) error {
	if err := r.gettingPhantom(to, off, size); err != nil {
		return err
	}
	return r.transfer(to)
}

// IgetPhantom starts such a get into q.
func (r *Rank) IgetPhantom(q *Request, to int, off, size int64) error {
	if err := r.gettingPhantom(to, off, size); err != nil {
		return err
	}
	r.start(q, nil, to, 0)
	return nil
}

// puttingPhantom makes r.op a put of bytes that are not there, and counts it.
func (r *Rank) puttingPhantom(call string, to int, off, size int64) error {
	if err := r.reachable(call, to, off, size); err != nil {
		return err
	}
	r.putting(to, off, nil)
	r.op.Size = size
	return nil
}

func (r *Rank) gettingPhantom(to int, off, size int64) error {
	if err := r.reachable("get", to, off, size); err != nil {
		return err
	}
	r.getting(to, off, nil)
	r.op.Size = size
	return nil
}

// reachable checks a one-sided phantom and counts it.
func (r *Rank) reachable(call string, to int, off, size int64) error {
	if err := r.target(call, to); err != nil {
		return err
	}
	extent := r.launch.spec.Extent()
	switch {
	case size < 0:
		return r.errorf("%s at rank %d of %d B: a size must not be negative", call, to, size)
	case off < 0 || size > extent || off > extent-size:
		return r.errorf("%s at rank %d: %d B from %d on reach beyond the end of its segment of %d B", call, to, size, off, extent)
	}
	r.Account(to, 1, size)
	return nil
}
