package collective

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// slots are how many one-sided calls have room at once; the library takes them in turn.
const slots = 4

// extent is what one-sided calls take of a rank's segment: the buffers that others
// reach, and room of the library's.
type extent struct {
	in, out int64 // bytes of the buffers
	room    coll.Room
}

// extentOf is what calls of n bytes take; there are bytes, or only sizes.
func extentOf(k coll.Key, n int64, real bool) extent {
	c := k.Algorithm.Collective
	var e extent
	if !k.Transfer.OneSided() {
		return e
	}
	e.in, e.out = c.Lengths(int(k.Ranks), true, n)
	e.in, e.out = lines(e.in), lines(e.out)
	e.room = k.Room(k.Blocks(n, elementOf(c)))
	e.room.Store = cluster.Bytewise(real)
	return e
}

// lines is n bytes in whole cache lines.
func lines(n int64) int64 { return (n + 63) &^ 63 }

// segment is the bytes of a segment that the calls take, and those that only the machine
// has.
func (e *extent) segment() (real, sizes int64) {
	words := slots * 8 * ((e.room.Words + 7) &^ 7)
	bytes := slots*lines(e.room.Bytes) + e.in + e.out
	if e.room.Store.SizeOnly() {
		return words + 64, bytes + 64
	}
	return words + bytes + 4*64, 0
}

// elementOf is the bytes that are never divided.
func elementOf(c coll.Collective) int64 {
	if c.Combines() {
		return unit
	}
	return 1
}

// space is where calls of one size are: their Comm, and if they are one-sided where
// their buffers are in the segment.
type space struct {
	comm    *coll.Comm
	in, out *coll.At
	words   [2][]uint64 // the buffers in the segment, as far as there are bytes
}

// newSpace makes a Comm, with room for one-sided calls of n bytes.
func newSpace(r *cluster.Rank, k coll.Key, n int64, real bool) (*space, error) {
	comm, err := coll.New(r, r.World())
	if err != nil || !k.Transfer.OneSided() {
		return &space{comm: comm}, err
	}
	s := &space{comm: comm, in: &coll.At{}, out: &coll.At{}}
	e := extentOf(k, n, real)
	for i, at := range []*coll.At{s.in, s.out} {
		size := [2]int64{e.in, e.out}[i]
		if !real {
			at.Off = lines(int64(len(r.Segment()))) + int64(i)*e.in
			continue
		}
		if at.Off, err = r.Alloc(size); err != nil {
			return nil, err
		}
		s.words[i] = cluster.View[uint64](r.Segment()[at.Off : at.Off+size])
	}
	return s, comm.Reserve(e.room, slots)
}
