package cluster

import "fmt"

// What the contract needs before there are collectives: a word from a team's first
// member, by which Dup and Subteam agree on a context, and an allgather, by which Split
// and windows do. They are messages in the team's own collective context (its context +
// 1), where no message of a program can be. The collectives of programs are package
// coll's, whose messages go there too, by Lib.Send and Lib.Recv.
//
// Successive calls cannot take each other's messages, although the tag only says which
// kind a message belongs to: every receive names its source; members make the same
// calls in the same order; how many messages pass from one member to another within a
// call is the same seen from both; and messages between two members in one context and
// tag do not overtake. So the k-th send of a pair meets its k-th receive. The tag of a
// kind makes members that make different calls a deadlock, which is reported, and not a
// mix of data.
//
// What was sent is counted as traffic of the sender.

// Tags of the collective context.
const (
	tagBcast int32 = iota
	tagAllgather
	tagNeighbour
	tagLibrary // and those above: of libraries
)

// isend starts a message of a collective.
func (r *Rank) isend(q *Request, t *Team, to int, tag int32, d Data) {
	r.Account(int(t.ranks[to]), 1, d.n)
	r.internal(KindSend, q, t, to, tag, d)
}

// irecv starts to receive one.
func (r *Rank) irecv(q *Request, t *Team, from int, tag int32, d Data) {
	r.internal(KindRecv, q, t, from, tag, d)
}

func (r *Rank) internal(kind Kind, q *Request, t *Team, peer int, tag int32, d Data) {
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = kind, t.ctx+1, t.ranks[peer], tag, d.Bytes(), d.n, nil
	r.op.Batch = false
	r.again()
	was := r.means(Means{})
	r.start(q, t, peer, int(tag))
	r.means(was)
}

// sent waits for a message that isend started.
func (r *Rank) sent(q *Request, call string, t *Team) error {
	if _, err := r.Wait(q); err != nil {
		return within(call, t, err)
	}
	return nil
}

// received waits for a message that irecv started, and wants all of it.
func (r *Rank) received(q *Request, call string, t *Team) error {
	from, want := int(q.peer), q.size
	st, err := r.Wait(q)
	switch {
	case err != nil:
		return within(call, t, err)
	case st.Bytes != want:
		return r.errorf("%s on %s: %d B came from rank %d where %d B are wanted: every member must give the same length", call, t.name, st.Bytes, from, want)
	}
	return nil
}

func (r *Rank) send(call string, t *Team, to int, tag int32, d Data) error {
	var q Request
	r.isend(&q, t, to, tag, d)
	return r.sent(&q, call, t)
}

func (r *Rank) recv(call string, t *Team, from int, tag int32, d Data) error {
	var q Request
	r.irecv(&q, t, from, tag, d)
	return r.received(&q, call, t)
}

// work lends n bytes, aligned for any number, until the next call of it.
func (r *Rank) work(n int) []byte {
	if need := (n + 7) / 8; need > len(r.scratch) {
		r.scratch = make([]uint64, need)
	}
	return Bytes(r.scratch)[:n:n]
}

// bcast copies the first member's buf into every other one's, down a binomial tree.
func (r *Rank) bcast(call string, t *Team, buf []byte) error {
	p, me := len(t.ranks), int(t.me)
	mask := 1
	for ; mask < p; mask <<= 1 {
		if me&mask != 0 {
			if err := r.recv(call, t, me-mask, tagBcast, Of(buf)); err != nil {
				return err
			}
			break
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if me+mask < p {
			if err := r.send(call, t, me+mask, tagBcast, Of(buf)); err != nil {
				return err
			}
		}
	}
	return nil
}

// allgather collects the members' in, all equally long, into everyone's out, in the
// order of their numbers. It doubles what a member has with each of its ⌈log₂ p⌉ steps
// (Bruck's algorithm, with blocks kept at their final places).
func (r *Rank) allgather(call string, t *Team, in, out []byte) error {
	if err := r.blocks(call, t, len(in), len(out)); err != nil {
		return err
	}
	p, me, n := len(t.ranks), int(t.me), len(in)
	copy(out[me*n:(me+1)*n], in)
	for have := 1; have < p; have *= 2 {
		count := min(have, p-have)
		to, from := (me-have+p)%p, (me+have)%p
		// Blocks me … me+count−1 go to a lower member, the same number that start
		// at from's own come; either run may wrap around at p, into two messages.
		var q [4]Request
		pieces(from, count, p, n, out, func(i int, b []byte) { r.irecv(&q[i], t, from, tagAllgather, Of(b)) })
		pieces(me, count, p, n, out, func(i int, b []byte) { r.isend(&q[2+i], t, to, tagAllgather, Of(b)) })
		for i := range q {
			if !q[i].Active() {
				continue
			}
			var err error
			if i < 2 {
				err = r.received(&q[i], call, t)
			} else {
				err = r.sent(&q[i], call, t)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// pieces gives the one or two pieces of out that hold count blocks from first on.
func pieces(first, count, p, n int, out []byte, piece func(i int, b []byte)) {
	head := min(count, p-first)
	piece(0, out[first*n:(first+head)*n])
	if head < count {
		piece(1, out[:(count-head)*n])
	}
}

// blocks checks that out holds one block of n bytes a member.
func (r *Rank) blocks(call string, t *Team, n, out int) error {
	if p := len(t.ranks); out != n*p {
		return r.errorf("%s on %s: %d B of output: %d members with %d B each need %d B", call, t.name, out, p, n, n*p)
	}
	return nil
}

// within says in which call a message failed.
func within(call string, t *Team, err error) error {
	return fmt.Errorf("%w (in %s on %s, where every member must give the same length)", err, call, t.name)
}
