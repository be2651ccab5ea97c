package cluster

// Completion is the event that a call of PutWith or GetWith waits for.
type Completion uint8

// The completions of a put or get.
const (
	Operation Completion = iota // the bytes are at the target (for a get: at the caller), and the action has run
	Source                      // local completion: the caller may reuse the bytes of the put; Quiet completes the rest
	Later                       // the call does not wait; Quiet completes the put or get
)

// Signal changes a flag, a word of 8 bytes in the target's segment, after the bytes of a put have
// arrived. A rank that sees the flag sees the bytes.
type Signal struct {
	Op    SigOp
	Off   int64 // of the flag, in the target's segment
	Value uint64
}

// Call runs a function at the target (see [Rank.Register]) after the bytes of a put have arrived.
// The function runs before the operation completes.
type Call struct {
	Fn  int // 0: none
	Arg int32
}

// Put describes a put. To and Data are required; the other fields are optional.
type Put struct {
	To     Target
	Data   Data
	Shape  Strided // positions of the blocks, at the target relative to To; a Block of 0: contiguous
	Spans  []Span  // pieces at the target, relative to To, with their bytes packed in Data; nil: none
	Train  bool    // packet train: each block of Shape is a separate message, at most MaxTrain
	Signal Signal
	Call   Call
	Until  Completion // not used with requests
}

// Get describes a get. From and Data are required; the other fields are optional.
type Get struct {
	From  Target
	Data  Data
	Shape Strided    // as in Put; a get that does not wait needs its blocks packed in Data
	Spans []Span     // as in Put
	Until Completion // Operation or Later
}

// MaxTrain is the largest number of blocks in a packet train.
const MaxTrain = 1<<16 - 1

// Put writes d to the target and returns when it is complete there. Another rank may read
// it after it has synchronized with the caller.
func (r *Rank) Put(to Target, d Data) error { return r.contiguous(KindPut, to, d) }

// Get reads d.Len() bytes at the target into d.
func (r *Rank) Get(from Target, d Data) error { return r.contiguous(KindGet, from, d) }

func (r *Rank) contiguous(kind Kind, at Target, d Data) error {
	if r.direct(kind, at, d) {
		return nil
	}
	if err := r.target(kind.String(), at.Rank); err != nil {
		return err
	}
	if err := r.within(kind.String(), at, d); err != nil {
		return err
	}
	r.Account(at.Rank, 1, d.n)
	r.onesided(kind, at, d)
	return r.transfer(at.Rank)
}

// PutWith makes a put. Without requests it waits for p.Until. With a request op it only starts the
// put. op completes with the operation; source, if it is not nil, completes at local completion
// (otherwise Quiet waits for it). The caller may reuse the bytes of a strided put when PutWith
// returns, and spans when the source is complete. PutWith does not keep p or its shape.
func (r *Rank) PutWith(p *Put, op, source *Request) error {
	if op == nil && p.isPlain() && r.direct(KindPut, p.To, p.Data) {
		return nil
	}
	return r.with(KindPut, p, op, source)
}

// GetWith makes a get. Without a request it waits for g.Until. With a request it only starts the
// get: the data have arrived when q completes, and the caller must not write the spans before.
// GetWith does not keep g or its shape.
func (r *Rank) GetWith(g *Get, q *Request) error {
	if q == nil && g.Until != Source && g.Shape.Block == 0 && g.Spans == nil && r.direct(KindGet, g.From, g.Data) {
		return nil
	}
	p := Put{To: g.From, Data: g.Data, Shape: g.Shape, Spans: g.Spans, Until: g.Until}
	return r.with(KindGet, &p, q, nil)
}

func (r *Rank) with(kind Kind, p *Put, op, source *Request) error {
	call, to := p.name(kind), p.To.Rank
	if err := r.target(call, to); err != nil {
		return err
	}
	if kind == KindGet && p.Until == Source {
		return r.errorf("%s at rank %d: a get has no source completion: use Operation or Later", call, to)
	}
	if op == nil && p.Signal.Op == SigNone && p.Call.Fn == 0 {
		if done, err := r.inPlace(kind, call, p); done || err != nil {
			return err
		}
	}
	waits := op == nil && p.Until == Operation
	packed, err := r.prepare(kind, call, p, waits)
	switch {
	case err != nil:
		return err
	case op != nil:
		r.startPut(op, source, to)
		return nil
	case !waits:
		return r.implicit(to, p.Until == Source)
	}
	if err := r.transfer(to); err != nil || packed == nil {
		return err
	}
	at := p.Shape
	at.Far = r.packing.shape.Near
	at.Copy(packed, p.Data.Bytes(), false)
	return nil
}

