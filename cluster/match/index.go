package match

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// class says which of source and tag are wildcards: bit 0 the source, bit 1 the
// tag.
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

// key puts the wildcards of a class into an envelope.
func (c class) key(ctx, src, tag int32) key {
	if c&1 != 0 {
		src = cluster.AnySource
	}
	if c&2 != 0 {
		tag = cluster.AnyTag
	}
	return key{ctx, src, tag}
}

type key struct{ ctx, src, tag int32 }

// node is an entry of the index. Nodes are numbered from 1; a free one has seq 0
// and the number of the next free one as its id.
type node struct {
	entry
	seq uint64 // order of posting or arrival
}

// link is a node's place in the list of one class.
type link struct{ prev, next uint32 }

// index holds entries in lists by key, oldest first. A receive stands in one
// list, that of its own wildcards, and a message looks at the head of up to four.
// A message stands in a list for each class of wildcards that a receive has asked
// for, and a receive looks at the head of one; the lists of a class are made when
// it is first asked for.
type index struct {
	messages bool
	asked    [classes]bool // messages: the classes that have lists
	count    [classes]int  // entries by class
	nodes    []node        // nodes[0] is not used
	links    [classes][]link
	free     uint32
	n, peak  int
	seq      uint64
	table    table
}

// reserve makes room for n entries.
func (x *index) reserve(n int) {
	if x.nodes == nil {
		x.nodes = make([]node, 1, n+n/2+1)
	}
	x.table.reserve(n)
}

func (x *index) add(e entry) {
	n := x.free
	if n != 0 {
		x.free = x.nodes[n].id
	} else {
		n = uint32(len(x.nodes))
		x.nodes = append(x.nodes, node{})
	}
	x.seq++
	x.nodes[n] = node{e, x.seq}
	x.n++
	x.peak = max(x.peak, x.n)
	if !x.messages {
		x.push(classOf(e.src, e.tag), n)
		return
	}
	for c := range class(classes) {
		if x.asked[c] {
			x.push(c, n)
		}
	}
}

// remove takes node n out of all its lists. It was found in the list of class c
// whose slot is i.
func (x *index) remove(n uint32, c class, i int) {
	x.pull(c, n, i)
	e := &x.nodes[n]
	if x.messages {
		for o := range class(classes) {
			if x.asked[o] && o != c {
				x.pull(o, n, x.table.find(o.key(e.ctx, e.src, e.tag)))
			}
		}
	}
	*e = node{entry: entry{id: x.free}}
	x.free = n
	x.n--
}

// push appends node n to its list of class c.
func (x *index) push(c class, n uint32) {
	if have := len(x.links[c]); have < len(x.nodes) {
		x.links[c] = slices.Grow(x.links[c], len(x.nodes)-have)[:len(x.nodes)]
	}
	e := &x.nodes[n]
	s := x.table.insert(c.key(e.ctx, e.src, e.tag))
	x.links[c][n] = link{prev: s.tail}
	if s.tail == 0 {
		s.head = n
	} else {
		x.links[c][s.tail].next = n
	}
	s.tail = n
	x.count[c]++
}

// pull takes node n out of its list of class c, whose slot is i.
func (x *index) pull(c class, n uint32, i int) {
	x.count[c]--
	s := &x.table.slots[i]
	if s.head == s.tail {
		x.table.delete(i)
		return
	}
	links := x.links[c]
	l := links[n]
	if l.prev == 0 {
		s.head = l.next
	} else {
		links[l.prev].next = l.next
	}
	if l.next == 0 {
		s.tail = l.prev
	} else {
		links[l.next].prev = l.prev
	}
}

// found is a node, the class of the list it was found in, and that list's slot;
// n = 0: nothing was found.
type found struct {
	n uint32
	c class
	i int
}

// first is the oldest node of a list.
func (x *index) first(c class, k key) found {
	i := x.table.find(k)
	return found{x.table.slots[i].head, c, i}
}

