package sim

import "github.com/hybridtop/hybridtop/cluster"

// event is something that happens at a time. ref says to what: a message, a
// rank's thread or a transfer, by kind.
type event struct {
	at   cluster.Time
	seq  uint64 // order among equal times; the low byte is the kind
	ref  int32
	what int32
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.seq < o.seq
}

// queue is a heap of events with four children a node: half the depth of a
// binary one, and a node's children share a cache line or two.
type queue struct {
	heap []event
	seq  uint64
}

func (q *queue) push(at cluster.Time, kind eventKind, ref, what int32) {
	q.seq++
	e := event{at: at, seq: q.seq<<8 | uint64(kind), ref: ref, what: what}
	h := append(q.heap, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) >> 2
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	q.heap = h
}

func (q *queue) pop() event {
	h := q.heap
	top := h[0]
	n := len(h) - 1
	e := h[n]
	h = h[:n]
	q.heap = h
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := i<<2 + 1
		if child >= n {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, n); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
	return top
}

// quietUntil reports whether nothing happens up to and including t.
func (q *queue) quietUntil(t cluster.Time) bool {
	return len(q.heap) == 0 || q.heap[0].at > t
}
