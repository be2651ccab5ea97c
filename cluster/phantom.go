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
