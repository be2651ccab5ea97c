package coll

import "github.com/hybridtop/hybridtop/cluster"

// This file moves the messages of a schedule by puts and gets (paper 5, section 3.3). Flags in slots
// (space.go) carry addresses and notifications:
//
//	             receiver    sender               receiver            sender
//	put          [CTS]       puts bytes and flag  waits for its flag
//	put-only     [CTS]       puts bytes
//	rendezvous               RTS                  gets, acknowledges  waits for its flag
//
// A CTS (clear to send) has the address of the receiver's buffer, and permits to write there. It is
// omitted if the sender knows the address and may write at any time. An RTS (request to send) has
// the address of the sender's bytes. An empty message is a flag in every transfer.
//
// The argument of a continuation has the node and the completed stage.
const (
	stageDone    = iota << stageShift // the whole node
	stageCleared                      // a sender has received the CTS
	stageFlagged                      // a receiver has seen its flag; a sender's bytes are ready for the RTS
	stageGot                          // the receiver has the bytes
	stages       = 3 << stageShift
	stageShift   = 29
)

// discard is the continuation of an operation without dependents.
type discard struct{}

func (discard) Step(cluster.Poster, int32, cluster.Done) {}

// isGet reports whether the receiver transfers a message by a get.
func (m Modes) isGet(n *Node) bool { return m.Transfer == Rendezvous && n.Ref.N != 0 }

// needsCTS reports whether the receiver of a put must first send its address and its permission.
// Puts into bounce buffers need neither.
func (m Modes) needsCTS(recv *Node) bool {
	return m.usesCTS() && recv.Ref.N != 0 && recv.Ref.Buf == Out
}

func (m Modes) usesCTS() bool {
	return m.Transfer.lands() && (m.Address == Local || m.Address == Single && m.In == MySync)
}

// isUnsignaled reports whether no flag follows a put.
func (m Modes) isUnsignaled(n *Node) bool { return m.Transfer == PutOnly && n.Ref.N != 0 }

// sharesFlag reports whether a node has no separate flag. Nodes that only the end of the call waits
// for share one flag.
func (s *Schedule) sharesFlag(m Modes, node int32) bool {
	n := &s.Nodes[node]
	switch {
	case !s.isFinal(node):
		return false
	case n.Kind == Send:
		return m.isGet(n)
	}
	return n.Deps == 0 && !m.isGet(n) && !m.isUnsignaled(n)
}

// flagOff returns the offset of a flag in the slot.
func (x *Run) flagOff(i int32) int64 { return x.flagsOff + 8*int64(i) }

// flagValue returns the value of a flag that carries an offset.
func (x *Run) flagValue(off int64) uint64 { return x.round<<addressBits | uint64(off) }

// flagAddress returns the offset that the value of a flag carries.
func flagAddress(value uint64) int64 { return int64(value & (1<<addressBits - 1)) }

// bufferOff returns the offset of a member's buffer in its segment; false: the caller does not know
// it.
func (x *Run) bufferOff(p *Place, b Buf, member int32) (int64, bool) {
	if b < temps && x.plan.key.Address != Bounced {
		at := x.call.inAt
		if b == Out {
			at = x.call.outAt
		}
		if at == nil {
			return 0, false
		}
		return at.offset(member), true
	}
	return x.buffersOff + p.slotOffset(b), true
}

// accountMessage counts the member's puts and gets.
func (x *Run) accountMessage(n *Node, node int32) {
	r, isGet := x.comm.r, x.plan.key.isGet(n)
	to := int(x.global(n.Peer))
	switch {
	case n.Kind == Send && isGet: // the RTS
		r.Account(to, 1, 0)
	case n.Kind == Send:
		r.Account(to, 1, x.Bytes(n.Ref))
	case isGet: // the get and the acknowledgement
		r.Account(to, 1, x.Bytes(n.Ref))
		r.Account(to, 1, 0)
	case x.plan.ctsNodes[node] == node: // the CTS
		r.Account(to, 1, 0)
	}
}

