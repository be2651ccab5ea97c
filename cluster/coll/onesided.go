package coll

import "github.com/hybridtop/hybridtop/cluster"

// How a message of a schedule moves by puts and gets (paper 5, section 3.3):
//
//	put         [receiver tells its address]  sender puts bytes and flag    receiver has seen the flag
//	rendezvous  sender tells its address      receiver gets, acknowledges   sender has seen that
//	put-only    [receiver tells its address]  sender puts bytes
//
// Words in slots (space.go) tell. What is in brackets is left out where the sender
// knows the address and may write at any time. An empty message is a flag, whatever
// the transfer. A step's argument has the node and what of it is done.
const (
	stageDone    = iota << stageShift // all of it
	stageCleared                      // a sender knows the address
	stageFlagged                      // a receiver has seen its flag; a sender's bytes are where they can be got
	stageGot                          // it has the bytes
	stages       = 3 << stageShift
	stageShift   = 29
)

// discard is the step of an operation of which nothing depends.
type discard struct{}

func (discard) Step(cluster.Poster, int32, cluster.Done) {}

// pulled reports whether the receiver of a message gets it.
func (m Modes) pulled(n *Node) bool { return m.Transfer == Rendezvous && n.Ref.N != 0 }

// asked reports whether the receiver of a put first says where it goes, and that it
// may: what lands in buffers of the library needs neither.
func (m Modes) asked(recv *Node) bool {
	return m.asks() && recv.Ref.N != 0 && recv.Ref.Buf == Out
}

func (m Modes) asks() bool {
	return m.Transfer.lands() && (m.Address == Local || m.Address == Single && m.In == MySync)
}

// unsignaled reports whether no flag follows a put.
func (m Modes) unsignaled(n *Node) bool { return m.Transfer == PutOnly && n.Ref.N != 0 }

// counted reports whether a node has no word of its own: those that only the end waits
// for share one.
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

// reaches refuses a call whose buffers one-sided transfers do not reach.
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
		return refuse("no room in the segments: Reserve %d words and %d B or more a call, and some slots", room.Words, room.Bytes)
	case room.Words > c.space.room.Words || room.Bytes > c.space.room.Bytes:
		return refuse("slots of %d words and %d B, the call needs %d and %d: Reserve more", c.space.room.Words, c.space.room.Bytes, room.Words, room.Bytes)
	case c.space.room.Store.SizeOnly() && !call.sizes:
		return refuse("slots without bytes, and a call with bytes: Reserve others")
	case call.Into != nil:
		return refuse("sizes that differ by member: the others do not know where their bytes go: use %s", TwoSided)
	}
	if s.passesOn(k.Modes) >= 0 {
		return refuse("%s passes on what comes: use %s", k.Algorithm.Name, Put)
	}
	for b, at := range [...]*At{call.InAt, call.OutAt} {
		if at == nil || bounced {
			continue
		}
		if at.Of != nil && (k.Address == Local || len(at.Of) != int(k.Ranks)) {
			return refuse("%d addresses in mode %s: Single takes one for each of %d members, Local the own one", len(at.Of), k.Address, k.Ranks)
		}
		if !what.uses(Buf(b), p.Rel) || call.sizes {
			continue
		}
		off, n := at.of(int32(c.team.Rank())), p.Size(Buf(b))
		seg := c.r.Segment()
		if off < 0 || n > int64(len(seg)) || off > int64(len(seg))-n {
			return refuse("%s of %d B at %d: the segment has %d B", [...]string{"in", "out"}[b], n, off, len(seg))
		}
		own := seg[off : off+n : off+n]
		given := [...]*[]byte{&call.in, &call.out}[b]
		if *given == nil {
			*given = own
		} else if n > 0 && (int64(len(*given)) != n || &(*given)[0] != &own[0]) {
			return refuse("%s is not where its address says: leave one of them out", [...]string{"in", "out"}[b])
		}
	}
	return nil
}

// word is the offset of a slot's word.
func (x *Run) word(i int32) int64 { return x.words + 8*int64(i) }

// told is the word's value that brings an offset.
func (x *Run) told(off int64) uint64 { return x.round<<addressBits | uint64(off) }

// origin is where a buffer of a member begins in its segment; false: the caller does
// not say.
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

// account counts what the member sends or asks for.
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

// count awaits the words that messages share: in a step, as the steps of the first nodes
// may run inside any later post of the rank, and they share the op that is posted.
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

