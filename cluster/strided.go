package cluster

import (
	"fmt"
	"math/bits"
)

// Strided is a transfer of equal blocks on both sides: Count[1] rows of Count[0] blocks. Stride[0]
// is the distance of blocks in a row, and Stride[1] the distance of rows, in bytes. A count of 0
// means one.
type Strided struct {
	Block     int64 // bytes of a block
	Count     [2]int
	Far, Near Lattice // positions in the target's segment, and in the buffer
}

// Lattice is the positions of the blocks of a strided transfer in one memory.
type Lattice struct {
	Off    int64 // of the first block
	Stride [2]int64
}

// Column returns a strided transfer of count packed blocks. In the target's segment they begin at
// off, stride bytes apart.
func Column(off, stride, block int64, count int) Strided {
	return Strided{Block: block, Count: [2]int{count, 1}, Far: Lattice{Off: off, Stride: [2]int64{stride}},
		Near: Lattice{Stride: [2]int64{block}}}
}

// Blocks returns the number of blocks.
func (s *Strided) Blocks() int { return max(s.Count[0], 1) * max(s.Count[1], 1) }

// Bytes returns the number of bytes of all blocks.
func (s *Strided) Bytes() int64 { return s.Block * int64(s.Blocks()) }

// At returns the position of block i of row j.
func (l *Lattice) At(i, j int) int64 {
	return l.Off + int64(i)*l.Stride[0] + int64(j)*l.Stride[1]
}

// Copy copies between the blocks in a segment and those in a buffer.
func (s *Strided) Copy(segment, buf []byte, in bool) {
	to, from, put, take := segment, buf, &s.Far, &s.Near
	if !in {
		to, from, put, take = from, to, take, put
	}
	for j := range max(s.Count[1], 1) {
		x, y, n := put.At(0, j), take.At(0, j), max(s.Count[0], 1)
		if s.Block == 8 && copyWords(to[x:], from[y:], put.Stride[0], take.Stride[0], n) {
			continue
		}
		for range n {
			copy(to[x:][:s.Block], from[y:][:s.Block])
			x, y = x+put.Stride[0], y+take.Stride[0]
		}
	}
}

// copyWords copies n blocks of 8 bytes, with one load and one store each. It returns false if they
// are not aligned.
func copyWords(to, from []byte, put, take int64, n int) bool {
	if (put|take)%8 != 0 || !aligned(to) || !aligned(from) {
		return false
	}
	far, near := Words(to), Words(from)
	put, take = put/8, take/8
	x, y := int64(0), int64(0)
	for range n {
		far[x] = near[y]
		x, y = x+put, y+take
	}
	return true
}

// Packed returns the transfer with its blocks packed in the buffer.
func (s *Strided) Packed() Strided {
	p := *s
	p.Near = Lattice{Stride: [2]int64{s.Block, s.Block * int64(max(s.Count[0], 1))}}
	return p
}

// Contiguous reports whether the blocks are contiguous in the segment.
func (s *Strided) Contiguous() bool {
	row := s.Block * int64(max(s.Count[0], 1))
	return (s.Count[0] <= 1 || s.Far.Stride[0] == s.Block) && (s.Count[1] <= 1 || s.Far.Stride[1] == row)
}

// Within reports whether the blocks are inside a segment of n bytes and do not overlap.
func (s *Strided) Within(n int64) bool {
	return s.Block >= 0 && s.Count[0] >= 0 && s.Count[1] >= 0 && s.spread(&s.Far, n) == ""
}

// spread returns the reason why blocks overlap or exceed n bytes; "": neither.
func (s *Strided) spread(l *Lattice, n int64) string {
	last, row := l.Off, s.Block // the start of the last block, and the length of a row
	for d, count := range s.Count {
		if count <= 1 {
			continue
		}
		if l.Stride[d] < row {
			return "overlap"
		}
		hi, lo := bits.Mul64(uint64(l.Stride[d]), uint64(count-1))
		if hi != 0 || lo > uint64(n) || last > n-int64(lo) {
			return "end"
		}
		last += int64(lo)
		row += int64(lo)
	}
	if l.Off < 0 || s.Block > n || last > n-s.Block {
		return "end"
	}
	return ""
}

