package match

import "slices"

// The shape of a queue.
const (
	shallow = 32   // a search that passes so many entries of a line turns it into an index
	stale   = 3    // so many references for a message, and those to what is gone are forgotten
	long    = 32   // likewise, when so many messages have come for one that is there
	few     = 16   // an index of which only one entry in so many is left becomes a line
	spare   = 4096 // memory for up to so many entries is kept when a queue empties
)

// queue is either a line or an index. Moving n entries into an index is paid by
// the n pushes before it, moving them back by the (few − 1)·n removals before
// that; so both are free, amortized.
type queue struct {
	line  []entry // line[head:] in order; empty while hashed
	head  int     // less than 0: hashed
	n     int
	index *index
}

// hashed reports whether the index has the entries. It is told by head, so that two
// queues take a cache line and a half.
func (q *queue) hashed() bool { return q.head < 0 }

func (q *queue) push(e entry) {
	q.n++
	if q.hashed() {
		q.index.add(e)
		return
	}
	if len(q.line) == cap(q.line) {
		q.room()
	}
	q.line = append(q.line, e)
}

// room makes room at the line's end: it closes the gap at the head if that is
// half of the line, else it doubles the line. A long line that has become short
// gives its memory back.
func (q *queue) room() {
	live := q.line[q.head:]
	to := q.line[:0]
	if q.head < len(q.line)/2 || len(q.line) == 0 || len(q.line) > max(spare, 8*len(live)) {
		to = make([]entry, 0, max(8, 2*len(live)))
	}
	q.line, q.head = append(to, live...), 0
}

// rewind starts an empty line anew.
func (q *queue) rewind() {
	q.head = 0
	if cap(q.line) > spare {
		q.line = nil
	} else {
		q.line = q.line[:0]
	}
}

// drop removes line[i], moving the shorter side.
func (q *queue) drop(i int) {
	q.n--
	if i-q.head < len(q.line)-i {
		copy(q.line[q.head+1:i+1], q.line[q.head:i])
		q.head++
	} else {
		q.line = append(q.line[:i], q.line[i+1:]...)
	}
	if q.head == len(q.line) {
		q.rewind()
	}
}

// reach is the end of what a search of the line looks at before it gives up.
func (q *queue) reach() int { return min(len(q.line), q.head+shallow) }

// arrive is Queues.Arrive beyond the head of the line.
func (q *queue) arrive(ctx, src, tag int32) (uint32, bool) {
	if !q.hashed() {
		end := q.reach()
		for i, e := range q.line[q.head:end] {
			if covers(e.ctx, e.src, e.tag, ctx, src, tag) {
				q.drop(q.head + i)
				return e.id, true
			}
		}
		if end == len(q.line) {
			return 0, false
		}
		q.hash(false, 0)
	}
	id, ok := q.index.arrive(ctx, src, tag)
	if ok {
		q.removed()
	}
	return id, ok
}

// take is Queues.Take or Peek.
func (q *queue) take(ctx, src, tag int32, remove bool) (uint32, bool) {
	if !q.hashed() {
		end := q.reach()
		for i, e := range q.line[q.head:end] {
			if covers(ctx, src, tag, e.ctx, e.src, e.tag) {
				if remove {
					q.drop(q.head + i)
				}
				return e.id, true
			}
		}
		if end == len(q.line) {
			return 0, false
		}
		q.hash(true, classOf(src, tag))
	}
	id, ok := q.index.take(ctx, src, tag, remove)
	if ok && remove {
		q.removed()
	}
	return id, ok
}

// cancel looks from both ends, because receives are cancelled in the order in
// which they were posted or in the reverse.
func (q *queue) cancel(e entry) bool {
	if !q.hashed() {
		i, j := q.head, len(q.line)-1
		for ; i <= j && i < q.head+shallow; i, j = i+1, j-1 {
			if q.line[i] == e {
				q.drop(i)
				return true
			}
			if q.line[j] == e {
				q.drop(j)
				return true
			}
		}
		if i > j {
			return false
		}
		q.hash(false, 0)
	}
	ok := q.index.cancel(e)
	if ok {
		q.removed()
	}
	return ok
}

// removed counts an entry that was taken out of the index.
func (q *queue) removed() {
	if q.n--; q.n <= q.index.peak/few {
		q.unhash()
	}
}

// hash turns the line into an index.
func (q *queue) hash(messages bool, c class) {
	if q.index == nil {
		q.index = &index{messages: messages}
	}
	x := q.index
	x.class = c
	x.table.reserve(q.n)
	for _, e := range q.line[q.head:] {
		x.add(e)
	}
	q.rewind()
	q.head = -1
}

// unhash turns the index into a line.
func (q *queue) unhash() {
	x := q.index
	q.head = 0
	q.line = slices.Grow(q.line, q.n)
	for _, e := range x.ordered() {
		q.line = append(q.line, e.entry)
	}
	if x.peak > spare || len(x.table.buckets) > few*x.peak {
		q.index = nil
	} else {
		x.clear()
	}
}
