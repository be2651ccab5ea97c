package upc

import (
	"fmt"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// GlobalPtr is UPC's pointer to shared: a thread, a phase in the block and an
// address in the thread's segment, with arithmetic that follows the block-cyclic
// distribution (UPC 1.3, sections 6.4.2 and 6.4.3). It is plain data, valid on
// every thread of the group, and may be sent to others or stored: what MPI-2
// windows cannot give (paper 1, section 2.1, "shared pointers"). The zero value is
// the null pointer.
type GlobalPtr[T cluster.Number] struct {
	first   int32 // cluster rank of UPC thread 0
	threads int32 // 0: null
	thread  int32
	block   int64 // elements a block
	phase   int64 // of the element in its block
	off     int64 // bytes from the start of the segment
}

// IsNull reports whether p points nowhere.
func (p GlobalPtr[T]) IsNull() bool { return p.threads == 0 }

// Thread is the UPC thread it points to (upc_threadof).
func (p GlobalPtr[T]) Thread() int { return int(p.thread) }

// Phase is the place in the block (upc_phaseof).
func (p GlobalPtr[T]) Phase() int { return int(p.phase) }

// Offset is the byte in the thread's segment (upc_addrfield).
func (p GlobalPtr[T]) Offset() int64 { return p.off }

// Rank is the rank, in the cluster, that it points to.
func (p GlobalPtr[T]) Rank() int { return int(p.first + p.thread) }

// String prints thread, phase and offset.
func (p GlobalPtr[T]) String() string {
	if p.IsNull() {
		return "null"
	}
	return fmt.Sprintf("thread %d phase %d offset %d", p.thread, p.phase, p.off)
}

// Add points n elements on, or back: to the next place in the block, then to the
// next thread's block, then to the first thread's next one.
func (p GlobalPtr[T]) Add(n int) GlobalPtr[T] {
	if p.IsNull() {
		if n != 0 {
			panic("upc: arithmetic on the null pointer to shared")
		}
		return p
	}
	blocks, phase := floorDiv(p.phase+int64(n), p.block)
	rounds, thread := floorDiv(int64(p.thread)+blocks, int64(p.threads))
	p.off += (rounds*p.block + phase - p.phase) * p.size()
	p.phase, p.thread = phase, int32(thread)
	return p
}

// Diff is the number of elements from q to p (p − q); p == q.Add(p.Diff(q)). It
// is an error for pointers into different arrays.
func (p GlobalPtr[T]) Diff(q GlobalPtr[T]) (int, error) {
	bytes := p.off - q.off
	rounds := bytes/p.size() - (p.phase - q.phase)
	if p.IsNull() || q.IsNull() || p.first != q.first || p.threads != q.threads || p.block != q.block ||
		bytes%p.size() != 0 || rounds%p.block != 0 {
		return 0, fmt.Errorf("difference of pointers to shared (%s) and (%s): they do not point into one array", p, q)
	}
	return int(rounds*int64(p.threads) + int64(p.thread-q.thread)*p.block + p.phase - q.phase), nil
}

// Load reads what p points to.
func (p GlobalPtr[T]) Load(r *cluster.Rank) (T, error) {
	var zero T
	if p.IsNull() {
		return zero, r.Lib().Errorf("load through the null pointer to shared")
	}
	if err := r.Lib().Target("load", p.Rank()); err != nil {
		return zero, err
	}
	b := r.Lib().Scratch(int(p.size()))
	if err := r.Lib().Get(cluster.At(p.Rank(), p.off), cluster.Of(b)); err != nil {
		return zero, err
	}
	return cluster.View[T](b)[0], nil
}

// Store writes v to where p points.
func (p GlobalPtr[T]) Store(r *cluster.Rank, v T) error {
	if p.IsNull() {
		return r.Lib().Errorf("store through the null pointer to shared")
	}
	if err := r.Lib().Target("store", p.Rank()); err != nil {
		return err
	}
	b := r.Lib().Scratch(int(p.size()))
	cluster.View[T](b)[0] = v
	return r.Lib().Put(cluster.At(p.Rank(), p.off), cluster.Of(b))
}

// Local is p as a plain pointer where loads and stores reach it (upc_cast), else
// nil. Accesses through it are not counted as traffic.
func (p GlobalPtr[T]) Local(r *cluster.Rank) *T {
	if p.IsNull() {
		return nil
	}
	s := r.Reach(p.Rank())
	if p.off < 0 || p.off > int64(len(s))-p.size() {
		return nil
	}
	return &cluster.View[T](s[p.off:])[0]
}

func (p GlobalPtr[T]) size() int64 { var zero T; return int64(unsafe.Sizeof(zero)) }

// floorDiv is a = b·quotient + rest with 0 ≤ rest < b.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}
