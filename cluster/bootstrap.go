package cluster

import "fmt"

// This file has the collectives that the package needs itself. Dup and Subteam broadcast a word
// from a team's first member to agree on a context. Split and windows use an allgather. Their
// messages use the team's collective context (its context + 1), separate from messages of programs.
// The collectives of package coll use the same context, through Lib.Send and Lib.Recv.
//
// Successive calls cannot receive each other's messages, although the tag only identifies the kind
// of call. Every receive names its source. Members make the same calls in the same order. Both
// members of a pair know the number of messages between them in a call. Messages between two
// members with one context and tag do not overtake each other. So the k-th send of a pair matches
// its k-th receive. If members make different calls, their tags differ: the result is a reported
// deadlock, not mixed data.
//
// The messages count as traffic of the sender.

// Tags of the collective context.
const (
	tagBcast int32 = iota
	tagAllgather
	tagNeighbour
	tagLibrary // and higher tags: libraries
)

// isend starts a message of a collective.
func (r *Rank) isend(q *Request, t *Team, to int, tag int32, d Data) {
	r.Account(int(t.ranks[to]), 1, d.n)
	r.internal(KindSend, q, t, to, tag, d)
}

// irecv starts a receive of a collective.
func (r *Rank) irecv(q *Request, t *Team, from int, tag int32, d Data) {
	r.internal(KindRecv, q, t, from, tag, d)
}

func (r *Rank) internal(kind Kind, q *Request, t *Team, peer int, tag int32, d Data) {
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = kind, t.ctx+1, t.ranks[peer], tag,
		d.Bytes(), d.n, nil
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

// received waits for a message that irecv started. Another length is an error.
func (r *Rank) received(q *Request, call string, t *Team) error {
	from, want := int(q.peer), q.size
	st, err := r.Wait(q)
	switch {
	case err != nil:
		return within(call, t, err)
	case st.Bytes != want:
		return r.errorf("%s on %s: received %d B from rank %d, want %d B: every member must pass the same length", call,
			t.name, st.Bytes, from, want)
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

// work returns n bytes of scratch space, aligned for any number, valid until the next call of work.
func (r *Rank) work(n int) []byte {
	if need := (n + 7) / 8; need > len(r.scratch) {
		r.scratch = make([]uint64, need)
	}
	return Bytes(r.scratch)[:n:n]
}

// bcast copies buf of the first member to all other members, along a binomial tree.
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

// allgather collects in of all members, of equal length, into out on every member, in the order of
// their numbers. Each of its ⌈log₂ p⌉ steps doubles the blocks of a member (Bruck's algorithm, with
// blocks at their final positions).
func (r *Rank) allgather(call string, t *Team, in, out []byte) error {
	if err := r.blocks(call, t, len(in), len(out)); err != nil {
		return err
	}
	p, me, n := len(t.ranks), int(t.me), len(in)
	copy(out[me*n:(me+1)*n], in)
	for have := 1; have < p; have *= 2 {
		count := min(have, p-have)
		to, from := (me-have+p)%p, (me+have)%p
		// The member sends blocks me … me+count−1 to a lower member, and receives the same number
		// of blocks, starting at block from. Either range may wrap around at p and then needs two
		// messages.
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

// pieces calls piece for the one or two parts of out with the count blocks from first on.
func pieces(first, count, p, n int, out []byte, piece func(i int, b []byte)) {
	head := min(count, p-first)
	piece(0, out[first*n:(first+head)*n])
	if head < count {
		piece(1, out[:(count-head)*n])
	}
}

// blocks checks that out has room for one block of n bytes per member.
func (r *Rank) blocks(call string, t *Team, n, out int) error {
	if p := len(t.ranks); out != n*p {
		return r.errorf("%s on %s: output of %d B: %d members with %d B each need %d B", call, t.name, out, p, n, n*p)
	}
	return nil
}

// within adds the failed call to an error of a message.
func within(call string, t *Team, err error) error {
	return fmt.Errorf("%w (in %s on %s: every member must pass the same length)", err, call, t.name)
}
