package tuner

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// slots is the number of one-sided calls that have scratch space at the same time; the library
// alternates between them.
const slots = 4

// buffers is the part of a rank's segment that the one-sided calls of a tuple need: buffers that
// others access, and the library's slots.
type buffers struct {
	coll.Room
	oneSided bool
	in, out  int64
}

// elementOf returns the size of the elements of a tuple's data.
func elementOf(at coll.Tuple) int64 {
	if at.Bytes%8 == 0 {
		return 8
	}
	return 1
}

// buffersOf returns the space that is enough for each of some keys. sizeOnly means size-only data.
func buffersOf(at coll.Tuple, keys []coll.Key, sizeOnly bool) buffers {
	r := buffers{}
	for _, k := range keys {
		if k.Transfer.OneSided() {
			r.oneSided = true
			r.Room = r.Max(k.Room(k.Blocks(at.Bytes, elementOf(at))))
		}
	}
	r.in, r.out = at.Collective.Lengths(int(at.Ranks), true, at.Bytes)
	r.in, r.out = roundToLines(r.in), roundToLines(r.out)
	r.Store = cluster.Bytewise(!sizeOnly)
	return r
}

// roundToLines rounds n bytes up to whole cache lines.
func roundToLines(n int64) int64 { return (n + 63) &^ 63 }

// segment returns the real bytes of a segment, and its size on the machine if that differs.
func (r *buffers) segment() (real, modelled int64) {
	if !r.oneSided {
		return 0, 0
	}
	words := slots*8*((r.Words+7)&^7) + 64
	bytes := slots*roundToLines(r.Bytes) + r.in + r.out + 4*64
	if r.Store.SizeOnly() {
		return words, roundToLines(words) + bytes
	}
	return words + bytes, 0
}

// allocate puts a call's buffers into the segment and reserves the slots.
func (r *buffers) allocate(rank *cluster.Rank, comm *coll.Comm, call *coll.Call) error {
	call.InAt, call.OutAt = &coll.At{}, &coll.At{}
	for i, at := range []*coll.At{call.InAt, call.OutAt} {
		size := [2]int64{r.in, r.out}[i]
		if r.Store.SizeOnly() {
			at.Off = roundToLines(int64(len(rank.Segment()))) + int64(i)*r.in
			continue
		}
		var err error
		at.Off, err = rank.Alloc(size)
		if err != nil {
			return err
		}
	}
	if !r.Store.SizeOnly() {
		segment := rank.Segment()
		call.In = cluster.Of(segment[call.InAt.Off:][:call.In.Len()])
		call.Out = cluster.Of(segment[call.OutAt.Off:][:call.Out.Len()])
	}
	return comm.Reserve(r.Room, slots)
}
