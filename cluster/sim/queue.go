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
// There is a base that no event in a bucket is before. Bucket 0 has the events of that very
// time; bucket i those whose time differs from it in bit i − 1 and in none above.
// So an event of a lower bucket is always earlier. When the lowest bucket with
// events is a long one, its earliest time becomes the base, and its events move to
// lower buckets, which are all empty: each keeps the order of pushing. A short one
// is sorted.
//
// The events that come next stand before the buckets, in order, so that what they need can
// be prefetched. One that is pushed before the last of these is put among them.
type queue struct {
	base    uint64
	some    uint64 // a bit for each bucket that has events
	n       int
	head    int // of bucket 0: so many of the events of its first chunk are gone
	buckets [64]bucket
	free    *chunk

	near  []event // from first on
	first int
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
	short    = 8  // so many events are sorted rather than moved

	nearLeast = messageAhead + 2 // so many stand before the buckets, if there are as many
	nearFull  = 2 * nearLeast    // up to so many are taken at a time
	nearMost  = 64               // of more than so many those behind nearFull go back
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
		for _, e := range q.near[q.first:] {
			if !yield(e) {
				return
			}
		}
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
	e := event{uint64(at), uint64(kind)<<refBits | uint64(ref)}
	if last := len(q.near) - 1; last >= q.first && e.at < q.near[last].at {
		if q.place(e); len(q.near)-q.first > nearMost {
			q.giveBack()
		}
		return
	}
	e.at = max(e.at, q.base)
	q.put(e)
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
	if len(q.near)-q.first < nearLeast && q.some != 0 {
		q.fill()
	}
	e := q.near[q.first]
	q.first++
	return e
}

// fill takes the earliest events out of the buckets.
func (q *queue) fill() {
	q.near = q.near[:copy(q.near, q.near[q.first:])]
	q.first = 0
	for len(q.near) < nearFull && q.some != 0 {
		i := q.lowest()
		b := q.buckets[i]
		switch {
		case i == 0:
			q.takeSome()
		case b.first == b.last && chunkLen-b.room <= short:
			for _, e := range b.of(b.first) {
				q.place(e)
			}
			q.clear(i)
			q.give(b.first)
		default:
			q.base = b.min
			q.clear(i)
			q.move(&b, 0)
		}
	}
}

// takeSome takes events out of the first chunk of bucket 0.
func (q *queue) takeSome() {
	b := &q.buckets[0]
	c := b.first
	es := b.of(c)[q.head:]
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
	q.give(c)
}

// move puts the events of a bucket that is cleared where they belong now; head of them
// are gone.
func (q *queue) move(b *bucket, head int) {
	for c := b.first; c != nil; head = 0 {
		for _, e := range b.of(c)[head:] {
			q.put(e)
		}
		next := c.next
		q.give(c)
		c = next
	}
}

// place puts an event among those that come next, behind those of its time.
func (q *queue) place(e event) {
	k := len(q.near)
	q.near = append(q.near, e)
	for ; k > q.first && q.near[k-1].at > e.at; k-- {
		q.near[k] = q.near[k-1]
	}
	q.near[k] = e
}

// giveBack puts what has become too many into the buckets again. They have to be made
// anew, by an earlier base.
func (q *queue) giveBack() {
	old, some, head := q.buckets, q.some, q.head
	clear(q.buckets[:])
	q.some, q.head = 0, 0
	back := q.near[q.first+nearFull:]
	q.near = q.near[:q.first+nearFull]
	q.base = q.near[len(q.near)-1].at // what is pushed from now on at that time or later belongs into a bucket
	for _, e := range back {
		q.put(e)
	}
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(some)
		q.move(&old[i], head)
		head = 0
	}
}

// earliest is the time of the event that is popped next; there is one.
func (q *queue) earliest() cluster.Time {
	if q.first < len(q.near) {
		return cluster.Time(q.near[q.first].at)
	}
	return cluster.Time(q.buckets[q.lowest()].min)
}

// quietUntil reports whether nothing happens up to and including t.
func (q *queue) quietUntil(t cluster.Time) bool { return q.n == 0 || q.earliest() > t }

// peek gives the event that is popped k + 1 pops from now, as far as that is known.
func (q *queue) peek(k int) (event, bool) {
	if k += q.first; k < len(q.near) {
		return q.near[k], true
	}
	return event{}, false
}
