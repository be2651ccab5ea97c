package coll

import (
	"encoding/binary"

	"github.com/hybridtop/hybridtop/cluster"
)

// space is the part of the segments that one-sided calls share: slots at the same offset on every
// member, used by calls round-robin. A slot has flags that other members signal, and buffers.
//
// Slots form four groups. Group g of the calls has the slots of group g − 4, which all members must
// have ended. At the start of group g − 2 a member waits for its own calls of group g − 4, and then
// begins a barrier. At the start of group g it waits for this barrier.
type space struct {
	flagsOff   int64 // offset of the flags of the first slot
	buffersOff int64 // offset of the buffers of the first slot
	slotSize   Room  // size of a slot
	runs       []*Run
	uses       []uint64 // number of uses of each slot
	arrivals   []uint64 // by slot: value of its arrival counter when all calls so far have ended
	acks       []uint64 // by slot: value of its acknowledgement counter then
	calls      uint64   // number of calls so far
	start      int64    // offset of the whole space in the local segment
	end        int64
	barrierKey Key
	barriers   [2]*Run // barriers in progress, of even and of odd groups
}

const slotGroups = 4

// noSpace is the space of a Comm without slots. Nothing writes to it.
var noSpace space

// The flags of a slot: the counters of arrivals and acknowledgements, then one flag per node.
const (
	flagArrivals = iota
	flagAcks
	flagNode
)

// addressBits is the number of bits for an offset in a flag. The round is in the bits above.
const addressBits = 40

// Room is the size of a slot, or the space that a call needs in a slot.
type Room struct {
	Words int64         // one flag per node, and two
	Bytes int64         // size of the buffers
	Store cluster.Store // store of the buffers: in the segment, or in the size-only memory behind it
}

// Max returns the space that suffices for both needs.
func (r Room) Max(o Room) Room {
	return Room{
		Words: max(r.Words, o.Words),
		Bytes: max(r.Bytes, o.Bytes),
		Store: cluster.Bytewise(!r.Store.SizeOnly() && !o.Store.SizeOnly()),
	}
}

// Reserve allocates slots in the segments for one-sided calls. Calls take slots round-robin.
// Key.Room returns the needs of a call. Every member calls Reserve, with no call in progress.
// Earlier slots are freed if no later allocation follows them, as in Free.
func (c *Comm) Reserve(room Room, slots int) error {
	if room.Words < 0 || room.Bytes < 0 || slots < 1 {
		return c.lib.Errorf("%d slots of %d words and %d B on %s: want at least one slot and no negative size",
			slots, room.Words, room.Bytes, c.team.Name())
	}
	if err := c.space.finishBarriers(); err != nil {
		return err
	}
	c.releaseSpace()
	room.Words = (room.Words + 7) &^ 7
	room.Bytes = (room.Bytes + 63) &^ 63
	slots = (slots + slotGroups - 1) / slotGroups * slotGroups
	if err := c.agreeOnSlots(room, slots); err != nil {
		return err
	}
	s, err := c.newSpace(room, slots)
	if err != nil {
		return err
	}
	clear(c.r.Segment()[s.flagsOff : s.flagsOff+s.flagsSize()])
	c.space = &s
	_, err = c.maxima() // no member signals before all flags are cleared
	return err
}

// agreeOnSlots returns an error if the members pass different numbers to Reserve. Otherwise it
// raises the heap to the same offset on every member.
func (c *Comm) agreeOnSlots(room Room, slots int) error {
	n := int64(slots)
	all, err := c.maxima(c.lib.Heap(), room.Words, -room.Words, room.Bytes, -room.Bytes, n, -n)
	if err != nil {
		return err
	}
	heap := all[0]
	words, lowestWords := all[1], -all[2]
	bytes, lowestBytes := all[3], -all[4]
	highest, lowest := all[5], -all[6]
	if words != lowestWords || bytes != lowestBytes || highest != lowest {
		return c.lib.Errorf("%d slots of %d words and %d B on %s: others pass up to %d slots of %d words and %d B: "+
			"every member must pass the same numbers",
			slots, room.Words, room.Bytes, c.team.Name(), highest, words, bytes)
	}
	c.lib.Raise(heap)
	return nil
}

