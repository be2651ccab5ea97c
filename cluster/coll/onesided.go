package coll

import "github.com/hybridtop/hybridtop/cluster"

// This file moves the messages of a schedule by puts and gets (paper 5, section 3.3):
//
//	put         [receiver tells its address]  sender puts bytes and flag    receiver has seen the flag
//	rendezvous  sender tells its address      receiver gets, acknowledges   sender has seen that
//	put-only    [receiver tells its address]  sender puts bytes
//
// Flags in slots (space.go) carry addresses and notifications. Steps in brackets are omitted if the
// sender knows the address and may write at any time. An empty message is a flag in every transfer.
// The argument of a continuation has the node and the completed stage.
const (
	stageDone    = iota << stageShift // the whole node
	stageCleared                      // a sender has received the address
	stageFlagged                      // a receiver has seen its flag; a sender's bytes are ready for the get
	stageGot                          // the receiver has the bytes
	stages       = 3 << stageShift
	stageShift   = 29
)

// discard is the continuation of an operation without dependents.
type discard struct{}

func (discard) Step(cluster.Poster, int32, cluster.Done) {}

// pulled reports whether the receiver transfers a message by a get.
func (m Modes) pulled(n *Node) bool { return m.Transfer == Rendezvous && n.Ref.N != 0 }

// asked reports whether the receiver of a put must first send its address and its permission. Puts
// into bounce buffers need neither.
func (m Modes) asked(recv *Node) bool {
	return m.asks() && recv.Ref.N != 0 && recv.Ref.Buf == Out
}

func (m Modes) asks() bool {
	return m.Transfer.lands() && (m.Address == Local || m.Address == Single && m.In == MySync)
}

// unsignaled reports whether no flag follows a put.
func (m Modes) unsignaled(n *Node) bool { return m.Transfer == PutOnly && n.Ref.N != 0 }

// counted reports whether a node has no separate flag. Nodes that only the end of the call waits
// for share one flag.
func (s *Schedule) counted(m Modes, node int32) bool {
	n := &s.Nodes[node]
	switch {
	case !s.final(node):
		return false
	case n.Kind == Send:
		return m.pulled(n)
	}
	return n.Deps == 0 && !m.pulled(n) && !m.unsignaled(n)
}

// reaches returns an error if one-sided transfers do not reach the buffers of a call.
func (c *Comm) reaches(call *Call, does *share, p *Place) error {
	k := call.Key
	what := k.Algorithm.Collective
	refuse := func(format string, args ...any) error {
		return c.lib.Errorf("%s by %s on %s: "+format, append([]any{what, k.Transfer, c.team.Name()}, args...)...)
	}
	s := does.Schedule
	bounced := k.Address == Bounced
	room := p.room(bounced)
	switch {
	case c.space.runs == nil:
		return refuse("no space in the segments: Reserve at least %d words and %d B per call, and some slots", room.Words, room.Bytes)
	case room.Words > c.space.room.Words || room.Bytes > c.space.room.Bytes:
		return refuse("slots of %d words and %d B, the call needs %d and %d: Reserve more", c.space.room.Words, c.space.room.Bytes, room.Words, room.Bytes)
	case c.space.room.Store.SizeOnly() && !call.sizes:
		return refuse("slots without bytes for a call with bytes: Reserve slots with bytes")
	case call.Into != nil:
		return refuse("sizes differ by member, so others do not know their offsets (use %s)", TwoSided)
	}
	if s.passesOn(k.Modes) >= 0 {
		return refuse("%s passes on received bytes (use %s)", k.Algorithm.Name, Put)
	}
	for b, at := range [...]*At{call.InAt, call.OutAt} {
		if at == nil || bounced {
			continue
		}
		if at.Of != nil && (k.Address == Local || len(at.Of) != int(k.Ranks)) {
			return refuse("%d addresses in mode %s: want one for each of %d members in Single, one in Local", len(at.Of), k.Address, k.Ranks)
		}
		if !what.uses(Buf(b), p.Rel) || call.sizes {
			continue
		}
		off, n := at.of(int32(c.team.Rank())), p.Size(Buf(b))
		seg := c.r.Segment()
		if off < 0 || n > int64(len(seg)) || off > int64(len(seg))-n {
			return refuse("%s of %d B at %d: the segment has %d B", callerBuffers[b], n, off, len(seg))
		}
		own := seg[off : off+n : off+n]
		given := [...]*[]byte{&call.in, &call.out}[b]
		if *given == nil {
			*given = own
		} else if n > 0 && (int64(len(*given)) != n || &(*given)[0] != &own[0]) {
			return refuse("%s is not at its address: set only one of them", callerBuffers[b])
		}
	}
	return nil
}

