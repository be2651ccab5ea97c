package sim

import "github.com/hybridtop/hybridtop/cluster"

// The states of a slot.
const (
	slotFree uint8 = iota
	slotPending
	slotSteps // pending, with a continuation
	slotDone
)

// fee is the cost of a completion for its thread.
type fee uint8

const (
	feeNone   fee = iota
	feeO          // receive: o
	feeEager      // eager receive: o by size, and a copy out of the eager buffer
	feeUnpack     // packed pieces: a copy
	feeFence      // kernel: the fence
)

// slot is an operation in progress, in one cache line. Fields of rare kinds are in more.
type slot struct {
	gen     uint32
	waiter  int32 // number of the thread suspended on it
	state   uint8
	kind    cluster.Kind
	charged bool // the thread has paid for its completion
	fee     fee  // what its completion costs its thread
	waited  bool // a thread is suspended on it
	class   cluster.Class
	err     cluster.Code
	found   bool
	peer    int32 // in a free slot: index + 1 of the next free slot
	ctx     int32
	tag     int32
	cause   int32        // cause of its completion, in the trace
	size    int64        // bytes of the buffer; after completion, bytes of the message
	at      cluster.Time // time of completion; before, time of the post
	buf     data         // size bytes; nil: size-only
	more    *slotMore
}

// continuation is the step of an operation, with its argument.
type continuation struct {
	then cluster.Step
	arg  int32
}

// slotMore has the additional fields of operations other than sends and receives.
type slotMore struct {
	arg    int32
	off    int64
	a      uint64 // operand, then result
	left   int64  // remaining fires of an event
	device bool   // the bytes are then copied to device memory
	next   *slotMore
}

// toDevice requests a copy of the bytes to device memory.
func (s *slot) toDevice() {
	if s.more == nil {
		s.more = &slotMore{}
	}
	s.more.device = true
}

func (s *slot) forDevice() bool { return s.more != nil && s.more.device }

// bytes returns the buffer while the operation is in progress.
func (s *slot) bytes() []byte { return s.buf.bytes(s.size) }

// done returns the result of a complete operation.
func (s *slot) done() cluster.Done {
	d := cluster.Done{Peer: s.peer, Tag: s.tag, Size: s.size, Err: s.err, Found: s.found}
	if s.more != nil {
		d.A = s.more.a
	}
	return d
}

// set stores the result of an operation.
func (s *slot) set(d cluster.Done) {
	s.peer = d.Peer
	s.tag = d.Tag
	s.size = d.Size
	s.err = d.Err
	s.found = d.Found
	if d.A != 0 && s.more == nil {
		s.more = &slotMore{}
	}
	if s.more != nil {
		s.more.a = d.A
	}
}

// slots is a rank's table of operations.
type slots struct {
	list  []slot
	thens []continuation // by slot; empty before the first operation with a continuation
	free  uint32
	more  *slotMore // first free slotMore
}

// setContinuation sets the continuation of an operation.
func (t *slots) setContinuation(i uint32, then cluster.Step, arg int32) {
	if int(i) >= len(t.thens) {
		more := make([]continuation, cap(t.list))
		copy(more, t.thens)
		t.thens = more
	}
	t.thens[i] = continuation{then: then, arg: arg}
	t.list[i].state = slotSteps
}

// takeMore returns a slotMore.
func (t *slots) takeMore() *slotMore {
	m := t.more
	if m == nil {
		return &slotMore{}
	}
	t.more, m.next = m.next, nil
	return m
}

func (t *slots) take(kind cluster.Kind) (*slot, uint32) {
	var i uint32
	if t.free != 0 {
		i = t.free - 1
		t.free = uint32(t.list[i].peer)
	} else {
		if t.list == nil {
			t.list = make([]slot, 0, 2)
		} else if len(t.list) == 2 {
			t.list = append(make([]slot, 0, usualInFlight+2), t.list...)
		}
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
	s.state = slotFree
	s.charged = false
	s.waited = false
	s.fee = feeNone
	s.err = cluster.OK
	s.found = false
	if s.more != nil {
		*s.more = slotMore{next: t.more}
		t.more = s.more
	}
	s.buf, s.more = data{}, nil
	s.peer, t.free = int32(t.free), i+1
}

func (t *slots) handle(i uint32) cluster.Handle {
	return cluster.Handle(uint64(t.list[i].gen)<<32 | uint64(i))
}

// find returns the slot of a handle. A stale handle is a bug of the caller.
func (t *slots) find(h cluster.Handle) *slot {
	if i := uint32(h); int(i) < len(t.list) {
		if s := &t.list[i]; s.gen == uint32(h>>32) && s.state != slotFree {
			return s
		}
	}
	panic("sim: invalid or freed handle")
}
