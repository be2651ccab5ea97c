package cluster

import (
	"encoding/binary"
	"math"
)

// target checks that a one-sided call may reach rank to. A rank can access UPC memory only inside
// its own group (paper 1, section 3).
func (r *Rank) target(call string, to int) error {
	l := &r.launch.spec.Layout
	if uint(to) >= uint(len(r.launch.node)) {
		return r.errorf("%s at rank %d: ranks are 0 to %d", call, to, len(r.launch.node)-1)
	}
	if l.Model != Flat && l.GroupOf(to) != l.GroupOf(int(r.id)) {
		return r.errorf("%s at rank %d: in UPC group %d, not in the caller's group %d (send an MPI message, or use "+
			"larger groups)",
			call, to, l.GroupOf(to), l.GroupOf(int(r.id)))
	}
	return nil
}

// PutUint64 stores v in word i (8 bytes each) of the segment of rank to. If stores reach that
// segment, it is a store after a bounds check and is not counted as traffic (see Account).
// Otherwise it is a Put. It returns no error, so that it can be inlined. A forbidden access ends
// the rank's body with the error of Put. An invalid rank or word number panics, like an index out
// of range.
func (r *Rank) PutUint64(to, i int, v uint64) {
	if i < len(r.fast[to]) {
		r.fast[to][i] = v
		return
	}
	r.putFar(to, uint(i), v)
}

// GetUint64 loads word i of the segment of rank to. See PutUint64.
func (r *Rank) GetUint64(to, i int) uint64 {
	if i < len(r.fast[to]) {
		return r.fast[to][i]
	}
	return r.getFar(to, uint(i))
}

// misuse carries an error out of a call that returns no error. guard makes it the error of the
// body.
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
	if err := r.Put(At(to, wordOffset(i)), Of(b[:])); err != nil {
		panic(misuse{err})
	}
}

//go:noinline
func (r *Rank) getFar(to int, i uint) uint64 {
	var b [8]byte
	if err := r.Get(At(to, wordOffset(i)), Of(b[:])); err != nil {
		panic(misuse{err})
	}
	return binary.NativeEndian.Uint64(b[:])
}

// wordOffset returns the offset of word i in bytes. For an invalid i, it is beyond every segment.
func wordOffset(i uint) int64 { return int64(min(uint64(i), math.MaxInt64/8)) * 8 }

// Await blocks until "word c v" holds for the word at off of the rank's segment, and returns that
// word. Other ranks change the word with puts with signal and with atomics.
func (r *Rank) Await(off int64, c Cmp, v uint64) (uint64, error) {
	r.op.Kind, r.op.Off, r.op.Arg, r.op.A, r.op.Buf, r.op.Size, r.op.Then = KindAwait, off, int32(c), v, nil, 8, nil
	st, err := r.run(nil, int(r.id), 0)
	return st.Word, err
}

// Atomic runs op with operand v on a word at the target and returns the old word. A load ignores v.
// AtomicCompare needs a second operand (see CompareSwap). The word is 8 bytes, aligned to 8.
func (r *Rank) Atomic(to Target, op AtomicOp, v uint64) (uint64, error) {
	if uint32(op) >= uint32(AtomicCompare) {
		return 0,
			r.errorf("atomic %d at rank %d: want one of AtomicLoad to AtomicSwap (CompareSwap is a method)", op, to.Rank)
	}
	return r.atomic(to, op, v, 0)
}

// CompareSwap sets a word at the target to v if it equals old. It returns the previous word.
func (r *Rank) CompareSwap(to Target, old, v uint64) (uint64, error) {
	return r.atomic(to, AtomicCompare, v, old)
}

func (r *Rank) atomic(to Target, op AtomicOp, a, b uint64) (uint64, error) {
	if err := r.target("atomic", to.Rank); err != nil {
		return 0, err
	}
	r.Account(to.Rank, 1, 8)
	return r.rawAtomic(to, op, a, b)
}

func (r *Rank) rawAtomic(to Target, op AtomicOp, a, b uint64) (uint64, error) {
	r.op.Kind, r.op.Peer, r.op.Off, r.op.Arg, r.op.A, r.op.B = KindAtomic, int32(to.Rank), to.Off, int32(op), a, b
	r.op.Buf, r.op.Size, r.op.Then = nil, 8, nil
	d, err := r.wait(nil, to.Rank, 0)
	return d.A, err
}
