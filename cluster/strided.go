package cluster

import "math/bits"

// Strided is a transfer of equal blocks: Count[0] of them, Stride[0] apart, in Count[1]
// rows, Stride[1] apart, on both sides. A count of 0 is one.
type Strided struct {
	Block     int64 // bytes of a block
	Count     [2]int
	Far, Near Lattice // in the target's segment, and in the buffer
}

// Lattice says where the blocks of a strided transfer stand.
type Lattice struct {
	Off    int64 // of the first one
	Stride [2]int64
}

// Column is a strided transfer of count packed blocks that stand at off and stride apart
// in the target's segment.
func Column(off, stride, block int64, count int) Strided {
	return Strided{Block: block, Count: [2]int{count, 1}, Far: Lattice{Off: off, Stride: [2]int64{stride}}, Near: Lattice{Stride: [2]int64{block}}}
}

// Blocks is the number of blocks.
func (s *Strided) Blocks() int { return max(s.Count[0], 1) * max(s.Count[1], 1) }

// Bytes is what all blocks hold.
func (s *Strided) Bytes() int64 { return s.Block * int64(s.Blocks()) }

// at is where a block stands.
func (l *Lattice) at(i, j int) int64 {
	return l.Off + int64(i)*l.Stride[0] + int64(j)*l.Stride[1]
}

// Copy copies between the blocks in a segment and those in a buffer.
func (s *Strided) Copy(segment, buf []byte, in bool) {
	to, from, put, take := segment, buf, &s.Far, &s.Near
	if !in {
		to, from, put, take = from, to, take, put
	}
	for j := range max(s.Count[1], 1) {
		x, y, n := put.at(0, j), take.at(0, j), max(s.Count[0], 1)
		if s.Block == 8 && copyWords(to[x:], from[y:], put.Stride[0], take.Stride[0], n) {
			continue
		}
		for range n {
			copy(to[x:][:s.Block], from[y:][:s.Block])
			x, y = x+put.Stride[0], y+take.Stride[0]
		}
	}
}

// copyWords copies n blocks of 8 bytes, a load and a store each; false: they do not stand
// as words do.
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

// Packed is the transfer with its blocks one behind the other in the buffer.
func (s *Strided) Packed() Strided {
	p := *s
	p.Near = Lattice{Stride: [2]int64{s.Block, s.Block * int64(max(s.Count[0], 1))}}
	return p
}

// Contiguous reports whether the blocks stand one behind the other in the segment.
func (s *Strided) Contiguous() bool {
	row := s.Block * int64(max(s.Count[0], 1))
	return (s.Count[0] <= 1 || s.Far.Stride[0] == s.Block) && (s.Count[1] <= 1 || s.Far.Stride[1] == row)
}

// Within reports whether the blocks lie apart in a segment of n bytes.
func (s *Strided) Within(n int64) bool {
	return s.Block >= 0 && s.Count[0] >= 0 && s.Count[1] >= 0 && s.spread(&s.Far, n) == ""
}

