package coll

import (
	"encoding/binary"

	"github.com/hybridtop/hybridtop/cluster"
)

// space is the part of the segments that one-sided calls share: slots at the same offset on every
// member, used by calls round-robin. A slot has flags that other members signal, and buffers.
//
// Slots form four groups. When a call is the first one to take a slot of a group, all members have
// ended the previous calls of the group. A barrier that began two groups ago ensures this.
type space struct {
	words int64 // offset of the flags of the first slot
	bytes int64 // offset of the buffers of the first slot
	room  Room  // size of a slot
	runs  []*Run
	turns []uint64 // number of uses of each slot
	heard []uint64 // values of its first flags when all calls so far have ended
	acked []uint64
	next  uint64 // number of calls so far
	start int64  // offset of the whole space in the local segment
	end   int64
	key   Key // key of these barriers
	said  [2]*Run
}

const groups = 4

// The flags of a slot: the counters of arrivals and acknowledgements, then one flag per node.
const (
	wordHeard = iota
	wordAcked
	wordNode
)

// addressBits is the number of bits for an offset in a flag. The round is in the bits above.
const addressBits = 40

// Room is the size of a slot, or the space that a call needs in a slot.
type Room struct {
	Words int64         // one flag per node, and two
	Bytes int64         // size of the buffers
	Store cluster.Store // store of the buffers: in the segment, or in the size-only memory behind it
}

// Most returns the space that suffices for both needs.
func (r Room) Most(o Room) Room {
	return Room{max(r.Words, o.Words), max(r.Bytes, o.Bytes), cluster.Bytewise(!r.Store.SizeOnly() && !o.Store.SizeOnly())}
}

// Reserve allocates slots in the segments for one-sided calls. Calls take slots round-robin.
// Key.Room returns the needs of a call. Every member calls Reserve, with no call in progress.
// Earlier slots are freed if no later allocation follows them, as in Free.
func (c *Comm) Reserve(room Room, slots int) error {
	if room.Words < 0 || room.Bytes < 0 || slots < 1 {
		return c.lib.Errorf("%d slots of %d words and %d B on %s: want at least one slot and no negative size", slots, room.Words, room.Bytes, c.team.Name())
	}
	if err := c.space.settle(); err != nil {
		return err
	}
	c.giveBack()
	room.Words, room.Bytes = (room.Words+7)&^7, (room.Bytes+63)&^63
	slots = (slots + groups - 1) / groups * groups
	most, err := c.most(c.lib.Heap(), room.Words, -room.Words, room.Bytes, -room.Bytes, int64(slots), -int64(slots))
	if err != nil {
		return err
	}
	if most[1] != -most[2] || most[3] != -most[4] || most[5] != -most[6] {
		return c.lib.Errorf("%d slots of %d words and %d B on %s: others pass up to %d slots of %d words and %d B: every member must pass the same numbers",
			slots, room.Words, room.Bytes, c.team.Name(), most[5], most[1], most[3])
	}
	c.lib.Raise(most[0])
	s := space{room: room, runs: make([]*Run, slots), turns: make([]uint64, slots), heard: make([]uint64, slots), acked: make([]uint64, slots)}
	a, err := Find(OpBarrier, "dissemination")
	if err != nil {
		return err
	}
	if s.key, err = a.Key(Parameters{Ranks: c.team.Size()}); err != nil {
		return err
	}
	s.start = c.lib.Heap()
	if s.words, err = c.r.Alloc(8 * room.Words * int64(slots)); err != nil {
		return err
	}
	buffers, err := cluster.Alloc[byte](c.r, room.Store, int(room.Bytes*int64(slots)))
	if err != nil {
		return err
	}
	s.bytes = buffers.Off
	if end := s.bytes + room.Bytes*int64(slots); end >= 1<<addressBits {
		return c.lib.Errorf("slots on %s end at offset %d of the segment: want at most %d", c.team.Name(), end, int64(1)<<addressBits)
	}
	s.end = c.lib.Heap()
	clear(c.r.Segment()[s.words : s.words+8*room.Words*int64(slots)])
	c.space = s
	_, err = c.most() // no member signals before all flags are cleared
	return err
}

// giveBack frees the slots in the local segment, if no later allocation follows.
func (c *Comm) giveBack() {
	if s := &c.space; s.runs != nil && c.lib.Heap() == s.end {
		_ = c.r.Release(s.start) // the offset is from this rank's Alloc
	}
	c.space = space{}
}