// oneSided starts a message's end.
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

// serve puts what the receivers have told the addresses of, in the order in which it was
// ready, whatever the order in which they tell: the order says whom the others wait for.
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

// offer tells the receiver of a rendezvous where the bytes are.
func (x *Run) offer(p cluster.Poster, n *Node, node int32) {
	from, there := x.origin(&x.Place, n.Ref.Buf, int32(x.comm.team.Rank()))
	if !there {
		x.fail("a rendezvous needs the address of what is sent: give it, or use %s addresses", Bounced)
		return
	}
	if !x.does.counted[node] {
		x.watch(p, node, stageDone)
	}
	x.signal(p, n.Peer, wordNode+x.does.partners[node], cluster.SigSet, x.told(from))
}

// asks tells those who will put where that goes, and that they may: once each, whatever
// they put.
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
		x.fail("a put needs the address of where it goes: give it, or use %s addresses", Bounced)
		return
	}
	x.signal(p, n.Peer, wordNode+x.does.partners[node], cluster.SigSet, x.told(to))
}

// goesOn is the step of a part of a message, or of a node that moves none.
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

// arrived goes on with a message that is there: out of the library's buffer, if that is
// where it came.
func (x *Run) arrived(p cluster.Poster, n *Node, node int32) {
	if n.Kind != Recv || n.Ref.Buf >= temps || x.call.Key.Address != Bounced || n.Ref.N == 0 {
		x.complete(node, cluster.Done{})
		return
	}
	x.bounce(p, n, node, stageDone)
}

// bounce copies what a message brings out of the library's buffer, or what it takes into
// it; then comes the stage.
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

// refresh copies what differs: others may be reading what does not.
func refresh(to, from []byte) {
	for i, b := range from {
		if to[i] != b {
			to[i] = b
		}
	}
}

// watch awaits the word of a node.
func (x *Run) watch(p cluster.Poster, node, stage int32) { x.watchWord(p, node, node, stage) }

// watchWord awaits the word of another node for it.
func (x *Run) watchWord(p cluster.Poster, word, node, stage int32) {
	x.op = cluster.Op{Kind: cluster.KindAwait, Off: x.word(wordNode + word), Arg: int32(cluster.CmpGreaterEqual), A: x.told(0), Then: x, ThenArg: node | stage}
	p.Post(&x.op)
}

// signal changes a word of the slot at a peer.
func (x *Run) signal(p cluster.Poster, to Peer, word int32, how cluster.SigOp, v uint64) {
	x.op = cluster.Op{Kind: cluster.KindPut, Peer: x.global(to), Off: x.words, Sig: x.word(word), SigOp: how, A: v, Early: true, Then: discard{}}
	p.Post(&x.op)
}

// there is the place of a node's peer.
func (x *Run) there(node int32) Place {
	s := x.Schedule
	q := Place{Schedule: s, Rel: wrap(x.Peer(s.Nodes[node].Peer)-x.Root, s.Ranks), Root: x.Root, Blocks: x.Blocks}
	if x.does.others != nil {
		q.Schedule = x.does.others[node]
	}
	return q
}

// target finds the bytes of a reference at a peer whose buffer begins at base.
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

// put moves a message to where its buffer begins at the peer, or to where the address
// says that is (base −1).
func (x *Run) put(p cluster.Poster, n *Node, node int32, q *Place, base int64) {
	recv := &q.Schedule.Nodes[x.does.partners[node]]
	member := x.Peer(n.Peer)
	if base < 0 {
		var there bool
		if base, there = x.origin(q, recv.Ref.Buf, member); !there && recv.Ref.N != 0 {
			x.fail("a put needs the address of where it goes: give it, or use %s addresses", Bounced)
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

// get fetches a message out of the sender's buffer, which begins at base.
func (x *Run) get(p cluster.Poster, n *Node, node int32, base int64) {
	q := x.there(node)
	x.op = cluster.Op{Kind: cluster.KindGet, Peer: x.global(n.Peer), Size: x.Bytes(n.Ref), Then: x, ThenArg: node | stageGot}
	x.op.Off, x.op.Vec = x.target(&q, q.Schedule.Nodes[x.does.partners[node]].Ref, base)
	if !x.call.sizes && x.op.Size > 0 {
		x.op.Buf = x.piece(n, node)
	}
	p.Post(&x.op)
}
