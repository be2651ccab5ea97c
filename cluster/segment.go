package cluster

import "unsafe"

// Number is the element type of shared arrays and views: any number of fixed size.
type Number interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64 | ~complex64 |
		~complex128
}

// View returns bytes of a segment as numbers, in the host's byte order. b must be aligned for T. An
// incomplete T at the end is ignored.
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

// aligned reports whether bytes begin at an 8-byte boundary.
func aligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 == 0 }

// Words returns a segment as 64-bit words.
func Words(b []byte) []uint64 { return View[uint64](b) }

// Bytes returns numbers as bytes, in the host's byte order.
func Bytes[T Number](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}

// Segment returns the rank's segment.
func (r *Rank) Segment() []byte { return r.segment }

// Reach returns the segment of rank to as a slice, if loads and stores reach it and the execution
// model permits it; otherwise nil. The papers call this privatization: casting a pointer-to-shared
// to a local pointer.
func (r *Rank) Reach(to int) []byte {
	if r.target("reach", to) != nil {
		return nil
	}
	return r.port.Reach(to)
}

// Alloc allocates n bytes of the rank's segment, aligned to 8 bytes (to 64 for 64 bytes or more),
// and returns their offset. The function Alloc allocates elements.
func (r *Rank) Alloc(n int64) (int64, error) { return r.alloc(false, n, 1) }

// alloc allocates n elements of size bytes, in the segment or in the size-only memory that
// follows it.
func (r *Rank) alloc(sizes bool, n, size int64) (int64, error) {
	if n < 0 {
		return 0, r.errorf("alloc of %d B: must not be negative", n*size)
	}
	used, end, what := &r.heap, int64(len(r.segment)), "segment's"
	if sizes {
		used, end, what = &r.sized, max(r.launch.spec.Extent(), end), "size-only memory's"
	}
	align := int64(8)
	if n*size >= 64 {
		align = 64
	}
	off := (*used + align - 1) &^ (align - 1)
	if free := end - off; free < 0 || n > free/size {
		return 0,
			r.errorf("alloc of %d B: %d of the %s %d B are free; raise the segment size", n*size, max(free, 0), what, end)
	}
	*used = off + n*size
	return off, nil
}

// Release frees all memory from off on. off is an offset that Alloc returned. Ranks that release in
// the same order stay symmetric. Synchronize first: no other rank may use the memory any more.
func (r *Rank) Release(off int64) error {
	used := &r.heap
	if off >= int64(len(r.segment)) && off <= r.sized {
		used = &r.sized
	}
	if off < 0 || off > *used {
		return r.errorf("release from %d on: %d B of the segment are in use (use an offset from Alloc, the latest first)",
			off, *used)
	}
	*used = off
	return nil
}
