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
	boardSlots = cluster.BoardPlaces / placesOf
	placesOf   = 3 // In, Out, temporary
	groupSlots = 4
)

func countFlag(slot int) int32 { return int32(2 * slot) }

// group is the first slot of a slot group, which shares one flag for ended calls.
func (b *board) group(slot int) int { return slot &^ (b.shared - 1) }

func (b *board) doneFlag(slot int) int32 { return int32(2*b.group(slot) + 1) }

func placeOf(slot int, b Buf) int { return slot*placesOf + int(min(b, temps)) }

// board is a member's side of the team's shared control block.
type board struct {
	*cluster.Board
	asked  bool
	direct bool // loads and flags are memory of this host, without a model of their time
	node   bool // the team is in one node
	next   int
	shared int   // slots per group, a power of two
	done   int32 // inline calls of the present group that are not counted as ended yet
	slots  [boardSlots]struct {
		calls uint64 // of this slot so far
		marks uint64 // of all of them
		words []uint64
		open  atomic.Int32 // of the first slot of a group: the calls of the group that are in progress here
	}
}

// Reaches reports whether each member of the team can load the memory of all others, as
// algorithms with the need Reach require. The result is the same at every member.
func (c *Comm) Reaches() bool {
	if b := &c.board; !b.asked {
		b.asked, b.Board, b.direct = true, c.lib.Port().Board(c.lib.BoardContext(c.team)), c.lib.Port().Direct()
		if b.shared = 1; b.direct {
			b.shared = groupSlots
		}
		for i := range b.slots {
			b.slots[i].open.Store(int32(b.shared))
		}
		l := &c.r.Spec().Layout
		b.node = true
		for _, rank := range c.team.Members() {
			b.node = b.node && l.NodeOf(int(rank)) == c.r.Spec().Layout.NodeOf(c.r.ID())
		}
	}
	return c.board.Board != nil
}

// takeSlot takes the next slot for a call.
func (x *Run) takeSlot() {
	b := &x.comm.board
	x.at = b.next
	if b.next++; b.next == boardSlots {
		b.next = 0
	}
	t := &b.slots[x.at]
	x.before, x.marks = t.calls*uint64(x.Schedule.Ranks), t.marks
	x.says = uint64(x.call.Key.Algorithm.id)<<56 | uint64(x.Root)<<32 | uint64(uint32(x.Blocks.Bytes()))
	t.calls++
	t.marks += uint64(x.Schedule.Marks)
}

// settle returns the number of inline calls that are not counted as ended, and resets it.
func (b *board) settle() int32 {
	n := b.done
	b.done = 0
	return n
}

// last reports whether the call's slot is the last one of its group.
func (x *Run) last() bool { return (x.at+1)&(x.comm.board.shared-1) == 0 }

// ends ends calls of the slot's group. It reports whether the flag of ended calls has to be
// incremented.
func (x *Run) ends(calls int32) bool {
	b := &x.comm.board
	open := &b.slots[b.group(x.at)].open
	if open.Add(-calls) > 0 {
		return false
	}
	open.Store(int32(b.shared)) // no later call of the group ends before the flag is incremented
	return true
}

// placeScratch makes the temporary buffers of a call with loads. They are next to the flag if
// those of all members fit there, so that a member that waits for the flag has the bytes, too.
func (x *Run) placeScratch(total int64) {
	b, me := &x.comm.board, x.comm.team.Rank()
	room := b.Words[countFlag(x.at)].Room[:]
	if each := len(room) / x.comm.team.Size(); total <= 8*int64(each) {
		x.temp = cluster.Bytes(room[each*me : each*(me+1)])
		return
	}
	t := &b.slots[x.at]
	if need := int(total+7) / 8; need > len(t.words) {
		t.words = make([]uint64, need)
	}
	x.temp = cluster.Bytes(t.words)
}

// failMismatch fails a call if another member makes another call, or one of another length.
// Lengths are compared modulo 4 GiB.
func (x *Run) failMismatch(member int32, says uint64) {
	x.fail("mismatched collective: rank %d calls %s, this rank %s; call and length must agree on all members", member, called(says), called(x.says))
}

// called names the call of a member.
func called(says uint64) string {
	for _, a := range registry {
		if uint64(a.id) != says>>56 {
			continue
		}
		text := fmt.Sprintf("%s by %s", a.Collective, a.Name)
		if a.Collective.Rooted() {
			text += fmt.Sprintf(" with root %d", says>>32&(1<<24-1))
		}
		return fmt.Sprintf("%s of %d B", text, uint32(says))
	}
	return "nothing"
}

// show publishes the address of a buffer to the other members.
func (x *Run) show(r *Ref) {
	x.comm.board.Note(x.at, x.comm.team.Rank(), x.says)
	if r.N == 0 || x.call.sizes {
		return
	}
	b, me, buf := &x.comm.board, x.comm.team.Rank(), x.buffer(r.Buf)
	place := placeOf(x.at, r.Buf)
	if now := b.Peer(place, me); unsafe.SliceData(now) != unsafe.SliceData(buf) || len(now) != len(buf) {
		b.Expose(place, me, buf)
	}
}

// boardWord makes an operation on a flag.
func (x *Run) boardWord(o *cluster.Op, kind cluster.Kind, word int32, n uint64) *cluster.Op {
	o.Kind, o.Ctx, o.Tag, o.A, o.Then = kind, x.comm.lib.BoardContext(x.comm.team), word, n, nil
	return o
}

// perform runs all nodes inline, one after another. No node is a message.
func (x *Run) perform() error {
	c, bound := x.comm, x.bound
	x.takeSlot()
	x.wait(c.board.doneFlag(x.at), x.before)
	if bound == nil {
		x.place()
	} else {
		x.temps = append(x.temps[:0], bound.temps...)
		x.reserve(bound.total)
	}
	nodes := x.Schedule.Nodes
	for i := range nodes {
		n := &nodes[i]
		switch n.Kind {
		case Mark:
			x.show(&n.Ref)
			x.raise(countFlag(x.at))
			continue
		case Meet:
			x.wait(countFlag(x.at), x.marks+uint64(n.Count))
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
		x.work(n, at)
		if !c.board.direct {
			x.charge(n)
			x.op.Then = nil
			if h := c.lib.Port().Post(&x.op); h != 0 {
				c.lib.Await(h)
			}
		}
	}
	if c.board.done++; x.last() && x.ends(c.board.settle()) {
		x.raise(c.board.doneFlag(x.at))
	}
	err := x.trouble
	x.rest()
	return err
}

// raise increments a flag.
func (x *Run) raise(word int32) {
	b, by := &x.comm.board, uint64(1)
	if b.direct {
		if !b.Raise(word, 1) {
			return
		}
		by = 0
	}
	x.comm.lib.Port().Post(x.boardWord(&x.op, cluster.KindRaise, word, by))
}

// wait waits until a flag is at least n.
func (x *Run) wait(word int32, n uint64) {
	c := x.comm
	if c.board.direct {
		now := &c.board.Words[word].N
		for range c.board.Looks + 1 {
			if now.Load() >= n {
				return
			}
		}
	}
	if h := c.lib.Port().Post(x.boardWord(&x.op, cluster.KindReached, word, n)); h != 0 {
		c.lib.Await(h)
	}
}
