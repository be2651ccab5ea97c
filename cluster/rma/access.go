package rma

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Put writes d at byte off of the target's window. The program must not change d's bytes until the
// epoch ends.
func (w *Window) Put(target int, off int64, d cluster.Data) error {
	to, at, err := w.admit("put", target, off, d.Len())
	if err != nil {
		return err
	}
	if s := w.directBytes(to, at, d.Len()); s != nil {
		copy(s, d.Bytes())
		return nil
	}
	return w.r.Lib().PutImplicit(cluster.At(to, at), d)
}

// Get reads d.Len() bytes at byte off of the target's window. d is filled when
// the epoch ends.
func (w *Window) Get(target int, off int64, d cluster.Data) error {
	to, at, err := w.admit("get", target, off, d.Len())
	if err != nil {
		return err
	}
	if s := w.directBytes(to, at, d.Len()); s != nil {
		copy(d.Bytes(), s)
		return nil
	}
	return w.r.Lib().GetImplicit(cluster.At(to, at), d)
}

// Accumulate adds v to the numbers at byte off of the target's window (MPI_Accumulate with
// MPI_SUM). Accumulates of several origins to one location all count; each number is updated
// atomically. Accumulate returns after the target has added the numbers, for which the target must
// make progress.
func Accumulate[T cluster.Number](w *Window, target int, off int64, v []T) error {
	in := cluster.Bytes(v)
	if a := alignment[T](); off%a != 0 {
		return w.errorf("accumulate at %d: offset %d: %s numbers must be aligned to %d B", target, off,
			reflect.TypeFor[T]().Kind(), a)
	}
	if _, _, err := w.admit("accumulate", target, off, int64(len(in))); err != nil || len(in) == 0 {
		return err
	}
	packet := w.r.Lib().Scratch(accumulateHeader + len(in))
	packet[0], packet[1] = askAccumulate, byte(reflect.TypeFor[T]().Kind())
	binary.NativeEndian.PutUint64(packet[8:], uint64(off))
	copy(packet[accumulateHeader:], in)
	_, err := w.ask(target, packet)
	return err
}

// alignment returns the alignment of T in shared memory, in bytes. It is the same on every host, so
// that all hosts accept the same offsets. A 32-bit host would need less.
func alignment[T cluster.Number]() int64 {
	var zero T
	switch k := reflect.TypeFor[T]().Kind(); k {
	case reflect.Complex64, reflect.Complex128:
		return int64(unsafe.Sizeof(zero)) / 2
	}
	return int64(unsafe.Sizeof(zero))
}

// Local returns the rank's own window as plain bytes. Loads and stores of it are accesses, too
// (paper 1, section 2.1: "all accesses, including local accesses"). It is available within a fence
// epoch, under the rank's own lock, and after Wait until the next Post, Fence or Lock. The slice
// must not be used after that.
func (w *Window) Local() ([]byte, error) {
	if err := w.checkAlive("local access"); err != nil {
		return nil, err
	}
	me := w.team.Rank()
	switch {
	case w.access == locked && w.target == me, w.exposure == fenceExposure, w.exposure == waited:
	case w.exposure == posted:
		return nil, w.errorf("local access at %d: between Post and Wait others may write there: call Wait first", me)
	case w.access == locked:
		return nil, w.errorf("local access at %d: this rank holds the lock of %d, not its own: unlock that "+
			"and lock %d", me, w.target, me)
	default:
		return nil, w.errorf("local access at %d: outside an epoch: call Fence, or Lock(LockExclusive, %d)", me, me)
	}
	first := w.off + controlBlock
	return w.r.Segment()[first : first+w.sizes[me] : first+w.sizes[me]], nil
}

// admit checks an access against the epoch, the window and earlier accesses. It counts and
// records the access, and returns the rank and the byte in its segment.
func (w *Window) admit(call string, target int, off, n int64) (to int, at int64, err error) {
	if w.freed {
		return 0, 0, w.checkAlive(fmt.Sprintf("%s at %d", call, target))
	}
	if uint(target) >= uint(len(w.sizes)) {
		return 0, 0, w.errorf("%s at %d: the team has ranks 0 to %d", call, target, len(w.sizes)-1)
	}
	switch w.access {
	case noAccess:
		return 0, 0, w.errorf("%s at %d: outside an epoch: call Fence, Start or Lock first", call, target)
	case started:
		if _, ok := slices.BinarySearch(w.targets, target); !ok {
			return 0, 0, w.errorf("%s at %d: Start did not name it: start towards %d too", call, target, target)
		}
	case locked:
		if target != w.target {
			return 0, 0,
				w.errorf("%s at %d: this rank holds the lock of %d: unlock that and lock %d", call, target, w.target, target)
		}
	}
	if size := w.sizes[target]; off < 0 || n > size || off > size-n {
		return 0, 0, w.errorf("%s at %d: %d B at %d: its window has %d B", call, target, n, off, size)
	}
	a := w.made[target]
	if a == nil {
		a = &accesses{}
		w.made[target] = a
	}
	v := cluster.Span{Off: off, Len: n}
	if before := a.conflict(call, v); before != "" {
		return 0, 0, w.errorf("%s at %d: %d B at %d overlap an earlier %s in the same epoch, and the two may be "+
			"reordered: end the epoch between them", call, target, n, off, before)
	}
	a.note(call, v)
	w.used = w.access == fenceAccess
	to = w.team.Global(target)
	if call != "accumulate" { // its message is already counted
		w.r.Account(to, 1, n)
	}
	return to, w.off + controlBlock + off, nil
}

// directBytes returns the bytes of an access that can be done in place, or nil. It does not depend
// on UPC groups.
func (w *Window) directBytes(to int, at, n int64) []byte {
	if !w.r.Lib().Port().Direct() {
		return nil
	}
	if s := w.r.Lib().Port().Reach(int(to)); s != nil {
		return s[at : at+n : at+n]
	}
	return nil
}
