package coll

import (
	"encoding/binary"

	"github.com/hybridtop/hybridtop/cluster"
)

// space is the part of the segments that one-sided calls share: slots at one offset at
// every member, that calls take in turn. A slot has words that others signal, and
// buffers.
//
// Slots are parted into four groups. When a call is the first to take a slot of a
// group, all members are known to have ended the calls that took the group before:
// they said so in a barrier that began two groups ago.
type space struct {
	words int64 // where those of the first slot are
	bytes int64 // where its buffers begin
	room  Room  // of a slot
	runs  []*Run
	turns []uint64 // how often each slot was taken
	heard []uint64 // what its first words are when all calls so far have ended
	acked []uint64
	next  uint64 // calls so far
	start int64  // of all of it in the own segment
	end   int64
	key   Key // of the barriers that say so
	said  [2]*Run
}

const groups = 4

// The words of a slot: what counts arrivals and acknowledgements, then one a node.
const (
	wordHeard = iota
	wordAcked
	wordNode
)

// addressBits is what a word that carries an offset leaves to the turn above.
const addressBits = 40

// Room is what a slot has, or a call needs of one.
type Room struct {
	Words int64         // a word each node, and two
	Bytes int64         // of buffers
	Store cluster.Store // of the buffers: in the segment, or in the size-only memory behind it
}

// Most is room for two calls' needs.
func (r Room) Most(o Room) Room {
	return Room{max(r.Words, o.Words), max(r.Bytes, o.Bytes), cluster.Bytewise(!r.Store.SizeOnly() && !o.Store.SizeOnly())}
}

// Reserve gives one-sided calls slots in the segments, of which each call takes one in
// turn. Key.Room says what a call needs. Every member calls it, with nothing under way.
// What was reserved before is given back where nothing was allocated behind it, as Free
// does.
func (c *Comm) Reserve(room Room, slots int) error {
	if room.Words < 0 || room.Bytes < 0 || slots < 1 {
		return c.lib.Errorf("%d slots of %d words and %d B on %s: at least one, of no negative size", slots, room.Words, room.Bytes, c.team.Name())
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
		return c.lib.Errorf("%d slots of %d words and %d B on %s: others want up to %d of %d words and %d B: every member must give the same numbers",
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
		return c.lib.Errorf("slots on %s end at %d of the segment: the library's words hold offsets up to %d", c.team.Name(), end, int64(1)<<addressBits)
	}
	s.end = c.lib.Heap()
	clear(c.r.Segment()[s.words : s.words+8*room.Words*int64(slots)])
	c.space = s
	_, err = c.most() // nobody signals before all are cleared
	return err
}

// giveBack frees the slots' part of the own segment, if it is the last one.
func (c *Comm) giveBack() {
	if s := &c.space; s.runs != nil && c.lib.Heap() == s.end {
		_ = c.r.Release(s.start) // the mark is the own one
	}
	c.space = space{}
}

// most is the largest of each number over the members, who come to it together.
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

// credit begins group b: it tells the others that the calls of group b − 2 have ended
// here, and waits until all have told that of group b − 4, whose slots come next.
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

// settle ends what the members have begun to tell each other.
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

// Room is what a call needs of a slot at most at any member: words to signal, and
// buffers that others reach. These are the members' that pass on or combine, and of
// calls whose bytes go through the library.
func (k Key) Room(blocks Blocks) Room {
	if !k.Transfer.OneSided() {
		return Room{}
	}
	var most Room
	k.each(blocks, func(p *Place, _ int64) { most = most.Most(p.room(k.Address == Bounced)) })
	return most
}

// Temporary is how many bytes of temporary buffers a call takes at all members together.
func (k Key) Temporary(blocks Blocks) int64 {
	if k.Algorithm.Collective == OpBcast && k.Algorithm.Needs&Reach == 0 {
		return 0 // messages leave what they bring where it belongs
	}
	all := int64(0)
	k.In, k.Out = MySync, MySync // barriers have none, and as many nodes as much else
	k.each(blocks, func(p *Place, alike int64) { all += alike * p.within(temps+Buf(len(p.Schedule.Temps))) })
	return all
}

// each gives a member of each class, and how many are like it; every member alone where
// blocks are of several sizes.
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

// room is how much of a slot a call takes.
func (p *Place) room(bounced bool) Room {
	r := Room{Words: wordNode + int64(len(p.Schedule.Nodes)), Bytes: p.within(temps + Buf(len(p.Schedule.Temps)))}
	if bounced {
		r.Bytes = p.within(Out) + p.bounces(Out)
	}
	return r
}

// within is where a buffer is among those of the slot: temporary ones first, then those
// of the caller that bytes bounce through.
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

// bounces is the room of a buffer of the caller's.
func (p *Place) bounces(b Buf) int64 {
	if !p.Schedule.Collective.uses(b, p.Rel) {
		return 0
	}
	return aligned8(p.Size(b))
}

func aligned8(n int64) int64 { return (n + 7) &^ 7 }

// Table is how many bytes a member spends on the addresses of a call's buffers.
func (c *Call) Table() int64 {
	n := int64(0)
	for _, at := range []*At{c.InAt, c.OutAt} {
		if at != nil {
			n += 8 * int64(max(1, len(at.Of)))
		}
	}
	return n
}

// of is the offset at a member.
func (a *At) of(member int32) int64 {
	if a.Of != nil {
		return a.Of[member]
	}
	return a.Off
}