// word returns the offset of a flag in the slot.
func (x *Run) word(i int32) int64 { return x.words + 8*int64(i) }

// told returns the value of a flag that carries an offset.
func (x *Run) told(off int64) uint64 { return x.round<<addressBits | uint64(off) }

// origin returns the offset of a member's buffer in its segment; false: the caller does not know
// it.
func (x *Run) origin(p *Place, b Buf, member int32) (int64, bool) {
	if b < temps && x.call.Key.Address != Bounced {
		at := x.call.InAt
		if b == Out {
			at = x.call.OutAt
		}
		if at == nil {
			return 0, false
		}
		return at.of(member), true
	}
	return x.bytes + p.within(b), true
}

// account counts the member's puts and gets.
func (x *Run) account(n *Node, node int32) {
	k := x.call.Key
	to := int(x.global(n.Peer))
	switch {
	case n.Kind == Send && k.pulled(n):
		x.comm.r.Account(to, 1, 0)
	case n.Kind == Send:
		x.comm.r.Account(to, 1, x.Bytes(n.Ref))
	case k.pulled(n):
		x.comm.r.Account(to, 1, x.Bytes(n.Ref))
		x.comm.r.Account(to, 1, 0)
	case x.does.leads[node] == node:
		x.comm.r.Account(to, 1, 0)
	}
}

// count awaits the flags that messages share. It runs in a continuation, because continuations of
// the first nodes may run inside any later post of the rank, and all share one Op.
func (x *Run) count(p cluster.Poster) {
	space, heards, ackeds := &x.comm.space, x.does.heards, x.does.ackeds
	space.heard[x.slot] += heards
	space.acked[x.slot] += ackeds
	if heards > 0 {
		x.op = cluster.Op{Kind: cluster.KindAwait, Off: x.word(wordHeard), Arg: int32(cluster.CmpGreaterEqual), A: space.heard[x.slot], Then: x, ThenArg: heard}
		p.Post(&x.op)
	}
	if ackeds > 0 {
		x.op = cluster.Op{Kind: cluster.KindAwait, Off: x.word(wordAcked), Arg: int32(cluster.CmpGreaterEqual), A: space.acked[x.slot], Then: x, ThenArg: acked}
		p.Post(&x.op)
	}
}

// oneSided starts one end of a message.
func (x *Run) oneSided(p cluster.Poster, n *Node, node int32) {
	k := x.call.Key
	switch {
	case n.Kind == Send && k.pulled(n):
		if n.Ref.Buf < temps && k.Address == Bounced {
			x.bounce(p, n, node, stageFlagged)
			return
		}
		x.offer(p, n, node)
	case n.Kind == Send:
		if x.does.leads[node] >= 0 {
			if x.inTurn = append(x.inTurn, node); len(x.inTurn) == x.served+1 {
				x.serve(p)
			}
			return
		}
		q := x.there(node)
		x.put(p, n, node, &q, -1)
	case k.pulled(n):
		x.watch(p, node, stageFlagged)
	case k.unsignaled(n):
		x.complete(node, cluster.Done{})
	default:
		if !x.does.counted[node] {
			x.watch(p, node, stageFlagged)
		}
	}
}

// serve starts the puts whose addresses have arrived, in the order in which their nodes became
// ready. The order of the addresses does not matter, so that other members wait in a deterministic
// order.
func (x *Run) serve(p cluster.Poster) {
	for x.served < len(x.inTurn) && x.trouble == nil {
		node := x.inTurn[x.served]
		n := &x.Schedule.Nodes[node]
		base := x.bases[x.does.leads[node]]
		if base < 0 {
			x.watchWord(p, x.does.leads[node], node, stageCleared)
			return
		}
		x.served++
		q := x.there(node)
		x.put(p, n, node, &q, base)
	}
	x.inTurn, x.served = x.inTurn[:0], 0
}

