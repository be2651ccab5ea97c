package match

import "slices"

// Limits that control the form of a queue.
const (
	shallow  = 32   // a search longer than this many entries of a line converts it to an index
	stale    = 3    // with more than this many references per message, stale references are removed
	long     = 32   // likewise, with this many arrived messages per present message
	shortest = 4    // entries of a new line
	few      = 16   // an index becomes a line when only one of this many entries remains
	spare    = 4096 // an empty queue keeps memory for up to this many entries
)

// queue is either a line or an index. The n pushes before the conversion of n entries to an index
// pay for it. The (few − 1)·n removals before the conversion back pay for that. Both are therefore
// free, amortized.
type queue struct {
	line  []entry // line[head:] in order; empty while hashed
	head  int     // less than 0: hashed
	n     int
	index *index
}

// isHashed reports whether the entries are in the index. head stores this, so that two queues fit in
// one and a half cache lines.
func (q *queue) isHashed() bool { return q.head < 0 }

func (q *queue) push(e entry) {
	q.n++
	if q.isHashed() {
		q.index.add(e)
		return
	}
	if len(q.line) == cap(q.line) {
		q.makeSpace()
	}
	q.line = append(q.line, e)
}

// makeSpace makes space at the end of the line. It closes the gap at the head if that is half of the
// line, or else doubles the line. A long line that has become short releases memory.
func (q *queue) makeSpace() {
	live := q.line[q.head:]
	to := q.line[:0]
	if q.head < len(q.line)/2 || len(q.line) == 0 || len(q.line) > max(spare, 8*len(live)) {
		to = make([]entry, 0, max(shortest, 2*len(live)))
	}
	q.line, q.head = append(to, live...), 0
}

// rewind resets an empty line.
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

// reach returns the end of the part of the line that a search checks before it gives up.
func (q *queue) reach() int { return min(len(q.line), q.head+shallow) }

// arrive implements Queues.Arrive for entries after the head of the line.
func (q *queue) arrive(ctx, src, tag int32) (uint32, bool) {
	if !q.isHashed() {
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

// take implements Queues.Take and Peek.
func (q *queue) take(ctx, src, tag int32, remove bool) (uint32, bool) {
	if !q.isHashed() {
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

// cancel searches from both ends, because receives are often cancelled in the order of posting or
// in reverse.
func (q *queue) cancel(e entry) bool {
	if !q.isHashed() {
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

// removed updates the count after a removal from the index.
func (q *queue) removed() {
	if q.n--; q.n <= q.index.peak/few {
		q.unhash()
	}
}

// hash converts the line to an index.
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

// unhash converts the index to a line.
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
