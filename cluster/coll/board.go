package coll

import (
	"slices"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// The shared control block of a team (cluster.Board) has slots. Calls with loads use them
// round-robin. A slot has the addresses of each member's buffers (In, Out and temporary ones), which
// are valid until all members have ended the call. It also has two flags:
//   - the arrival flag counts the marks of the slot's calls
//   - the done flag counts the members that have ended them
//
// If flags are memory of this host, the slots of a group share one done flag. Otherwise cores would
// exchange its cache line at every call.
const (
	boardSlots       = cluster.BoardPlaces / addressesPerSlot
	addressesPerSlot = 3 // In, Out, temporary
	groupSlots       = 4
)

// board is a member's side of the team's shared control block.
type board struct {
	*cluster.Board
	isReady   bool
	isDirect  bool // loads and flags are memory of this host, without a model of their time
	isOneNode bool // the team is in one node
	nextSlot  int
	groupSize int                    // slots per group, a power of two
	uncounted int32                  // inline calls of the current group that endCalls does not know yet
	slots     *[boardSlots]slotState // nil: no control block
}

// slotState is a member's view of a slot.
type slotState struct {
	calls   uint64       // calls of the slot so far
	marks   uint64       // marks of these calls
	sum     uint64       // their sum, by markOf
	scratch []uint64     // temporary buffers that do not fit next to the arrival flag
	open    atomic.Int32 // in the first slot of a group: calls of the group that have not ended here
}

func arrivalFlag(slot int) int32 { return int32(2 * slot) }

// doneFlag returns the done flag of a slot: the second flag of the first slot of its group.
func (b *board) doneFlag(slot int) int32 { return int32(2*b.groupOf(slot) + 1) }

// groupOf returns the first slot of a slot's group.
func (b *board) groupOf(slot int) int { return slot &^ (b.groupSize - 1) }

// addressIndex returns the position of a buffer's address in the control block.
func addressIndex(slot int, b Buf) int { return slot*addressesPerSlot + int(min(b, temps)) }

// Reaches reports whether each member of the team can load the memory of all others, as
// algorithms with the need Reach require. The result is the same at every member.
func (c *Comm) Reaches() bool {
	if !c.board.isReady {
		c.openBoard()
	}
	return c.board.Board != nil
}

// openBoard prepares this member's side of the shared control block, if the team has one.
func (c *Comm) openBoard() {
	b, port := &c.board, c.lib.Port()
	b.isReady = true
	b.Board = port.Board(c.lib.BoardContext(c.team))
	b.isDirect = port.Direct()
	b.groupSize = 1
	if b.isDirect {
		b.groupSize = groupSlots
	}
	if b.Board != nil {
		b.slots = new([boardSlots]slotState)
		for i := range b.slots {
			b.slots[i].open.Store(int32(b.groupSize))
		}
	}
	layout := &c.r.Spec().Layout
	node := layout.NodeOf(c.r.ID())
	isElsewhere := func(rank int32) bool { return layout.NodeOf(int(rank)) != node }
	b.isOneNode = !slices.ContainsFunc(c.team.Members(), isElsewhere)
}

// takeSlot takes the next slot for a call.
func (x *Run) takeSlot() {
	b := &x.comm.board
	x.boardSlot = b.nextSlot
	b.nextSlot++
	if b.nextSlot == boardSlots {
		b.nextSlot = 0
	}
	slot := &b.slots[x.boardSlot]
	x.doneBefore = slot.calls * uint64(x.Schedule.Ranks)
	x.arrivalsBefore, x.callsBefore = slot.marks, slot.sum
	x.signature = signatureOf(x.plan.key.Algorithm, x.Root, x.Blocks.Bytes())
	b.Note(x.boardSlot, x.comm.team.Rank(), x.signature)
	slot.calls++
	slot.marks += uint64(x.Schedule.Marks)
	slot.sum += uint64(x.Schedule.Marks) * markOf(x.signature)
}

// isLastOfGroup reports whether the call's slot is the last one of its group.
func (x *Run) isLastOfGroup() bool { return (x.boardSlot+1)&(x.comm.board.groupSize-1) == 0 }

// takeUncounted returns the number of inline calls for endCalls, and resets it. Inline calls end
// together, with the last call of their group, which saves an atomic operation per call.
func (b *board) takeUncounted() int32 {
	n := b.uncounted
	b.uncounted = 0
	return n
}

// endCalls ends calls of the slot's group. It reports whether the whole group has ended here. The
// caller then increments the done flag.
func (x *Run) endCalls(calls int32) bool {
	b := &x.comm.board
	open := &b.slots[b.groupOf(x.boardSlot)].open
	if open.Add(-calls) > 0 {
		return false
	}
	open.Store(int32(b.groupSize)) // no later call of the group ends before the flag is incremented
	return true
}

// allocScratch makes the temporary buffers of a call with loads. They are next to the flag if
// the buffers of all members fit there, so that a member that waits for the flag has the bytes, too.
func (x *Run) allocScratch(total int64) {
	b, me := &x.comm.board, x.comm.team.Rank()
	line := b.Words[arrivalFlag(x.boardSlot)].Room[:]
	share := len(line) / x.comm.team.Size()
	if total <= 8*int64(share) {
		x.tempBytes = cluster.Bytes(line[share*me : share*(me+1)])
		return
	}
	slot := &b.slots[x.boardSlot]
	if need := int(total+7) / 8; need > len(slot.scratch) {
		slot.scratch = make([]uint64, need)
	}
	x.tempBytes = cluster.Bytes(slot.scratch)
}

// publish makes the address of a buffer visible to the other members.
func (x *Run) publish(r *Ref) {
	b, me := &x.comm.board, x.comm.team.Rank()
	b.Words[arrivalFlag(x.boardSlot)].Calls.Add(markOf(x.signature))
	if r.N == 0 || x.call.isSizeOnly {
		return
	}
	buf := x.buffer(r.Buf)
	index := addressIndex(x.boardSlot, r.Buf)
	if !isSame(b.Peer(index, me), buf) { // do not invalidate a cache line that others read
		b.Expose(index, me, buf)
	}
}

// flagOp makes an operation on a flag.
func (x *Run) flagOp(o *cluster.Op, kind cluster.Kind, flag int32, n uint64) *cluster.Op {
	o.Kind = kind
	o.Ctx = x.comm.lib.BoardContext(x.comm.team)
	o.Tag = flag
	o.A = n
	o.Then = nil
	return o
}

// incrementFlag increments a flag.
func (x *Run) incrementFlag(flag int32) {
	b, by := &x.comm.board, uint64(1)
	if b.isDirect {
		if !b.Raise(flag, 1) {
			return
		}
		by = 0 // the operation only wakes a member
	}
	x.comm.lib.Port().Post(x.flagOp(&x.op, cluster.KindFlagAdd, flag, by))
}

// waitForFlag waits until a flag is at least n. On memory of this host it polls before it sleeps.
func (x *Run) waitForFlag(flag int32, n uint64) {
	c := x.comm
	if c.board.isDirect {
		now := &c.board.Words[flag].N
		for range c.board.SpinLimit + 1 {
			if now.Load() >= n {
				return
			}
		}
	}
	if h := c.lib.Port().Post(x.flagOp(&x.op, cluster.KindFlagWait, flag, n)); h != 0 {
		c.lib.Await(h)
	}
}
