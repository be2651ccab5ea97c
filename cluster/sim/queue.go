package sim

import (
	"iter"
	"math"
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// event is something that happens at a time: its kind, and what it happens to, a
// message or a thread, by number.
type event struct {
	at   uint64 // picoseconds, a cluster.Time
	what uint64 // kind << refBits | ref
}

const (
	refBits  = 28
	kindBits = 3
	maxRef   = 1<<refBits - 1
)

func (e event) kind() eventKind { return eventKind(e.what >> refBits) }
func (e event) ref() int32      { return int32(e.what & maxRef) }

// queue gives events by time, and those of one time in the order in which they
// were pushed. It is a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan: Faster
// algorithms for the shortest path problem, JACM 1990), which holds because
// nothing is pushed before the time of what was popped last.
//
// There is a base that no event is before. Bucket 0 has the events of that very
// time; bucket i those whose time differs from it in bit i − 1 and in none above.
// So an event of a lower bucket is always earlier. When the lowest bucket with
// events is a long one, its earliest time becomes the base, and its events move to
// lower buckets, which are all empty: each keeps the order of pushing. A short one
// is searched.
type queue struct {
	base    uint64
	some    uint64 // a bit for each bucket that has events
	n       int
	head    int // of bucket 0: so many of the events of its first chunk are gone
	buckets [64]bucket
	free    *chunk
}

// bucket is a list of events in chunks, and their earliest time.
type bucket struct {
	first, last *chunk // nil: empty
	room        int    // of the last chunk
	min         uint64
}

// chunk is a piece of a list. Buckets share those that are free, so that all
// together take little more than the events that there are.
type chunk struct {
	next   *chunk
	events [chunkLen]event
}

const (
	chunkLen = 31 // half a KiB
	slab     = 16 // chunks that are made at a time
	short    = 4  // so many events are searched rather than moved
)

func (q *queue) len() int { return q.n }

// of is the events of a chunk of a bucket.
func (b *bucket) of(c *chunk) []event {
	if c == b.last {
		return c.events[:chunkLen-b.room]
	}
	return c.events[:]
}

// events is what is in the queue, in no order that matters.
func (q *queue) events() iter.Seq[event] {
	return func(yield func(event) bool) {
		head := q.head
		for i := range q.buckets {
			b := &q.buckets[i]
			for c := b.first; c != nil; c = c.next {
				for _, e := range b.of(c)[head:] {
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
func (q *queue) push(at cluster.Time, kind eventKind, ref int32) {
	q.n++
	q.put(event{max(uint64(at), q.base), uint64(kind)<<refBits | uint64(ref)})
}

func (q *queue) put(e event) {
	i := bits.Len64(e.at^q.base) & 63
	b := &q.buckets[i]
	if b.room == 0 {
		q.extend(i)
	}
	b.last.events[chunkLen-b.room] = e
	b.room--
	b.min = min(b.min, e.at)
}

// extend gives a bucket another chunk.
func (q *queue) extend(i int) {
	if q.free == nil {
		more := new([slab]chunk)
		for k := range more {
			q.give(&more[k])
		}
	}
	c := q.free
	q.free, c.next = c.next, nil
	b := &q.buckets[i]
	b.room = chunkLen
	if b.first == nil {
		b.first, b.last, b.min = c, c, math.MaxUint64
		q.some |= 1 << i
		return
	}
	b.last.next, b.last = c, c
}

// give takes a chunk back.
func (q *queue) give(c *chunk) { c.next, q.free = q.free, c }

// clear forgets the chunks of a bucket, whoever has them now.
func (q *queue) clear(i int) {
	b := &q.buckets[i]
	b.first, b.last, b.room = nil, nil, 0
	q.some &^= 1 << i
}

// lowest is the first bucket that has events.
func (q *queue) lowest() int { return bits.TrailingZeros64(q.some) & 63 }

// pop takes the earliest event out; there is one.
func (q *queue) pop() event {
	q.n--
	if i := q.lowest(); i > 0 {
		b := q.buckets[i]
		if b.first == b.last && chunkLen-b.room <= short {
			return q.search(i)
		}
		q.base = b.min
		q.clear(i)
		for c := b.first; c != nil; {
			for _, e := range b.of(c) {
				q.put(e)
			}
			next := c.next
			q.give(c)
			c = next
		}
	}
	b := &q.buckets[0]
	c := b.first
	e := c.events[q.head]
	q.head++
	switch {
	case c == b.last:
		if q.head == chunkLen-b.room {
			q.head = 0
			q.clear(0)
			q.give(c)
		}
	case q.head == chunkLen:
		q.head, b.first = 0, c.next
		q.give(c)
	}
	return e
}

// search takes the first of the earliest events out of a short bucket.
func (q *queue) search(i int) event {
	b := &q.buckets[i]
	es := b.of(b.first)
	k := 0
	for es[k].at != b.min {
		k++
	}
	e := es[k]
	copy(es[k:], es[k+1:])
	es = es[:len(es)-1]
	if len(es) == 0 {
		q.give(b.first)
		q.clear(i)
		return e
	}
	b.room++
	first := es[0].at
	for _, o := range es[1:] {
		first = min(first, o.at)
	}
	b.min = first
	return e
}

// quietUntil reports whether nothing happens up to and including t.
func (q *queue) quietUntil(t cluster.Time) bool {
	return q.n == 0 || cluster.Time(q.buckets[q.lowest()].min) > t
}
