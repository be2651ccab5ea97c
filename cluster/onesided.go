package cluster

import (
	"encoding/binary"
	"math"
)

// target checks that a one-sided call may reach rank to: UPC access ends at the
// own group (paper 1, section 3).
func (r *Rank) target(call string, to int) error {
	l := &r.launch.spec.Layout
	if uint(to) >= uint(len(r.launch.node)) {
		return r.errorf("%s at rank %d: ranks are 0 to %d", call, to, len(r.launch.node)-1)
	}
	if l.Model != Flat && l.GroupOf(to) != l.GroupOf(int(r.id)) {
		return r.errorf("%s at rank %d: it is in UPC group %d, and UPC access from group %d ends at its own group; send an MPI message, or use larger groups",
			call, to, l.GroupOf(to), l.GroupOf(int(r.id)))
	}
	return nil
}

// PutUint64 stores v in word i (8 bytes each) of rank to's segment. Where that
// segment is directly reachable it is a plain store behind a bounds check, and is
// not counted as traffic (see Account); elsewhere it is Put. It returns no error,
// so that it can be inlined: an access that may not be made ends the rank's body
// with the error that Put would return, and a number that is no rank or no word
// at all panics as indexing does.
func (r *Rank) PutUint64(to, i int, v uint64) {
	if i < len(r.fast[to]) {
		r.fast[to][i] = v
		return
	}
	r.putFar(to, uint(i), v)
}

// GetUint64 loads word i of rank to's segment, as PutUint64 stores it.
func (r *Rank) GetUint64(to, i int) uint64 {
	if i < len(r.fast[to]) {
		return r.fast[to][i]
	}
	return r.getFar(to, uint(i))
}

// misuse carries an error out of a call that returns none; guard turns it into
// the body's error.
type misuse struct{ err error }

func (r *Rank) guard(body func(*Rank) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			m, ok := v.(misuse)
			if !ok {
				panic(v)
			}
			err = m.err
		}
		if err != nil {
			err = brief{err}
		}
	}()
	return body(r)
}

//go:noinline
func (r *Rank) putFar(to int, i uint, v uint64) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	if err := r.Put(to, wordOffset(i), b[:]); err != nil {
		panic(misuse{err})
	}
}

//go:noinline
func (r *Rank) getFar(to int, i uint) uint64 {
	var b [8]byte
	if err := r.Get(to, wordOffset(i), b[:]); err != nil {
		panic(misuse{err})
	}
	return binary.NativeEndian.Uint64(b[:])
}

// wordOffset is the byte at which word i stands; of a number that is no word, a byte
// that no segment has.
func wordOffset(i uint) int64 { return int64(min(uint64(i), math.MaxInt64/8)) * 8 }

// place finds the bytes of a transfer that may be done in place; nil: it may not.
func (r *Rank) place(to int, off, n int64) []byte {
	if r.fast[to] == nil {
		return nil
	}
	s := Bytes(r.fast[to])
	if off < 0 || n > int64(len(s)) || off > int64(len(s))-n {
		return nil
	}
	return s[off : off+n : off+n]
}

// Put writes buf at byte off of rank to's segment and returns when it stands
// there (operation and remote completion). Another rank may read it after
// synchronizing with the caller.
func (r *Rank) Put(to int, off int64, buf []byte) error {
	if err := r.target("put", to); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	if s := r.place(to, off, int64(len(buf))); s != nil {
		r.move(KindPut, to, s, buf)
		return nil
	}
	r.putting(to, off, buf)
	return r.transfer(to)
}

// transfer runs r.op, a put or a get. When a put is complete, so is its source.
func (r *Rank) transfer(to int) error {
	r.op.Source = 0
	_, err := r.run(nil, to, 0)
	if r.op.Source != 0 {
		r.handles = append(r.handles[:0], r.op.Source)
		r.port.Wait(r.handles, 1)
		r.port.Test(r.op.Source)
	}
	return err
}

