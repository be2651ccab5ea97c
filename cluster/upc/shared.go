package upc

import (
	"math"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Shared is a UPC array `shared [B] T a[n]`, distributed block-cyclically over the rank's UPC group
// (paper 1, sections 2.2 and 4.1). Each group has its own replica. Accesses to elements count as
// traffic. Accesses to the local part through Local count only if the program reports them
// (Account).
//
// A Shared belongs to the goroutine of its rank; On returns it for a thread. A thread can read
// elements that another thread has written after both have synchronized.
type Shared[T cluster.Number] struct {
	cyclic
	r       *cluster.Rank
	off     int64            // offset of every part in its segment
	first   int              // cluster rank of UPC thread 0
	parts   [][]T            // by thread, if elements can be accessed in place; else nil
	class   []cluster.Class  // by thread, parallel to parts
	node    []int32          // by thread, parallel to parts
	traffic *cluster.Traffic // of the rank or thread
	bytes   []int64          // of traffic, by node
	cell    [1]T             // buffer of transfers that are not in place
}

// NewShared allocates an array of n elements in blocks of block (0: UPC's default, 1) at the same
// offset in all segments of the group. Every thread of the group must call it with the same n and
// block, outside parallel regions. Each segment uses as many bytes as the largest part, thread 0's.
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
		return nil, lib.Errorf("%s: inside a parallel region: call it before the region", call)
	}
	if block < 0 {
		return nil, lib.Errorf("%s in blocks of %d elements: must be at least 1, or 0 for the default of 1", call, block)
	}
	g := r.Group()
	s := &Shared[T]{cyclic: cyclic{n: n, block: block, threads: g.Size()}, r: r, first: g.Global(0)}
	size := int64(unsafe.Sizeof(s.cell[0]))
	part := int64(s.length(0))
	if part > math.MaxInt64/2/size {
		return nil,
			lib.Errorf("%s of %d elements of %d B over %d threads: more than can be addressed", call, n, size, s.threads)
	}
	part *= size
	if part > r.Spec().Segment {
		return nil, lib.Errorf("%s of %d elements of %d B: its part of %d B is larger than the segment of %d B; raise "+
			"the segment size, or use larger groups",
			call, n, size, part, r.Spec().Segment)
	}
	// Agree on the sizes, and on an offset that is free on all threads.
	want := [...]int64{int64(n), int64(block), size, lib.Heap(), int64(-n), int64(-block), -size}
	agreed := want
	if err := coll.Allreduce(r, g, cluster.Max, want[:], agreed[:]); err != nil {
		return nil, err
	}
	for i, name := range [...]string{"elements", "elements per block", "bytes per element"} {
		if high, low := agreed[i], -agreed[i+4]; high != low {
			return nil,
				lib.Errorf("%s with %d %s here: threads of the group have %d to %d; want the same on all", call, want[i], name,
					low, high)
		}
	}
	lib.Raise(agreed[3])
	var err error
	s.off, err = r.Alloc(part)
	if err != nil {
		return nil, err
	}
	if r.Lib().Port().Direct() {
		s.parts = make([][]T, s.threads)
		s.class = make([]cluster.Class, s.threads)
		s.node = make([]int32, s.threads)
		for i := range s.parts {
			s.class[i] = r.Spec().Layout.ClassOf(r.ID(), s.first+i)
			if r.Traffic().Nodes != nil {
				s.node[i] = r.BlockOf(s.first + i)
			}
			if words := r.Lib().Port().Reach(s.first + i); words != nil {
				s.parts[i] = cluster.View[T](words[s.off : s.off+int64(s.length(i))*size])
			}
		}
	}
	s.counts(r.Traffic())
	return s, nil
}

// counts sets the traffic counters of accesses in place.
func (s *Shared[T]) counts(t *cluster.Traffic) {
	s.traffic, s.bytes = t, t.Nodes
	if s.bytes == nil { // a large cluster does not count by node
		s.bytes = make([]int64, 1)
	}
}

// On returns the array for a thread of a parallel region.
func (s *Shared[T]) On(t *cluster.Thread) *Shared[T] {
	c := *s
	c.r = &t.Rank
	c.counts(t.Traffic())
	return &c
}

// Len returns n, the number of elements.
func (s *Shared[T]) Len() int { return s.n }

// Block returns B, the number of elements per block.
func (s *Shared[T]) Block() int { return s.block }

// Affinity returns the UPC thread that owns element i (upc_threadof).
func (s *Shared[T]) Affinity(i int) int {
	thread, _ := s.locate(s.checkIndex("affinity", i))
	return thread
}

