package coll

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// work runs a node that is not a message.
func (x *Run) work(n *Node, at *strides) {
	switch {
	case x.trouble != nil:
	case n.Kind == Load:
		x.load(n, at)
	case n.Kind == Fold:
		x.fold(n, at)
	case !x.call.sizes:
		x.local(n, at)
	}
}

// charge returns the operation that charges the time of a node without a message.
func (x *Run) charge(n *Node) {
	o, elems := &x.op, func(size int64) uint64 { return uint64(size / max(x.Blocks.Unit, 1)) }
	switch n.Kind {
	case Load, Fold:
		o.Kind, o.Ctx, o.A, o.B, o.Buf = cluster.KindLoad, x.comm.lib.BoardContext(x.comm.team), uint64(n.Count), 0, nil
		o.Tag, o.Size = x.foremost(n), x.looked
		if n.Kind == Fold {
			o.B = elems(x.looked)
		}
	default:
		size := x.Bytes(n.From)
		o.Kind, o.A, o.B = cluster.KindWork, 0, uint64(2*size)
		if n.Kind != Copy {
			o.A, o.B = elems(size), uint64(3*size)
		}
	}
}

// foremost returns the first member whose buffer a load or a fold reads.
func (x *Run) foremost(n *Node) int32 {
	if n.Kind == Load {
		return x.Peer(n.Peer)
	}
	return x.Root
}

// peers returns the published buffers of all members that a node reads, by member.
func (x *Run) peers(n *Node) [][]byte {
	if x.call.sizes {
		return nil
	}
	return x.comm.board.Peers(placeOf(x.at, n.From.Buf))
}

// shown returns size bytes at off of a peer's buffer, or nil if the buffer is shorter.
func (x *Run) shown(all [][]byte, peer int32, off, size int64) []byte {
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
	p, all := x.Schedule.Ranks, x.peers(n)
	notes := x.comm.board.Notes(x.at)
	first := wrap(x.Peer(n.Peer)-x.Root, p) // counted from the root
	x.looked = 0
	if at.even {
		dst, src, to := &at.to, &at.from, x.own(n.Ref.Buf)
		for i := range n.Count {
			peer := wrap(first+i, p)
			member := wrap(peer+x.Root, p)
			if notes[member] != x.says {
				x.failMismatch(member, notes[member])
				return
			}
			x.looked += src.each
			if all == nil || src.each == 0 {
				continue
			}
			b := x.shown(all, member, src.base+src.step*x.number(peer), src.each)
			off := dst.base + dst.step*x.number(peer)
			copy(to[off:off+dst.each], b)
		}
		return
	}
	for i := range n.Count {
		peer := wrap(first+i, p)
		if member := wrap(peer+x.Root, p); notes[member] != x.says {
			x.failMismatch(member, notes[member])
			return
		}
		size := x.theirs(n.From, peer)
		x.looked += size
		if all != nil {
			x.between(n, all, peer)
		}
	}
}

// fold combines the buffers of the first members, counted from the root. The result is bitwise
// identical to a binomial tree.
func (x *Run) fold(n *Node, at *strides) {
	p, all := x.Schedule.Ranks, x.peers(n)
	dst, src, even := at.to, at.from, at.even && at.to.step == 0
	notes, from := x.comm.board.Notes(x.at), x.sources[:0]
	x.looked = 0
	for i, peer := int32(0), x.Root; i < n.Count; i++ {
		if notes[peer] != x.says {
			x.failMismatch(peer, notes[peer])
			return
		}
		off, size := src.base, src.each
		if !even {
			off, size = x.span(n.From, i, i)
		} else if src.step != 0 {
			off += src.step * x.number(i)
		}
		x.looked += size
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
	to := x.own(n.Ref.Buf)[dst.base : dst.base+dst.each]
	if x.call.CombineAll != nil {
		x.call.CombineAll(to, from)
		return
	}
	if need := bits.Len(uint(len(from))) * (len(to) + 7) / 8; need > len(x.scratch) {
		x.scratch = make([]uint64, need)
	}
	x.inTree(to, from, x.scratch)
}

// inTree implements CombineAll with Combine. room is scratch space.
func (x *Run) inTree(to []byte, from [][]byte, room []uint64) {
	if len(from) == 1 {
		copy(to, from[0])
		return
	}
	half := 1 << (bits.Len(uint(len(from)-1)) - 1)
	x.inTree(to, from[:half], room)
	rest := from[half]
	if len(from) > half+1 {
		words := (len(to) + 7) / 8
		rest = cluster.Bytes(room[:words])[:len(to)]
		x.inTree(rest, from[half:], room[words:])
	}
	x.call.Combine(to, rest)
}

// own returns a whole buffer of this rank, or nil for size-only data.
func (x *Run) own(b Buf) []byte {
	if x.call.sizes {
		return nil
	}
	return x.buffer(b)
}

// between copies bytes of a peer, counted from the root, if the two sides have different blocks.
func (x *Run) between(n *Node, all [][]byte, peer int32) {
	most := int64(0)
	x.cuts = x.cuts[:0]
	x.runs(n.From, peer, peer, func(off, size int64) {
		x.cuts = append(x.cuts, cut{off, size})
		most = max(most, off+size)
	})
	src := x.shown(all, wrap(peer+x.Root, x.Schedule.Ranks), 0, most)
	if src == nil {
		return
	}
	dst, at := x.buffer(n.Ref.Buf), 0
	x.runs(n.Ref, x.Rel, peer, func(off, size int64) { at = x.cutting(Copy, dst, src, off, size, at) })
}

// accountLoads counts the traffic of a load or a fold.
func (x *Run) accountLoads(n *Node, at *strides) {
	r, team, p := x.comm.r, x.comm.team, x.Schedule.Ranks
	first := wrap(x.foremost(n)-x.Root, p)
	if at.shown && x.comm.board.node {
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
			r.Account(team.Global(int(wrap(peer+x.Root, p))), 1, x.theirs(n.From, peer))
		}
	}
}
