package match

import (
	"cmp"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// class is a set of wildcards: bit 0 the source, bit 1 the tag.
type class uint8

const classes = 4

func classOf(src, tag int32) class {
	var c class
	if src == cluster.AnySource {
		c |= 1
	}
	if tag == cluster.AnyTag {
		c |= 2
	}
	return c
}

// key replaces fields of an envelope with the wildcards of a class.
func (c class) key(ctx, src, tag int32) key {
	if c&1 != 0 {
		src = cluster.AnySource
	}
	if c&2 != 0 {
		tag = cluster.AnyTag
	}
	return key{ctx: ctx, src: src, tag: tag}
}

type key struct{ ctx, src, tag int32 }

// node is an entry in a list with several entries. Nodes are numbered from 1.
type node struct {
	src, tag   int32
	id, seq    uint32
	prev, next uint32 // in the list; next is also the next free node
}

// index holds entries in lists by key, oldest first. seq is the position of an entry in the order
// of posting or arrival; it decides between lists.
//
// A receive is in one list, by its own wildcards. A message checks the heads of up to four lists.
//
// Messages are in the lists of one class of wildcards until a receive uses another class. Then the
// messages are in exact lists, and each used class of wildcards has lists of references. A taken
// message leaves its other references in place and is marked as taken. Equal messages are taken in
// order. The first reference whose message was not taken therefore refers to the first message of an
// exact list.
type index struct {
	messages bool
	class    class         // messages: class of their lists
	hasRefs  [classes]bool // messages: classes with references
	used     [classes]bool // messages: classes used since stale references were removed
	taken    []uint64      // messages: one bit per seq, set if the message was taken; nil without references
	count    [classes]int  // receives, or references, by class
	nodes    []node        // nodes[0] is not used
	free     uint32        // the first free node
	n        int           // entries
	peak     int           // maximum number of entries
	seq      uint32        // of the last entry
	table    table
}

// stamped is an entry with its position in the order.
type stamped struct {
	entry
	seq uint32
}

// push appends the newest entry to the list of a key. If alone is true, the key is the whole
// envelope, and the entry can be in the table without a node.
func (x *index) push(k key, e entry, alone bool) {
	p := x.table.find(k)
	if p.empty() {
		p = x.table.insert(k, p)
		if alone {
			p.b.a[p.way], p.b.b[p.way] = e.id, x.seq
			return
		}
		n := x.newNode(node{src: e.src, tag: e.tag, id: e.id, seq: x.seq})
		p.b.src[p.way] |= inNodes
		p.b.a[p.way], p.b.b[p.way] = n, n
		return
	}
	b, way := p.b, p.way
	if !b.isChained(way) {
		n := x.newNode(node{src: k.src, tag: k.tag, id: b.a[way], seq: b.b[way]})
		b.src[way] |= inNodes
		b.a[way], b.b[way] = n, n
	}
	n := x.newNode(node{src: e.src, tag: e.tag, id: e.id, seq: x.seq, prev: b.b[way]})
	x.nodes[b.b[way]].next = n
	b.b[way] = n
}

// newNode stores an entry and returns its number.
func (x *index) newNode(e node) uint32 {
	n := x.free
	if n == 0 {
		if len(x.nodes) == 0 {
			x.nodes = append(x.nodes, node{})
		}
		x.nodes = append(x.nodes, e)
		return uint32(len(x.nodes) - 1)
	}
	x.free = x.nodes[n].next
	x.nodes[n] = e
	return n
}

// drop frees a node.
func (x *index) drop(n uint32) {
	x.nodes[n].next = x.free
	x.free = n
}

// first returns the oldest entry of a nonempty list.
func (x *index) first(p position) (id, seq uint32) {
	a := p.b.a[p.way]
	if p.b.isChained(p.way) {
		return x.nodes[a].id, x.nodes[a].seq
	}
	return a, p.b.b[p.way]
}

// shift removes the oldest entry of a list.
func (x *index) shift(p position) {
	if p.b.isChained(p.way) {
		x.unlink(p, p.b.a[p.way])
		return
	}
	x.table.delete(p)
}

// unlink removes node n from its list.
func (x *index) unlink(p position, n uint32) {
	prev, next := x.nodes[n].prev, x.nodes[n].next
	x.drop(n)
	switch {
	case prev != 0:
		x.nodes[prev].next = next
	case next != 0:
		p.b.a[p.way] = next
	default:
		x.table.delete(p)
		return
	}
	if next != 0 {
		x.nodes[next].prev = prev
	} else {
		p.b.b[p.way] = prev
	}
}

// add adds a receive or a message.
func (x *index) add(e entry) {
	if x.seq == math.MaxUint32 {
		x.refill(x.ordered()) // renumber from small numbers
	}
	x.seq++
	x.n++
	x.peak = max(x.peak, x.n)
	if x.messages {
		x.keep(e)
		return
	}
	x.count[classOf(e.src, e.tag)]++
	x.push(key{ctx: e.ctx, src: e.src, tag: e.tag}, e, true)
}

// arrive takes the earliest receive that a message matches.
func (x *index) arrive(ctx, src, tag int32) (id uint32, ok bool) {
	if x.count[0] == x.n { // no wildcards
		p := x.table.find(key{ctx: ctx, src: src, tag: tag})
		if p.empty() {
			return 0, false
		}
		id, _ = x.first(p)
		x.count[0]--
		x.n--
		x.shift(p)
		return id, true
	}
	var best position
	var seq uint32
	var of class
	for c := range class(classes) {
		if x.count[c] == 0 {
			continue
		}
		if p := x.table.find(c.key(ctx, src, tag)); !p.empty() {
			if i, s := x.first(p); !ok || s < seq {
				best = p
				of = c
				id = i
				seq = s
				ok = true
			}
		}
	}
	if ok {
		x.count[of]--
		x.n--
		x.shift(best)
	}
	return id, ok
}

// cancel removes the receive that was posted as e. It searches from both ends of the list.
func (x *index) cancel(e entry) bool {
	p := x.table.find(key{ctx: e.ctx, src: e.src, tag: e.tag})
	if p.empty() {
		return false
	}
	if !p.b.isChained(p.way) {
		if p.b.a[p.way] != e.id {
			return false
		}
		x.shift(p)
	} else {
		n := x.search(p, e.id)
		if n == 0 {
			return false
		}
		x.unlink(p, n)
	}
	x.count[classOf(e.src, e.tag)]--
	x.n--
	return true
}

// search returns the node of a list with an id, or 0.
func (x *index) search(p position, id uint32) uint32 {
	for a, b := p.b.a[p.way], p.b.b[p.way]; a != 0; a, b = x.nodes[a].next, x.nodes[b].prev {
		if x.nodes[a].id == id {
			return a
		}
		if x.nodes[b].id == id {
			return b
		}
		if a == b || x.nodes[a].next == b {
			break
		}
	}
	return 0
}

// keep adds a message.
func (x *index) keep(e entry) {
	x.push(x.class.key(e.ctx, e.src, e.tag), e, x.class == 0)
	if x.hasRefs == [classes]bool{} {
		return
	}
	for c := range class(classes) {
		if !x.hasRefs[c] {
			continue
		}
		if x.count[c] > stale*x.n+shallow || int(x.seq) > long*x.n+spare { // most references are stale
			es := x.ordered()
			x.hasRefs, x.used = x.used, [classes]bool{}
			x.refill(es)
			return
		}
		x.count[c]++
		x.push(c.key(e.ctx, e.src, e.tag), e, false)
	}
}

// take returns the earliest message that matches a receive, and removes it if remove is true.
func (x *index) take(ctx, src, tag int32, remove bool) (id uint32, ok bool) {
	c := classOf(src, tag)
	if c != x.class && !x.hasRefs[c] {
		x.createRefs(c)
	}
	p := x.table.find(key{ctx: ctx, src: src, tag: tag})
	if x.hasRefs[c] {
		x.used[c] = true
		refs := p
		p, ok = x.follow(c, ctx, refs)
		if ok && remove {
			x.shift(refs)
			x.count[c]--
		}
	}
	if p.empty() {
		return 0, false
	}
	id, seq := x.first(p)
	if remove {
		x.shift(p)
		x.n--
		if x.hasRefs != [classes]bool{} {
			for int(seq>>6) >= len(x.taken) {
				x.taken = append(x.taken, 0)
			}
			x.taken[seq>>6] |= 1 << (seq & 63)
		}
	}
	return id, true
}

// isTaken reports whether a message was taken.
func (x *index) isTaken(seq uint32) bool {
	return int(seq>>6) < len(x.taken) && x.taken[seq>>6]>>(seq&63)&1 != 0
}

// follow returns the exact list of the first reference that is not stale, and removes the
// references before it.
func (x *index) follow(c class, ctx int32, refs position) (position, bool) {
	for !refs.empty() {
		n := refs.b.a[refs.way]
		r := x.nodes[n]
		if !x.isTaken(r.seq) {
			return x.table.find(key{ctx: ctx, src: r.src, tag: r.tag}), true
		}
		x.unlink(refs, n)
		x.count[c]--
		if r.next == 0 {
			break
		}
	}
	return position{way: -1}, false
}

// createRefs creates the lists of a class of wildcards that no receive has used yet.
func (x *index) createRefs(c class) {
	es := x.ordered()
	x.hasRefs[c] = c != 0
	x.hasRefs[x.class] = x.class != 0
	x.class = 0
	x.refill(es)
}

// ordered returns the entries, oldest first.
func (x *index) ordered() []stamped {
	es := make([]stamped, 0, x.n)
	for i := range x.table.buckets {
		b := &x.table.buckets[i]
		for j := range ways {
			k := b.key(j)
			if b.src[j] == 0 || x.messages && classOf(k.src, k.tag) != x.class {
				continue
			}
			if !b.isChained(j) {
				es = append(es, stamped{entry: entry{ctx: k.ctx, src: k.src, tag: k.tag, id: b.a[j]}, seq: b.b[j]})
				continue
			}
			for n := b.a[j]; n != 0; n = x.nodes[n].next {
				e := &x.nodes[n]
				es = append(es, stamped{entry: entry{ctx: k.ctx, src: e.src, tag: e.tag, id: e.id}, seq: e.seq})
			}
		}
	}
	slices.SortFunc(es, func(a, b stamped) int { return cmp.Compare(a.seq, b.seq) })
	return es
}

// refill empties the lists and adds entries.
func (x *index) refill(es []stamped) {
	x.empty()
	for _, e := range es {
		x.add(e.entry)
	}
}

// empty removes the entries and keeps the memory.
func (x *index) empty() {
	x.count = [classes]int{}
	x.nodes = x.nodes[:0]
	x.free = 0
	x.n = 0
	x.seq = 0
	x.taken = x.taken[:0]
	x.table.clear()
}

// clear resets the index and keeps the memory.
func (x *index) clear() {
	x.empty()
	x.class = 0
	x.hasRefs = [classes]bool{}
	x.used = [classes]bool{}
	x.peak = 0
}
