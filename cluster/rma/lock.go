package rma

import (
	"encoding/binary"
	"reflect"

	"github.com/hybridtop/hybridtop/cluster"
)

// lock is a rank's side of the passive-target calls of others on its window: the holders, the
// queue, and the sums to add. Only RPC bodies use it, and a fabric runs one of them at a time on a
// rank. The rank itself also uses RPCs, so lock needs no mutex even if a progress thread runs the
// bodies.
//
// No rank spins: a rank that does not get the lock awaits a word in its segment. The unlocking
// rank asks here for the next rank, and adds one to that rank's word.
type lock struct {
	data      []byte // the window
	holders   int
	exclusive bool
	queue     []waiter // in the order of the requests
	scratch   []uint64
}

type waiter struct {
	rank int32
	kind LockKind
}

// The kind of a request to serve: the first byte of its data.
const (
	askShared     byte = iota // 1: granted, 0: queued
	askExclusive              // same result as askShared
	askUnlock                 // releases; same result as askNext
	askNext                   // grants to the first in the queue if it can: its rank + 1, else 0
	askAccumulate             // data: kind 1 B, 6 B of padding, offset 8 B, numbers
)

// requests are the one-byte requests, without more data.
var requests = [...]byte{askShared: askShared, askExclusive: askExclusive, askUnlock: askUnlock, askNext: askNext}

const accumulateHeader = 16

// serve is the RPC body.
func (w *lock) serve(c cluster.RPC) uint64 {
	switch c.Data[0] {
	case askShared:
		return w.request(waiter{rank: c.Src, kind: LockShared})
	case askExclusive:
		return w.request(waiter{rank: c.Src, kind: LockExclusive})
	case askUnlock:
		w.holders--
		w.exclusive = false
		return w.grant()
	case askNext:
		return w.grant()
	case askAccumulate:
		w.accumulate(c.Data)
	default:
		panic("rma: unknown request to a lock")
	}
	return 0
}

// request grants a lock at once only if no rank waits. Requests are served in order, so that
// readers cannot block a writer forever.
func (w *lock) request(r waiter) uint64 {
	w.queue = append(w.queue, r)
	if len(w.queue) == 1 && w.grant() != 0 {
		return 1
	}
	return 0
}

// grant removes the first waiter from the queue if it can get the lock, and returns its rank + 1,
// or 0.
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

func (w *lock) accumulate(data []byte) {
	kind := reflect.Kind(data[1])
	off := int64(binary.NativeEndian.Uint64(data[8:]))
	in := data[accumulateHeader:]
	if need := (len(in) + 7) / 8; need > len(w.scratch) {
		w.scratch = make([]uint64, need)
	}
	aligned := cluster.Bytes(w.scratch)[:len(in)] // data may be unaligned
	copy(aligned, in)
	adders[kind](w.data[off:off+int64(len(in))], aligned)
}

// adders add numbers to others, by kind. An accumulate sends the kind in its message, because its
// target only knows bytes.
var adders = [...]func(acc, in []byte){
	reflect.Int8:       add[int8],
	reflect.Uint8:      add[uint8],
	reflect.Int16:      add[int16],
	reflect.Uint16:     add[uint16],
	reflect.Int32:      add[int32],
	reflect.Uint32:     add[uint32],
	reflect.Int64:      add[int64],
	reflect.Uint64:     add[uint64],
	reflect.Float32:    add[float32],
	reflect.Float64:    add[float64],
	reflect.Complex64:  add[complex64],
	reflect.Complex128: add[complex128],
}

func add[T cluster.Number](acc, in []byte) {
	a := cluster.View[T](acc)
	for i, v := range cluster.View[T](in) {
		a[i] += v
	}
}