// offer sends the address of the bytes to the receiver of a rendezvous.
func (x *Run) offer(p cluster.Poster, n *Node, node int32) {
	from, there := x.origin(&x.Place, n.Ref.Buf, int32(x.comm.team.Rank()))
	if !there {
		x.fail("a rendezvous needs the address of the sent data (set it, or use %s addresses)", Bounced)
		return
	}
	if !x.does.counted[node] {
		x.watch(p, node, stageDone)
	}
	x.signal(p, n.Peer, wordNode+x.does.partners[node], cluster.SigSet, x.told(from))
}

// asks sends the address and the permission to each member that will put, once per member.
func (x *Run) asks(p cluster.Poster) {
	for i := range x.does.leads {
		if n := &x.Schedule.Nodes[i]; n.Kind == Recv && x.does.leads[i] == int32(i) && x.trouble == nil {
			x.ask(p, n, int32(i))
		}
	}
}

func (x *Run) ask(p cluster.Poster, n *Node, node int32) {
	to, there := x.origin(&x.Place, n.Ref.Buf, int32(x.comm.team.Rank()))
	if !there {
		x.fail("a put needs the address of its target (set it, or use %s addresses)", Bounced)
		return
	}
	x.signal(p, n.Peer, wordNode+x.does.partners[node], cluster.SigSet, x.told(to))
}

// goesOn is the continuation of a part of a message, or of a node that moves no bytes.
func (x *Run) goesOn(p cluster.Poster, arg int32, d cluster.Done) {
	if arg < 0 {
		kind := Recv
		if arg == acked {
			kind = Send
		}
		s := x.Schedule
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == kind && x.does.counted[i] {
				x.arrived(p, n, int32(i))
			}
		}
		return
	}
	node, stage := arg&^stages, arg&stages
	n := &x.Schedule.Nodes[node]
	if d.Err != cluster.OK {
		x.fail("%s by %s of rank %d failed (code %d)", n.Kind, x.call.Key.Transfer, x.Peer(n.Peer), d.Err)
		return
	}
	switch stage {
	case stageCleared:
		x.bases[x.does.leads[node]] = int64(d.A & (1<<addressBits - 1))
		x.serve(p)
	case stageFlagged:
		if n.Kind == Send {
			x.offer(p, n, node)
			return
		}
		if x.call.Key.pulled(n) {
			x.get(p, n, node, int64(d.A&(1<<addressBits-1)))
			return
		}
		x.arrived(p, n, node)
	case stageGot:
		if b := x.staged[node]; b != nil {
			x.unpack(n.Ref, b)
		}
		q := x.there(node)
		to, how, v := wordNode+x.does.partners[node], cluster.SigSet, x.told(0)
		if q.Schedule.counted(x.call.Key.Modes, x.does.partners[node]) {
			to, how, v = wordAcked, cluster.SigAdd, 1
		}
		x.signal(p, n.Peer, to, how, v)
		x.complete(node, d)
	default:
		x.complete(node, d)
	}
}

// arrived continues with an arrived message. If it arrived in a bounce buffer, it is copied first.
func (x *Run) arrived(p cluster.Poster, n *Node, node int32) {
	if n.Kind != Recv || n.Ref.Buf >= temps || x.call.Key.Address != Bounced || n.Ref.N == 0 {
		x.complete(node, cluster.Done{})
		return
	}
	x.bounce(p, n, node, stageDone)
}

// bounce copies a message out of or into a bounce buffer, and then continues with the stage.
func (x *Run) bounce(p cluster.Poster, n *Node, node int32, stage int32) {
	if !x.call.sizes {
		to, from := x.buffer(n.Ref.Buf), x.comm.r.Segment()[x.bytes+x.within(n.Ref.Buf):]
		if n.Kind == Send {
			to, from = from, to
		}
		x.Runs(n.Ref, func(off, n int64) { refresh(to[off:off+n], from[off:off+n]) })
	}
	x.op = cluster.Op{Kind: cluster.KindWork, B: uint64(2 * x.Bytes(n.Ref)), Then: x, ThenArg: node | stage}
	p.Post(&x.op)
}

