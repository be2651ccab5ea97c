package coll

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// Run is a call in progress: a schedule, and the open dependencies of its nodes. The fabric's
// progress engine advances it, with one continuation per completed node.
//
// The fields for messages come first, because with many ranks each continuation finds its Run out
// of every cache.
type Run struct {
	Place
	comm    *Comm
	does    *share
	first   int32    // cluster rank of member 0; −1: the members' ranks are not consecutive
	left    []uint16 // by node
	ready   []int32
	done    cluster.Handle // an event; 0: already waited for
	trouble error
	open    int32 // number of incomplete nodes
	tag     int32
	ctx     int32            // context of messages
	oneSide bool             // transfers are one-sided
	few     [fewNodes]uint16 // memory of left for a short schedule
	soon    [fewReady]int32  // memory of ready for a narrow schedule
	op      cluster.Op       // the next operation to post
	next    *Run             // next free Run

	call    Call
	carried int32 // number of the call on the collective network
	temp    []byte
	temps   []int64          // offsets of the temporary buffers
	staged  map[int32][]byte // packed bytes of messages that are not contiguous
	scratch []uint64
	cuts    []cut
	mine    []uint64 // memory of the temporary buffers

	// The fields below are for loads.
	at            int    // slot of the shared control block
	before, marks uint64 // flags of earlier calls in the slot: ends and marks
	says          uint64 // encoding of this member's call
	looked        int64  // bytes of the last load or fold
	bound         *bound // positions of an inline call; nil: not computed
	strides       strides
	sources       [][]byte

	// The fields below are for one-sided transfers.
	slot   int
	words  int64   // offset of the slot's flags, on every member
	bytes  int64   // offset of the slot's buffers
	round  uint64  // number of earlier uses of the slot
	inTurn []int32 // sends waiting for an address
	served int     // number of these that have an address
	bases  []int64 // addresses, by lead; −1: not arrived yet
	spans  []cluster.Span
}

// fewNodes is the maximum number of nodes of a short schedule: a dissemination among 65,536 ranks.
const fewNodes = 40

// fewReady is the maximum number of ready nodes of a narrow schedule.
const fewReady = 4

// Arguments of continuations that do not belong to a node.
const (
	begins = -1 - iota // posts the first nodes inside the fabric, so that no two continuations run at the same time
	heard              // the messages that share a flag have arrived
	acked              // the messages with a common acknowledgement have been received
)

// start begins the call.
func (x *Run) start() error {
	c, s := x.comm, x.Schedule
	if old := c.begun[c.turn]; old != nil {
		old.await()
	}
	if x.call.Key.Transfer.OneSided() {
		if err := c.claim(x); err != nil {
			return err
		}
	}
	if x.call.Key.Algorithm.Needs&Network != 0 { // members without a part count the call, too
		c.number++
		x.carried = c.number
	}
	x.tag = int32(c.turn+1)<<laneBits | int32(x.Schedule.Collective)<<(laneBits-kindBits)
	c.begun[c.turn] = x
	c.turn = (c.turn + 1) % turns
	x.open = int32(len(s.Nodes))
	x.ctx, x.first = c.ctx, c.first
	if x.left == nil && len(s.Nodes) <= fewNodes {
		x.left = x.few[:0]
	}
	if x.ready == nil {
		x.ready = x.soon[:0]
	}
	x.left, x.ready = append(x.left[:0], s.deps...), append(x.ready[:0], s.heads...)
	switch {
	case s.Marks > 0:
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == Load || n.Kind == Fold {
				x.strides = x.stridesOf(n)
				x.accountLoads(n, &x.strides)
			}
		}
	case x.oneSide:
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == Send || n.Kind == Recv {
				x.account(n, int32(i))
			}
		}
	default:
		for _, i := range s.sends {
			n := &s.Nodes[i]
			c.r.Account(int(x.global(n.Peer)), 1, x.Bytes(n.Ref))
		}
	}
	if s.Marks == 0 {
		x.place()
	}
	o := &c.begin // not the Op of continuations: another thread may run them before Post returns
	*o, x.op = cluster.Op{Kind: cluster.KindEvent, Arg: 1}, cluster.Op{}
	x.done = c.lib.Port().Post(o)
	*o = cluster.Op{Kind: cluster.KindWork}
	if s.Marks > 0 {
		x.takeSlot()
		if x.last() {
			x.ends(c.board.settle()) // not all: this call is open
		}
		x.boardWord(o, cluster.KindReached, c.board.doneFlag(x.at), x.before)
	}
	o.Then, o.ThenArg = x, begins
	c.lib.Port().Post(o)
	return nil
}

// place allocates the temporary buffers.
func (x *Run) place() {
	var total int64
	x.temps, total = x.begins(x.temps)
	x.reserve(total)
}

