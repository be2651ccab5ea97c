package upc

import (
	"math"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Shared is a UPC array `shared [B] T a[n]`, distributed block-cyclically over the
// own UPC group (paper 1, sections 2.2 and 4.1). Each group has one of its own: a
// replica. Accesses of elements count as traffic; those of the own part through
// Local do not, until the program says so (Account).
//
// A Shared belongs to the goroutine of its rank; On gives it to a thread. Elements
// that one thread writes may be read by another after both have synchronized.
type Shared[T cluster.Number] struct {
	cyclic
	r       *cluster.Rank
	off     int64            // of every part, in its segment
	first   int              // cluster rank of UPC thread 0
	parts   [][]T            // by thread, where elements may be accessed in place; or nil
	class   []cluster.Class  // by thread, beside parts
	node    []int32          // of each thread, beside parts
	traffic *cluster.Traffic // of the rank or thread
	bytes   []int64          // by node, of traffic
	cell    [1]T             // of transfers that are not in place
}

// NewShared allocates an array of n elements in blocks of block (0: UPC's default,
// 1) at one offset in the segments of the group. Every thread of the group calls
// it, with the same n and block, outside parallel regions. Each takes as much of
// its segment as the largest part, thread 0's, so that parts stand at one offset.
// Elements are zero.
func NewShared[T cluster.Number](r *cluster.Rank, n, block int) (*Shared[T], error) {
	const call = "shared array"
	lib := r.Lib()
	if block == 0 {
		block = 1
	}
	if n < 0 {
		return nil, lib.Errorf("%s of %d elements: must not be negative", call, n)
	}
	if lib.Parallel() {
		return nil, lib.Errorf("%s: inside a parallel region: make it before", call)
	}
	if block < 0 {
		return nil, lib.Errorf("%s in blocks of %d elements: must be at least 1, or 0 for the default of 1", call, block)
	}
	g := r.Group()
	s := &Shared[T]{cyclic: cyclic{n, block, g.Size()}, r: r, first: g.Global(0)}
	size := int64(unsafe.Sizeof(s.cell[0]))
	part := int64(s.length(0))
	if part > math.MaxInt64/2/size {
		return nil, lib.Errorf("%s of %d elements of %d B over %d threads: more than can be addressed", call, n, size, s.threads)
	}
	if part *= size; part > r.Spec().Segment {
		return nil, lib.Errorf("%s of %d elements of %d B: its part of %d B is larger than the segment of %d B; raise the segment size, or use larger groups",
			call, n, size, part, r.Spec().Segment)
	}
	// Agree on what is allocated, and on an offset that is free on all.
	want := [...]int64{int64(n), int64(block), size, lib.Heap(), int64(-n), int64(-block), -size}
	agreed := want
	if err := coll.Allreduce(r, g, cluster.Max, want[:], agreed[:]); err != nil {
		return nil, err
	}
	for i, name := range [...]string{"elements", "elements a block", "bytes an element"} {
		if high, low := agreed[i], -agreed[i+4]; high != low {
			return nil, lib.Errorf("%s with %d %s here: the threads of the group gave %d to %d; all must give the same", call, want[i], name, low, high)
		}
	}
	lib.Raise(agreed[3])
	var err error
	if s.off, err = r.Alloc(part); err != nil {
		return nil, err
	}
	if r.Lib().Port().Direct() {
		_, shift := r.Spec().Layout.Blocks()
		s.parts, s.class, s.node = make([][]T, s.threads), make([]cluster.Class, s.threads), make([]int32, s.threads)
		for i := range s.parts {
			s.class[i] = r.Spec().Layout.ClassOf(r.ID(), s.first+i)
			if r.Traffic().Nodes != nil {
				s.node[i] = int32(r.Spec().Layout.NodeOf(s.first+i) >> shift)
			}
			if words := r.Lib().Port().Reach(s.first + i); words != nil {
				s.parts[i] = cluster.View[T](words[s.off : s.off+int64(s.length(i))*size])
			}
		}
	}
	s.counts(r.Traffic())
	return s, nil
}

// counts says where accesses in place are counted.
func (s *Shared[T]) counts(t *cluster.Traffic) {
	if s.traffic, s.bytes = t, t.Nodes; s.bytes == nil { // a large cluster's are not counted by node
		s.bytes = make([]int64, 1)
	}
}

// On gives the array to a thread of a parallel region, for its own accesses.
func (s *Shared[T]) On(t *cluster.Thread) *Shared[T] {
	c := *s
	c.r = &t.Rank
	c.counts(t.Traffic())
	return &c
}

// Len is n, the number of elements.
func (s *Shared[T]) Len() int { return s.n }

// Block is B, the elements a block.
func (s *Shared[T]) Block() int { return s.block }

// Affinity is the UPC thread that element i belongs to (upc_threadof).
func (s *Shared[T]) Affinity(i int) int {
	thread, _ := s.place(s.inside("affinity", i))
	return thread
}

// Owner is the rank, in the cluster, that element i belongs to.
func (s *Shared[T]) Owner(i int) int { return s.first + s.Affinity(i) }

// LocalLen is the number of own elements.
func (s *Shared[T]) LocalLen() int { return s.length(s.r.Group().Rank()) }

// Local is the own part as a plain slice, in rising order of elements (the
// privatization of a pointer to shared).
func (s *Shared[T]) Local() []T {
	return cluster.View[T](s.r.Segment()[s.off:])[:s.LocalLen()]
}

// Parts are the elements of each thread, in rising order, where they may be accessed in
// place at no cost of their own (pointers to shared that are cast to local ones); nil where
// they may not. Such accesses count once the program accounts for them.
func (s *Shared[T]) Parts() [][]T { return s.parts }

// Index is the element that stands at a local index of the own part.
func (s *Shared[T]) Index(local int) int {
	if uint(local) >= uint(s.LocalLen()) {
		s.r.Lib().End(s.r.Lib().Errorf("shared array: local index %d: the own part has %d elements", local, s.LocalLen()))
	}
	return s.index(s.r.Group().Rank(), local)
}

// ForAll runs body for the own elements in rising order: upc_forall with the
// element as affinity.
func (s *Shared[T]) ForAll(body func(i int)) {
	me, left := s.r.Group().Rank(), s.LocalLen()
	for local, run := 0, 0; local < left; local += run {
		first := s.index(me, local)
		run = min(s.block, left-local)
		for i := range run {
			body(first + i)
		}
	}
}

// Get reads element i.
func (s *Shared[T]) Get(i int) (T, error) {
	if uint(i) >= uint(s.n) {
		var zero T
		return zero, s.bounds("get", i)
	}
	thread, local := s.place(i)
	if s.parts != nil {
		if p := s.parts[thread]; local < len(p) {
			s.count(thread)
			return p[local], nil
		}
	}
	b := cluster.Bytes(s.cell[:])
	err := s.r.Lib().Get(cluster.At(s.first+thread, s.off+int64(local)*int64(len(b))), cluster.Of(b))
	return s.cell[0], err
}

// count is Account for one element, without a branch that random accesses would
// mispredict.
func (s *Shared[T]) count(thread int) {
	t, c, size := s.traffic, s.class[thread], int64(unsafe.Sizeof(s.cell))
	t.Ops[c]++
	t.Bytes[c] += size
	s.bytes[s.node[thread]] += size
}

// Put writes element i.
func (s *Shared[T]) Put(i int, v T) error {
	if uint(i) >= uint(s.n) {
		return s.bounds("put", i)
	}
	thread, local := s.place(i)
	if s.parts != nil {
		if p := s.parts[thread]; local < len(p) {
			s.count(thread)
			p[local] = v
			return nil
		}
	}
	s.cell[0] = v
	b := cluster.Bytes(s.cell[:])
	return s.r.Lib().Put(cluster.At(s.first+thread, s.off+int64(local)*int64(len(b))), cluster.Of(b))
}

// GetRange reads the elements from i on, as many as buf has, which stand in one block
// (upc_memget). It is one access.
func (s *Shared[T]) GetRange(i int, buf []T) error {
	thread, local, err := s.span("get", i, len(buf))
	if err != nil || len(buf) == 0 {
		return err
	}
	if s.parts != nil {
		if p := s.parts[thread]; local+len(buf) <= len(p) {
			s.countRange(thread, len(buf))
			copy(buf, p[local:])
			return nil
		}
	}
	return s.r.Lib().Get(cluster.At(s.first+thread, s.at(local)), cluster.Of(buf))
}

// PutRange writes them, as GetRange reads them (upc_memput).
func (s *Shared[T]) PutRange(i int, buf []T) error {
	thread, local, err := s.span("put", i, len(buf))
	if err != nil || len(buf) == 0 {
		return err
	}
	if s.parts != nil {
		if p := s.parts[thread]; local+len(buf) <= len(p) {
			s.countRange(thread, len(buf))
			copy(p[local:], buf)
			return nil
		}
	}
	return s.r.Lib().Put(cluster.At(s.first+thread, s.at(local)), cluster.Of(buf))
}

// span finds n elements from i on in one block.
func (s *Shared[T]) span(call string, i, n int) (thread, local int, err error) {
	if i < 0 || n > s.n || i > s.n-n {
		return 0, 0, s.r.Lib().Errorf("%s of %d elements from %d on of a shared array: it has %d elements, numbered from 0", call, n, i, s.n)
	}
	if n > s.block-i%s.block {
		return 0, 0, s.r.Lib().Errorf("%s of %d elements from %d on of a shared array: they are in several blocks of %d; take one range a block", call, n, i, s.block)
	}
	if n == 0 {
		return 0, 0, nil
	}
	thread, local = s.place(i)
	return thread, local, nil
}

// at is the byte of a segment at which a local element stands.
func (s *Shared[T]) at(local int) int64 { return s.off + int64(local)*int64(unsafe.Sizeof(s.cell[0])) }

// countRange is Account for n elements.
func (s *Shared[T]) countRange(thread, n int) {
	t, c, size := s.traffic, s.class[thread], int64(n)*int64(unsafe.Sizeof(s.cell))
	t.Ops[c]++
	t.Bytes[c] += size
	s.bytes[s.node[thread]] += size
}

// Ptr is the address of element i (&a[i]); i may be any number that arithmetic
// then brings back into the array.
func (s *Shared[T]) Ptr(i int) GlobalPtr[T] {
	base := GlobalPtr[T]{first: int32(s.first), threads: int32(s.threads), block: int64(s.block), off: s.off}
	return base.Add(i)
}

func (s *Shared[T]) bounds(call string, i int) error {
	return s.r.Lib().Errorf("%s of element %d of a shared array: it has %d elements, numbered from 0", call, i, s.n)
}

// inside ends the body with an error if there is no element i.
func (s *Shared[T]) inside(call string, i int) int {
	if uint(i) >= uint(s.n) {
		s.r.Lib().End(s.bounds(call, i))
	}
	return i
}