// receive finds the earliest receive that takes a message.
func (x *index) receive(ctx, src, tag int32) found {
	var best found
	for c := range class(classes) {
		if x.count[c] == 0 {
			continue
		}
		if f := x.first(c, c.key(ctx, src, tag)); f.n != 0 && (best.n == 0 || x.nodes[f.n].seq < x.nodes[best.n].seq) {
			best = f
		}
	}
	return best
}

// message finds the earliest message that a receive takes.
func (x *index) message(ctx, src, tag int32) found {
	c := classOf(src, tag)
	if !x.asked[c] {
		x.asked[c] = true
		for _, n := range x.ordered() {
			x.push(c, n)
		}
	}
	return x.first(c, key{ctx, src, tag})
}

// exact finds the receive that was posted as e. It looks from both ends of the
// list.
func (x *index) exact(e entry) found {
	c := classOf(e.src, e.tag)
	f := x.first(c, key{e.ctx, e.src, e.tag})
	links := x.links[c]
	for a, b := f.n, x.table.slots[f.i].tail; a != 0; a, b = links[a].next, links[b].prev {
		if x.nodes[a].id == e.id {
			return found{a, c, f.i}
		}
		if x.nodes[b].id == e.id {
			return found{b, c, f.i}
		}
		if a == b || links[a].next == b {
			break
		}
	}
	return found{}
}

// ordered lists the nodes in use, oldest first.
func (x *index) ordered() []uint32 {
	ns := make([]uint32, 0, x.n)
	for n := range x.nodes {
		if x.nodes[n].seq != 0 {
			ns = append(ns, uint32(n))
		}
	}
	slices.SortFunc(ns, func(a, b uint32) int { return cmp.Compare(x.nodes[a].seq, x.nodes[b].seq) })
	return ns
}

// clear forgets everything and keeps the memory.
func (x *index) clear() {
	x.asked, x.count = [classes]bool{}, [classes]int{}
	x.nodes = x.nodes[:1]
	for c := range x.links {
		x.links[c] = x.links[c][:0]
	}
	x.free, x.n, x.peak, x.seq = 0, 0, 0, 0
	x.table.clear()
}

// slot is a list's ends under its key; head 0: the slot is empty.
type slot struct {
	key
	head, tail uint32
}

// table finds lists by key: open addressing with linear probing, at most three
// quarters full, deletion by shifting back.
type table struct {
	slots []slot // a power of two of them
	shift uint8  // 64 − log2(len(slots))
	used  int
}

// reserve makes room for n keys in an empty table.
func (t *table) reserve(n int) {
	if size := 1 << bits.Len(uint(max(n, shallow)*3/2)); size > len(t.slots) {
		t.resize(size)
	}
}

func (t *table) resize(size int) {
	old := t.slots
	t.slots = make([]slot, size)
	t.shift = uint8(65 - bits.Len(uint(size)))
	for i := range old {
		if old[i].head != 0 {
			t.slots[t.find(old[i].key)] = old[i]
		}
	}
}

func (t *table) home(k key) int {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(uint32(k.src))<<32 | uint64(uint32(k.tag))
	h = (h + uint64(uint32(k.ctx))*0xd6e8feb86659fd93) * odd
	h ^= h >> 32
	return int(h * odd >> t.shift)
}

// find is the slot of a key, or the empty one where it would go.
func (t *table) find(k key) int {
	mask := len(t.slots) - 1
	i := t.home(k)
	for t.slots[i].head != 0 && t.slots[i].key != k {
		i = (i + 1) & mask
	}
	return i
}

// insert gives the slot of a key, a new one if need be; the caller fills it.
func (t *table) insert(k key) *slot {
	i := t.find(k)
	if t.slots[i].head == 0 {
		if t.used >= len(t.slots)/4*3 {
			t.resize(2 * len(t.slots))
			i = t.find(k)
		}
		t.used++
		t.slots[i] = slot{key: k}
	}
	return &t.slots[i]
}

// delete empties slot i and moves back those behind it that probed past it.
func (t *table) delete(i int) {
	t.used--
	mask := len(t.slots) - 1
	for j := (i + 1) & mask; t.slots[j].head != 0; j = (j + 1) & mask {
		if (j-t.home(t.slots[j].key))&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
}

func (t *table) clear() {
	clear(t.slots)
	t.used = 0
}
