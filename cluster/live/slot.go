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

// slot is an operation in progress. It belongs to the owning engine. Another goroutine may complete
// a rendezvous, an RPC or a wire operation: it uses buf and done, and then sets doneOutside.
type slot struct {
	state       uint32
	doneOutside atomic.Uint32 // gen: completed by another goroutine
	gen         uint32
	seenGen     uint32 // gen: its waiter has seen it complete
	index       uint32
	id          uint32 // index, with the VCI in the bits above
	next        uint32 // of the free list, index + 1
	kind        cluster.Kind
	detached    bool // runs then at completion; no handle exists
	toDevice    bool // receive: its bytes are then copied to device memory
	peer        int32
	ctx, tag    int32
	arg         int32 // comparison
	thenArg     int32
	count       uint32 // generation of a barrier, fires left of an event
	size        int64
	buf         []byte
	off         int64
	a           uint64
	then        cluster.Step
	member      *member // of a barrier with a continuation
	done        cluster.Done
	at          int64 // wire: time of its completion, wall ns; 0: none
	fee         int64 // wire: CPU time that its thread pays for it, wall ns
	peerArrival int64 // wire: arrival of the later side of its message, wall ns; 0: no message
}

const firstChunk = 64

// vciShift is the bit position of the VCI in a handle, above the index.
const vciShift = 28

// slots is a table of operations whose entries never move. Chunk k > 0 has twice as many entries as
// all chunks before it.
type slots struct {
	vci    uint32
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

// take returns a free slot, marked as pending.
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
		s.id = s.index | t.vci<<vciShift
		s.gen = 1
		t.made++
	}
	s.kind = kind
	s.state = slotPending
	return s
}

// give frees a slot. Its handles become stale.
func (t *slots) give(s *slot) {
	s.invalidate()
	s.next, t.free = t.free, s.index+1
}

// invalidate makes the handles of a slot stale.
func (s *slot) invalidate() {
	s.state = slotFree
	if s.gen++; s.gen == 1<<31 {
		s.gen = 1 // the highest bit marks barriers
		s.doneOutside.Store(0)
	}
	s.buf = nil
	s.then = nil
	s.member = nil
	s.detached = false
	s.toDevice = false
	s.peerArrival, s.at, s.fee = 0, 0, 0
}

// isDone reports whether the operation is complete.
func (s *slot) isDone() bool { return s.state == slotDone || s.doneOutside.Load() == s.gen }

func (s *slot) handle() cluster.Handle {
	return cluster.Handle(uint64(s.gen)<<32 | uint64(s.id))
}

// find returns the slot of a handle. A stale handle is a bug of the caller.
func (t *slots) find(h cluster.Handle) *slot {
	index := uint32(h) & (1<<vciShift - 1)
	if index < t.made {
		if s := t.at(index); s.gen == uint32(h>>32) && s.state != slotFree {
			return s
		}
	}
	panic("live: invalid or freed handle")
}