// awaitSharedFlags awaits the flags that messages share. It runs in a continuation, because
// continuations of the first nodes may run inside any later post of the rank, and all share one Op.
func (x *Run) awaitSharedFlags(p cluster.Poster) {
	space := x.comm.space
	arrivals, acks := &space.arrivals[x.spaceSlot], &space.acks[x.spaceSlot]
	*arrivals += x.plan.sharedRecvs
	*acks += x.plan.sharedSends
	if x.plan.sharedRecvs > 0 {
		x.awaitUntil(p, flagArrivals, *arrivals, argArrivals)
	}
	if x.plan.sharedSends > 0 {
		x.awaitUntil(p, flagAcks, *acks, argAcks)
	}
}

// awaitFlag awaits the flag of a node.
func (x *Run) awaitFlag(p cluster.Poster, node, stage int32) {
	x.awaitUntil(p, flagNode+node, x.flagValue(0), node|stage)
}

// awaitUntil awaits a flag of the slot until it is at least min, and continues with arg.
func (x *Run) awaitUntil(p cluster.Poster, flag int32, min uint64, arg int32) {
	x.op = cluster.Op{
		Kind: cluster.KindAwait, Off: x.flagOff(flag), Arg: int32(cluster.CmpGreaterEqual), A: min,
		Then: x, ThenArg: arg,
	}
	p.Post(&x.op)
}

// signal changes a flag of the slot at a peer.
func (x *Run) signal(p cluster.Poster, to Peer, flag int32, how cluster.SigOp, v uint64) {
	x.op = cluster.Op{
		Kind: cluster.KindPut, Peer: x.global(to), Off: x.flagsOff, Early: true,
		Sig: x.flagOff(flag), SigOp: how, A: v,
		Then: discard{},
	}
	p.Post(&x.op)
}

// partnerSignal returns the signal for the other end of a message: its own flag, or a counter if it
// shares one.
func (x *Run) partnerSignal(q *Place, node, counter int32) (flag int32, how cluster.SigOp, v uint64) {
	partner := x.plan.partners[node]
	if q.Schedule.sharesFlag(x.plan.key.Modes, partner) {
		return counter, cluster.SigAdd, 1
	}
	return flagNode + partner, cluster.SigSet, x.flagValue(0)
}

// startMessage starts one end of a message.
func (x *Run) startMessage(p cluster.Poster, n *Node, node int32) {
	if n.Kind == Send {
		x.startSend(p, n, node)
	} else {
		x.startRecv(p, n, node)
	}
}

func (x *Run) startSend(p cluster.Poster, n *Node, node int32) {
	k := &x.plan.key
	switch {
	case k.isGet(n) && k.Address == Bounced && n.Ref.Buf < temps:
		x.bounce(p, n, node, stageFlagged)
	case k.isGet(n):
		x.sendRTS(p, n, node)
	case x.plan.ctsNodes[node] >= 0:
		x.waitingPuts = append(x.waitingPuts, node)
		if len(x.waitingPuts) == x.clearedPuts+1 {
			x.startClearedPuts(p)
		}
	default:
		q := x.peerPlace(node)
		x.put(p, n, node, &q, -1)
	}
}

func (x *Run) startRecv(p cluster.Poster, n *Node, node int32) {
	switch k := &x.plan.key; {
	case k.isGet(n):
		x.awaitFlag(p, node, stageFlagged)
	case k.isUnsignaled(n): // the end of the call guarantees its arrival
		x.complete(node, cluster.Done{})
	case !x.plan.isFlagShared[node]:
		x.awaitFlag(p, node, stageFlagged)
	}
}

