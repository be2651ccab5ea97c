package sim

import (
	"iter"
	"math"
	"math/bits"
)

// event is an event at a time: its kind, and the number of its message or thread.
type event struct {
	key  uint64 // time in picoseconds << 1 | last
	what uint64 // kind << refBits | ref
}

const (
	refBits  = 28
	kindBits = 3
	maxRef   = 1<<refBits - 1
)

func (e event) kind() eventKind { return eventKind(e.what >> refBits) }
func (e event) ref() int32      { return int32(e.what & maxRef) }

// queue returns events by key, and events of equal keys in the order of pushing. It is a radix
// heap (Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the shortest path problem, JACM
// 1990). A radix heap is sufficient because no event is pushed before the time of the last popped
// event.
//
// No event in a bucket is before the base. Bucket 0 has the events at exactly the base. In bucket
// i, the highest bit in which times differ from the base is bit i − 1. So an event in a lower
// bucket is always earlier. If the lowest bucket with events is long, its earliest time becomes the
// base. Its events then move to lower buckets, which are all empty, in the order of pushing. A
// short bucket is sorted.
//
// The next events are in order in a list before the buckets, so that their data can be prefetched.
// A pushed event that is earlier than the last of these is inserted into the list.
type queue struct {
	base     uint64
	nonEmpty uint64 // one bit per bucket with events
	n        int
	head     int // bucket 0: number of events already taken from its first chunk
	buckets  [64]bucket
	free     *chunk

	near  []event // valid from first on
	first int
}

// bucket is a list of events in chunks, and their earliest time.
type bucket struct {
	first, last *chunk // nil: empty
	unused      int    // free entries in the last chunk
	min         uint64
}

// chunk is a part of a list. Buckets share free chunks, so the total memory is little more than the
// events need.
type chunk struct {
	next   *chunk
	events [chunkLen]event
}

const (
	chunkLen = 31 // half a KiB
	slab     = 16 // chunks per allocation
	short    = 8  // at most this number of events is sorted instead of moved

	nearMin  = messageAhead + 2 // minimum length of the list before the buckets, if there are as many events
	nearFull = 2 * nearMin      // maximum number of events taken at a time
	nearMax  = 64               // maximum length of the list; events behind nearFull then go back
)

func (q *queue) len() int { return q.n }

// eventsOf returns the events of a chunk of a bucket.
func (b *bucket) eventsOf(c *chunk) []event {
	if c == b.last {
		return c.events[:chunkLen-b.unused]
	}
	return c.events[:]
}

// events returns the events of the queue in any order.
func (q *queue) events() iter.Seq[event] {
	return func(yield func(event) bool) {
		for _, e := range q.near[q.first:] {
			if !yield(e) {
				return
			}
		}
		head := q.head
		for i := range q.buckets {
			b := &q.buckets[i]
			for c := b.first; c != nil; c = c.next {
				for _, e := range b.eventsOf(c)[head:] {
					if !yield(e) {
						return
					}
				}
				head = 0
			}
		}
	}
}

// push adds an event.
func (q *queue) push(key uint64, kind eventKind, ref int32) {
	q.n++
	e := event{key: key, what: uint64(kind)<<refBits | uint64(ref)}
	if last := len(q.near) - 1; last >= q.first && e.key < q.near[last].key {
		if q.insert(e); len(q.near)-q.first > nearMax {
			q.giveBack()
		}
		return
	}
	e.key = max(e.key, q.base)
	q.put(e)
}

func (q *queue) put(e event) {
	i := bits.Len64(e.key^q.base) & 63
	b := &q.buckets[i]
	if b.unused == 0 {
		q.extend(i)
	}
	b.last.events[chunkLen-b.unused] = e
	b.unused--
	b.min = min(b.min, e.key)
}