// Owner returns the cluster rank that owns element i.
func (s *Shared[T]) Owner(i int) int { return s.first + s.Affinity(i) }

// LocalLen returns the number of local elements.
func (s *Shared[T]) LocalLen() int { return s.length(s.r.Group().Rank()) }

// Local returns the local part as a plain slice, in rising order of elements (the privatization of
// a pointer to shared).
func (s *Shared[T]) Local() []T {
	return cluster.View[T](s.r.Segment()[s.off:])[:s.LocalLen()]
}

// Parts returns the elements of each thread, in rising order, if they can be accessed in place
// without extra cost (pointers to shared cast to local ones), else nil. Such accesses count only
// after the program reports them.
func (s *Shared[T]) Parts() [][]T { return s.parts }

// Index returns the element at a local index of the local part.
func (s *Shared[T]) Index(local int) int {
	if uint(local) >= uint(s.LocalLen()) {
		s.r.Lib().End(s.r.Lib().Errorf("shared array: local index %d: the local part has %d elements", local, s.LocalLen()))
	}
	return s.index(s.r.Group().Rank(), local)
}

// ForAll runs body for the local elements in rising order: upc_forall with the element as affinity.
func (s *Shared[T]) ForAll(body func(i int)) {
	me, left := s.r.Group().Rank(), s.LocalLen()
	for first := me * s.block; left > 0; first += s.threads * s.block {
		for i := range min(s.block, left) {
			body(first + i)
		}
		left -= s.block
	}
}

// Get reads element i.
func (s *Shared[T]) Get(i int) (T, error) {
	if uint(i) >= uint(s.n) {
		var zero T
		return zero, s.boundsError("get", i)
	}
	thread, local := s.locate(i)
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

// count does the accounting of one element, without a branch that random accesses would mispredict.
func (s *Shared[T]) count(thread int) {
	t := s.traffic
	c := s.class[thread]
	size := int64(unsafe.Sizeof(s.cell))
	t.Ops[c]++
	t.Bytes[c] += size
	s.bytes[s.node[thread]] += size
}

// Put writes element i.
func (s *Shared[T]) Put(i int, v T) error {
	if uint(i) >= uint(s.n) {
		return s.boundsError("put", i)
	}
	thread, local := s.locate(i)
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

// GetRange reads len(buf) elements from i on, which must be in one block (upc_memget). It counts as
// one access.
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

// PutRange writes len(buf) elements from i on, which must be in one block (upc_memput). It counts
// as one access.
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

// span returns the position of n elements from i on, which must be in one block.
func (s *Shared[T]) span(call string, i, n int) (thread, local int, err error) {
	if i < 0 || n > s.n || i > s.n-n {
		return 0, 0, s.r.Lib().Errorf("%s of %d elements from %d on of a shared array: it has %d elements, "+
			"numbered from 0", call, n, i, s.n)
	}
	if n > s.block-i%s.block {
		return 0, 0, s.r.Lib().Errorf("%s of %d elements from %d on of a shared array: they span several blocks of %d; "+
			"use one range per block", call, n, i, s.block)
	}
	if n == 0 {
		return 0, 0, nil
	}
	thread, local = s.locate(i)
	return thread, local, nil
}

// at returns the byte offset in a segment of a local element.
func (s *Shared[T]) at(local int) int64 { return s.off + int64(local)*int64(unsafe.Sizeof(s.cell[0])) }

// countRange does the accounting of n elements.
func (s *Shared[T]) countRange(thread, n int) {
	t := s.traffic
	c := s.class[thread]
	size := int64(n) * int64(unsafe.Sizeof(s.cell))
	t.Ops[c]++
	t.Bytes[c] += size
	s.bytes[s.node[thread]] += size
}

// Ptr returns the address of element i (&a[i]). i can be any number if later arithmetic returns to
// the array.
func (s *Shared[T]) Ptr(i int) GlobalPtr[T] {
	base := GlobalPtr[T]{first: int32(s.first), threads: int32(s.threads), block: int64(s.block), off: s.off}
	return base.Add(i)
}

func (s *Shared[T]) boundsError(call string, i int) error {
	return s.r.Lib().Errorf("%s of element %d of a shared array: it has %d elements, numbered from 0", call, i, s.n)
}

// checkIndex ends the body with an error if there is no element i.
func (s *Shared[T]) checkIndex(call string, i int) int {
	if uint(i) >= uint(s.n) {
		s.r.Lib().End(s.boundsError(call, i))
	}
	return i
}
