package match

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Queues are the posted-receive queue and the unexpected queue of one rank. The zero value is ready
// to use and has no memory.
type Queues struct {
	posted  queue
	arrived queue
}

// Post adds a posted receive. src can be cluster.AnySource and tag cluster.AnyTag; id is the
// fabric's number of the receive.
func (q *Queues) Post(ctx, src, tag int32, id uint32) {
	q.posted.push(entry{ctx: ctx, src: src, tag: tag, id: id})
}

// Arrive finds and removes the earliest posted receive that matches an arriving
// message.
func (q *Queues) Arrive(ctx, src, tag int32) (id uint32, ok bool) {
	p := &q.posted
	if uint(p.head) < uint(len(p.line)) {
		if e := &p.line[p.head]; covers(e.ctx, e.src, e.tag, ctx, src, tag) {
			id = e.id
			p.n--
			p.head++
			if p.head == len(p.line) {
				p.rewind()
			}
			return id, true
		}
	}
	if p.n == 0 {
		return 0, false
	}
	return p.arrive(ctx, src, tag)
}

// Cancel removes a posted receive with the same arguments as Post. It returns false if the receive
// has already matched.
func (q *Queues) Cancel(ctx, src, tag int32, id uint32) bool {
	return q.posted.cancel(entry{ctx: ctx, src: src, tag: tag, id: id})
}

// Keep adds a message that no posted receive matched.
func (q *Queues) Keep(ctx, src, tag int32, id uint32) {
	q.arrived.push(entry{ctx: ctx, src: src, tag: tag, id: id})
}

// Take finds and removes the earliest arrived message that matches a receive, which can have
// wildcards.
func (q *Queues) Take(ctx, src, tag int32) (id uint32, ok bool) {
	if q.arrived.n != 0 {
		id, ok = q.arrived.take(ctx, src, tag, true)
	}
	return
}

// Peek finds the earliest arrived message that matches, without removing it.
func (q *Queues) Peek(ctx, src, tag int32) (id uint32, ok bool) {
	if q.arrived.n != 0 {
		id, ok = q.arrived.take(ctx, src, tag, false)
	}
	return
}

// Posted returns the number of posted receives.
func (q *Queues) Posted() int { return q.posted.n }

// Unexpected returns the number of arrived messages that wait for a receive.
func (q *Queues) Unexpected() int { return q.arrived.n }

// entry is a receive or a message: 16 bytes.
type entry struct {
	ctx, src, tag int32
	id            uint32
}

// covers reports whether a receive (pctx, psrc, ptag) matches a message.
func covers(pctx, psrc, ptag, ctx, src, tag int32) bool {
	return pctx == ctx && (psrc == src || psrc == cluster.AnySource) && (ptag == tag || ptag == cluster.AnyTag)
}

// First returns the receive that was posted first. It returns false if there is none, or if the
// queue is hashed.
func (q *Queues) First() (id uint32, ok bool) {
	if p := &q.posted; uint(p.head) < uint(len(p.line)) {
		return p.line[p.head].id, true
	}
	return 0, false
}

// Front returns the address of the receive that was posted first, or nil if there is none or the
// queue is hashed.
func (q *Queues) Front() unsafe.Pointer {
	if p := &q.posted; uint(p.head) < uint(len(p.line)) {
		return unsafe.Pointer(&p.line[p.head])
	}
	return nil
}
