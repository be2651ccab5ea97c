package sim

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// wide is from how many ranks, and manyUnderWay from how many messages, on what they hold
// does not stay in a core's own cache.
const (
	wide         = 1024
	manyUnderWay = 1 << 14
)

// What an event needs is asked for in steps, each so many events before its turn: each
// step reads what the one before it has asked for.
const (
	askMessage  = 10
	askRank     = 8
	askLists    = 5 // of the rank: the receive posted first, operations, their steps
	askReceive  = 3 // the operation of that receive
	askStep     = 1 // what its step is called on
	outlookSize = 16
)

// outlook is the events that come next, as far as they have been looked at.
type outlook struct {
	n    uint // events so far
	next [outlookSize]struct {
		kind eventKind // evResume: no message's, or none that can be seen yet
		msg  int32
		to   *rank // at which it is; nil: it leaves, or is not known yet
	}
}

// ahead asks for the cache lines that the events after the present one will need, so
// that the misses of several events pass at the same time. It changes no result.
func (w *world) ahead() {
	o := &w.outlook
	o.n++
	x := &o.next[(o.n+askMessage)%outlookSize]
	x.kind, x.to = evResume, nil
	if e, ok := w.queue.peek(askMessage); ok && e.moves() {
		x.kind, x.msg = e.kind(), e.ref()
		prefetch(unsafe.Pointer(&w.msgs[x.msg]))
		if x.kind == evReach {
			prefetch(unsafe.Pointer(&w.lasts[x.msg]))
		}
	}
	if x = &o.next[(o.n+askRank)%outlookSize]; x.kind != evResume {
		m := &w.msgs[x.msg]
		switch x.kind {
		case evInject, evLink:
			prefetch(unsafe.Pointer(&w.net.out[int(w.net.nodeOf[m.src])*w.net.adapters]))
		case evReach:
			prefetch(unsafe.Pointer(&w.net.in[int(w.net.nodeOf[m.dst])*w.net.adapters]))
			prefetch(unsafe.Pointer(&w.comes[m.dst]))
			fallthrough
		default:
			x.to = &w.ranks[m.dst]
			prefetchLines(unsafe.Pointer(x.to), rankLines)
			prefetch(unsafe.Pointer(w.threads[m.dst]))
		}
	}
	if r := o.next[(o.n+askLists)%outlookSize].to; r != nil {
		prefetch(r.queues.Front())
		prefetch(unsafe.Pointer(unsafe.SliceData(r.slots.list)))
		prefetch(unsafe.Pointer(unsafe.SliceData(r.slots.thens)))
	}
	if r := o.next[(o.n+askReceive)%outlookSize].to; r != nil {
		if id, ok := r.queues.First(); ok {
			prefetch(unsafe.Pointer(&r.slots.list[id]))
			if int(id) < len(r.slots.thens) {
				prefetch(unsafe.Pointer(&r.slots.thens[id]))
			}
		}
	}
	if r := o.next[(o.n+askStep)%outlookSize].to; r != nil {
		if id, ok := r.queues.First(); ok && int(id) < len(r.slots.thens) {
			if then := r.slots.thens[id].then; then != nil {
				prefetchLines(object(&then), stepLines)
			}
		}
	}
}

// So many lines of a rank, and of what a step is called on, are asked for.
const (
	rankLines = 4
	stepLines = 7
)

// object is what an interface points to.
func object(then *cluster.Step) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(then))[1]
}

// moves reports whether the event is a message's.
func (e event) moves() bool { return e.kind() >= evInject && e.kind() != evBarrier }

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
