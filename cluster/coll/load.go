package coll

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// runInline runs a node that is not a message.
func (x *Run) runInline(n *Node, at *strides) {
	switch {
	case x.err != nil:
	case (n.Kind == Load || n.Kind == Fold) && !x.callsAgree():
		x.failMismatch()
	case n.Kind == Load && at.isEven:
		x.loadEven(n, at)
	case n.Kind == Load:
		x.loadUneven(n)
	case n.Kind == Fold:
		x.fold(n, at)
	case !x.call.isSizeOnly:
		x.runLocal(n, at)
	}
}

// charge makes x.op the operation that charges the time of a node without a message.
func (x *Run) charge(n *Node) {
	o := &x.op
	unit := max(x.Blocks.Unit, 1)
	if n.Kind == Load || n.Kind == Fold {
		o.Kind = cluster.KindLoad
		o.Ctx = x.comm.lib.BoardContext(x.comm.team)
		o.Tag = x.firstMember(n)
		o.Size = x.loadedBytes
		o.A = uint64(n.Count)
		o.B = 0 // combined elements
		o.Buf = nil
		if n.Kind == Fold {
			o.B = uint64(x.loadedBytes / unit)
		}
		return
	}
	size := x.Bytes(n.From)
	o.Kind = cluster.KindWork
	o.A, o.B = 0, uint64(2*size) // combined elements, and bytes read and written
	if n.Kind != Copy {
		o.A, o.B = uint64(size/unit), uint64(3*size)
	}
}

// firstMember returns the first member whose buffer a load or a fold reads.
func (x *Run) firstMember(n *Node) int32 {
	if n.Kind == Load {
		return x.Peer(n.Peer)
	}
	return x.Root
}

// peerBuffers returns the published buffers of all members that a node reads, by member.
func (x *Run) peerBuffers(n *Node) [][]byte {
	if x.call.isSizeOnly {
		return nil
	}
	return x.comm.board.Peers(addressIndex(x.boardSlot, n.From.Buf))
}

// peerBytes returns size bytes at off of a peer's buffer, or nil if the buffer is shorter.
func (x *Run) peerBytes(all [][]byte, peer int32, off, size int64) []byte {
	b := all[peer]
	if off+size > int64(len(b)) {
		x.failShort(peer, b, off+size)
		return nil
	}
	return b[off : off+size : off+size]
}

// failShort fails a call if a member's buffer is too short.
func (x *Run) failShort(peer int32, b []byte, want int64) {
	x.fail("rank %d has %d B, want %d: every member must pass the same sizes", peer, len(b), want)
}

// loadEven copies from the buffers of some members, whose blocks have the same length on both sides.
func (x *Run) loadEven(n *Node, at *strides) {
	p, all := x.Schedule.Ranks, x.peerBuffers(n)
	first := wrap(x.Peer(n.Peer)-x.Root, p) // counted from the root
	dst, src := &at.to, &at.from
	to := x.localBytes(n.Ref.Buf)
	x.loadedBytes = 0
	for i := range n.Count {
		peer := wrap(first+i, p)
		member := wrap(peer+x.Root, p)
		x.loadedBytes += src.each
		if all == nil || src.each == 0 {
			continue
		}
		b := x.peerBytes(all, member, src.base+src.step*x.blockNumber(peer), src.each)
		off := dst.base + dst.step*x.blockNumber(peer)
		copy(to[off:off+dst.each], b)
	}
}

// loadUneven is loadEven for any blocks.
func (x *Run) loadUneven(n *Node) {
	p, all := x.Schedule.Ranks, x.peerBuffers(n)
	first := wrap(x.Peer(n.Peer)-x.Root, p) // counted from the root
	x.loadedBytes = 0
	for i := range n.Count {
		peer := wrap(first+i, p)
		x.loadedBytes += x.peerSize(n.From, peer)
		if all != nil {
			x.loadRanges(n, all, peer)
		}
	}
}

