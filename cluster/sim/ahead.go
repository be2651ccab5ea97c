package sim

import "unsafe"

// wide is from how many ranks on what they hold does not stay in a core's own cache.
const wide = 1024

// lookahead is how many events before its turn a message's cache line is asked for.
// What that line leads to follows at half of it, and what this leads to at a quarter.
const lookahead = 8

// ahead asks for the cache lines that the events after the present one will need, so
// that the misses of several events pass at the same time. It changes no result.
func (w *world) ahead() {
	if e, ok := w.queue.peek(lookahead); ok && e.moves() {
		prefetch(unsafe.Pointer(&w.msgs[e.ref()]))
	}
	if r := w.target(lookahead / 2); r != nil {
		prefetch(unsafe.Pointer(r))
		prefetch(unsafe.Pointer(&r.slots))
	}
	if r := w.target(lookahead / 4); r != nil {
		prefetch(unsafe.Pointer(r.main))
		prefetch(r.queues.Front())
		prefetch(unsafe.Pointer(unsafe.SliceData(r.slots.list)))
	}
}

// target is the rank at which the message of an event to come is or will be; nil:
// there is no such event.
func (w *world) target(k int) *rank {
	if e, ok := w.queue.peek(k); ok && e.moves() && e.kind() != evInject {
		return &w.ranks[w.msgs[e.ref()].dst]
	}
	return nil
}

// moves reports whether the event is a message's.
func (e event) moves() bool { return e.kind() >= evInject && e.kind() <= evComplete }

// peek gives the event that is popped k + 1 pops from now, if it is of this very time
// and near in the list.
func (q *queue) peek(k int) (event, bool) {
	b := &q.buckets[0]
	c, i := b.first, q.head+k
	if c != nil && i >= chunkLen {
		c, i = c.next, i-chunkLen
	}
	if c == nil || i >= len(b.of(c)) {
		return event{}, false
	}
	return c.events[i], true
}
