package coll

import "github.com/hybridtop/hybridtop/cluster"

// buffer returns all bytes of a buffer.
func (x *Run) buffer(b Buf) []byte {
	switch b {
	case In:
		return x.call.in
	case Out:
		return x.call.out
	}
	return x.tempBytes[x.tempOffsets[b-temps]:]
}

// messageBytes returns the bytes of a message: in place if they are contiguous, otherwise packed.
func (x *Run) messageBytes(n *Node, node int32) []byte {
	buf := x.buffer(n.Ref.Buf)
	runs := 0
	var at, size int64
	x.Runs(n.Ref, func(off, n int64) {
		runs++
		at, size = off, size+n
	})
	if runs == 1 {
		return buf[at : at+size : at+size]
	}
	packed := make([]byte, 0, size)
	if n.Kind == Send {
		x.Runs(n.Ref, func(off, n int64) { packed = append(packed, buf[off:off+n]...) })
		return packed
	}
	if x.staged == nil {
		x.staged = map[int32][]byte{}
	}
	x.staged[node] = packed[:size]
	return packed[:size]
}

func (x *Run) unpack(r Ref, b []byte) {
	buf := x.buffer(r.Buf)
	x.Runs(r, func(off, n int64) { b = b[copy(buf[off:off+n], b):] })
}

// runLocal runs a node on bytes of this rank. Both sides have the same length, but may have
// different blocks.
func (x *Run) runLocal(n *Node, at *strides) {
	if to, from := &at.to, &at.from; at.isEven && to.each > 0 { // usual case
		dst := x.buffer(n.Ref.Buf)[to.base : to.base+to.each]
		src := x.buffer(n.From.Buf)[from.base : from.base+from.each]
		x.apply(n.Kind, dst, src)
		return
	}
	x.ranges = x.ranges[:0]
	x.Runs(n.From, func(off, n int64) { x.ranges = append(x.ranges, byteRange{off, n}) })
	dst, src := x.buffer(n.Ref.Buf), x.buffer(n.From.Buf)
	next := 0
	x.Runs(n.Ref, func(off, size int64) { next = x.applyRange(n.Kind, dst[off:off+size], src, next) })
}

// applyRange runs a node on one range of its blocks. The other side has the ranges x.ranges, from
// number at on. applyRange returns the number of the next one.
func (x *Run) applyRange(kind Kind, dst, src []byte, at int) int {
	for len(dst) > 0 {
		c := &x.ranges[at]
		k := min(int64(len(dst)), c.size)
		x.apply(kind, dst[:k], src[c.off:c.off+k])
		dst = dst[k:]
		c.off += k
		c.size -= k
		if c.size == 0 {
			at++
		}
	}
	return at
}

// byteRange is one range of bytes.
type byteRange struct{ off, size int64 }

func (x *Run) apply(k Kind, dst, src []byte) {
	switch k {
	case Copy:
		copy(dst, src)
	case Combine:
		x.call.combine(dst, src)
	case Precede:
		if need := (len(src) + 7) / 8; need > len(x.scratch) {
			x.scratch = make([]uint64, need)
		}
		left := cluster.Bytes(x.scratch)[:len(src)]
		copy(left, src)
		x.call.combine(left, dst)
		copy(dst, left)
	}
}