// fold combines the buffers of the first members, counted from the root. The result is bitwise
// identical to a binomial tree.
func (x *Run) fold(n *Node, at *strides) {
	isEven := at.isEven && at.to.step == 0
	from := x.foldSources(n, &at.from, isEven)
	if len(from) == 0 {
		return
	}
	off, size := at.to.base, at.to.each
	if !isEven {
		off, size = x.span(n.Ref, x.Rel, x.Rel)
	}
	to := x.localBytes(n.Ref.Buf)[off : off+size]
	if x.call.combineAll != nil {
		x.call.combineAll(to, from)
		return
	}
	if need := bits.Len(uint(len(from))) * (len(to) + 7) / 8; need > len(x.scratch) {
		x.scratch = make([]uint64, need)
	}
	x.combineTree(to, from, x.scratch)
}

// foldSources returns the bytes of each member for a fold; none if the call fails or is size-only.
func (x *Run) foldSources(n *Node, src *stride, isEven bool) [][]byte {
	p, all := x.Schedule.Ranks, x.peerBuffers(n)
	from := x.sources[:0]
	x.loadedBytes = 0
	member := x.Root
	for i := range n.Count { // counted from the root
		off, size := src.base, src.each
		if !isEven {
			off, size = x.span(n.From, i, i)
		} else if src.step != 0 {
			off += src.step * x.blockNumber(i)
		}
		x.loadedBytes += size
		if all != nil && size > 0 {
			b := all[member] // peerBytes, which the compiler does not inline
			if off+size > int64(len(b)) {
				x.failShort(member, b, off+size)
				return nil
			}
			from = append(from, b[off:off+size:off+size])
		}
		member++
		if member == p {
			member = 0
		}
	}
	x.sources = from
	return from
}

// combineTree implements CombineAll with Combine. scratch has the partial results.
func (x *Run) combineTree(to []byte, from [][]byte, scratch []uint64) {
	if len(from) == 1 {
		copy(to, from[0])
		return
	}
	half := 1 << (bits.Len(uint(len(from)-1)) - 1)
	x.combineTree(to, from[:half], scratch)
	rest := from[half]
	if len(from) > half+1 {
		words := (len(to) + 7) / 8
		rest = cluster.Bytes(scratch[:words])[:len(to)]
		x.combineTree(rest, from[half:], scratch[words:])
	}
	x.call.combine(to, rest)
}

// localBytes returns a whole buffer of this rank, or nil for size-only data.
func (x *Run) localBytes(b Buf) []byte {
	if x.call.isSizeOnly {
		return nil
	}
	return x.buffer(b)
}

// loadRanges copies bytes of a peer, counted from the root, if the two sides have different blocks.
func (x *Run) loadRanges(n *Node, all [][]byte, peer int32) {
	end := int64(0)
	x.ranges = x.ranges[:0]
	x.runs(n.From, peer, peer, func(off, size int64) {
		x.ranges = append(x.ranges, byteRange{off, size})
		end = max(end, off+size)
	})
	src := x.peerBytes(all, wrap(peer+x.Root, x.Schedule.Ranks), 0, end)
	if src == nil {
		return
	}
	dst, at := x.buffer(n.Ref.Buf), 0
	x.runs(n.Ref, x.Rel, peer, func(off, size int64) { at = x.applyRange(Copy, dst[off:off+size], src, at) })
}

// accountLoads counts the traffic of a load or a fold.
func (x *Run) accountLoads(n *Node, at *strides) {
	r, team := x.comm.r, x.comm.team
	p := x.Schedule.Ranks
	first := wrap(x.firstMember(n)-x.Root, p)
	if at.isFromEven && x.comm.board.isOneNode {
		others := int64(n.Count)
		if wrap(x.Rel-first, p) < n.Count {
			others--
		}
		if others > 0 { // any other member: all are in the node
			r.Account(team.Global(int(wrap(int32(team.Rank())+1, p))), others, others*at.from.each)
		}
		return
	}
	for i := range n.Count {
		if peer := wrap(first+i, p); peer != x.Rel {
			r.Account(team.Global(int(wrap(peer+x.Root, p))), 1, x.peerSize(n.From, peer))
		}
	}
}
