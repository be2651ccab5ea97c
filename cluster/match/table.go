package match

import "math/bits"

// ways is the number of lists per bucket.
const ways = 3

// bucket is a cache line of the table: ways lists with their keys. A list of one entry is
// completely in the bucket. A longer list has its entries in nodes; a last remaining entry can stay
// there.
type bucket struct {
	src  [ways]uint32 // source + 2; 0: empty; the highest bit: in nodes
	tag  [ways]uint32
	ctx  [ways]uint32
	a, b [ways]uint32 // id and seq; in nodes: the first and the last node
	past uint32       // lists in a later bucket because this one was full
}

const inNodes = 1 << 31

// which returns the way of a key, or −1. It has no branches, because they would be mispredicted.
func (b *bucket) which(k key) int {
	src := uint32(k.src + 2)
	tag := uint32(k.tag)
	ctx := uint32(k.ctx)
	d0 := (b.src[0]&^inNodes ^ src) | (b.tag[0] ^ tag) | (b.ctx[0] ^ ctx)
	d1 := (b.src[1]&^inNodes ^ src) | (b.tag[1] ^ tag) | (b.ctx[1] ^ ctx)
	d2 := (b.src[2]&^inNodes ^ src) | (b.tag[2] ^ tag) | (b.ctx[2] ^ ctx)
	return int((uint64(d0)-1)>>63+(uint64(d1)-1)>>63*2+(uint64(d2)-1)>>63*3) - 1
}

// freeWay returns an empty way, or −1.
func (b *bucket) freeWay() int {
	free := (uint64(b.src[0])-1)>>63 | (uint64(b.src[1])-1)>>63<<1 | (uint64(b.src[2])-1)>>63<<2
	return int(firstFree[free])
}

// firstFree is the first free way, by the set of free ways.
var firstFree = [1 << ways]int8{-1, 0, 1, 0, 2, 0, 1, 0}

// key returns the key of an occupied way.
func (b *bucket) key(j int) key {
	return key{ctx: int32(b.ctx[j]), src: int32(b.src[j]&^inNodes) - 2, tag: int32(b.tag[j])}
}

// set assigns a way to a key.
func (b *bucket) set(j int, k key) {
	b.src[j] = uint32(k.src + 2)
	b.tag[j] = uint32(k.tag)
	b.ctx[j] = uint32(k.ctx)
}

// isChained reports whether the list at a way is in nodes.
func (b *bucket) isChained(j int) bool { return b.src[j]&inNodes != 0 }

// table maps keys to lists, most of them in the first cache line of a search. A list is in its home
// bucket or, if that was full, in the next bucket with a free way. Each full bucket on the way
// counts the list, so that a search knows where to stop and lists never move.
type table struct {
	buckets []bucket
	used    int
	maxUsed int // maximum number of lists before it grows
}

// The table grows at an average of five thirds of a list per bucket: one list in eight is then not
// in its home bucket. A denser table costs more mispredicted branches, a sparser one more cache
// misses.
const (
	maxLists  = 5
	inBuckets = 3
)

// reserve makes space for n lists in an empty table.
func (t *table) reserve(n int) {
	if size := n*inBuckets/maxLists + 1; size > len(t.buckets) {
		t.resize(size)
	}
}

// resize moves the lists into a new table.
func (t *table) resize(buckets int) {
	old := t.buckets
	t.buckets = make([]bucket, buckets)
	t.maxUsed = buckets * maxLists / inBuckets
	for i := range old {
		b := &old[i]
		for j, src := range b.src {
			if src != 0 {
				p := t.put(b.key(j))
				p.b.src[p.way] = src
				p.b.a[p.way] = b.a[j]
				p.b.b[p.way] = b.b[j]
			}
		}
	}
}

// home returns the bucket where the search for a key starts.
func (t *table) home(k key) int {
	h := uint64(uint32(k.src))<<32 | uint64(uint32(k.tag))
	h ^= uint64(uint32(k.ctx)) * 0xd6e8feb86659fd93
	hi, lo := bits.Mul64(h, 0x9e3779b97f4a7c15)
	i, _ := bits.Mul64((hi^lo)*0xd1342543de82ef95, uint64(len(t.buckets)))
	return int(i)
}

func (t *table) next(i int) int {
	if i++; i == len(t.buckets) {
		return 0
	}
	return i
}

// position locates a list or, with way −1, the end of a search without a result.
type position struct {
	b         *bucket
	way       int
	displaced bool // not in its home bucket
}

func (p position) empty() bool { return p.way < 0 }

// find returns the position of a key.
func (t *table) find(k key) position {
	i := t.home(k)
	b := &t.buckets[i]
	if way := b.which(k); way >= 0 || b.past == 0 {
		return position{b: b, way: way}
	}
	for {
		i = t.next(i)
		b = &t.buckets[i]
		if way := b.which(k); way >= 0 || b.past == 0 {
			return position{b: b, way: way, displaced: true}
		}
	}
}

// insert stores a new key and returns its position. p is the end of its search. The caller sets a
// and b.
func (t *table) insert(k key, p position) position {
	t.used++
	if t.used > t.maxUsed {
		t.resize(len(t.buckets) + len(t.buckets)/2)
	} else if !p.displaced {
		p.way = p.b.freeWay()
		if p.way >= 0 {
			p.b.set(p.way, k)
			return p
		}
	}
	return t.put(k)
}

// put stores a key in the first free way.
func (t *table) put(k key) position {
	for i, displaced := t.home(k), false; ; i, displaced = t.next(i), true {
		b := &t.buckets[i]
		if way := b.freeWay(); way >= 0 {
			b.set(way, k)
			return position{b: b, way: way, displaced: displaced}
		}
		b.past++
	}
}

// delete empties a position.
func (t *table) delete(p position) {
	t.used--
	if p.displaced {
		for i := t.home(p.b.key(p.way)); &t.buckets[i] != p.b; i = t.next(i) {
			t.buckets[i].past--
		}
	}
	p.b.src[p.way] = 0
}

func (t *table) clear() {
	clear(t.buckets)
	t.used = 0
}
