package cluster

import (
	"encoding/binary"
	"reflect"
)

// locks is a rank's side of the passive-target calls that others make on its
// windows: who holds each window's lock, who waits, and the sums to be added. It
// belongs to the RPC bodies, of which a fabric runs one at a time on a rank; the
// rank itself speaks to it by RPC as well, so that it needs no lock of its own
// even where a progress thread runs the bodies.
//
// Nobody spins: a rank that does not get a lock awaits a word of its own segment.
// The rank that unlocks asks here who is next, and adds one to that rank's word.
type locks struct {
	segment []byte
	windows map[int32]*lock // by context of the window's team
	scratch []uint64
}

// lock is the lock of one rank's window.
type lock struct {
	data      int64 // offset of the window in the segment
	holders   int
	exclusive bool
	queue     []waiter // in the order of their requests
}

type waiter struct {
	rank int32
	kind LockKind
}

// fnLocks is the number under which every rank registers serve, as the first.
const fnLocks = 1

// What an RPC to serve asks for: the first byte of its data. Arg is the window.
const (
	askNew        byte = iota // rest: offset of the window, 8 B
	askFree                   //
	askShared                 // 1: granted, 0: queued
	askExclusive              // likewise
	askUnlock                 // releases; as askNext
	askNext                   // grants to the first in the queue if it can: its rank + 1, else 0
	askAccumulate             // rest: kind 1 B, 6 B of nothing, offset 8 B, numbers
)

// asks are the requests that have no more to say.
var asks = [...]byte{askFree: askFree, askShared: askShared, askExclusive: askExclusive, askUnlock: askUnlock, askNext: askNext}

const accumulateHeader = 16

func newLocks(segment []byte) *locks { return &locks{segment: segment} }

// serve is the RPC body.
func (l *locks) serve(c RPC) uint64 {
	w := l.windows[c.Arg]
	switch c.Data[0] {
	case askNew:
		if l.windows == nil {
			l.windows = make(map[int32]*lock)
		}
		l.windows[c.Arg] = &lock{data: int64(binary.NativeEndian.Uint64(c.Data[1:]))}
	case askFree:
		delete(l.windows, c.Arg)
	case askShared:
		return w.request(waiter{c.Src, LockShared})
	case askExclusive:
		return w.request(waiter{c.Src, LockExclusive})
	case askUnlock:
		w.holders--
		w.exclusive = false
		return w.grant()
	case askNext:
		return w.grant()
	case askAccumulate:
		l.accumulate(w, c.Data)
	default:
		panic("cluster: unknown request to the locks")
	}
	return 0
}

// request grants at once only if nobody waits: requests are served in order, so
// that readers cannot keep a writer out for ever.
func (w *lock) request(r waiter) uint64 {
	w.queue = append(w.queue, r)
	if len(w.queue) == 1 && w.grant() != 0 {
		return 1
	}
	return 0
}

// grant takes the first waiter off the queue if the lock can be its, and gives
// its rank + 1; else 0.
func (w *lock) grant() uint64 {
	if len(w.queue) == 0 || w.exclusive {
		return 0
	}
	next := w.queue[0]
	if next.kind == LockExclusive && w.holders > 0 {
		return 0
	}
	w.queue = w.queue[:copy(w.queue, w.queue[1:])]
	w.holders++
	w.exclusive = next.kind == LockExclusive
	return uint64(next.rank) + 1
}

func (l *locks) accumulate(w *lock, data []byte) {
	kind, off, in := reflect.Kind(data[1]), int64(binary.NativeEndian.Uint64(data[8:])), data[accumulateHeader:]
	if need := (len(in) + 7) / 8; need > len(l.scratch) {
		l.scratch = make([]uint64, need)
	}
	aligned := Bytes(l.scratch)[:len(in)] // data may stand anywhere
	copy(aligned, in)
	at := w.data + off
	combiners[kind](Sum, l.segment[at:at+int64(len(in))], aligned)
}
