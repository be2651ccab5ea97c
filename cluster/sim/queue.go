package sim

import (
	"math/bits"
	"slices"

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
	head    int // of bucket 0: so many of its events are gone
	buckets [64]bucket
}

// bucket is a list of events, and their earliest time.
type bucket struct {
	events []event
	min    uint64
}

// short is how many events are searched rather than moved.
const short = 4

func (q *queue) len() int { return q.n }

// events lists what is in the queue, in no order that matters.
func (q *queue) events() []event {
	all := slices.Clone(q.buckets[0].events[q.head:])
	for i := range q.buckets[1:] {
		all = append(all, q.buckets[i+1].events...)
	}
	return all
}

// push adds an event, at the latest at the end of time.
func (q *queue) push(at cluster.Time, kind eventKind, ref int32) {
	q.n++
	q.put(event{max(uint64(at), q.base), uint64(kind)<<refBits | uint64(ref)})
}

func (q *queue) put(e event) {
	i := bits.Len64(e.at^q.base) & 63
	b := &q.buckets[i]
	if len(b.events) == 0 {
		b.min = e.at
		q.some |= 1 << i
	}
	b.min = min(b.min, e.at)
	b.events = append(b.events, e)
}

// lowest is the first bucket that has events.
func (q *queue) lowest() int { return bits.TrailingZeros64(q.some) & 63 }

func (q *queue) pop() event {
	q.n--
	i := q.lowest()
	b := &q.buckets[i]
	if i > 0 {
		if len(b.events) <= short {
			return q.search(i)
		}
		q.base = b.min
		q.some &^= 1 << i
		events := b.events
		b.events = b.events[:0]
		for _, e := range events {
			q.put(e)
		}
		b = &q.buckets[0]
	}
	e := b.events[q.head]
	if q.head++; q.head == len(b.events) {
		b.events, q.head = b.events[:0], 0
		q.some &^= 1
	}
	return e
}

// search takes the first of the earliest events out of a short bucket.
func (q *queue) search(i int) event {
	b := &q.buckets[i]
	es := b.events
	k := 0
	for es[k].at != b.min {
		k++
	}
	e := es[k]
	copy(es[k:], es[k+1:])
	es = es[:len(es)-1]
	b.events = es
	if len(es) == 0 {
		q.some &^= 1 << i
		return e
	}
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
