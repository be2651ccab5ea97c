package cluster

// Indexed transfers (VIS: vector, indexed, strided; paper 3). The
// pieces stand spread in the target's segment and packed in buf, in order.

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
