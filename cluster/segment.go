package cluster

import "unsafe"

// Number is what a shared array or a view of a segment may hold: any number of
// fixed size.
type Number interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// View looks at bytes of a segment as numbers, in the host's byte order. b must
// be aligned for T; what does not fill a whole T at the end is left out.
func View[T Number](b []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(b) < size {
		return nil
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(zero) != 0 {
		panic("cluster: View of misaligned bytes")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
}

// aligned reports whether bytes begin where a word may.
func aligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 == 0 }

// Words looks at a segment as 64-bit words.
func Words(b []byte) []uint64 { return View[uint64](b) }

// Bytes looks at numbers as bytes, in the host's byte order.
func Bytes[T Number](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}

// Segment is the rank's own segment.
func (r *Rank) Segment() []byte { return r.segment }

// Reach gives rank to's segment as a plain slice where loads and stores reach it
// and the model permits it, else nil (the papers' privatization: a pointer to
// shared that was cast to a local one).
func (r *Rank) Reach(to int) []byte {
	if r.target("reach", to) != nil {
		return nil
	}
	return r.port.Reach(to)
}

// Alloc takes n bytes of the own segment, aligned to 8 (64 for 64 bytes and
// more), and gives their offset. Ranks that make the same calls in the same order
// get the same offsets: a symmetric heap.
func (r *Rank) Alloc(n int64) (int64, error) {
	if n < 0 {
		return 0, r.errorf("alloc of %d B: must not be negative", n)
	}
	align := int64(8)
	if n >= 64 {
		align = 64
	}
	off := (r.heap + align - 1) &^ (align - 1)
	if free := int64(len(r.segment)) - off; n > free {
		return 0, r.errorf("alloc of %d B: %d of the segment's %d B are free; raise the segment size", n, max(free, 0), len(r.segment))
	}
	r.heap = off + n
	return off, nil
}

// Mark is how far the own segment is in use, for Release.
func (r *Rank) Mark() int64 { return r.heap }

// Release frees what was taken since the mark. Ranks that give back the same marks in the
// same order stay symmetric. Nobody may reach what is freed any more: synchronize first.
func (r *Rank) Release(mark int64) error {
	if mark < 0 || mark > r.heap {
		return r.errorf("release to %d B: %d B of the segment are in use; take the number from Mark, and release the latest mark first", mark, r.heap)
	}
	r.heap = mark
	return nil
}
