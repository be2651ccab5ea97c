package cluster

import "fmt"

// The collectives here are enough for programs that need a sum or a word from a
// root; they are built on two-sided messages in the team's own collective context
// (its context + 1), where no message of a program can be.
//
// Successive collectives cannot take each other's messages, although the tag only
// says which kind a message belongs to: every receive names its source; members
// make the same calls in the same order; how many messages pass from one member to
// another within a call is the same seen from both; and messages between two
// members in one context and tag do not overtake. So the k-th send of a pair meets
// its k-th receive. The tag of a kind makes members that call different
// collectives a deadlock, which is reported, and not a mix of data.
//
// A collective belongs to the thread that calls it: two threads of a rank may not
// be in collectives of one team at once (as in MPI). What was sent is counted as
// traffic of the sender.

// Tags of the collective context.
const (
	tagBcast int32 = iota
	tagReduce
	tagAllgather
	tagGather
	tagNeighbour
	tagLibrary // and those above: of libraries, in teams of their own
)

// isend starts a message of a collective.
func (r *Rank) isend(q *Request, t *Team, to int, tag int32, buf []byte) {
	peer := t.ranks[to]
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = KindSend, t.ctx+1, peer, tag, buf, int64(len(buf)), nil
	r.op.Batch = false
	r.again()
	r.Account(int(peer), 1, int64(len(buf)))
	was := r.means(Means{})
	r.start(q, t, to, int(tag))
	r.means(was)
}

