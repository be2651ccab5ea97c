package coll

// Blocks are the sizes of blocks, in bytes.
type Blocks struct {
	Unit  int64   // bytes of an element, which is never divided
	Elems int64   // number of elements
	Parts int32   // number of parts, of equal size if possible; longer parts first
	Displ []int64 // v-form: the beginning of each part and the end of the last one; otherwise nil
}

// Share divides n bytes into parts.
func Share(n, unit int64, parts int32) Blocks {
	return Blocks{Unit: unit, Elems: n / unit, Parts: parts}
}

// Even returns blocks of n bytes each.
func Even(n int64, parts int32) Blocks {
	return Blocks{Unit: max(n, 1), Elems: min(n, 1) * int64(parts), Parts: parts}
}

// off returns the offset of part i.
func (b *Blocks) off(i int32) int64 {
	if b.Displ != nil {
		return b.Displ[i]
	}
	each, rest := b.Elems/int64(b.Parts), b.Elems%int64(b.Parts)
	return b.Unit * (each*int64(i) + min(int64(i), rest))
}

func (b *Blocks) size(i int32) int64 { return b.off(i+1) - b.off(i) }

// Bytes returns the size of all parts.
func (b *Blocks) Bytes() int64 { return b.off(b.Parts) }

// longest returns the size of the largest part.
func (b *Blocks) longest() int64 {
	if b.Displ == nil {
		return b.size(0)
	}
	longest := int64(0)
	for i := range b.Parts {
		longest = max(longest, b.size(i))
	}
	return longest
}

// Place binds a schedule to a rank, a root and a number of bytes.
type Place struct {
	Schedule *Schedule
	Rel      int32 // the rank, counted from the root
	Root     int32
	Blocks   Blocks
	Into     *Blocks // blocks of Out, if an exchange has other sizes there; nil: the same
}

// wrap returns i modulo n, at least 0. i is usually in range already, and the check avoids a
// division.
func wrap(i, n int32) int32 {
	if uint32(i) < uint32(n) {
		return i
	}
	i %= n
	if i < 0 {
		i += n
	}
	return i
}

// Peer returns the number of a peer in the team.
func (p *Place) Peer(to Peer) int32 {
	n := p.Schedule.Ranks
	at := p.Rel + to.D
	switch {
	case to.Xor:
		at = unfold(n, fold(n, p.Rel)^to.D)
	case to.Root:
		at = to.D
	}
	return wrap(at+p.Root, n)
}

// first returns the number of a reference's first block, for rank me in a buffer of rank peer, both
// counted from the root.
func (p *Place) first(r *Ref, me, peer int32) int32 {
	at := r.Lo
	switch r.Base {
	case FromMe, FromPeer:
		if r.Base == FromMe {
			at += me
		} else {
			at += peer
		}
		if p.Schedule.Collective.ByMember() {
			at += p.Root
		}
		return wrap(at, p.Schedule.Parts)
	case Aligned:
		return (fold(p.Schedule.Ranks, me) ^ r.Lo) &^ (r.N - 1)
	}
	return at
}

// sizes returns the sizes of a buffer's blocks.
func (p *Place) sizes(b Buf) *Blocks {
	if b == Out && p.Into != nil {
		return p.Into
	}
	return &p.Blocks
}

// Runs calls each with the contiguous byte ranges of a reference, in the order of its blocks. No
// range is empty.
func (p *Place) Runs(r Ref, each func(off, n int64)) { p.runs(r, p.Rel, p.Rel, each) }

// runs is Runs for a buffer of rank owner, in a node whose peer is rank peer.
func (p *Place) runs(r Ref, owner, peer int32, each func(off, n int64)) {
	s := p.Schedule
	parts := s.Parts
	n := r.N
	if n < 0 {
		n = parts
	}
	if n == 0 {
		return
	}
	run := func(off, n int64) {
		if n > 0 {
			each(off, n)
		}
	}
	sizes := p.sizes(r.Buf)
	loose := r.Buf >= temps && s.Temps[r.Buf-temps].Loose
	if r.Buf >= temps && s.Temps[r.Buf-temps].Slots {
		p.slots(r, each)
		return
	}
	w := s.window(r.Buf)
	origin := sizes.off(p.first(&w, owner, owner))
	total := sizes.off(parts)
	length, stride := r.Run, r.Stride
	if length == 0 {
		length, stride = n, 0
	}
	at := p.first(&r, p.Rel, peer)
	packed := int64(0)
	for done := int32(0); done < n; at = wrap(at+stride, parts) {
		left := min(length, n-done)
		done += left
		for lo := at; left > 0; { // at most two ranges: up to the last block, and from block 0
			k := min(left, parts-lo)
			size := sizes.off(lo+k) - sizes.off(lo)
			off := sizes.off(lo) - origin
			if off < 0 {
				off += total
			}
			if loose {
				off = packed
				packed += size
			} else if off+size > total { // the window begins inside the range
				run(off, total-off)
				size -= total - off
				off = 0
			}
			run(off, size)
			left -= k
			lo = 0
		}
	}
}

// slots is runs for a buffer of slots.
func (p *Place) slots(r Ref, each func(off, n int64)) {
	slot := p.Blocks.longest()
	length := r.Run
	if length == 0 {
		length = r.N
	}
	for at, left := int64(r.Lo), r.N; left > 0 && slot > 0; at += int64(r.Stride) {
		k := min(length, left)
		each(at*slot, int64(k)*slot)
		left -= k
	}
}

// Bytes returns the size of a reference.
func (p *Place) Bytes(r Ref) int64 {
	if r.N == 0 {
		return 0
	}
	if b := p.sizes(r.Buf); b.Displ == nil && r.N > 0 { // usually all blocks have the same length
		if each := b.Elems / int64(b.Parts); each*int64(b.Parts) == b.Elems {
			return each * b.Unit * int64(r.N)
		}
	}
	total := int64(0)
	p.Runs(r, func(_, n int64) { total += n })
	return total
}

// peerSize returns the number of bytes that a load or a fold reads from a peer, counted from the
// root.
func (p *Place) peerSize(r Ref, peer int32) int64 {
	total := int64(0)
	p.runs(r, peer, peer, func(_, n int64) { total += n })
	return total
}

// span returns the position of a contiguous reference in a buffer of rank owner, in a node whose
// peer is rank peer, both counted from the root.
func (p *Place) span(r Ref, owner, peer int32) (off, size int64) {
	p.runs(r, owner, peer, func(o, n int64) {
		if size == 0 {
			off = o
		}
		size += n
	})
	return off, size
}

// Size returns the number of bytes of a buffer of the schedule.
func (p *Place) Size(b Buf) int64 {
	if b >= temps {
		if t := p.Schedule.Temps[b-temps]; t.Loose || t.Slots {
			return int64(t.Window.N) * p.Blocks.longest()
		}
	}
	sizes := p.sizes(b)
	w := p.Schedule.window(b)
	if w.N >= p.Schedule.Parts {
		return sizes.Bytes()
	}
	total := int64(0)
	for i, at := int32(0), p.first(&w, p.Rel, p.Rel); i < w.N; i++ {
		total += sizes.size(wrap(at+i, p.Schedule.Parts))
	}
	return total
}
