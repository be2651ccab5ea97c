package coll

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// The shared control block of a team has slots, which calls with loads use in turn. A slot has the
// addresses of each member's buffers (In, Out and temporary ones), valid until all members have
// ended the call, and two flags. The first flag counts the arrivals of the slot's calls. The second
// flag counts the members that have ended them. If flags are memory of this host, a group of slots
// shares the second flag, because cores would exchange its cache line at every call.
const (
	boardSlots       = cluster.BoardPlaces / addressesPerSlot
	addressesPerSlot = 3 // In, Out, temporary
	groupSlots       = 4
)

func arrivalFlag(slot int) int32 { return int32(2 * slot) }

// groupOf returns the first slot of a slot group, which shares one flag for ended calls.
func (b *board) groupOf(slot int) int { return slot &^ (b.groupSize - 1) }

func (b *board) doneFlag(slot int) int32 { return int32(2*b.groupOf(slot) + 1) }

func addressIndex(slot int, b Buf) int { return slot*addressesPerSlot + int(min(b, temps)) }

// board is a member's side of the team's shared control block.
type board struct {
	*cluster.Board
	isReady   bool
	isDirect  bool // loads and flags are memory of this host, without a model of their time
	isOneNode bool // the team is in one node
	nextSlot  int
	groupSize int   // slots per group, a power of two
	uncounted int32 // inline calls of the present group that are not counted as ended yet
	slots     [boardSlots]struct {
		calls uint64 // of this slot so far
		marks uint64 // of all of them
		words []uint64
		open  atomic.Int32 // of the first slot of a group: the calls of the group that are in progress here
	}
}

// Reaches reports whether each member of the team can load the memory of all others, as
// algorithms with the need Reach require. The result is the same at every member.
func (c *Comm) Reaches() bool {
	if b := &c.board; !b.isReady {
		b.isReady, b.Board, b.isDirect = true, c.lib.Port().Board(c.lib.BoardContext(c.team)), c.lib.Port().Direct()
		if b.groupSize = 1; b.isDirect {
			b.groupSize = groupSlots
		}
		for i := range b.slots {
			b.slots[i].open.Store(int32(b.groupSize))
		}
		l := &c.r.Spec().Layout
		b.isOneNode = true
		for _, rank := range c.team.Members() {
			b.isOneNode = b.isOneNode && l.NodeOf(int(rank)) == c.r.Spec().Layout.NodeOf(c.r.ID())
		}
	}
	return c.board.Board != nil
}

// takeSlot takes the next slot for a call.
func (x *Run) takeSlot() {
	b := &x.comm.board
	x.boardSlot = b.nextSlot
	if b.nextSlot++; b.nextSlot == boardSlots {
		b.nextSlot = 0
	}
	t := &b.slots[x.boardSlot]
	x.doneBefore, x.arrivalsBefore = t.calls*uint64(x.Schedule.Ranks), t.marks
	x.signature = uint64(x.call.Key.Algorithm.id)<<56 | uint64(x.Root)<<32 | uint64(uint32(x.Blocks.Bytes()))
	t.calls++
	t.marks += uint64(x.Schedule.Marks)
}

// takeUncounted returns the number of inline calls that are not counted as ended, and resets it.
func (b *board) takeUncounted() int32 {
	n := b.uncounted
	b.uncounted = 0
	return n
}

// isLastOfGroup reports whether the call's slot is the last one of its group.
func (x *Run) isLastOfGroup() bool { return (x.boardSlot+1)&(x.comm.board.groupSize-1) == 0 }

// endCalls ends calls of the slot's group. It reports whether the flag of ended calls has to be
// incremented.
func (x *Run) endCalls(calls int32) bool {
	b := &x.comm.board
	open := &b.slots[b.groupOf(x.boardSlot)].open
	if open.Add(-calls) > 0 {
		return false
	}
	open.Store(int32(b.groupSize)) // no later call of the group ends before the flag is incremented
	return true
}

// allocScratch makes the temporary buffers of a call with loads. They are next to the flag if the
// buffers of all members fit there, so that a member that waits for the flag has the bytes, too.
func (x *Run) allocScratch(total int64) {
	b, me := &x.comm.board, x.comm.team.Rank()
	line := b.Words[arrivalFlag(x.boardSlot)].Room[:]
	if each := len(line) / x.comm.team.Size(); total <= 8*int64(each) {
		x.tempBytes = cluster.Bytes(line[each*me : each*(me+1)])
		return
	}
	t := &b.slots[x.boardSlot]
	if need := int(total+7) / 8; need > len(t.words) {
		t.words = make([]uint64, need)
	}
	x.tempBytes = cluster.Bytes(t.words)
}