// check checks a put or get against its data and the memory at its target. It returns the number of
// messages.
func (r *Rank) check(call string, p *Put) (messages int64, err error) {
	at, d, s, spans, train := p.To, p.Data, &p.Shape, p.Spans, p.Train
	switch {
	case s.Block < 0 || s.Count[0] < 0 || s.Count[1] < 0:
		return 0,
			r.errorf("%s at rank %d: %d × %d blocks of %d B: must not be negative", call, at.Rank, s.Count[1], s.Count[0],
				s.Block)
	case s.Block == 0 && train:
		return 0, r.errorf("%s at rank %d: has no shape: set its blocks", call, at.Rank)
	case s.Block == 0 && spans == nil:
		return 1, r.within(call, at, d)
	case d.n < 0 || at.Off < 0:
		return 0, r.within(call, at, d)
	case s.Block == 0:
		return 1, r.pieces(call, at, d, spans)
	case spans != nil:
		return 0, r.errorf("%s at rank %d: has a shape and spans: use one of them", call, at.Rank)
	}
	if err := r.side(call, at.Rank, s, &s.Far, r.extent(d)-at.Off, "its segment"); err != nil {
		return 0, err
	}
	if err := r.side(call, at.Rank, s, &s.Near, d.n, "the data"); err != nil {
		return 0, err
	}
	if !train {
		return 1, nil
	}
	n := s.Blocks()
	if n > MaxTrain {
		return 0, r.errorf("train of %d puts at rank %d: want at most %d (use several trains)", n, at.Rank, MaxTrain)
	}
	return int64(n), nil
}

// side checks one side of a strided put or get: n bytes in the memory named where.
func (r *Rank) side(call string, to int, s *Strided, l *Lattice, n int64, where string) error {
	switch s.spread(l, n) {
	case "overlap":
		return r.errorf("%s at rank %d: %d × %d blocks of %d B overlap in %s at strides of %d and %d B: use strides of "+
			"at least a block, and a row of them",
			call, to, s.Count[1], s.Count[0], s.Block, where, l.Stride[0], l.Stride[1])
	case "end":
		return r.errorf("%s at rank %d: %d × %d blocks of %d B from %d on with strides of %d and %d B reach beyond the "+
			"end of %s of %d B",
			call, to, s.Count[1], s.Count[0], s.Block, l.Off, l.Stride[0], l.Stride[1], where, n)
	}
	return nil
}

// extent returns the length of the target's memory that a payload may use.
func (r *Rank) extent(d Data) int64 {
	if d.p == nil {
		return r.launch.spec.Extent()
	}
	return r.launch.spec.Segment
}

// within checks a contiguous put or get.
func (r *Rank) within(call string, at Target, d Data) error {
	limit := r.extent(d)
	switch {
	case d.n < 0:
		return r.errorf("%s at rank %d of %d B: size must not be negative", call, at.Rank, d.n)
	case at.Off < 0 || d.n > limit || at.Off > limit-d.n:
		hint := ""
		if extent := r.launch.spec.Extent(); d.p != nil && extent > limit {
			hint = fmt.Sprintf(" (size-only memory follows up to %d B: only a size-only payload may go there)", extent)
		}
		return r.errorf("%s at rank %d: %d B from %d on reach beyond the end of its segment of %d B%s", call, at.Rank, d.n,
			at.Off, limit, hint)
	}
	return nil
}

// pieces checks an indexed put or get (VIS: vector, indexed, strided; paper 3). If spans overlap,
// the result is undefined.
func (r *Rank) pieces(call string, at Target, d Data, spans []Span) error {
	left, room := d.n, r.extent(d)-at.Off
	for i, v := range spans {
		if v.Off < 0 || v.Len < 0 || v.Len > room || v.Off > room-v.Len {
			return r.errorf("%s at rank %d: span %d (%d B at %d) is not inside its segment of %d B", call, at.Rank, i, v.Len,
				v.Off, room)
		}
		if left -= v.Len; left < 0 {
			return r.errorf("%s at rank %d: the spans up to %d are longer than the data of %d B", call, at.Rank, i, d.n)
		}
	}
	if left != 0 {
		return r.errorf("%s at rank %d: the spans do not cover %d of the data's %d B", call, at.Rank, left, d.n)
	}
	return nil
}
