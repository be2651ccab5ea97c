package sim

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// event is something that happens at a time. key is its sequence number (33 bits),
// which orders equal times, its kind (3) and what it happens to (28): a message or
// a thread, by number.
type event struct {
	at  uint64 // picoseconds, a cluster.Time
	key uint64
}

const (
	refBits  = 28
	kindBits = 3
	maxRef   = 1<<refBits - 1
	maxSeq   = 1<<(64-refBits-kindBits) - 1
)

func (e event) kind() eventKind { return eventKind(e.key >> refBits & (1<<kindBits - 1)) }
func (e event) ref() int32      { return int32(e.key & maxRef) }

// before is 1 if e comes before o, else 0, without a branch that could be
// mispredicted.
func (e *event) before(o *event) int {
	_, b := bits.Sub64(e.key, o.key, 0)
	_, b = bits.Sub64(e.at, o.at, b)
	return int(b)
}

// queue is a heap of events with four children a node. The root stands at index
// 3, so that the children of a node share a cache line; what is behind the last
// event is later than all.
type queue struct {
	heap []event
	n    int // index behind the last event
	seq  uint64
}

const root = 3

var never = event{math.MaxUint64, math.MaxUint64}

func (q *queue) len() int { return max(q.n-root, 0) }

// events lists what is in the queue, in no order that matters.
func (q *queue) events() []event {
	if q.n <= root {
		return nil
	}
	return q.heap[root:q.n]
}

func (q *queue) push(at cluster.Time, kind eventKind, ref int32) {
	if q.seq == maxSeq {
		q.renumber()
	}
	q.seq++
	e := event{uint64(at), q.seq<<(refBits+kindBits) | uint64(kind)<<refBits | uint64(ref)}
	if q.n == 0 {
		q.n = root
	}
	if q.n+1 >= len(q.heap) {
		q.grow()
	}
	h := q.heap
	i := q.n
	q.n++
	for i > root {
		up := i>>2 + 2
		if e.before(&h[up]) == 0 {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

// grow makes room, in whole groups of children.
func (q *queue) grow() {
	more := make([]event, max(64, 2*len(q.heap)))
	k := copy(more, q.heap)
	for i := range more[k:] {
		more[k+i] = never
	}
	q.heap = more
}

func (q *queue) pop() event {
	h := q.heap
	top := h[root]
	q.n--
	n := q.n
	last := h[n]
	h[n] = never
	if n == root {
		return top
	}
	// The hole goes down to a leaf, where the last event nearly always belongs.
	i := root
	for {
		c := i<<2 - 8
		if c >= n {
			break
		}
		g := h[c : c+4 : c+4]
		a := g[1].before(&g[0])
		b := 2 + g[3].before(&g[2])
		a += (b - a) * g[b&3].before(&g[a&3])
		h[i] = g[a&3]
		i = c + a
	}
	for i > root {
		up := i>>2 + 2
		if last.before(&h[up]) == 0 {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = last
	return top
}

// renumber gives the events small sequence numbers in the order that they have.
func (q *queue) renumber() {
	events := q.events()
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) })
	const low = 1<<(refBits+kindBits) - 1
	for i := range events {
		events[i].key = uint64(i+1)<<(refBits+kindBits) | events[i].key&low
	}
	q.seq = uint64(len(events))
}

// quietUntil reports whether nothing happens up to and including t.
func (q *queue) quietUntil(t cluster.Time) bool {
	return q.n <= root || cluster.Time(q.heap[root].at) > t
}
