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
	askLists    = 5 // of the rank: the receive posted first, operations, their steps; of the thread: its stack
	askReceive  = 3 // the operation of that receive
	askStep     = 1 // what its step is called on
	outlookSize = 16
)

// outlook is the events that come next, as far as they have been looked at.
type outlook struct {
	n    uint // events so far
	next [outlookSize]struct {
		kind eventKind
		at   cluster.Time
		ref  int32   // of the message, or of the thread; −1: none is known
		to   *rank   // at which it is; nil: it leaves, or is not known yet
		who  *thread // that it may resume; nil: none, or not known yet
	}
}

// ahead asks for the cache lines that the events after the present one will need, so
// that the misses of several events pass at the same time. It changes no result.
func (w *world) ahead() {
	o := &w.outlook
	o.n++
	x := &o.next[(o.n+askMessage)%outlookSize]
	x.ref, x.to, x.who = -1, nil, nil
	if e, ok := w.queue.peek(askMessage); ok {
		x.kind, x.at, x.ref = e.kind(), cluster.Time(e.at), e.ref()
		if e.moves() {
			prefetch(unsafe.Pointer(&w.msgs[x.ref]))
			if x.kind == evReach {
				prefetch(unsafe.Pointer(&w.lasts[x.ref]))
			}
		} else {
			prefetchLines(uintptr(unsafe.Pointer(w.threads[x.ref])), threadLines)
		}
	}
	if x = &o.next[(o.n+askRank)%outlookSize]; x.ref >= 0 {
		switch x.kind {
		case evInject, evLink:
			prefetch(unsafe.Pointer(&w.net.out[int(w.net.nodeOf[w.msgs[x.ref].src])*w.net.adapters]))
		case evResume, evPoll, evBarrier:
			x.who = w.threads[x.ref]
			x.to = x.who.r
			prefetchLines(uintptr(unsafe.Pointer(x.to)), rankLines)
		case evReach:
			dst := w.msgs[x.ref].dst
			prefetch(unsafe.Pointer(&w.net.in[int(w.net.nodeOf[dst])*w.net.adapters]))
			if w.comes[dst] >= x.at { // it arrives later, by an event of its own
				break
			}
			fallthrough
		default:
			dst := w.msgs[x.ref].dst
			x.to, x.who = &w.ranks[dst], w.threads[dst]
			prefetchLines(uintptr(unsafe.Pointer(x.to)), rankLines)
			prefetchLines(uintptr(unsafe.Pointer(x.who)), threadLines)
		}
	}
	if x = &o.next[(o.n+askLists)%outlookSize]; x.to != nil {
		r := x.to
		prefetch(r.queues.Front())
		prefetch(unsafe.Pointer(unsafe.SliceData(r.slots.list)))
		prefetch(unsafe.Pointer(unsafe.SliceData(r.slots.thens)))
		if t := x.who; t.state == threadReady || t.state == threadWaits && r.then == 0 { // else a step goes on, and seldom a thread
			prefetchLines(t.frame, frameLines)
		}
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
				prefetchLines(uintptr(object(&then)), stepLines)
			}
		}
	}
}

// So many lines of a rank, of a thread, of the frames of its last calls and of what a step
// is called on are asked for.
const (
	rankLines   = 4
	threadLines = 2
	frameLines  = 16
	stepLines   = 7
)

// object is what an interface points to.
func object(then *cluster.Step) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(then))[1]
}

// moves reports whether the event is a message's.
func (e event) moves() bool { return e.kind() >= evInject && e.kind() != evBarrier }