// irecv starts to receive one.
func (r *Rank) irecv(q *Request, t *Team, from int, tag int32, buf []byte) {
	r.op.Kind, r.op.Ctx, r.op.Peer, r.op.Tag, r.op.Buf, r.op.Size, r.op.Then = KindRecv, t.ctx+1, t.ranks[from], tag, buf, int64(len(buf)), nil
	r.again()
	was := r.means(Means{})
	r.start(q, t, from, int(tag))
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

func (r *Rank) send(call string, t *Team, to int, tag int32, buf []byte) error {
	var q Request
	r.isend(&q, t, to, tag, buf)
	return r.sent(&q, call, t)
}

func (r *Rank) recv(call string, t *Team, from int, tag int32, buf []byte) error {
	var q Request
	r.irecv(&q, t, from, tag, buf)
	return r.received(&q, call, t)
}

// work lends n bytes, aligned for any number, until the next call of it.
func (r *Rank) work(n int) []byte {
	if need := (n + 7) / 8; need > len(r.scratch) {
		r.scratch = make([]uint64, need)
	}
	return Bytes(r.scratch)[:n:n]
}

// rooted checks a collective call that has a root.
func (r *Rank) rooted(call string, t *Team, root int) error {
	if err := r.member(call, t); err != nil {
		return err
	}
	if uint(root) >= uint(len(t.ranks)) {
		return r.errorf("%s on %s: root %d: the team has ranks 0 to %d", call, t.name, root, len(t.ranks)-1)
	}
	return nil
}

// Bcast copies the root's buf into every other member's. All give the same
// length. A binomial tree: ⌈log₂ p⌉ steps.
func (r *Rank) Bcast(t *Team, root int, buf []byte) error {
	if err := r.rooted("bcast", t, root); err != nil {
		return err
	}
	if err := r.enter("bcast", t); err != nil {
		return err
	}
	defer r.leave()
	return r.bcast("bcast", t, root, buf)
}

func (r *Rank) bcast(call string, t *Team, root int, buf []byte) error {
	p := len(t.ranks)
	rel := (int(t.me) - root + p) % p
	mask := 1
	for ; mask < p; mask <<= 1 {
		if rel&mask != 0 {
			if err := r.recv(call, t, (rel-mask+root)%p, tagBcast, buf); err != nil {
				return err
			}
			break
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if rel+mask < p {
			if err := r.send(call, t, (rel+mask+root)%p, tagBcast, buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reduce combines the members' in, element by element, into out at the root,
// where out is as long as in (and may be in itself); elsewhere out is not read.
// The order in which elements are combined depends on the size of the team and
// the root alone, so that sums of floating-point numbers repeat bit by bit.
func Reduce[T Number](r *Rank, t *Team, root int, op ReduceOp, in, out []T) error {
	if err := r.rooted("reduce", t, root); err != nil {
		return err
	}
	if err := r.enter("reduce", t); err != nil {
		return err
	}
	defer r.leave()
	return reduce(r, "reduce", t, root, op, in, out)
}

// Allreduce is Reduce whose result every member gets: a reduction to member 0,
// then a broadcast, so that all have the same bits.
func Allreduce[T Number](r *Rank, t *Team, op ReduceOp, in, out []T) error {
	const call = "allreduce"
	if err := r.member(call, t); err != nil {
		return err
	}
	if len(out) != len(in) {
		return r.errorf("%s on %s: %d elements into %d: in and out must be equally long", call, t.name, len(in), len(out))
	}
	if err := r.enter(call, t); err != nil {
		return err
	}
	defer r.leave()
	if err := reduce(r, call, t, 0, op, in, out); err != nil {
		return err
	}
	return r.bcast(call, t, 0, Bytes(out))
}

// reduce walks a binomial tree from the leaves: a member first takes in its
// children in rising order, then passes on what it has.
func reduce[T Number](r *Rank, call string, t *Team, root int, op ReduceOp, in, out []T) error {
	if err := reducible[T](r, call, op); err != nil {
		return err
	}
	p := len(t.ranks)
	rel := (int(t.me) - root + p) % p
	n := len(Bytes(in))
	buf := r.work(2 * n)
	acc, theirs := View[T](buf[:n]), buf[n:]
	if rel == 0 {
		if len(out) != len(in) {
			return r.errorf("%s on %s: %d elements into %d: in and out must be equally long at the root", call, t.name, len(in), len(out))
		}
		acc = out
	}
	copy(acc, in)
	for mask := 1; mask < p; mask <<= 1 {
		if rel&mask != 0 {
			return r.send(call, t, (rel-mask+root)%p, tagReduce, Bytes(acc))
		}
		if rel|mask < p {
			if err := r.recv(call, t, (rel|mask+root)%p, tagReduce, theirs); err != nil {
				return err
			}
			combine(op, acc, View[T](theirs))
		}
	}
	return nil
}

// Gather collects the members' in, all equally long, into out at the root, in the
// order of their numbers; elsewhere out is not read.
func (r *Rank) Gather(t *Team, root int, in, out []byte) error {
	const call = "gather"
	if err := r.rooted(call, t, root); err != nil {
		return err
	}
	if err := r.enter(call, t); err != nil {
		return err
	}
	defer r.leave()
	if int(t.me) != root {
		return r.send(call, t, root, tagGather, in)
	}
	if err := r.blocks(call, t, len(in), len(out)); err != nil {
		return err
	}
	for i := range t.ranks {
		block := out[i*len(in) : (i+1)*len(in)]
		if i == root {
			copy(block, in)
		} else if err := r.recv(call, t, i, tagGather, block); err != nil {
			return err
		}
	}
	return nil
}

// Allgather collects the members' in, all equally long, into everyone's out, in
// the order of their numbers. It doubles what a member has with each of its
// ⌈log₂ p⌉ steps (Bruck's algorithm, with blocks kept at their final places).
func (r *Rank) Allgather(t *Team, in, out []byte) error {
	if err := r.member("allgather", t); err != nil {
		return err
	}
	if err := r.enter("allgather", t); err != nil {
		return err
	}
	defer r.leave()
	return r.allgather("allgather", t, in, out)
}

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
		pieces(from, count, p, n, out, func(i int, b []byte) { r.irecv(&q[i], t, from, tagAllgather, b) })
		pieces(me, count, p, n, out, func(i int, b []byte) { r.isend(&q[2+i], t, to, tagAllgather, b) })
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