// Get reads len(buf) bytes at byte off of rank to's segment.
func (r *Rank) Get(to int, off int64, buf []byte) error {
	if err := r.target("get", to); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	if s := r.place(to, off, int64(len(buf))); s != nil {
		r.move(KindGet, to, s, buf)
		return nil
	}
	r.getting(to, off, buf)
	return r.transfer(to)
}

func (r *Rank) putting(to int, off int64, buf []byte) {
	r.op.Kind, r.op.Peer, r.op.Off, r.op.Buf, r.op.Size, r.op.Vec = KindPut, int32(to), off, buf, int64(len(buf)), nil
	r.op.SigOp, r.op.Fn, r.op.Then, r.op.Train, r.op.Shape = SigNone, 0, nil, 0, nil
}

func (r *Rank) getting(to int, off int64, buf []byte) {
	r.op.Kind, r.op.Peer, r.op.Off, r.op.Buf, r.op.Size, r.op.Vec, r.op.Then, r.op.Shape = KindGet, int32(to), off, buf, int64(len(buf)), nil, nil, nil
}

// Iput starts a put into op. If source is not nil it becomes a request that
// completes as soon as buf may be written again (source completion); op
// completes when the bytes stand at the target.
func (r *Rank) Iput(op, source *Request, to int, off int64, buf []byte) error {
	if err := r.target("put", to); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	r.putting(to, off, buf)
	r.startPut(op, source, to)
	return nil
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

// Iget starts a get into q; buf is filled when q completes.
func (r *Rank) Iget(q *Request, to int, off int64, buf []byte) error {
	if err := r.target("get", to); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	r.getting(to, off, buf)
	r.start(q, nil, to, 0)
	return nil
}

// PutImplicit starts a put that Quiet completes. buf must not be written until
// then.
func (r *Rank) PutImplicit(to int, off int64, buf []byte) error {
	if err := r.target("put", to); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	if s := r.place(to, off, int64(len(buf))); s != nil {
		r.move(KindPut, to, s, buf)
		return nil
	}
	r.putting(to, off, buf)
	return r.implicit(to)
}

// GetImplicit starts a get that Quiet completes.
func (r *Rank) GetImplicit(to int, off int64, buf []byte) error {
	if err := r.target("get", to); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	if s := r.place(to, off, int64(len(buf))); s != nil {
		r.move(KindGet, to, s, buf)
		return nil
	}
	r.getting(to, off, buf)
	return r.implicit(to)
}

func (r *Rank) implicit(to int) error {
	r.op.Source = 0
	kind, size := r.op.Kind, r.op.Bytes()
	h := r.port.Post(&r.op)
	if h != 0 {
		r.nbi = append(r.nbi, h)
		if r.op.Source != 0 {
			r.nbi = append(r.nbi, r.op.Source)
		}
		return nil
	}
	if d := r.op.Done; d.Err != OK {
		return r.failure(kind, nil, to, 0, size, d)
	}
	return nil
}

// Quiet returns when every implicit put and get of this rank is complete, at its
// target too.
func (r *Rank) Quiet() error {
	if len(r.nbi) == 0 {
		return nil
	}
	r.port.Wait(r.nbi, len(r.nbi))
	var first error
	for _, h := range r.nbi {
		if d, _ := r.port.Test(h); d.Err != OK && first == nil {
			first = r.failure(KindPut, nil, int(d.Peer), 0, d.Size, d)
		}
	}
	r.nbi = r.nbi[:0]
	return first
}

// Fence orders implicit puts: those before it stand at their targets before any
// after it. A fabric may reorder transfers to one target (several adapters), so
// that the order costs a Quiet.
func (r *Rank) Fence() error { return r.Quiet() }

// PutSignal writes buf at off of rank to and then changes the flag word at sig
// there by how and value: whoever sees the flag sees the bytes. It returns when
// buf may be written again; the target learns of it by Await.
func (r *Rank) PutSignal(to int, off int64, buf []byte, sig int64, how SigOp, value uint64) error {
	var op, source Request
	if err := r.IputSignal(&op, &source, to, off, buf, sig, how, value); err != nil {
		return err
	}
	return r.signaled(&op, &source)
}

// signaled waits until the buffer of a signaling put may be written again; Quiet
// completes it.
func (r *Rank) signaled(op, source *Request) error {
	if op.h != 0 {
		r.nbi = append(r.nbi, op.h)
	} else if _, err := r.take(op); err != nil {
		return err
	}
	_, err := r.Wait(source)
	return err
}

// IputSignal is PutSignal with requests, as Iput.
func (r *Rank) IputSignal(op, source *Request, to int, off int64, buf []byte, sig int64, how SigOp, value uint64) error {
	if err := r.target("signaling put", to); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	r.putting(to, off, buf)
	r.op.Sig, r.op.SigOp, r.op.A = sig, how, value
	r.startPut(op, source, to)
	return nil
}

// IputRPC is Iput with remote completion: when the bytes stand at rank to,
// function fn (see Register) runs there with arg; op completes after it.
func (r *Rank) IputRPC(op, source *Request, to int, off int64, buf []byte, fn int, arg int32) error {
	if err := r.target("put with remote completion", to); err != nil {
		return err
	}
	if err := r.remoteFunction(to, fn); err != nil {
		return err
	}
	r.Account(to, 1, int64(len(buf)))
	r.putting(to, off, buf)
	r.op.Fn, r.op.Arg = int32(fn), arg
	r.startPut(op, source, to)
	return nil
}

func (r *Rank) remoteFunction(to, fn int) error {
	if fn < 1 {
		return r.errorf("put with remote completion at rank %d: function %d: no function of that number is registered by the program; numbers from Register start at 1", to, fn)
	}
	return nil
}

// Await blocks until the word at off of the own segment compares as asked with
// v, and gives the word that did. Others change it by signaling puts and atomics.
func (r *Rank) Await(off int64, c Cmp, v uint64) (uint64, error) {
	r.op.Kind, r.op.Off, r.op.Arg, r.op.A, r.op.Buf, r.op.Size, r.op.Then = KindAwait, off, int32(c), v, nil, 8, nil
	st, err := r.run(nil, int(r.id), 0)
	return st.Word, err
}

// atomic runs one atomic on the word at off of rank to.
func (r *Rank) atomic(to int, off int64, op AtomicOp, a, b uint64) (uint64, error) {
	if err := r.target("atomic", to); err != nil {
		return 0, err
	}
	r.Account(to, 1, 8)
	return r.rawAtomic(to, off, op, a, b)
}

func (r *Rank) rawAtomic(to int, off int64, op AtomicOp, a, b uint64) (uint64, error) {
	r.op.Kind, r.op.Peer, r.op.Off, r.op.Arg, r.op.A, r.op.B = KindAtomic, int32(to), off, int32(op), a, b
	r.op.Buf, r.op.Size, r.op.Then = nil, 8, nil
	d, err := r.wait(nil, to, 0)
	return d.A, err
}

// AtomicLoad gives the word at off of rank to.
func (r *Rank) AtomicLoad(to int, off int64) (uint64, error) {
	return r.atomic(to, off, AtomicLoad, 0, 0)
}

// AtomicStore sets the word.
func (r *Rank) AtomicStore(to int, off int64, v uint64) error {
	_, err := r.atomic(to, off, AtomicStore, v, 0)
	return err
}

// AtomicAdd adds v to the word. Here it costs as much as FetchAdd; a fabric may
// need no reply.
func (r *Rank) AtomicAdd(to int, off int64, v uint64) error {
	_, err := r.atomic(to, off, AtomicAdd, v, 0)
	return err
}

// FetchAdd adds v to the word and gives the word before.
func (r *Rank) FetchAdd(to int, off int64, v uint64) (uint64, error) {
	return r.atomic(to, off, AtomicAdd, v, 0)
}

// Swap sets the word and gives the word before.
func (r *Rank) Swap(to int, off int64, v uint64) (uint64, error) {
	return r.atomic(to, off, AtomicSwap, v, 0)
}

// CompareSwap sets the word to v if it is old; it gives the word before.
func (r *Rank) CompareSwap(to int, off int64, old, v uint64) (uint64, error) {
	return r.atomic(to, off, AtomicCompare, v, old)
}