// most returns the maximum of each number over all members. Every member calls it.
func (c *Comm) most(own ...int64) ([]int64, error) {
	in, out := make([]byte, 8*len(own)), make([]byte, 8*len(own))
	for i, v := range own {
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
	err = c.Do(Call{Key: k, In: cluster.Of(in), Out: cluster.Of(out), Blocks: k.Blocks(int64(len(in)), 8), Combine: func(acc, in []byte) {
		a, b := cluster.View[int64](acc), cluster.View[int64](in)
		for i := range a {
			a[i] = max(a[i], b[i])
		}
	}})
	return cluster.View[int64](out), err
}

// claim takes the next slot for a call.
func (c *Comm) claim(x *Run) error {
	s := &c.space
	n := uint64(len(s.runs)) / groups
	if s.next%n == 0 {
		if err := c.credit(int(s.next / n)); err != nil {
			return err
		}
	}
	slot := int(s.next % uint64(len(s.runs)))
	s.next++
	s.turns[slot]++
	if s.turns[slot] >= 1<<(64-addressBits) {
		return c.lib.Errorf("%d one-sided calls on %s: make another Comm", s.next, c.team.Name())
	}
	s.runs[slot] = x
	x.slot, x.round = slot, s.turns[slot]
	x.words, x.bytes = s.words+8*s.room.Words*int64(slot), s.bytes+s.room.Bytes*int64(slot)
	return nil
}

// credit begins group b. It notifies the others that the calls of group b − 2 have ended here, and
// waits for their notifications of group b − 4, whose slots are next.
func (c *Comm) credit(b int) error {
	s := &c.space
	n := len(s.runs) / groups
	if b >= 4 {
		x := s.said[b%2]
		s.said[b%2] = nil
		if err := x.Wait(); err != nil {
			return err
		}
	}
	if b < 2 {
		return nil
	}
	first := (b - 2) % groups * n
	for _, x := range s.runs[first : first+n] {
		if x != nil {
			x.await()
		}
	}
	var err error
	s.said[b%2], err = c.Start(Call{Key: s.key, Blocks: s.key.Blocks(0, 1)})
	return err
}

// settle completes notifications in progress.
func (s *space) settle() error {
	for i := range s.said {
		if x := s.said[i]; x != nil {
			s.said[i] = nil
			if err := x.Wait(); err != nil {
				return err
			}
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
	var most Room
	k.each(blocks, func(p *Place, _ int64) { most = most.Most(p.room(k.Address == Bounced)) })
	return most
}

// Temporary returns the bytes of temporary buffers of a call on all members together.
func (k Key) Temporary(blocks Blocks) int64 {
	if k.Algorithm.Collective == OpBcast && k.Algorithm.Needs&Reach == 0 {
		return 0 // messages arrive at their final positions
	}
	all := int64(0)
	k.In, k.Out = MySync, MySync // barriers have no temporary buffers, but many nodes
	k.each(blocks, func(p *Place, alike int64) { all += alike * p.within(temps+Buf(len(p.Schedule.Temps))) })
	return all
}

// each calls do with one member of each class and the number of members in the class. If blocks
// have different sizes, it calls do with every member.
func (k Key) each(blocks Blocks, do func(p *Place, alike int64)) {
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
	alike := map[int64]int64{} // by class
	for rel := range k.Ranks {
		class := k.class(rel)
		if alike[class]++; alike[class] == 1 {
			first = append(first, rel)
		}
		if k.Algorithm.Class == nil {
			alike[class] = int64(k.Ranks)
			break
		}
	}
	for _, rel := range first {
		do(&Place{Schedule: k.Make(rel), Rel: rel, Blocks: blocks}, alike[k.class(rel)])
	}
}

// room returns the space of a call in a slot.
func (p *Place) room(bounced bool) Room {
	r := Room{Words: wordNode + int64(len(p.Schedule.Nodes)), Bytes: p.within(temps + Buf(len(p.Schedule.Temps)))}
	if bounced {
		r.Bytes = p.within(Out) + p.bounces(Out)
	}
	return r
}

// within returns the offset of a buffer in the slot: first the temporary buffers, then the bounce
// buffers of the caller's buffers.
func (p *Place) within(b Buf) int64 {
	at := int64(0)
	last := len(p.Schedule.Temps)
	if b >= temps {
		last = int(b - temps)
	}
	for i := range last {
		at += aligned8(p.Size(temps + Buf(i)))
	}
	if b == Out {
		at += p.bounces(In)
	}
	return at
}

// bounces returns the size of the bounce buffer of a caller's buffer.
func (p *Place) bounces(b Buf) int64 {
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

// of returns the offset on a member.
func (a *At) of(member int32) int64 {
	if a.Of != nil {
		return a.Of[member]
	}
	return a.Off
}
