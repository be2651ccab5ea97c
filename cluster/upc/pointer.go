package upc

import (
	"fmt"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// GlobalPtr is UPC's pointer to shared: a thread, a phase in the block and an address in the
// thread's segment. Its arithmetic follows the block-cyclic distribution (UPC 1.3, sections 6.4.2
// and 6.4.3). It is plain data, valid on every thread of the group, and can be sent or stored.
// MPI-2 windows cannot do this (paper 1, section 2.1, "shared pointers"). The zero value is the
// null pointer.
type GlobalPtr[T cluster.Number] struct {
	first   int32 // cluster rank of UPC thread 0
	threads int32 // 0: null
	thread  int32
	block   int64 // elements per block
	phase   int64 // of the element in its block
	off     int64 // bytes from the start of the segment
}

// IsNull reports whether p is the null pointer.
func (p GlobalPtr[T]) IsNull() bool { return p.threads == 0 }

// Thread returns the UPC thread of the target (upc_threadof).
func (p GlobalPtr[T]) Thread() int { return int(p.thread) }

// Phase returns the position in the block (upc_phaseof).
func (p GlobalPtr[T]) Phase() int { return int(p.phase) }

// Offset returns the byte offset in the thread's segment (upc_addrfield).
func (p GlobalPtr[T]) Offset() int64 { return p.off }

// Rank returns the cluster rank of the target.
func (p GlobalPtr[T]) Rank() int { return int(p.first + p.thread) }

// String returns thread, phase and offset as text.
func (p GlobalPtr[T]) String() string {
	if p.IsNull() {
		return "null"
	}
	return fmt.Sprintf("thread %d phase %d offset %d", p.thread, p.phase, p.off)
}

// Add returns a pointer n elements further, or back for a negative n. It moves to the next position
// in the block, then to the next thread's block, then to the first thread's next block.
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

// Diff returns the number of elements from q to p (p − q); p == q.Add(p.Diff(q)). It returns an
// error for pointers to different arrays.
func (p GlobalPtr[T]) Diff(q GlobalPtr[T]) (int, error) {
	bytes := p.off - q.off
	rounds := bytes/p.size() - (p.phase - q.phase)
	if p.IsNull() || q.IsNull() || p.first != q.first || p.threads != q.threads || p.block != q.block ||
		bytes%p.size() != 0 || rounds%p.block != 0 {
		return 0, fmt.Errorf("difference of pointers to shared (%s) and (%s): they do not point into one array", p, q)
	}
	return int(rounds*int64(p.threads) + int64(p.thread-q.thread)*p.block + p.phase - q.phase), nil
}

// Load reads the element at p.
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

// Store writes v to the element at p.
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

// Local returns p as a plain pointer if loads and stores reach the element (upc_cast), else nil.
// Accesses through it do not count as traffic.
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

// floorDiv returns a = b·quotient + rest with 0 ≤ rest < b.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}