// newSpace allocates slots in the local segment.
func (c *Comm) newSpace(room Room, slots int) (s space, err error) {
	s = space{
		slotSize: room,
		runs:     make([]*Run, slots),
		uses:     make([]uint64, slots),
		arrivals: make([]uint64, slots),
		acks:     make([]uint64, slots),
	}
	a, err := Find(OpBarrier, "dissemination")
	if err != nil {
		return s, err
	}
	s.barrierKey, err = a.Key(Parameters{Ranks: c.team.Size()})
	if err != nil {
		return s, err
	}
	s.start = c.lib.Heap()
	s.flagsOff, err = c.r.Alloc(s.flagsSize())
	if err != nil {
		return s, err
	}
	size := room.Bytes * int64(slots)
	buffers, err := cluster.Alloc[byte](c.r, room.Store, int(size))
	if err != nil {
		return s, err
	}
	s.buffersOff = buffers.Off
	if end := s.buffersOff + size; end >= 1<<addressBits {
		return s, c.lib.Errorf("slots on %s end at offset %d of the segment: want at most %d",
			c.team.Name(), end, int64(1)<<addressBits)
	}
	s.end = c.lib.Heap()
	return s, nil
}

// flagsSize returns the bytes of the flags of all slots.
func (s *space) flagsSize() int64 { return 8 * s.slotSize.Words * int64(len(s.runs)) }

// releaseSpace frees the slots in the local segment, if no later allocation follows.
func (c *Comm) releaseSpace() {
	if s := c.space; s.runs != nil && c.lib.Heap() == s.end {
		_ = c.r.Release(s.start) // the offset is from this rank's Alloc
	}
	c.space = &noSpace
}

// maxima returns the maximum of each number over all members. Every member calls it.
func (c *Comm) maxima(values ...int64) ([]int64, error) {
	in := make([]byte, 8*len(values))
	out := make([]byte, len(in))
	for i, v := range values {
		binary.NativeEndian.PutUint64(in[8*i:], uint64(v))
	}
	a, err := Find(OpAllreduce, "recursive-doubling")
	if err != nil {
		return nil, err
	}
	k, err := a.Key(Parameters{Ranks: c.team.Size()})
	if err != nil {
		return nil, err
	}
	call := Call{
		Key:    k,
		In:     cluster.Of(in),
		Out:    cluster.Of(out),
		Blocks: k.Blocks(int64(len(in)), 8),
		Combine: func(acc, in []byte) {
			a, b := cluster.View[int64](acc), cluster.View[int64](in)
			for i := range a {
				a[i] = max(a[i], b[i])
			}
		},
	}
	err = c.Do(call)
	return cluster.View[int64](out), err
}

// claimSlot takes the next slot for a call.
func (c *Comm) claimSlot(x *Run) error {
	s := c.space
	perGroup := uint64(len(s.runs)) / slotGroups
	if s.calls%perGroup == 0 {
		if err := c.beginGroup(int(s.calls / perGroup)); err != nil {
			return err
		}
	}
	slot := s.calls % uint64(len(s.runs))
	s.calls++
	s.uses[slot]++
	if s.uses[slot] >= 1<<(64-addressBits) {
		return c.lib.Errorf("%d one-sided calls on %s: make another Comm", s.calls, c.team.Name())
	}
	s.runs[slot] = x
	if x.transfer == nil {
		x.transfer = &transfer{}
	}
	x.spaceSlot = int(slot)
	x.round = s.uses[slot]
	x.flagsOff = s.flagsOff + 8*s.slotSize.Words*int64(slot)
	x.buffersOff = s.buffersOff + s.slotSize.Bytes*int64(slot)
	return nil
}

// beginGroup begins group g. It waits for the barrier that group g − 2 began. It then begins a
// barrier itself, after the calls of group g − 2 have ended on this member.
func (c *Comm) beginGroup(g int) error {
	s := c.space
	barrier := &s.barriers[g%2]
	if g >= 4 {
		x := *barrier
		*barrier = nil
		if err := x.Wait(); err != nil {
			return err
		}
	}
	if g < 2 {
		return nil
	}
	perGroup := len(s.runs) / slotGroups
	first := (g - 2) % slotGroups * perGroup
	for _, x := range s.runs[first : first+perGroup] {
		if x != nil {
			x.await()
		}
	}
	var err error
	*barrier, err = c.Start(Call{Key: s.barrierKey, Blocks: s.barrierKey.Blocks(0, 1)})
	return err
}

