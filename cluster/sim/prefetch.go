package sim

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Prefetching pays if the data no longer fit in a core's cache: from this number of ranks, or of
// messages in flight.
const (
	manyRanks    = 1024
	manyInFlight = 1 << 14
)

// The data of a future event are a chain of pointers, so they are prefetched in stages. A stage
// reads only what the previous stage has loaded a few events earlier. These are the distances of the
// stages from the current event, in events.
const (
	messageAhead = 10 // the event's message
	rankAhead    = 8  // the rank that receives it
	listsAhead   = 5  // lists of the rank
	receiveAhead = 3  // the first posted receive
	stepAhead    = 1  // the object of the receive's continuation
)

// Cache lines of a rank, a thread, and the object of a step.
const (
	rankLines   = 4
	threadLines = 2
	stepLines   = 7
)

// prefetch loads the cache lines that the next events need, so that the misses of several events
// overlap. It changes no result.
func (w *world) prefetch() {
	if e, ok := w.queue.peek(messageAhead); ok && e.moves() {
		prefetchLines(unsafe.Pointer(&w.msgs[e.ref()]), 1)
	}
	if r := w.receiver(rankAhead); r != nil {
		prefetchLines(unsafe.Pointer(r), rankLines)
		prefetchLines(unsafe.Pointer(r.main), threadLines)
	}
	if r := w.receiver(listsAhead); r != nil {
		prefetchLines(r.queues.Front(), 1)
		prefetchLines(unsafe.Pointer(unsafe.SliceData(r.slots.list)), 1)
		prefetchLines(unsafe.Pointer(unsafe.SliceData(r.slots.thens)), 1)
	}
	if r := w.receiver(receiveAhead); r != nil {
		r.prefetchReceive()
	}
	if r := w.receiver(stepAhead); r != nil {
		r.prefetchStep()
	}
}

// prefetchReceive loads the first posted receive and its continuation.
func (r *rank) prefetchReceive() {
	id, ok := r.queues.First()
	if !ok {
		return
	}
	prefetchLines(unsafe.Pointer(&r.slots.list[id]), 1)
	if int(id) < len(r.slots.thens) {
		prefetchLines(unsafe.Pointer(&r.slots.thens[id]), 1)
	}
}

// prefetchStep loads the object that the first posted receive continues.
func (r *rank) prefetchStep() {
	id, ok := r.queues.First()
	if !ok || int(id) >= len(r.slots.thens) {
		return
	}
	if then := r.slots.thens[id].then; then != nil {
		prefetchLines(object(&then), stepLines)
	}
}

// receiver returns the rank that receives the message of the event that is popped after k other
// events, or nil.
func (w *world) receiver(k int) *rank {
	e, ok := w.queue.peek(k)
	if !ok || !e.moves() || e.kind() == evInject || e.kind() == evLink {
		return nil
	}
	return &w.ranks[w.msgs[e.ref()].dst]
}

// object returns the pointer in an interface.
func object(then *cluster.Step) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(then))[1]
}

// moves reports whether the event belongs to a message.
func (e event) moves() bool { return e.kind() >= evInject && e.kind() != evBarrier }