// failMismatch fails a call if another member makes another call, or one of another length.
// Lengths are compared modulo 4 GiB.
func (x *Run) failMismatch(member int32, signature uint64) {
	x.fail("mismatched collective: rank %d calls %s, this rank %s; call and length must agree on all members", member, describeCall(signature), describeCall(x.signature))
}

// describeCall names the call of a member.
func describeCall(signature uint64) string {
	for _, a := range registry {
		if uint64(a.id) != signature>>56 {
			continue
		}
		text := fmt.Sprintf("%s by %s", a.Collective, a.Name)
		if a.Collective.Rooted() {
			text += fmt.Sprintf(" with root %d", signature>>32&(1<<24-1))
		}
		return fmt.Sprintf("%s of %d B", text, uint32(signature))
	}
	return "nothing"
}

// publish makes the address of a buffer visible to the other members.
func (x *Run) publish(r *Ref) {
	x.comm.board.Note(x.boardSlot, x.comm.team.Rank(), x.signature)
	if r.N == 0 || x.call.isSizeOnly {
		return
	}
	b, me, buf := &x.comm.board, x.comm.team.Rank(), x.buffer(r.Buf)
	index := addressIndex(x.boardSlot, r.Buf)
	if now := b.Peer(index, me); unsafe.SliceData(now) != unsafe.SliceData(buf) || len(now) != len(buf) {
		b.Expose(index, me, buf)
	}
}

// flagOp makes an operation on a flag.
func (x *Run) flagOp(o *cluster.Op, kind cluster.Kind, flag int32, n uint64) *cluster.Op {
	o.Kind, o.Ctx, o.Tag, o.A, o.Then = kind, x.comm.lib.BoardContext(x.comm.team), flag, n, nil
	return o
}

// perform runs all nodes inline, one after another. No node is a message.
func (x *Run) perform() error {
	c, bound := x.comm, x.bound
	x.takeSlot()
	x.waitForFlag(c.board.doneFlag(x.boardSlot), x.doneBefore)
	if bound == nil {
		x.allocTemps()
	} else {
		x.tempOffsets = append(x.tempOffsets[:0], bound.tempOffsets...)
		x.allocTempBytes(bound.tempSize)
	}
	nodes := x.Schedule.Nodes
	for i := range nodes {
		n := &nodes[i]
		switch n.Kind {
		case Mark:
			x.publish(&n.Ref)
			x.incrementFlag(arrivalFlag(x.boardSlot))
			continue
		case Meet:
			x.waitForFlag(arrivalFlag(x.boardSlot), x.arrivalsBefore+uint64(n.Count))
			continue
		}
		at := &x.strides
		if bound != nil {
			at = &bound.nodes[i]
		} else {
			*at = x.stridesOf(n)
		}
		if n.Kind == Load || n.Kind == Fold {
			x.accountLoads(n, at)
		}
		x.runInline(n, at)
		if !c.board.isDirect {
			x.charge(n)
			x.op.Then = nil
			if h := c.lib.Port().Post(&x.op); h != 0 {
				c.lib.Await(h)
			}
		}
	}
	if c.board.uncounted++; x.isLastOfGroup() && x.endCalls(c.board.takeUncounted()) {
		x.incrementFlag(c.board.doneFlag(x.boardSlot))
	}
	err := x.err
	x.free()
	return err
}

// incrementFlag increments a flag.
func (x *Run) incrementFlag(flag int32) {
	b, by := &x.comm.board, uint64(1)
	if b.isDirect {
		if !b.Raise(flag, 1) {
			return
		}
		by = 0
	}
	x.comm.lib.Port().Post(x.flagOp(&x.op, cluster.KindRaise, flag, by))
}

// waitForFlag waits until a flag is at least n.
func (x *Run) waitForFlag(flag int32, n uint64) {
	c := x.comm
	if c.board.isDirect {
		now := &c.board.Words[flag].N
		for range c.board.Looks + 1 {
			if now.Load() >= n {
				return
			}
		}
	}
	if h := c.lib.Port().Post(x.flagOp(&x.op, cluster.KindReached, flag, n)); h != 0 {
		c.lib.Await(h)
	}
}