// finishBarriers completes the barriers in progress.
func (s *space) finishBarriers() error {
	for i, x := range s.barriers {
		if x == nil {
			continue
		}
		s.barriers[i] = nil
		if err := x.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// Room returns the maximum space of a call in a slot on any member: flags, and buffers that others
// reach. Members that pass on or combine data need buffers, and so do calls with bounce buffers.
func (k Key) Room(blocks Blocks) Room {
	if !k.Transfer.OneSided() {
		return Room{}
	}
	var size Room
	k.eachClass(blocks, func(p *Place, _ int64) { size = size.Max(p.slotSize(k.Address == Bounced)) })
	return size
}

// Temporary returns the bytes of temporary buffers of a call on all members together.
func (k Key) Temporary(blocks Blocks) int64 {
	if k.Algorithm.Collective == OpBcast && k.Algorithm.Needs&Reach == 0 {
		return 0 // messages arrive at their final positions
	}
	all := int64(0)
	k.In, k.Out = MySync, MySync // barriers have no temporary buffers, but many nodes
	k.eachClass(blocks, func(p *Place, alike int64) { all += alike * p.slotOffset(temps+Buf(len(p.Schedule.Temps))) })
	return all
}

// eachClass calls do with one member of each class and the number of members in the class. If
// blocks have different sizes, it calls do with every member.
func (k Key) eachClass(blocks Blocks, do func(p *Place, members int64)) {
	if blocks.Displ != nil || blocks.Elems%int64(blocks.Parts) != 0 {
		var s *Schedule
		for rel := range k.Ranks {
			if rel == 0 || k.class(rel) != k.class(rel-1) {
				s = k.Make(rel)
			}
			do(&Place{Schedule: s, Rel: rel, Blocks: blocks}, 1)
		}
		return
	}
	var first []int32
	members := map[int64]int64{} // by class
	for rel := range k.Ranks {
		class := k.class(rel)
		if members[class]++; members[class] == 1 {
			first = append(first, rel)
		}
		if k.Algorithm.Class == nil {
			members[class] = int64(k.Ranks)
			break
		}
	}
	for _, rel := range first {
		do(&Place{Schedule: k.Make(rel), Rel: rel, Blocks: blocks}, members[k.class(rel)])
	}
}

// slotSize returns the space of a call in a slot.
func (p *Place) slotSize(bounced bool) Room {
	r := Room{Words: flagNode + int64(len(p.Schedule.Nodes)), Bytes: p.slotOffset(temps + Buf(len(p.Schedule.Temps)))}
	if bounced {
		r.Bytes = p.slotOffset(Out) + p.bounceSize(Out)
	}
	return r
}

// slotOffset returns the offset of a buffer in the slot: first the temporary buffers, then the
// bounce buffers of the caller's buffers.
func (p *Place) slotOffset(b Buf) int64 {
	at := int64(0)
	last := len(p.Schedule.Temps)
	if b >= temps {
		last = int(b - temps)
	}
	for i := range last {
		at += aligned8(p.Size(temps + Buf(i)))
	}
	if b == Out {
		at += p.bounceSize(In)
	}
	return at
}

// bounceSize returns the size of the bounce buffer of a caller's buffer.
func (p *Place) bounceSize(b Buf) int64 {
	if !p.Schedule.Collective.uses(b, p.Rel) {
		return 0
	}
	return aligned8(p.Size(b))
}

func aligned8(n int64) int64 { return (n + 7) &^ 7 }

// Table returns the bytes that a member uses for the addresses of a call's buffers.
func (c *Call) Table() int64 {
	n := int64(0)
	for _, at := range []*At{c.InAt, c.OutAt} {
		if at != nil {
			n += 8 * int64(max(1, len(at.Of)))
		}
	}
	return n
}

// offset returns the offset on a member.
func (a *At) offset(member int32) int64 {
	if a.Of != nil {
		return a.Of[member]
	}
	return a.Off
}