// extend adds a chunk to a bucket.
func (q *queue) extend(i int) {
	if q.free == nil {
		more := new([slab]chunk)
		for k := range more {
			q.freeChunk(&more[k])
		}
	}
	c := q.free
	q.free, c.next = c.next, nil
	b := &q.buckets[i]
	b.unused = chunkLen
	if b.first == nil {
		b.first = c
		b.last = c
		b.min = math.MaxUint64
		q.nonEmpty |= 1 << i
		return
	}
	b.last.next, b.last = c, c
}

// freeChunk frees a chunk.
func (q *queue) freeChunk(c *chunk) { c.next, q.free = q.free, c }

// clear empties a bucket. Its chunks belong to the caller.
func (q *queue) clear(i int) {
	b := &q.buckets[i]
	b.first = nil
	b.last = nil
	b.unused = 0
	q.nonEmpty &^= 1 << i
}

// lowest returns the first bucket with events.
func (q *queue) lowest() int { return bits.TrailingZeros64(q.nonEmpty) & 63 }

// pop removes and returns the earliest event. The queue must not be empty.
func (q *queue) pop() event {
	q.n--
	if len(q.near)-q.first < nearMin && q.nonEmpty != 0 {
		q.fill()
	}
	e := q.near[q.first]
	q.first++
	return e
}

// rewind lets an empty queue accept events of any time.
func (q *queue) rewind() { q.base, q.near, q.first = 0, q.near[:0], 0 }

// fill moves the earliest events from the buckets to the list.
func (q *queue) fill() {
	q.near = q.near[:copy(q.near, q.near[q.first:])]
	q.first = 0
	for len(q.near) < nearFull && q.nonEmpty != 0 {
		i := q.lowest()
		b := q.buckets[i]
		switch {
		case i == 0:
			q.takeSome()
		case b.first == b.last && chunkLen-b.unused <= short:
			for _, e := range b.eventsOf(b.first) {
				q.insert(e)
			}
			q.clear(i)
			q.freeChunk(b.first)
		default:
			q.base = b.min
			q.clear(i)
			q.move(&b, 0)
		}
	}
}

// takeSome takes events from the first chunk of bucket 0.
func (q *queue) takeSome() {
	b := &q.buckets[0]
	c := b.first
	es := b.eventsOf(c)[q.head:]
	k := min(len(es), nearFull-len(q.near))
	q.near = append(q.near, es[:k]...)
	q.head += k
	if k < len(es) {
		return
	}
	q.head = 0
	if c == b.last {
		q.clear(0)
	} else {
		b.first = c.next
	}
	q.freeChunk(c)
}

// move distributes the events of a cleared bucket, without the first head events.
func (q *queue) move(b *bucket, head int) {
	for c := b.first; c != nil; head = 0 {
		for _, e := range b.eventsOf(c)[head:] {
			q.put(e)
		}
		next := c.next
		q.freeChunk(c)
		c = next
	}
}

// insert inserts an event into the list, behind events of the same time.
func (q *queue) insert(e event) {
	k := len(q.near)
	q.near = append(q.near, e)
	for ; k > q.first && q.near[k-1].key > e.key; k-- {
		q.near[k] = q.near[k-1]
	}
	q.near[k] = e
}

// giveBack returns the excess events of the list to the buckets. The buckets are rebuilt with an
// earlier base.
func (q *queue) giveBack() {
	old := q.buckets
	some := q.nonEmpty
	head := q.head
	clear(q.buckets[:])
	q.nonEmpty, q.head = 0, 0
	back := q.near[q.first+nearFull:]
	q.near = q.near[:q.first+nearFull]
	q.base = q.near[len(q.near)-1].key // events pushed from now on at that time or later belong into a bucket
	for _, e := range back {
		q.put(e)
	}
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(some)
		q.move(&old[i], head)
		head = 0
	}
}

// earliest returns the key of the next event. The queue must not be empty.
func (q *queue) earliest() uint64 {
	if q.first < len(q.near) {
		return q.near[q.first].key
	}
	return q.buckets[q.lowest()].min
}

// peek returns the event that is popped after k other events, if it is in the list.
func (q *queue) peek(k int) (event, bool) {
	k += q.first
	if k < len(q.near) {
		return q.near[k], true
	}
	return event{}, false
}
