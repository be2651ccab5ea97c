package cluster

// MaxTag is the largest tag of a program.
const MaxTag = 1<<30 - 1

func (r *Rank) sending(kind Kind, batch bool, t *Team, to, tag int, d Data) error {
	if t.me < 0 || uint(to) >= uint(len(t.ranks)) {
		_, err := r.peer(kind.String(), "to", t, to)
		return err
	}
	peer := t.ranks[to]
	if uint(tag) > MaxTag {
		return r.errorf("%s to %d tag %d: tags are 0 to %d", kind, to, tag, MaxTag)
	}
	if d.n < 0 {
		return r.negative(kind, d.n)
	}
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = kind, t.ctx, peer, int32(tag), d.Bytes(),
		d.n, nil
	r.op.Batch = batch
	if r.gated() {
		if err := r.admit(kind.String(), t); err != nil {
			return err
		}
	}
	r.Account(int(peer), 1, d.n)
	return nil
}

// negative returns the error of a size below 0.
func (r *Rank) negative(kind Kind, n int64) error {
	return r.errorf("%s of %d B: a size must not be negative", kind, n)
}

func (r *Rank) receiving(kind Kind, t *Team, from, tag int, d Data) error {
	peer := int32(AnySource)
	if from != AnySource {
		if t.me < 0 || uint(from) >= uint(len(t.ranks)) {
			_, err := r.peer(kind.String(), "from", t, from)
			return err
		}
		peer = t.ranks[from]
	} else if err := r.member(kind.String(), t); err != nil {
		return err
	}
	if tag != AnyTag && uint(tag) > MaxTag {
		return r.errorf("%s from %d tag %d: tags are 0 to %d, or AnyTag", kind, from, tag, MaxTag)
	}
	if d.n < 0 {
		return r.negative(kind, d.n)
	}
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = kind, t.ctx, peer, int32(tag), d.Bytes(),
		d.n, nil
	if r.gated() {
		return r.admit(kind.String(), t)
	}
	return nil
}

// sendNow sends and waits for local completion.
func (r *Rank) sendNow(kind Kind, t *Team, to, tag int, d Data) error {
	if err := r.sending(kind, false, t, to, tag, d); err != nil {
		return err
	}
	_, err := r.wait(t, to, tag)
	return err
}

// startSend starts a send into q.
func (r *Rank) startSend(kind Kind, q *Request, t *Team, to, tag int, d Data) error {
	if err := r.sending(kind, true, t, to, tag, d); err != nil {
		return err
	}
	r.start(q, t, to, tag)
	return nil
}

// Send sends d to a rank of the team and returns at local completion, when the caller may reuse the
// bytes of d. A message up to the eager limit completes at once. A longer message completes after
// its receive has taken the data.
func (r *Rank) Send(t *Team, to, tag int, d Data) error { return r.sendNow(KindSend, t, to, tag, d) }

// Ssend is a synchronous send: it returns only once the receive has started.
func (r *Rank) Ssend(t *Team, to, tag int, d Data) error { return r.sendNow(KindSsend, t, to, tag, d) }

// Isend starts a send into q. Several sends may leave together, at the latest in the rank's next
// call that waits, tests, probes or computes.
func (r *Rank) Isend(q *Request, t *Team, to, tag int, d Data) error {
	return r.startSend(KindSend, q, t, to, tag, d)
}

// Issend starts a synchronous send into q.
func (r *Rank) Issend(q *Request, t *Team, to, tag int, d Data) error {
	return r.startSend(KindSsend, q, t, to, tag, d)
}

// receive runs a receive or a blocking probe.
func (r *Rank) receive(kind Kind, t *Team, from, tag int, d Data) (Status, error) {
	if err := r.receiving(kind, t, from, tag, d); err != nil {
		return Status{}, err
	}
	return r.run(t, from, tag)
}

// Recv receives a message of at most d.Len() bytes. from may be AnySource, and tag may be AnyTag. A
// longer message is consumed and returns a truncation error.
func (r *Rank) Recv(t *Team, from, tag int, d Data) (Status, error) {
	return r.receive(KindRecv, t, from, tag, d)
}

// Irecv starts a receive into q.
func (r *Rank) Irecv(q *Request, t *Team, from, tag int, d Data) error {
	if err := r.receiving(KindRecv, t, from, tag, d); err != nil {
		return err
	}
	r.start(q, t, from, tag)
	return nil
}

// Probe blocks until a matching message has arrived. It does not receive the message.
func (r *Rank) Probe(t *Team, from, tag int) (Status, error) {
	return r.receive(KindProbe, t, from, tag, Data{})
}

// look is a probe that does not block.
func (r *Rank) look(kind Kind, t *Team, from, tag int) (Status, bool, error) {
	if err := r.receiving(kind, t, from, tag, Data{}); err != nil {
		return Status{}, false, err
	}
	r.port.Post(&r.op)
	r.leave()
	return status(t, &r.op.Done), r.op.Done.Found, nil
}

// Iprobe reports whether a matching message has arrived.
func (r *Rank) Iprobe(t *Team, from, tag int) (Status, bool, error) {
	return r.look(KindIprobe, t, from, tag)
}

// Message is a message that a matched probe took from the queue. Only Mrecv and Imrecv can receive
// it.
type Message struct {
	n    uint64
	team *Team
	Status
}

// Mprobe blocks until a matching message has arrived, and takes it from the queue.
func (r *Rank) Mprobe(t *Team, from, tag int) (Message, error) {
	st, err := r.receive(KindMprobe, t, from, tag, Data{})
	return Message{n: st.Word, team: t, Status: st}, err
}

// Improbe takes a matching message from the queue, if one has arrived.
func (r *Rank) Improbe(t *Team, from, tag int) (Message, bool, error) {
	st, found, err := r.look(KindImprobe, t, from, tag)
	return Message{n: st.Word, team: t, Status: st}, found, err
}

func (r *Rank) receivingMatched(m Message, d Data) error {
	if d.n < 0 {
		return r.negative(KindMrecv, d.n)
	}
	r.op.Kind, r.op.A, r.op.Buf, r.op.Size, r.op.Then = KindMrecv, m.n, d.Bytes(), d.n, nil
	if r.gated() {
		return r.admit(KindMrecv.String(), m.team)
	}
	return nil
}

// Mrecv receives a message that a matched probe took.
func (r *Rank) Mrecv(m Message, d Data) (Status, error) {
	if err := r.receivingMatched(m, d); err != nil {
		return Status{}, err
	}
	return r.run(m.team, m.Source, m.Tag)
}

// Imrecv starts to receive a message that a matched probe took.
func (r *Rank) Imrecv(q *Request, m Message, d Data) error {
	if err := r.receivingMatched(m, d); err != nil {
		return err
	}
	r.start(q, m.team, m.Source, m.Tag)
	return nil
}

// Sendrecv sends and receives concurrently, so that neither waits for the other.
func (r *Rank) Sendrecv(t *Team, to, sendTag int, out Data, from, recvTag int, in Data) (Status, error) {
	if err := r.enter("sendrecv", t); err != nil {
		return Status{}, err
	}
	defer r.leave()
	var recv, send Request
	if err := r.Irecv(&recv, t, from, recvTag, in); err != nil {
		return Status{}, err
	}
	if err := r.Isend(&send, t, to, sendTag, out); err != nil {
		return Status{}, err
	}
	st, err := r.Wait(&recv)
	if _, e := r.Wait(&send); err == nil {
		err = e
	}
	return st, err
}