// begins returns the offset of each temporary buffer, and their total size.
func (p *Place) begins(at []int64) (begins []int64, total int64) {
	begins = at[:0]
	for i := range p.Schedule.Temps {
		begins = append(begins, total)
		total += aligned8(p.Size(temps + Buf(i)))
	}
	return begins, total
}

// reserve allocates the memory of the temporary buffers.
func (x *Run) reserve(total int64) {
	s := x.Schedule
	switch {
	case x.call.Key.Transfer.OneSided():
		if x.call.Key.asks() {
			x.bases = x.bases[:0]
			for range s.Nodes {
				x.bases = append(x.bases, -1)
			}
		}
		x.inTurn, x.served = x.inTurn[:0], 0
		if !x.call.sizes {
			x.temp = x.comm.r.Segment()[x.bytes:]
		}
	case x.call.sizes || total == 0 || !s.keeps:
	case s.Marks > 0:
		x.placeScratch(total)
	default:
		if int(total/8) > len(x.mine) {
			x.mine = make([]uint64, total/8)
		}
		x.temp = cluster.Bytes(x.mine)
	}
}

// Wait blocks until the call is complete on this member. The Run must not be used afterwards.
func (x *Run) Wait() error {
	x.await()
	return x.end()
}

// Test reports whether the call is complete on this member. A complete Run must not be used any
// more.
func (x *Run) Test() (bool, error) {
	if x.done != 0 {
		if !x.comm.lib.Test(x.done) {
			return false, nil
		}
		x.done = 0
	}
	return true, x.end()
}

func (x *Run) await() {
	if x.done != 0 {
		x.comm.lib.Await(x.done)
		x.done = 0
	}
}

// end frees the Run.
func (x *Run) end() error {
	c, err := x.comm, x.trouble
	if i := int(x.tag>>laneBits) - 1; i >= 0 && c.begun[i] == x {
		c.begun[i] = nil
	}
	if x.call.Key.Transfer.OneSided() {
		if c.space.runs[x.slot] == x {
			c.space.runs[x.slot] = nil
		}
		x.temp = nil
	}
	if err == nil { // otherwise operations are still in progress
		clear(x.staged)
		x.rest()
	}
	return err
}

// rest makes the Run available for another call.
func (x *Run) rest() {
	x.call, x.temp = Call{}, nil
	x.next, x.comm.idle = x.comm.idle, x
}

// Step implements cluster.Step: a node is complete.
func (x *Run) Step(p cluster.Poster, node int32, d cluster.Done) {
	switch {
	case node == begins:
		if x.Schedule.Marks > 0 {
			x.place()
		}
		if x.oneSide && x.call.Key.Transfer.lands() {
			x.asks(p)
		}
	case x.oneSide:
		x.goesOn(p, node, d)
	default:
		x.complete(node, d)
	}
	for i := 0; i < len(x.ready) && x.trouble == nil; i++ {
		x.post(p, x.ready[i])
	}
	x.ready = x.ready[:0]
	if node == begins && x.oneSide {
		x.count(p)
	}
	if x.open == 0 || x.trouble != nil && x.open > 0 {
		if x.Schedule.Marks > 0 && x.ends(1) {
			p.Post(x.boardWord(&x.op, cluster.KindRaise, x.comm.board.doneFlag(x.at), 1))
		}
		x.open = -1          // ignore operations in progress of a failed call
		fire := &x.comm.fire // not the Op of the call: after the call, its thread may use it for the next call
		fire.Kind, fire.Event = cluster.KindFire, x.done
		p.Post(fire)
	}
}

// complete continues the nodes that waited for a node.
func (x *Run) complete(node int32, d cluster.Done) {
	n := &x.Schedule.Nodes[node]
	if n.Kind == Recv && !x.oneSide {
		want := x.Bytes(n.Ref)
		if d.Err != cluster.OK || d.Size != want {
			x.fail("rank %d sent %d B, want %d: every member must pass the same sizes", x.Peer(n.Peer), d.Size, want)
		} else if !x.call.sizes {
			if b := x.staged[node]; b != nil {
				x.unpack(n.Ref, b)
			}
		}
	} else if n.Kind == Hardware {
		x.fetch(n)
	} else if d.Err != cluster.OK {
		x.fail("%s to rank %d failed (code %d)", n.Kind, x.Peer(n.Peer), d.Err)
	}
	x.open--
	for _, i := range x.Schedule.Next(int(node)) {
		if x.left[i]--; x.left[i] == 0 {
			x.ready = append(x.ready, i)
		}
	}
}

// Next returns the nodes that wait for a node, for recorders.
func (x *Run) Next(node int) []int32 { return x.Schedule.Next(node) }

func (x *Run) fail(format string, args ...any) {
	if x.trouble == nil {
		x.trouble = x.comm.lib.Errorf("%s by %s on %s: %w", x.Schedule.Collective, x.call.Key.Algorithm.Name, x.comm.team.Name(), fmt.Errorf(format, args...))
	}
}

