package cluster

import "math/bits"

// Strided and indexed transfers (VIS: vector, indexed, strided; paper 3). The
// pieces stand spread in the target's segment and packed in buf, in order.

// PutStrided writes count blocks of block bytes, packed in buf, to rank to's
// segment: block i to off + i·stride.
func (r *Rank) PutStrided(to int, off, stride int64, block, count int, buf []byte) error {
	return r.strided(KindPut, to, off, stride, block, count, buf)
}

// GetStrided reads count blocks of block bytes of rank to's segment into buf:
// block i from off + i·stride.
func (r *Rank) GetStrided(to int, off, stride int64, block, count int, buf []byte) error {
	return r.strided(KindGet, to, off, stride, block, count, buf)
}

func (r *Rank) strided(kind Kind, to int, off, stride int64, block, count int, buf []byte) error {
	if err := r.target("strided "+kind.String(), to); err != nil {
		return err
	}
	if err := r.stridedFits(kind, to, off, stride, block, count, len(buf)); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	if len(buf) == 0 {
		return nil
	}
	extent := int64(count-1)*stride + int64(block)
	if s := r.place(to, off, extent); s != nil {
		for i := range count {
			r.move(kind, to, s[int64(i)*stride:], buf[i*block:(i+1)*block])
		}
		return nil
	}
	spans := make([]Span, count)
	for i := range spans {
		spans[i] = Span{Off: off + int64(i)*stride, Len: int64(block)}
	}
	r.scattered(kind, to, spans, buf)
	return r.transfer(to)
}

func (r *Rank) stridedFits(kind Kind, to int, off, stride int64, block, count, n int) error {
	segment := r.launch.spec.Segment
	if block < 0 || count < 0 {
		return r.errorf("strided %s at rank %d: %d blocks of %d B: must not be negative", kind, to, count, block)
	}
	if hi, lo := bits.Mul64(uint64(block), uint64(count)); hi != 0 || lo != uint64(n) {
		return r.errorf("strided %s at rank %d: %d blocks of %d B do not make the %d B of the buffer", kind, to, count, block, n)
	}
	if n == 0 {
		return nil
	}
	if count > 1 && stride < int64(block) {
		return r.errorf("strided %s at rank %d: blocks of %d B overlap at a stride of %d B: use a stride of at least the block", kind, to, block, stride)
	}
	room := segment - off - int64(block) // for the starts after the first
	if off < 0 || off > segment || room < 0 || count > 1 && stride > room/int64(count-1) {
		return r.errorf("strided %s at rank %d: %d blocks of %d B from %d on with stride %d reach beyond the end of its segment of %d B",
			kind, to, count, block, off, stride, segment)
	}
	return nil
}

// PutIndexed writes buf to the spans of rank to's segment, in order. Spans that
// overlap leave undefined which of them wins.
func (r *Rank) PutIndexed(to int, spans []Span, buf []byte) error {
	return r.indexed(KindPut, to, spans, buf)
}

// GetIndexed reads the spans of rank to's segment into buf, in order.
func (r *Rank) GetIndexed(to int, spans []Span, buf []byte) error {
	return r.indexed(KindGet, to, spans, buf)
}

func (r *Rank) indexed(kind Kind, to int, spans []Span, buf []byte) error {
	if err := r.indexable(kind, to, spans, buf); err != nil {
		return err
	}
	if len(buf) == 0 {
		return nil
	}
	if s := r.place(to, 0, r.launch.spec.Segment); s != nil {
		for _, v := range spans {
			r.move(kind, to, s[v.Off:], buf[:v.Len])
			buf = buf[v.Len:]
		}
		return nil
	}
	r.scattered(kind, to, spans, buf)
	return r.transfer(to)
}

// IputIndexed starts PutIndexed into op, and source as in Iput. Neither spans nor
// buf may be written before source completes.
func (r *Rank) IputIndexed(op, source *Request, to int, spans []Span, buf []byte) error {
	if err := r.indexable(KindPut, to, spans, buf); err != nil {
		return err
	}
	r.scattered(KindPut, to, spans, buf)
	r.startPut(op, source, to)
	return nil
}

// IputTrain is IputIndexed with every span a message of its own: what a program
// that puts each piece by itself pays. The spans must be of one length, at most
// MaxTrain of them.
func (r *Rank) IputTrain(op, source *Request, to int, spans []Span, buf []byte) error {
	if err := r.indexable(KindPut, to, spans, buf); err != nil {
		return err
	}
	if len(spans) > MaxTrain {
		return r.errorf("train of %d puts at rank %d: at most %d; make several", len(spans), to, MaxTrain)
	}
	for _, s := range spans {
		if s.Len != spans[0].Len {
			return r.errorf("train of puts at rank %d: spans of %d and of %d B; all must be equal", to, spans[0].Len, s.Len)
		}
	}
	r.scattered(KindPut, to, spans, buf)
	r.op.Train = int32(len(spans))
	r.startPut(op, source, to)
	return nil
}

// MaxTrain is the longest train of equal messages.
const MaxTrain = 1<<16 - 1

// IgetIndexed starts GetIndexed into q. Spans may not be written before q
// completes.
func (r *Rank) IgetIndexed(q *Request, to int, spans []Span, buf []byte) error {
	if err := r.indexable(KindGet, to, spans, buf); err != nil {
		return err
	}
	r.scattered(KindGet, to, spans, buf)
	r.start(q, nil, to, 0)
	return nil
}

// indexable checks an indexed transfer and counts it.
func (r *Rank) indexable(kind Kind, to int, spans []Span, buf []byte) error {
	if err := r.target("indexed "+kind.String(), to); err != nil {
		return err
	}
	left, segment := int64(len(buf)), r.launch.spec.Segment
	for i, v := range spans {
		if v.Off < 0 || v.Len < 0 || v.Len > segment || v.Off > segment-v.Len {
			return r.errorf("indexed %s at rank %d: span %d (%d B at %d) is not inside its segment of %d B", kind, to, i, v.Len, v.Off, segment)
		}
		if left -= v.Len; left < 0 {
			return r.errorf("indexed %s at rank %d: the spans up to %d are longer than the buffer of %d B", kind, to, i, len(buf))
		}
	}
	if left != 0 {
		return r.errorf("indexed %s at rank %d: the spans leave %d of the buffer's %d B over", kind, to, left, len(buf))
	}
	r.Account(to, 1, int64(len(buf)))
	return nil
}

// scattered makes r.op a put or get of spans.
func (r *Rank) scattered(kind Kind, to int, spans []Span, buf []byte) {
	if kind == KindPut {
		r.putting(to, 0, buf)
	} else {
		r.getting(to, 0, buf)
	}
	r.op.Vec = spans
}

// move copies between a segment and a buffer in place, in sight of a port that wants to
// see it.
func (r *Rank) move(kind Kind, peer int, segment, buf []byte) {
	switch {
	case r.mover != nil:
		r.mover.Move(kind, peer, segment, buf)
	case kind == KindPut:
		copy(segment, buf)
	default:
		copy(buf, segment)
	}
}
