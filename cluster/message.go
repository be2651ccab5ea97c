package cluster

// MaxTag is the largest tag that a program may use.
const MaxTag = 1<<30 - 1

func (r *Rank) sending(kind Kind, batch bool, t *Team, to, tag int, buf []byte) error {
	if t.me < 0 || uint(to) >= uint(len(t.ranks)) {
		_, err := r.peer(kind.String(), "to", t, to)
		return err
	}
	peer := t.ranks[to]
	if uint(tag) > MaxTag {
		return r.errorf("%s to %d tag %d: tags are 0 to %d", kind, to, tag, MaxTag)
	}
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = kind, t.ctx, peer, int32(tag), buf, int64(len(buf)), nil
	r.op.Batch = batch
	if r.gated() {
		if err := r.admit(kind.String(), t); err != nil {
			return err
		}
	}
	r.Account(int(peer), 1, int64(len(buf)))
	return nil
}

func (r *Rank) receiving(kind Kind, t *Team, from, tag int, buf []byte) error {
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
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = kind, t.ctx, peer, int32(tag), buf, int64(len(buf)), nil
	if r.gated() {
		return r.admit(kind.String(), t)
	}
	return nil
}

// Send sends buf to a rank of the team and returns when buf may be written
// again: at once for a message up to the eager limit, after the receive has
// taken it for a longer one.
func (r *Rank) Send(t *Team, to, tag int, buf []byte) error {
	if err := r.sending(KindSend, false, t, to, tag, buf); err != nil {
		return err
	}
	_, err := r.wait(t, to, tag)
	return err
}

// Ssend is a synchronous send: it returns only once the receive has started.
func (r *Rank) Ssend(t *Team, to, tag int, buf []byte) error {
	if err := r.sending(KindSsend, false, t, to, tag, buf); err != nil {
		return err
	}
	_, err := r.wait(t, to, tag)
	return err
}

// Isend starts a send into q. Several small ones may leave together: the last of
// them leaves at the latest on the rank's next call that waits, tests, probes or
// computes.
func (r *Rank) Isend(q *Request, t *Team, to, tag int, buf []byte) error {
	if err := r.sending(KindSend, true, t, to, tag, buf); err != nil {
		return err
	}
	r.start(q, t, to, tag)
	return nil
}

// Issend starts a synchronous send into q.
func (r *Rank) Issend(q *Request, t *Team, to, tag int, buf []byte) error {
	if err := r.sending(KindSsend, true, t, to, tag, buf); err != nil {
		return err
	}
	r.start(q, t, to, tag)
	return nil
}

// Recv receives a message of at most len(buf) bytes; from may be AnySource and
// tag AnyTag. A longer message is a truncation error, and is consumed.
func (r *Rank) Recv(t *Team, from, tag int, buf []byte) (Status, error) {
	if err := r.receiving(KindRecv, t, from, tag, buf); err != nil {
		return Status{}, err
	}
	return r.run(t, from, tag)
}

// Irecv starts a receive into q.
func (r *Rank) Irecv(q *Request, t *Team, from, tag int, buf []byte) error {
	if err := r.receiving(KindRecv, t, from, tag, buf); err != nil {
		return err
	}
	r.start(q, t, from, tag)
	return nil
}

// Probe blocks until a message that matches waits, and leaves it there.
func (r *Rank) Probe(t *Team, from, tag int) (Status, error) {
	if err := r.receiving(KindProbe, t, from, tag, nil); err != nil {
		return Status{}, err
	}
	return r.run(t, from, tag)
}

// Iprobe reports whether a message that matches waits.
func (r *Rank) Iprobe(t *Team, from, tag int) (Status, bool, error) {
	if err := r.receiving(KindIprobe, t, from, tag, nil); err != nil {
		return Status{}, false, err
	}
	r.port.Post(&r.op)
	r.leave()
	return status(t, r.op.Done), r.op.Done.Found, nil
}

// Message is one that a matched probe took out of the queue: nobody else can
// receive it.
type Message struct {
	n    uint64
	team *Team
	Status
}

// Mprobe blocks until a message that matches waits, and takes it.
func (r *Rank) Mprobe(t *Team, from, tag int) (Message, error) {
	if err := r.receiving(KindMprobe, t, from, tag, nil); err != nil {
		return Message{}, err
	}
	st, err := r.run(t, from, tag)
	return Message{n: st.Word, team: t, Status: st}, err
}

// Improbe takes a message that matches, if one waits.
func (r *Rank) Improbe(t *Team, from, tag int) (Message, bool, error) {
	if err := r.receiving(KindImprobe, t, from, tag, nil); err != nil {
		return Message{}, false, err
	}
	r.port.Post(&r.op)
	r.leave()
	d := r.op.Done
	return Message{n: d.A, team: t, Status: status(t, d)}, d.Found, nil
}

func (r *Rank) receivingMatched(m Message, buf []byte) error {
	r.op.Kind, r.op.A, r.op.Buf, r.op.Size, r.op.Then = KindMrecv, m.n, buf, int64(len(buf)), nil
	if r.gated() {
		return r.admit(KindMrecv.String(), m.team)
	}
	return nil
}

// Mrecv receives a message that a matched probe took.
func (r *Rank) Mrecv(m Message, buf []byte) (Status, error) {
	if err := r.receivingMatched(m, buf); err != nil {
		return Status{}, err
	}
	return r.run(m.team, m.Source, m.Tag)
}

// Imrecv starts to receive a message that a matched probe took.
func (r *Rank) Imrecv(q *Request, m Message, buf []byte) error {
	if err := r.receivingMatched(m, buf); err != nil {
		return err
	}
	r.start(q, m.team, m.Source, m.Tag)
	return nil
}

// Sendrecv sends and receives at once, so that neither waits for the other.
func (r *Rank) Sendrecv(t *Team, to, sendTag int, out []byte, from, recvTag int, in []byte) (Status, error) {
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