// refresh copies only the bytes that differ, because others may be reading equal bytes.
func refresh(to, from []byte) {
	for i, b := range from {
		if to[i] != b {
			to[i] = b
		}
	}
}

// watch awaits the flag of a node.
func (x *Run) watch(p cluster.Poster, node, stage int32) { x.watchWord(p, node, node, stage) }

// watchWord awaits the flag of another node for a node.
func (x *Run) watchWord(p cluster.Poster, word, node, stage int32) {
	x.op = cluster.Op{Kind: cluster.KindAwait, Off: x.word(wordNode + word), Arg: int32(cluster.CmpGreaterEqual), A: x.told(0), Then: x, ThenArg: node | stage}
	p.Post(&x.op)
}

// signal changes a flag of the slot at a peer.
func (x *Run) signal(p cluster.Poster, to Peer, word int32, how cluster.SigOp, v uint64) {
	x.op = cluster.Op{Kind: cluster.KindPut, Peer: x.global(to), Off: x.words, Sig: x.word(word), SigOp: how, A: v, Early: true, Then: discard{}}
	p.Post(&x.op)
}

// there returns the Place of a node's peer.
func (x *Run) there(node int32) Place {
	s := x.Schedule
	q := Place{Schedule: s, Rel: wrap(x.Peer(s.Nodes[node].Peer)-x.Root, s.Ranks), Root: x.Root, Blocks: x.Blocks}
	if x.does.others != nil {
		q.Schedule = x.does.others[node]
	}
	return q
}

// target returns the position of a reference at a peer whose buffer begins at base.
func (x *Run) target(q *Place, r Ref, base int64) (off int64, vec []cluster.Span) {
	x.spans = x.spans[:0]
	q.Runs(r, func(off, n int64) {
		if last := len(x.spans) - 1; last >= 0 && x.spans[last].Off+x.spans[last].Len == base+off {
			x.spans[last].Len += n
			return
		}
		x.spans = append(x.spans, cluster.Span{Off: base + off, Len: n})
	})
	switch len(x.spans) {
	case 0:
		return x.words, nil
	case 1:
		return x.spans[0].Off, nil
	}
	return 0, x.spans
}

// put puts a message into the peer's buffer at base. base −1: the address has arrived in a flag.
func (x *Run) put(p cluster.Poster, n *Node, node int32, q *Place, base int64) {
	recv := &q.Schedule.Nodes[x.does.partners[node]]
	member := x.Peer(n.Peer)
	if base < 0 {
		var there bool
		if base, there = x.origin(q, recv.Ref.Buf, member); !there && recv.Ref.N != 0 {
			x.fail("a put needs the address of its target (set it, or use %s addresses)", Bounced)
			return
		}
	}
	x.op = cluster.Op{Kind: cluster.KindPut, Peer: x.global(n.Peer), Size: x.Bytes(n.Ref), Early: true, Then: x, ThenArg: node | stageDone}
	x.op.Off, x.op.Vec = x.target(q, recv.Ref, base)
	if !x.call.sizes && x.op.Size > 0 {
		x.op.Buf = x.piece(n, node)
	}
	switch k := x.call.Key; {
	case k.unsignaled(n):
		x.op.Early = false
	case q.Schedule.counted(k.Modes, x.does.partners[node]):
		x.op.Sig, x.op.SigOp, x.op.A = x.word(wordHeard), cluster.SigAdd, 1
	default:
		x.op.Sig, x.op.SigOp, x.op.A = x.word(wordNode+x.does.partners[node]), cluster.SigSet, x.told(0)
	}
	p.Post(&x.op)
}

// get gets a message from the sender's buffer at base.
func (x *Run) get(p cluster.Poster, n *Node, node int32, base int64) {
	q := x.there(node)
	x.op = cluster.Op{Kind: cluster.KindGet, Peer: x.global(n.Peer), Size: x.Bytes(n.Ref), Then: x, ThenArg: node | stageGot}
	x.op.Off, x.op.Vec = x.target(&q, q.Schedule.Nodes[x.does.partners[node]].Ref, base)
	if !x.call.sizes && x.op.Size > 0 {
		x.op.Buf = x.piece(n, node)
	}
	p.Post(&x.op)
}
