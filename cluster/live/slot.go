package live

import (
	"math/bits"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// The states of a slot.
const (
	slotFree uint32 = iota
	slotPending
	slotDone
)

// slot is an operation under way. It is the owning engine's, but for what another
// goroutine completes (a rendezvous, an RPC, what passes the wire): that one uses
// buf and done, and then sets outside.
type slot struct {
	state    uint32
	outside  atomic.Uint32 // gen: completed by another goroutine
	gen      uint32
	seen     uint32 // gen: whoever waits for it has seen it complete
	index    uint32
	name     uint32 // index, and the lane above it
	next     uint32 // of the free list, index + 1
	kind     cluster.Kind
	detached bool // completes into then, nobody holds the handle
	device   bool // of a receive: its bytes go on to the device's memory
	peer     int32
	ctx, tag int32
	arg      int32 // comparison
	thenArg  int32
	arg2     uint32 // generation of a barrier, fires left of an event
	size     int64
	buf      []byte
	off      int64
	a        uint64
	then     cluster.Step
	member   *member // of a barrier that a step waits for
	done     cluster.Done
	came     int64 // wire: when both sides of its message had come, wall ns; 0: it has none
}

const firstChunk = 64

// laneShift is where a handle's lane stands above the index.
const laneShift = 28

// slots is a table of operations whose entries never move. Chunk k > 0 holds
// twice as many as all before it.
type slots struct {
	lane   uint32
	chunks [26][]slot
	made   uint32
	free   uint32 // index + 1
}

func (t *slots) at(index uint32) *slot {
	k := bits.Len32(index / firstChunk)
	if k == 0 {
		return &t.chunks[0][index]
	}
	return &t.chunks[k][index-firstChunk<<(k-1)]
}

// take gives a free slot, pending.
func (t *slots) take(kind cluster.Kind) *slot {
	var s *slot
	if t.free != 0 {
		s = t.at(t.free - 1)
		t.free = s.next
	} else {
		k := bits.Len32(t.made / firstChunk)
		if t.chunks[k] == nil {
			n := firstChunk
			if k > 0 {
				n = firstChunk << (k - 1)
			}
			t.chunks[k] = make([]slot, n)
		}
		s = t.at(t.made)
		s.index = t.made
		s.name = s.index | t.lane<<laneShift
		s.gen = 1
		t.made++
	}
	s.kind = kind
	s.state = slotPending
	return s
}

// give frees a slot; handles to it go stale.
func (t *slots) give(s *slot) {
	s.clear()
	s.next, t.free = t.free, s.index+1
}

// clear lets handles to a slot go stale.
func (s *slot) clear() {
	s.state = slotFree
	if s.gen++; s.gen == 1<<31 {
		s.gen = 1 // the highest bit marks barriers
		s.outside.Store(0)
	}
	s.buf, s.then, s.member, s.detached, s.device, s.came = nil, nil, nil, false, false, 0
}

// isDone reports whether the operation is complete.
func (s *slot) isDone() bool { return s.state == slotDone || s.outside.Load() == s.gen }

func (s *slot) handle() cluster.Handle {
	return cluster.Handle(uint64(s.gen)<<32 | uint64(s.name))
}

// find gives the slot of a handle. A stale one is a bug of the caller.
func (t *slots) find(h cluster.Handle) *slot {
	index := uint32(h) & (1<<laneShift - 1)
	if index < t.made {
		if s := t.at(index); s.gen == uint32(h>>32) && s.state != slotFree {
			return s
		}
	}
	panic("live: a handle that was freed, or never given, is used")
}