// spread says why blocks do not lie apart within n bytes; "": they do.
func (s *Strided) spread(l *Lattice, n int64) string {
	last, row := l.Off, s.Block // the start of the last block, and what a row spans
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

// strides checks a strided transfer, and counts it as a number of messages.
func (r *Rank) strides(call string, to int, s *Strided, have, room int64, many bool) error {
	if err := r.target(call, to); err != nil {
		return err
	}
	if s.Block < 0 || s.Count[0] < 0 || s.Count[1] < 0 {
		return r.errorf("%s at rank %d: %d × %d blocks of %d B: must not be negative", call, to, s.Count[1], s.Count[0], s.Block)
	}
	for _, side := range [...]struct {
		of *Lattice
		n  int64
		in string
	}{{&s.Far, room, "its segment"}, {&s.Near, have, "the buffer"}} {
		switch {
		case side.n < 0: // a phantom's buffer
			continue
		case s.spread(side.of, side.n) == "overlap":
			return r.errorf("%s at rank %d: %d × %d blocks of %d B overlap in %s at strides of %d and %d B: use strides of at least a block, and a row of them",
				call, to, s.Count[1], s.Count[0], s.Block, side.in, side.of.Stride[0], side.of.Stride[1])
		case s.spread(side.of, side.n) != "":
			return r.errorf("%s at rank %d: %d × %d blocks of %d B from %d on with strides of %d and %d B reach beyond the end of %s of %d B",
				call, to, s.Count[1], s.Count[0], s.Block, side.of.Off, side.of.Stride[0], side.of.Stride[1], side.in, side.n)
		}
	}
	n := 1
	if many {
		if n = s.Blocks(); n > MaxTrain {
			return r.errorf("train of %d puts at rank %d: at most %d; make several", n, to, MaxTrain)
		}
	}
	r.Account(to, int64(n), s.Bytes())
	return nil
}

// PutStrided writes blocks of buf to rank to's segment, as one message.
func (r *Rank) PutStrided(to int, s *Strided, buf []byte) error {
	if err := r.strides("strided put", to, s, int64(len(buf)), r.launch.spec.Segment, false); err != nil {
		return err
	}
	if at := r.place(to, 0, r.launch.spec.Segment); at != nil {
		r.inPlace(KindPut, to, s, at, buf)
		return nil
	}
	r.shaping(to, s, buf)
	return r.transfer(to)
}

// PutImplicitStrided starts PutStrided, which Quiet completes. buf may be written again
// at once.
func (r *Rank) PutImplicitStrided(to int, s *Strided, buf []byte) error {
	if err := r.strides("strided put", to, s, int64(len(buf)), r.launch.spec.Segment, false); err != nil {
		return err
	}
	if at := r.place(to, 0, r.launch.spec.Segment); at != nil {
		r.inPlace(KindPut, to, s, at, buf)
		return nil
	}
	r.shaping(to, s, buf)
	return r.implicit(to)
}

// IputStrided starts PutStrided into op, and source as in Iput. buf may be written again
// at once.
func (r *Rank) IputStrided(op, source *Request, to int, s *Strided, buf []byte) error {
	if err := r.strides("strided put", to, s, int64(len(buf)), r.launch.spec.Segment, false); err != nil {
		return err
	}
	r.shaping(to, s, buf)
	r.startPut(op, source, to)
	return nil
}

// IputTrain is IputStrided with every block a message of its own: what a program that
// puts each block by itself pays. There are at most MaxTrain.
func (r *Rank) IputTrain(op, source *Request, to int, s *Strided, buf []byte) error {
	if err := r.strides("train of puts", to, s, int64(len(buf)), r.launch.spec.Segment, true); err != nil {
		return err
	}
	r.shaping(to, s, buf)
	r.op.Train = int32(s.Blocks())
	r.startPut(op, source, to)
	return nil
}

// MaxTrain is the longest train of equal messages.
const MaxTrain = 1<<16 - 1

// GetStrided reads blocks of rank to's segment into buf.
func (r *Rank) GetStrided(to int, s *Strided, buf []byte) error {
	if err := r.strides("strided get", to, s, int64(len(buf)), r.launch.spec.Segment, false); err != nil {
		return err
	}
	if at := r.place(to, 0, r.launch.spec.Segment); at != nil {
		r.inPlace(KindGet, to, s, at, buf)
		return nil
	}
	r.shape = s.Packed()
	packed := r.pack(s.Bytes())
	r.getting(to, s.Far.Off, packed)
	r.op.Shape = &r.shape
	err := r.transfer(to)
	if err == nil {
		at := *s
		at.Far = r.shape.Near
		at.Copy(packed, buf, false)
	}
	return err
}

// PutStridedPhantom is PutStrided of bytes that are not there.
func (r *Rank) PutStridedPhantom(to int, s *Strided) error {
	if err := r.shapingPhantom("strided put", to, s, false); err != nil {
		return err
	}
	return r.transfer(to)
}

// IputStridedPhantom is IputStrided of bytes that are not there.
func (r *Rank) IputStridedPhantom(op, source *Request, to int, s *Strided) error {
	if err := r.shapingPhantom("strided put", to, s, false); err != nil {
		return err
	}
	r.startPut(op, source, to)
	return nil
}

// IputTrainPhantom is IputTrain of bytes that are not there.
func (r *Rank) IputTrainPhantom(op, source *Request, to int, s *Strided) error {
	return r.IputTrainSignalPhantom(op, source, to, s, 0, SigNone, 0)
}

// IputTrainSignalPhantom is such a train that signals when the last of its bytes stand
// there.
func (r *Rank) IputTrainSignalPhantom(op, source *Request, to int, s *Strided, sig int64, how SigOp, value uint64) error {
	if err := r.shapingPhantom("train of puts", to, s, true); err != nil {
		return err
	}
	r.op.Sig, r.op.SigOp, r.op.A = sig, how, value
	r.startPut(op, source, to)
	return nil
}

func (r *Rank) shapingPhantom(call string, to int, s *Strided, train bool) error {
	if err := r.strides(call, to, s, -1, r.launch.spec.Extent(), train); err != nil {
		return err
	}
	r.shape = *s
	r.putting(to, s.Far.Off, nil)
	r.op.Size, r.op.Shape = s.Bytes(), &r.shape
	if train {
		r.op.Train = int32(s.Blocks())
	}
	return nil
}

// shaping makes r.op a strided put, whose blocks are packed here.
func (r *Rank) shaping(to int, s *Strided, buf []byte) {
	r.shape = s.Packed()
	packed := r.pack(s.Bytes())
	from := *s
	from.Far = r.shape.Near
	from.Copy(packed, buf, true)
	r.putting(to, s.Far.Off, packed)
	r.op.Shape = &r.shape
}

// pack lends n bytes for a packed transfer, which a fabric reads during Post.
func (r *Rank) pack(n int64) []byte {
	if int64(len(r.packed)) < n {
		r.packed = make([]byte, n)
	}
	return r.packed[:n]
}

// inPlace copies a strided transfer in place.
func (r *Rank) inPlace(kind Kind, to int, s *Strided, segment, buf []byte) {
	if r.mover == nil {
		s.Copy(segment, buf, kind == KindPut)
		return
	}
	for j := range max(s.Count[1], 1) {
		for i := range max(s.Count[0], 1) {
			r.mover.Move(kind, to, segment[s.Far.at(i, j):][:s.Block], buf[s.Near.at(i, j):][:s.Block])
		}
	}
}