// post starts a node.
func (x *Run) post(p cluster.Poster, node int32) {
	n := &x.Schedule.Nodes[node]
	o := &x.op
	switch n.Kind {
	case Send, Recv:
		if x.oneSide {
			x.oneSided(p, n, node)
			return
		}
		o.Kind = cluster.KindSend
		if n.Kind == Recv {
			o.Kind = cluster.KindRecv
		}
		o.Ctx, o.Tag = x.ctx, x.tag^int32(n.Lane)
		o.Peer = x.global(n.Peer)
		o.Size = x.Bytes(n.Ref)
		o.Buf = nil
		if !x.call.sizes && o.Size > 0 {
			o.Buf = x.piece(n, node)
		}
	case Hardware:
		x.give(n)
		o.Kind, o.Ctx, o.Tag, o.A, o.Buf = cluster.KindTree, x.comm.lib.BoardContext(x.comm.team), x.carried, uint64(n.Count), nil
		o.Size = max(x.Bytes(n.Ref), x.Bytes(n.From))
	case Mark:
		x.show(&n.Ref)
		x.boardWord(o, cluster.KindRaise, countFlag(x.at), 1)
	case Meet:
		x.boardWord(o, cluster.KindReached, countFlag(x.at), x.marks+uint64(n.Count))
	default:
		x.strides = x.stridesOf(n)
		x.work(n, &x.strides)
		x.charge(n)
	}
	o.Then, o.ThenArg = x, node
	p.Post(o)
}

// global returns a peer's rank in the cluster. Tables of large teams do not fit in a cache.
func (x *Run) global(to Peer) int32 {
	at := x.Peer(to)
	if x.first >= 0 {
		return x.first + at
	}
	return x.comm.members[at]
}

// buffer returns all bytes of a buffer.
func (x *Run) buffer(b Buf) []byte {
	switch b {
	case In:
		return x.call.in
	case Out:
		return x.call.out
	}
	return x.temp[x.temps[b-temps]:]
}

// piece returns the bytes of a message: in place if they are contiguous, otherwise packed.
func (x *Run) piece(n *Node, node int32) []byte {
	buf := x.buffer(n.Ref.Buf)
	runs := 0
	var at, size int64
	x.Runs(n.Ref, func(off, n int64) {
		runs++
		at, size = off, size+n
	})
	if runs == 1 {
		return buf[at : at+size : at+size]
	}
	packed := make([]byte, 0, size)
	if n.Kind == Send {
		x.Runs(n.Ref, func(off, n int64) { packed = append(packed, buf[off:off+n]...) })
		return packed
	}
	if x.staged == nil {
		x.staged = map[int32][]byte{}
	}
	x.staged[node] = packed[:size]
	return packed[:size]
}

func (x *Run) unpack(r Ref, b []byte) {
	buf := x.buffer(r.Buf)
	x.Runs(r, func(off, n int64) { b = b[copy(buf[off:off+n], b):] })
}

// local runs a node on bytes of this rank. Both sides have the same length, but may have different
// blocks.
func (x *Run) local(n *Node, at *strides) {
	if dst, src := &at.to, &at.from; at.even && dst.each > 0 { // usual case
		x.apply(n.Kind, x.buffer(n.Ref.Buf)[dst.base:dst.base+dst.each], x.buffer(n.From.Buf)[src.base:src.base+src.each])
		return
	}
	x.cuts = x.cuts[:0]
	x.Runs(n.From, func(off, n int64) { x.cuts = append(x.cuts, cut{off, n}) })
	dst, src := x.buffer(n.Ref.Buf), x.buffer(n.From.Buf)
	next := 0
	x.Runs(n.Ref, func(off, size int64) { next = x.cutting(n.Kind, dst, src, off, size, next) })
}

// cutting runs a node on one range of its blocks. The other side has the ranges from number at on.
// cutting returns the number of the next one.
func (x *Run) cutting(kind Kind, dst, src []byte, off, size int64, at int) int {
	for size > 0 {
		c := &x.cuts[at]
		k := min(size, c.size)
		x.apply(kind, dst[off:off+k], src[c.off:c.off+k])
		off, size = off+k, size-k
		if c.off, c.size = c.off+k, c.size-k; c.size == 0 {
			at++
		}
	}
	return at
}

// cut is one range of bytes.
type cut struct{ off, size int64 }

func (x *Run) apply(k Kind, dst, src []byte) {
	switch k {
	case Copy:
		copy(dst, src)
	case Combine:
		x.call.Combine(dst, src)
	case Precede:
		if need := (len(src) + 7) / 8; need > len(x.scratch) {
			x.scratch = make([]uint64, need)
		}
		left := cluster.Bytes(x.scratch)[:len(src)]
		copy(left, src)
		x.call.Combine(left, dst)
		copy(dst, left)
	}
}