// Quiet waits until every put and get started with Later is complete, also at its target.
func (r *Rank) Quiet() error {
	if len(r.nbi) == 0 {
		return nil
	}
	r.port.Wait(r.nbi, len(r.nbi))
	var first error
	d := &r.op.Done
	for _, h := range r.nbi {
		if r.port.Test(h, d); d.Err != OK && first == nil {
			first = r.failure(KindPut, nil, int(d.Peer), 0, d.Size, *d)
		}
	}
	r.nbi = r.nbi[:0]
	return first
}

// isPlain reports whether the put is contiguous and has no action.
func (p *Put) isPlain() bool {
	return p.Shape.Block == 0 && p.Spans == nil && !p.Train && p.Signal.Op == SigNone && p.Call.Fn == 0
}

// name returns the name of the call, for errors.
func (p *Put) name(kind Kind) string {
	switch {
	case p.Signal.Op != SigNone:
		return "put with signal"
	case p.Call.Fn != 0:
		return "put with remote completion"
	case p.Train:
		return "train of puts"
	case p.Spans != nil:
		return [...]string{"indexed put", "indexed get"}[kind-KindPut]
	case p.Shape.Block != 0:
		return [...]string{"strided put", "strided get"}[kind-KindPut]
	}
	return kind.String()
}

// prepare checks and counts a put or get, and sets r.op. A strided get that waits may have gaps
// between its blocks in the data: prepare then returns the buffer for the packed blocks.
func (r *Rank) prepare(kind Kind, call string, p *Put, waits bool) (packed []byte, err error) {
	messages, err := r.check(call, p)
	switch off, end := p.Signal.Off, r.launch.spec.Segment; {
	case err != nil:
		return nil, err
	case p.Call.Fn < 0:
		return nil, r.noFunction(call, p.To.Rank, p.Call.Fn)
	case p.Call.Fn != 0 && p.Signal.Op != SigNone:
		return nil, r.errorf("%s at rank %d: has a signal and a call: use one of them", call, p.To.Rank)
	case p.Signal.Op != SigNone && (off < 0 || off&7 != 0 || off > end-8):
		return nil,
			r.errorf("%s at rank %d: the flag at %d must be 8-byte aligned and inside the segment of %d B", call, p.To.Rank,
				off, end)
	case kind == KindPut || p.Shape.Block == 0 || p.Data.p == nil || p.Shape.Near == p.Shape.Packed().Near:
	case !waits:
		return nil,
			r.errorf("%s at rank %d: a get that does not wait needs packed blocks (use Packed, or wait)", call, p.To.Rank)
	default:
		packed = r.packer().bytes(p.Shape.Bytes())
	}
	r.Account(p.To.Rank, messages, r.shapes(kind, p.To, p.Data, &p.Shape, p.Spans))
	if packed != nil {
		r.op.Buf = packed
	}
	if p.Train {
		r.op.Train = int32(messages)
	}
	r.op.Sig, r.op.SigOp, r.op.A = p.Signal.Off, p.Signal.Op, p.Signal.Value
	r.op.Fn, r.op.Arg = int32(p.Call.Fn), p.Call.Arg
	return packed, nil
}

// shapes sets r.op to a put or get of some shape, and returns the number of bytes that it moves.
func (r *Rank) shapes(kind Kind, at Target, d Data, s *Strided, spans []Span) int64 {
	if s.Block <= 0 {
		if spans != nil && at.Off != 0 {
			spans = shifted(spans, at.Off)
		}
		r.onesided(kind, at, d)
		r.op.Vec = spans
		return d.n
	}
	shape := &r.packer().shape
	*shape = s.Packed()
	shape.Far.Off += at.Off
	n := s.Bytes()
	part := Data{n: n}
	switch {
	case d.p == nil:
	case kind == KindGet:
		part = d.Part(s.Near.Off, n)
	default:
		part = Of(r.packing.bytes(n))
		from := *s
		from.Far = shape.Near
		from.Copy(part.Bytes(), d.Bytes(), true)
	}
	r.onesided(kind, At(at.Rank, shape.Far.Off), part)
	r.op.Shape = shape
	return n
}

// shifted returns spans shifted by off bytes.
func shifted(spans []Span, off int64) []Span {
	all := make([]Span, len(spans))
	for i, s := range spans {
		all[i] = Span{s.Off + off, s.Len}
	}
	return all
}

