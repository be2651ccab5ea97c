package sim

import "github.com/hybridtop/hybridtop/cluster"

// The states of a slot.
const (
	slotFree uint8 = iota
	slotPending
	slotDone
)

// slot is an operation under way.
type slot struct {
	gen      uint32
	next     uint32 // of the free list, index + 1
	state    uint8
	kind     cluster.Kind
	charged  bool // the thread has paid for its completion
	waited   bool // a thread is suspended on it
	waiter   int16
	pays     bool // its completion costs o: a receive
	peer     int32
	ctx, tag int32
	arg      int32
	class    cluster.Class
	size     int64
	buf      []byte
	at       cluster.Time // when it completed, or was posted
	cause    int32        // of its completion, in the trace
	off      int64
	a        uint64
	then     cluster.Step
	done     cluster.Done
}

// slots is a rank's table of operations.
type slots struct {
	list []slot
	free uint32
}

func (t *slots) take(kind cluster.Kind) (*slot, uint32) {
	var i uint32
	if t.free != 0 {
		i = t.free - 1
		t.free = t.list[i].next
	} else {
		t.list = append(t.list, slot{gen: 1})
		i = uint32(len(t.list) - 1)
	}
	s := &t.list[i]
	s.state, s.kind = slotPending, kind
	return s, i
}

func (t *slots) give(i uint32) {
	s := &t.list[i]
	if s.gen++; s.gen == 0 {
		s.gen = 1
	}
	s.state, s.charged, s.waited, s.pays = slotFree, false, false, false
	s.buf, s.then = nil, nil
	s.next, t.free = t.free, i+1
}

func (t *slots) handle(i uint32) cluster.Handle {
	return cluster.Handle(uint64(t.list[i].gen)<<32 | uint64(i))
}

// find gives the slot of a handle. A stale one is a bug of the caller.
func (t *slots) find(h cluster.Handle) *slot {
	if i := uint32(h); int(i) < len(t.list) {
		if s := &t.list[i]; s.gen == uint32(h>>32) && s.state != slotFree {
			return s
		}
	}
	panic("sim: a handle that was freed, or never given, is used")
}