// startClearedPuts starts the puts whose addresses have arrived, in the order in which their nodes
// became ready. The order of the addresses does not matter, so that other members wait in a
// deterministic order.
func (x *Run) startClearedPuts(p cluster.Poster) {
	for x.clearedPuts < len(x.waitingPuts) && x.err == nil {
		node := x.waitingPuts[x.clearedPuts]
		n := &x.Schedule.Nodes[node]
		ctsNode := x.plan.ctsNodes[node]
		base := x.targetOffsets[ctsNode]
		if base < 0 {
			x.awaitUntil(p, flagNode+ctsNode, x.flagValue(0), node|stageCleared)
			return
		}
		x.clearedPuts++
		q := x.peerPlace(node)
		x.put(p, n, node, &q, base)
	}
	x.waitingPuts, x.clearedPuts = x.waitingPuts[:0], 0
}

// sendRTS sends the address of the bytes to the receiver of a rendezvous.
func (x *Run) sendRTS(p cluster.Poster, n *Node, node int32) {
	from, isKnown := x.bufferOff(&x.Place, n.Ref.Buf, int32(x.comm.team.Rank()))
	if !isKnown {
		x.fail("a rendezvous needs the address of the sent data (set it, or use %s addresses)", Bounced)
		return
	}
	if !x.plan.isFlagShared[node] {
		x.awaitFlag(p, node, stageDone)
	}
	x.signal(p, n.Peer, flagNode+x.plan.partners[node], cluster.SigSet, x.flagValue(from))
}

// sendAllCTS sends the address and the permission to each member that will put, once per member.
func (x *Run) sendAllCTS(p cluster.Poster) {
	for i := range x.plan.ctsNodes {
		if n := &x.Schedule.Nodes[i]; n.Kind == Recv && x.plan.ctsNodes[i] == int32(i) && x.err == nil {
			x.sendCTS(p, n, int32(i))
		}
	}
}

func (x *Run) sendCTS(p cluster.Poster, n *Node, node int32) {
	to, isKnown := x.bufferOff(&x.Place, n.Ref.Buf, int32(x.comm.team.Rank()))
	if !isKnown {
		x.fail("a put needs the address of its target (set it, or use %s addresses)", Bounced)
		return
	}
	x.signal(p, n.Peer, flagNode+x.plan.partners[node], cluster.SigSet, x.flagValue(to))
}

// advance is the continuation of a part of a message, or of a node that moves no bytes.
func (x *Run) advance(p cluster.Poster, arg int32, d cluster.Done) {
	switch arg {
	case argArrivals:
		x.acceptShared(p, Recv)
		return
	case argAcks:
		x.acceptShared(p, Send)
		return
	}
	node, stage := arg&^stages, arg&stages
	n := &x.Schedule.Nodes[node]
	if d.Err != cluster.OK {
		x.fail("%s by %s of rank %d failed (code %d)", n.Kind, x.plan.key.Transfer, x.Peer(n.Peer), d.Err)
		return
	}
	switch {
	case stage == stageCleared:
		x.targetOffsets[x.plan.ctsNodes[node]] = flagAddress(d.A)
		x.startClearedPuts(p)
	case stage == stageFlagged && n.Kind == Send: // the bytes are in the bounce buffer
		x.sendRTS(p, n, node)
	case stage == stageFlagged && x.plan.key.isGet(n): // the RTS has arrived
		x.get(p, n, node, flagAddress(d.A))
	case stage == stageFlagged:
		x.accept(p, n, node)
	case stage == stageGot:
		x.acknowledge(p, n, node)
		x.complete(node, d)
	default:
		x.complete(node, d)
	}
}

// acceptShared continues with all messages that share a flag.
func (x *Run) acceptShared(p cluster.Poster, kind Kind) {
	nodes := x.Schedule.Nodes
	for i := range nodes {
		if n := &nodes[i]; n.Kind == kind && x.plan.isFlagShared[i] {
			x.accept(p, n, int32(i))
		}
	}
}

// acknowledge unpacks the bytes of a get, and signals the sender that the receiver has them.
func (x *Run) acknowledge(p cluster.Poster, n *Node, node int32) {
	if b := x.staged[node]; b != nil {
		x.unpack(n.Ref, b)
	}
	q := x.peerPlace(node)
	flag, how, v := x.partnerSignal(&q, node, flagAcks)
	x.signal(p, n.Peer, flag, how, v)
}