// onesided sets r.op to a contiguous put or get without an action.
func (r *Rank) onesided(kind Kind, at Target, d Data) {
	r.op.Kind, r.op.Peer, r.op.Off, r.op.Buf, r.op.Size, r.op.Vec = kind, int32(at.Rank), at.Off, d.Bytes(), d.n, nil
	r.op.SigOp, r.op.Fn, r.op.Then, r.op.Train, r.op.Shape = SigNone, 0, nil, 0, nil
}

// inPlace copies a put or get with a shape directly, if loads and stores reach its segment. It
// reports whether it did.
func (r *Rank) inPlace(kind Kind, call string, p *Put) (bool, error) {
	to, s, buf := p.To.Rank, &p.Shape, p.Data.Bytes()
	if r.fast[to] == nil || p.Data.p == nil || p.isPlain() {
		return false, nil
	}
	messages, err := r.check(call, p)
	if err != nil {
		return false, err
	}
	segment := Bytes(r.fast[to])[p.To.Off:]
	switch {
	case p.Spans != nil:
		r.Account(to, 1, p.Data.n)
		for _, v := range p.Spans {
			r.move(kind, to, segment[v.Off:], buf[:v.Len])
			buf = buf[v.Len:]
		}
	case r.mover == nil && !p.Train:
		r.Account(to, 1, s.Bytes())
		s.Copy(segment, buf, kind == KindPut)
	default:
		r.Account(to, messages, s.Bytes())
		for j := range max(s.Count[1], 1) {
			for i := range max(s.Count[0], 1) {
				r.move(kind, to, segment[s.Far.At(i, j):][:s.Block], buf[s.Near.At(i, j):][:s.Block])
			}
		}
	}
	return true, nil
}

// direct makes a contiguous put or get without an action in place, if loads and stores reach the
// target. It reports whether it did.
func (r *Rank) direct(kind Kind, at Target, d Data) bool {
	if uint(at.Rank) >= uint(len(r.fast)) || d.p == nil {
		return false
	}
	s := Bytes(r.fast[at.Rank])
	if at.Off < 0 || d.n > int64(len(s)) || at.Off > int64(len(s))-d.n {
		return false
	}
	r.Account(at.Rank, 1, d.n)
	r.move(kind, at.Rank, s[at.Off:at.Off+d.n], d.Bytes())
	return true
}

// move copies between a segment and a buffer in place, and reports the copy to a port that observes
// copies.
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

// packing is the data of a thread's strided transfers.
type packing struct {
	shape   Strided // of the operation
	scratch []byte
}

// packer returns the data of the thread's strided transfers.
func (r *Rank) packer() *packing {
	if r.packing == nil {
		r.packing = &packing{}
	}
	return r.packing
}

// bytes returns n bytes of scratch space for a packed transfer. The fabric reads them during Post.
func (x *packing) bytes(n int64) []byte {
	if int64(len(x.scratch)) < n {
		x.scratch = make([]byte, n)
	}
	return x.scratch[:n]
}

// transfer runs r.op, a put or a get. A complete put is also locally complete.
func (r *Rank) transfer(to int) error {
	r.op.Source = 0
	_, err := r.run(nil, to, 0)
	if r.op.Source != 0 {
		r.sourced()
	}
	return err
}

func (r *Rank) startPut(op, source *Request, to int) {
	r.op.Source = 0
	r.start(op, nil, to, 0)
	if source != nil {
		*source = Request{kind: KindPut, peer: int32(to), size: op.size, h: r.op.Source}
	} else if r.op.Source != 0 {
		r.nbi = append(r.nbi, r.op.Source)
	}
}

// implicit posts r.op, which Quiet completes. With source it waits for local completion.
func (r *Rank) implicit(to int, source bool) error {
	r.op.Source = 0
	kind, size := r.op.Kind, r.op.Bytes()
	h := r.port.Post(&r.op)
	d := r.op.Done
	switch {
	case h == 0 && d.Err != OK:
		return r.failure(kind, nil, to, 0, size, d)
	case h != 0:
		r.nbi = append(r.nbi, h)
	}
	switch {
	case source:
		r.sourced()
	case r.op.Source != 0:
		r.nbi = append(r.nbi, r.op.Source)
	}
	return nil
}

// sourced waits for local completion of the put in r.op.
func (r *Rank) sourced() {
	if r.op.Source == 0 {
		r.port.Wait(nil, 0) // batched messages leave
		return
	}
	r.handles = append(r.handles[:0], r.op.Source)
	r.port.Wait(r.handles, 1)
	r.port.Test(r.op.Source, &r.op.Done)
}
