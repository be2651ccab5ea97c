package coll

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Call describes one collective: its algorithm, its root and its data.
type Call struct {
	Key    Key
	Root   int
	In     cluster.Data // contribution of the member; a broadcast has none, because its root sends Out
	Out    cluster.Data // result; must not overlap In. All members pass bytes, or all only sizes
	Blocks Blocks       // the same at every member
	Into   *Blocks      // blocks of Out, if an exchange has other sizes there

	// InAt and OutAt are the positions of In and Out in the segments. One-sided transfers need them
	// to move bytes directly. nil: not in a segment.
	InAt, OutAt *At

	// Combine computes acc = acc op in, on whole elements. CombineAll is optional. It combines many
	// inputs into out at once, in the order of a binomial tree.
	Combine    func(acc, in []byte)
	CombineAll func(out []byte, in [][]byte)

	in, out    []byte // bytes of In and Out
	isSizeOnly bool   // size-only

	isProgramCall bool // a call of calls.go: permitted in a parallel region, and a reduction's In may be its Out
}

// At has the offsets of the members' buffers in their segments.
type At struct {
	Off int64   // of every member; in mode Local of this member
	Of  []int64 // by member, if the offsets differ; otherwise nil
}

// overlap reports whether two buffers share bytes.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	p, q := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return p < q+uintptr(len(b)) && q < p+uintptr(len(a))
}

// offsetIn returns the offset of a buffer in a segment, or −1 if it is outside.
func offsetIn(segment, buf []byte) int64 {
	if !overlap(segment, buf) {
		return -1
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(buf))) - uintptr(unsafe.Pointer(unsafe.SliceData(segment))))
}

// Pointer is the location of data, like a pointer-to-shared.
type Pointer interface {
	Rank() int // number in the cluster
	Offset() int64
}

// Root returns the member that a pointer-to-shared points to, and the position in its segment. A
// call on data of such a pointer has that root (paper 5, section 1).
func (c *Comm) Root(p Pointer) (root int, at *At, err error) {
	root = c.team.Local(p.Rank())
	if root < 0 {
		return 0, nil, c.lib.Errorf("a pointer to rank %d, which is not a member of %s", p.Rank(), c.team.Name())
	}
	return root, &At{Off: p.Offset()}, nil
}

// uses reports whether a member has the buffer.
func (c Collective) uses(b Buf, rel int32) bool {
	switch c {
	case OpBarrier:
		return false
	case OpBcast:
		return b == Out
	case OpScatter:
		return b == Out || rel == 0
	case OpGather, OpReduce:
		return b == In || rel == 0
	}
	return true
}
