package coll

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// runInline runs a node that is not a message.
func (x *Run) runInline(n *Node, at *strides) {
	switch {
	case x.err != nil:
	case n.Kind == Load:
		x.load(n, at)
	case n.Kind == Fold:
		x.fold(n, at)
	case !x.call.isSizeOnly:
		x.runLocal(n, at)
	}
}

// charge returns the operation that charges the time of a node without a message.
func (x *Run) charge(n *Node) {
	o, elems := &x.op, func(size int64) uint64 { return uint64(size / max(x.Blocks.Unit, 1)) }
	switch n.Kind {
	case Load, Fold:
		o.Kind, o.Ctx, o.A, o.B, o.Buf = cluster.KindLoad, x.comm.lib.BoardContext(x.comm.team), uint64(n.Count), 0, nil
		o.Tag, o.Size = x.firstMember(n), x.loadedBytes
		if n.Kind == Fold {
			o.B = elems(x.loadedBytes)
		}
	default:
		size := x.Bytes(n.From)
		o.Kind, o.A, o.B = cluster.KindWork, 0, uint64(2*size)
		if n.Kind != Copy {
			o.A, o.B = elems(size), uint64(3*size)
		}
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

// load copies from the buffers of some members.
func (x *Run) load(n *Node, at *strides) {
	p, all := x.Schedule.Ranks, x.peerBuffers(n)
	notes := x.comm.board.Notes(x.boardSlot)
	first := wrap(x.Peer(n.Peer)-x.Root, p) // counted from the root
	x.loadedBytes = 0
	if at.isEven {
		dst, src, to := &at.to, &at.from, x.localBytes(n.Ref.Buf)
		for i := range n.Count {
			peer := wrap(first+i, p)
			member := wrap(peer+x.Root, p)
			if notes[member] != x.signature {
				x.failMismatch(member, notes[member])
				return
			}
			x.loadedBytes += src.each
			if all == nil || src.each == 0 {
				continue
			}
			b := x.peerBytes(all, member, src.base+src.step*x.blockNumber(peer), src.each)
			off := dst.base + dst.step*x.blockNumber(peer)
			copy(to[off:off+dst.each], b)
		}
		return
	}
	for i := range n.Count {
		peer := wrap(first+i, p)
		if member := wrap(peer+x.Root, p); notes[member] != x.signature {
			x.failMismatch(member, notes[member])
			return
		}
		size := x.peerSize(n.From, peer)
		x.loadedBytes += size
		if all != nil {
			x.loadRanges(n, all, peer)
		}
	}
}

// fold combines the buffers of the first members, counted from the root. The result is bitwise
// identical to a binomial tree.
func (x *Run) fold(n *Node, at *strides) {
	p, all := x.Schedule.Ranks, x.peerBuffers(n)
	dst, src, even := at.to, at.from, at.isEven && at.to.step == 0
	notes, from := x.comm.board.Notes(x.boardSlot), x.sources[:0]
	x.loadedBytes = 0
	for i, peer := int32(0), x.Root; i < n.Count; i++ {
		if notes[peer] != x.signature {
			x.failMismatch(peer, notes[peer])
			return
		}
		off, size := src.base, src.each
		if !even {
			off, size = x.span(n.From, i, i)
		} else if src.step != 0 {
			off += src.step * x.blockNumber(i)
		}
		x.loadedBytes += size
		if all != nil && size > 0 {
			b := all[peer]
			if off+size > int64(len(b)) {
				x.failShort(peer, b, off+size)
				return
			}
			from = append(from, b[off:off+size:off+size])
		}
		if peer++; peer == p {
			peer = 0
		}
	}
	if x.sources = from; len(from) == 0 {
		return
	}
	if !even {
		dst.base, dst.each = x.span(n.Ref, x.Rel, x.Rel)
	}
	to := x.localBytes(n.Ref.Buf)[dst.base : dst.base+dst.each]
	if x.call.CombineAll != nil {
		x.call.CombineAll(to, from)
		return
	}
	if need := bits.Len(uint(len(from))) * (len(to) + 7) / 8; need > len(x.scratch) {
		x.scratch = make([]uint64, need)
	}
	x.combineTree(to, from, x.scratch)
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
	x.call.Combine(to, rest)
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
	x.runs(n.Ref, x.Rel, peer, func(off, size int64) { at = x.applyRange(Copy, dst, src, off, size, at) })
}

// accountLoads counts the traffic of a load or a fold.
func (x *Run) accountLoads(n *Node, at *strides) {
	r, team, p := x.comm.r, x.comm.team, x.Schedule.Ranks
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
