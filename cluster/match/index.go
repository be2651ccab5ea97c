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

func (x *index) remove(n uint32) {
	e := &x.nodes[n]
	if !x.messages {
		x.pull(classOf(e.src, e.tag), n)
	} else {
		for c := range class(classes) {
			if x.asked[c] {
				x.pull(c, n)
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

// pull takes node n out of its list of class c.
func (x *index) pull(c class, n uint32) {
	l := x.links[c][n]
	if l.prev != 0 {
		x.links[c][l.prev].next = l.next
	}
	if l.next != 0 {
		x.links[c][l.next].prev = l.prev
	}
	x.count[c]--
	if l.prev != 0 && l.next != 0 {
		return
	}
	e := &x.nodes[n]
	i := x.table.find(c.key(e.ctx, e.src, e.tag))
	switch s := &x.table.slots[i]; {
	case l.prev == 0 && l.next == 0:
		x.table.delete(i)
	case l.prev == 0:
		s.head = l.next
	default:
		s.tail = l.prev
	}
}

// first is the oldest node in a list; 0: none.
func (x *index) first(k key) uint32 {
	return x.table.slots[x.table.find(k)].head
}

// receive finds the earliest receive that takes a message; 0: none.
func (x *index) receive(ctx, src, tag int32) uint32 {
	var best uint32
	for c := range class(classes) {
		if x.count[c] == 0 {
			continue
		}
		if n := x.first(c.key(ctx, src, tag)); n != 0 && (best == 0 || x.nodes[n].seq < x.nodes[best].seq) {
			best = n
		}
	}
	return best
}

// message finds the earliest message that a receive takes; 0: none.
func (x *index) message(ctx, src, tag int32) uint32 {
	c := classOf(src, tag)
	if !x.asked[c] {
		x.asked[c] = true
		for _, n := range x.ordered() {
			x.push(c, n)
		}
	}
	return x.first(key{ctx, src, tag})
}

// exact finds the receive that was posted as e; 0: none. It looks from both ends
// of the list.
func (x *index) exact(e entry) uint32 {
	s := x.table.slots[x.table.find(key{e.ctx, e.src, e.tag})]
	links := x.links[classOf(e.src, e.tag)]
	for a, b := s.head, s.tail; a != 0; a, b = links[a].next, links[b].prev {
		if x.nodes[a].id == e.id {
			return a
		}
		if x.nodes[b].id == e.id {
			return b
		}
		if a == b || links[a].next == b {
			break
		}
	}
	return 0
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
