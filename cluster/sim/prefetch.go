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
	rankAhead    = 8  // the rank that receives it, or the thread that it resumes
	listsAhead   = 5  // lists of the rank, or the rank of the thread
	slotAhead    = 3  // the operation that it completes
	stepAhead    = 1  // the object of the operation's continuation
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
	if e, ok := w.queue.peek(rankAhead); ok {
		w.prefetchRank(e)
	}
	if e, ok := w.queue.peek(listsAhead); ok {
		w.prefetchLists(e)
	}
	if e, ok := w.queue.peek(slotAhead); ok {
		w.prefetchSlot(e)
	}
	if e, ok := w.queue.peek(stepAhead); ok {
		w.prefetchStep(e)
	}
}

// prefetchRank loads the rank of a message with its first thread, or the resumed thread.
func (w *world) prefetchRank(e event) {
	switch {
	case e.resumes():
		prefetchLines(unsafe.Pointer(w.threads[e.ref()]), threadLines)
	case e.arrives():
		at := w.msgs[e.ref()].dst
		prefetchLines(unsafe.Pointer(&w.ranks[at]), rankLines)
		prefetchLines(unsafe.Pointer(w.threads[at]), threadLines)
	}
}

// prefetchLists loads the lists of a message's rank and its progress engine, or the rank and the handles of a resumed
// thread.
func (w *world) prefetchLists(e event) {
	switch {
	case e.resumes():
		t := w.threads[e.ref()]
		prefetchLines(unsafe.Pointer(t.r), rankLines)
		prefetchLines(unsafe.Pointer(&t.r.members), 1)
		prefetchLines(unsafe.Pointer(unsafe.SliceData(t.hs)), 1)
	case e.arrives():
		r := &w.ranks[w.msgs[e.ref()].dst]
		prefetchLines(unsafe.Pointer(r.engine), threadLines)
		prefetchLines(r.queues.Front(), 1)
		prefetchLines(unsafe.Pointer(unsafe.SliceData(r.slots.list)), 1)
		prefetchLines(unsafe.Pointer(unsafe.SliceData(r.slots.thens)), 1)
	}
}

// prefetchSlot loads the operation that a message completes and its continuation, or the barriers of a resumed thread.
func (w *world) prefetchSlot(e event) {
	switch {
	case e.resumes():
		t := w.threads[e.ref()]
		prefetchLines(unsafe.Pointer(unsafe.SliceData(t.r.members)), 2)
	case e.arrives():
		if r, id, ok := w.completed(e); ok {
			prefetchLines(unsafe.Pointer(&r.slots.list[id]), 1)
			if int(id) < len(r.slots.thens) {
				prefetchLines(unsafe.Pointer(&r.slots.thens[id]), 1)
			}
		}
	}
}

// prefetchStep loads the object that the operation of a message continues.
func (w *world) prefetchStep(e event) {
	if !e.arrives() {
		return
	}
	r, id, ok := w.completed(e)
	if !ok || int(id) >= len(r.slots.thens) {
		return
	}
	if then := r.slots.thens[id].then; then != nil {
		prefetchLines(object(&then), stepLines)
	}
}

// completed returns the operation that the event of a message probably completes. A message that matches a receive on
// arrival probably matches the first posted one.
func (w *world) completed(e event) (r *rank, id uint32, ok bool) {
	m := &w.msgs[e.ref()]
	r = &w.ranks[m.dst]
	switch {
	case e.kind() == evComplete || m.kind == msgData:
		id = m.recv
	case m.kind == msgCTS:
		id = m.req
	default:
		if id, ok = r.queues.First(); !ok {
			return r, 0, false
		}
	}
	return r, id, int(id) < len(r.slots.list)
}

// object returns the pointer in an interface.
func object(then *cluster.Step) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(then))[1]
}

// moves reports whether the event belongs to a message.
func (e event) moves() bool { return e.kind() >= evInject && e.kind() != evBarrier }

// arrives reports whether the event may change the rank at which a message arrives or an operation completes.
func (e event) arrives() bool {
	return e.kind() == evReach || e.kind() == evArrive || e.kind() == evComplete
}

// resumes reports whether the event resumes a thread.
func (e event) resumes() bool { return e.kind() <= evPoll || e.kind() == evBarrier }
