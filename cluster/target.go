package cluster

// Target is an address in the memory of a rank: byte Off of its segment, or of the size-only memory
// that follows the segment (see [Alloc]).
type Target struct {
	Rank int // by number in the cluster
	Off  int64
}

// At returns byte off of a rank's segment.
func At(rank int, off int64) Target { return Target{Rank: rank, Off: off} }

// Ptr is an address in the memory of a rank with elements of type T, with arithmetic in elements,
// like UPC++'s global_ptr. Transfers do not check T against the type of the data.
type Ptr[T Number] struct{ Target }

// Add returns the address n elements after p.
func (p Ptr[T]) Add(n int) Ptr[T] {
	p.Off += int64(n) * sizeOf[T]()
	return p
}

// On returns the same address in the memory of another rank.
func (p Ptr[T]) On(rank int) Ptr[T] {
	p.Rank = rank
	return p
}

// Local returns the n elements at p as a buffer. p points into the caller's memory.
func (p Ptr[T]) Local(r *Rank, n int) Buf[T] {
	if p.Off >= r.launch.spec.Segment && n > 0 {
		return Buf[T]{n: n}
	}
	return Wrap(View[T](r.segment[p.Off : p.Off+int64(n)*sizeOf[T]()]))
}

// Alloc allocates n elements of the rank's memory, aligned to 8 bytes (to 64 for 64 bytes or more).
// It uses the segment, or for a size-only store the memory behind it, which has addresses but no
// bytes (Spec.Modelled). Ranks that make the same calls in the same order get the same offsets: a
// symmetric heap. Flags and atomics need bytes.
func Alloc[T Number](r *Rank, s Store, n int) (Ptr[T], error) {
	off, err := r.alloc(s.sizes, int64(n), sizeOf[T]())
	return Ptr[T]{At(int(r.id), off)}, err
}
