package collective

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// slots is the number of one-sided calls that can be in progress. The library uses the slots
// cyclically.
const slots = 4

// An extent is the memory of one-sided calls in a rank's segment: the buffers that other ranks
// access, and the library's scratch space.
type extent struct {
	in, out int64 // bytes of the buffers
	scratch coll.Room
}

// extentOf returns the extent of calls with n bytes by any of the keys.
func extentOf(keys []coll.Key, n int64, store cluster.Store) extent {
	k := &keys[0]
	c := k.Algorithm.Collective
	var e extent
	if !k.Transfer.OneSided() {
		return e
	}
	e.in, e.out = c.Lengths(int(k.Ranks), true, n)
	e.in, e.out = lines(e.in), lines(e.out)
	for _, k := range keys {
		e.scratch = e.scratch.Max(k.Room(k.Blocks(n, elementOf(c))))
	}
	e.scratch.Store = store
	return e
}

// lines rounds n bytes up to whole cache lines.
func lines(n int64) int64 { return (n + 63) &^ 63 }

// add adds the memory of one-sided calls to that of a rank.
func (e *extent) add(m *workload.Memory) {
	for _, bytes := range []int64{e.in, e.out, slots * lines(e.scratch.Bytes)} {
		m.Add(e.scratch.Store, bytes)
	}
	m.Add(cluster.Store{}, slots*8*((e.scratch.Words+7)&^7))
}

// elementOf returns the size in bytes of data that are never divided.
func elementOf(c coll.Collective) int64 {
	if c.Combines() {
		return unit
	}
	return 1
}

// A part is the calls of one size, timed or verified: their Comm, their buffers, and the offsets of
// the buffers in the segment if the calls are one-sided.
type part struct {
	n       int64
	comm    *coll.Comm
	in, out *coll.At
	data    buffers
}

// newPart returns a part with a new Comm, and reserves memory if the calls are one-sided.
func (t *team) newPart(store cluster.Store, small bool) (*part, error) {
	comm, err := coll.New(t.r, t.r.World())
	if err != nil {
		return nil, err
	}
	c := &part{n: sizeOf(t.what, t.ranks, t.n, workload.Limit(t.p, t.r.Ranks()), small), comm: comm,
		data: buffers{store: store}}
	if t.keys[0].Transfer.OneSided() {
		err = c.reserve(t.r, extentOf(t.keys, c.n, store))
	}
	return c, err
}

// reserve reserves memory for one-sided calls.
func (c *part) reserve(r *cluster.Rank, e extent) (err error) {
	alloc := func(size int64) (*coll.At, cluster.Buf[uint64]) {
		at, failed := cluster.Alloc[uint64](r, c.data.store, int(size/unit))
		err = failed
		if err != nil {
			return nil, cluster.Buf[uint64]{}
		}
		return &coll.At{Off: at.Off}, at.Local(r, int(size/unit))
	}
	c.in, c.data.in = alloc(e.in)
	if err != nil {
		return err
	}
	c.out, c.data.out = alloc(e.out)
	if err != nil {
		return err
	}
	return c.comm.Reserve(e.scratch, slots)
}

// fill writes the rank's input of a call.
func (c *part) fill(x *call) {
	_ = c.data.store.Do(func() error { x.fill(&c.data); return nil })
}