// accept continues with an arrived message. If it arrived in a bounce buffer, it is copied first.
func (x *Run) accept(p cluster.Poster, n *Node, node int32) {
	if n.Kind != Recv || n.Ref.Buf >= temps || x.plan.key.Address != Bounced || n.Ref.N == 0 {
		x.complete(node, cluster.Done{})
		return
	}
	x.bounce(p, n, node, stageDone)
}

// bounce copies a message out of or into a bounce buffer, and then continues with the stage.
func (x *Run) bounce(p cluster.Poster, n *Node, node int32, stage int32) {
	if !x.call.isSizeOnly {
		to, from := x.buffer(n.Ref.Buf), x.comm.r.Segment()[x.buffersOff+x.slotOffset(n.Ref.Buf):]
		if n.Kind == Send {
			to, from = from, to
		}
		x.Runs(n.Ref, func(off, n int64) { copyChanged(to[off:off+n], from[off:off+n]) })
	}
	x.op = cluster.Op{Kind: cluster.KindWork, B: uint64(2 * x.Bytes(n.Ref)), Then: x, ThenArg: node | stage}
	p.Post(&x.op)
}

// copyChanged copies only the bytes that differ, because others may be reading equal bytes.
func copyChanged(to, from []byte) {
	for i, b := range from {
		if to[i] != b {
			to[i] = b
		}
	}
}

// peerPlace returns the Place of a node's peer.
func (x *Run) peerPlace(node int32) Place {
	s := x.Schedule
	q := Place{Schedule: s, Rel: wrap(x.Peer(s.Nodes[node].Peer)-x.Root, s.Ranks), Root: x.Root, Blocks: x.Blocks}
	if x.plan.peerSchedules != nil {
		q.Schedule = x.plan.peerSchedules[node]
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
		return x.flagsOff, nil
	case 1:
		return x.spans[0].Off, nil
	}
	return 0, x.spans
}

// put puts a message into the peer's buffer at base. base −1: the sender knows the address.
func (x *Run) put(p cluster.Poster, n *Node, node int32, q *Place, base int64) {
	recv := &q.Schedule.Nodes[x.plan.partners[node]]
	member := x.Peer(n.Peer)
	if base < 0 {
		var isKnown bool
		base, isKnown = x.bufferOff(q, recv.Ref.Buf, member)
		if !isKnown && recv.Ref.N != 0 {
			x.fail("a put needs the address of its target (set it, or use %s addresses)", Bounced)
			return
		}
	}
	x.op = cluster.Op{
		Kind: cluster.KindPut, Peer: x.global(n.Peer), Size: x.Bytes(n.Ref), Early: true,
		Then: x, ThenArg: node | stageDone,
	}
	x.op.Off, x.op.Vec = x.target(q, recv.Ref, base)
	if !x.call.isSizeOnly && x.op.Size > 0 {
		x.op.Buf = x.messageBytes(n, node)
	}
	if x.plan.key.isUnsignaled(n) {
		x.op.Early = false
	} else {
		flag, how, v := x.partnerSignal(q, node, flagArrivals)
		x.op.Sig, x.op.SigOp = x.flagOff(flag), how
		x.op.A = v
	}
	p.Post(&x.op)
}

// get gets a message from the sender's buffer at base.
func (x *Run) get(p cluster.Poster, n *Node, node int32, base int64) {
	q := x.peerPlace(node)
	x.op = cluster.Op{Kind: cluster.KindGet, Peer: x.global(n.Peer), Size: x.Bytes(n.Ref), Then: x,
		ThenArg: node | stageGot}
	x.op.Off, x.op.Vec = x.target(&q, q.Schedule.Nodes[x.plan.partners[node]].Ref, base)
	if !x.call.isSizeOnly && x.op.Size > 0 {
		x.op.Buf = x.messageBytes(n, node)
	}
	p.Post(&x.op)
}
