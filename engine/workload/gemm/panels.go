package gemm

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// panels holds the broadcasts in one row or column of the grid, and the slots for their panels.
// Panel k uses slot k modulo the number of slots. Under mysync or allsync, a member that enters a
// call signals that its slot is free. Under nosync a root may put at any time: each member signals
// a free slot in a separate barrier after it has multiplied by a panel. The member that starts the
// next broadcast in that slot waits for this barrier.
type panels struct {
	r         *cluster.Rank
	comm      *coll.Comm
	keys      []coll.Key // by candidate of online tuning
	key       coll.Key   // in use
	me        int
	long      int // rows of A, or columns of B, of the team
	credits   bool
	creditKey coll.Key // of the barriers for the credits
	slots     []slot
}

type slot struct {
	at    *coll.At
	words cluster.Buf[float64]
	run   *coll.Run // the broadcast in progress; nil: it is complete
	free  *coll.Run // the barrier after which all have multiplied; nil: none
}

// slotsFor returns the number of slots of a product. With credits there is one more, so that the
// barrier of a slot has a step to complete in.
func slotsFor(m coll.Modes, ahead int) int {
	if needsCredits(m) {
		return ahead + 2
	}
	return ahead + 1
}

// needsCredits reports whether the program itself must signal free slots.
func needsCredits(m coll.Modes) bool { return m.In == coll.NoSync && m.Transfer.OneSided() }

// addMemory adds the slots and the scratch buffers of a line's broadcasts to the memory of a rank.
func addMemory(m *workload.Memory, store cluster.Store, keys []coll.Key, maxBytes int64, ahead int) {
	count := slotsFor(keys[0].Modes, ahead)
	if !keys[0].Transfer.OneSided() {
		m.Hold(store, workload.Item{Name: "panels", Per: workload.PerRank, Bytes: int64(count) * roundToLines(maxBytes)})
		return
	}
	for range count {
		m.Add(store, roundToLines(maxBytes))
	}
	scratch := roomFor(keys, maxBytes)
	calls := int64(reserved(ahead, scratch))
	m.Add(cluster.Store{}, calls*8*((scratch.Words+7)&^7))
	m.Add(store, calls*roundToLines(scratch.Bytes))
}

// roomFor returns the library's scratch space for a call by any of the keys.
func roomFor(keys []coll.Key, maxBytes int64) (all coll.Room) {
	for _, k := range keys {
		all = all.Max(k.Room(k.Blocks(maxBytes, unit)))
	}
	return all
}

// reserved returns the number of calls for which the library has scratch buffers, in four groups.
// The library waits for the calls of the group before the last one; the program has waited for all
// of them by then. Members synchronize once per group, so groups are longer if a call has no
// buffers.
func reserved(ahead int, scratch coll.Room) int {
	if scratch.Bytes > 0 {
		return 4 * (ahead + 1)
	}
	return 16 * (ahead + 1)
}

// roundToLines rounds n bytes up to whole cache lines.
func roundToLines(n int64) int64 { return (n + 63) &^ 63 }

// newPanels returns the broadcasts of a team. long is the number of rows of A, or of columns of B.
// Call allocate before the first broadcast.
func newPanels(r *cluster.Rank, t *cluster.Team, keys []coll.Key, long int) (*panels, error) {
	comm, err := coll.New(r, t)
	if err != nil {
		return nil, err
	}
	x := &panels{r: r, comm: comm, keys: keys, key: keys[0], me: t.Rank(), long: long,
		credits: needsCredits(keys[0].Modes) && t.Size() > 1}
	if x.credits {
		a, err := coll.Find(coll.OpBarrier, "dissemination")
		if err != nil {
			return nil, err
		}
		x.creditKey, err = a.Key(coll.Parameters{Ranks: t.Size()})
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// allocate allocates the slots and the library's scratch space for panels of up to maxBytes bytes.
func (x *panels) allocate(maxBytes int64, ahead int, store cluster.Store) error {
	x.slots = make([]slot, slotsFor(x.key.Modes, ahead))
	if !x.key.Transfer.OneSided() {
		for i := range x.slots {
			x.slots[i].words = cluster.Make[float64](store, int(maxBytes/unit))
		}
		return nil
	}
	for i := range x.slots {
		at, err := cluster.Alloc[float64](x.r, store, int(roundToLines(maxBytes)/unit))
		if err != nil {
			return err
		}
		x.slots[i] = slot{at: &coll.At{Off: at.Off}, words: at.Local(x.r, int(maxBytes/unit))}
	}
	space := func() any { return roomFor(x.keys, maxBytes) }
	scratch := x.r.Lib().Shared(scratchFor{x.key, maxBytes}, space).(coll.Room)
	scratch.Store = store
	return x.comm.Reserve(scratch, reserved(ahead, scratch))
}

// scratchFor is the key by which the ranks of a launch share the scratch space of a call.
type scratchFor struct {
	key      coll.Key
	maxBytes int64
}

// slot returns the slot of panel k.
func (x *panels) slot(k int) *slot { return &x.slots[k%len(x.slots)] }

// panel returns the elements of panel k, w wide.
func (x *panels) panel(k, w int) cluster.Buf[float64] {
	return x.slot(k).words.Part(0, x.long*w)
}

// start begins the broadcast of panel k, w wide. Its root must have packed it into its slot.
func (x *panels) start(k, w, root int) error {
	s := x.slot(k)
	out := x.panel(k, w).Data()
	call := coll.Call{Key: x.key, Root: root, Blocks: x.key.Blocks(out.Len(), unit), OutAt: s.at, Out: out}
	var err error
	s.run, err = x.comm.Start(call)
	return err
}

// waitFree waits until all members have multiplied by the previous panel in panel k's slot.
func (x *panels) waitFree(k int) error {
	s := x.slot(k)
	if s.free == nil {
		return nil
	}
	run := s.free
	s.free = nil
	return run.Wait()
}

// signalFree signals that the rank has multiplied by panel k. It does not wait for the others.
func (x *panels) signalFree(k int) error {
	if !x.credits {
		return nil
	}
	var err error
	x.slot(k).free, err = x.comm.Start(coll.Call{Key: x.creditKey, Blocks: x.creditKey.Blocks(0, 1)})
	return err
}

// wait waits until panel k has arrived.
func (x *panels) wait(k int) error {
	s := x.slot(k)
	if s.run == nil {
		return nil
	}
	run := s.run
	s.run = nil
	return run.Wait()
}

// poll lets the broadcasts in progress advance.
func (x *panels) poll() error {
	for i := range x.slots {
		for _, run := range [...]**coll.Run{&x.slots[i].run, &x.slots[i].free} {
			if *run == nil {
				continue
			}
			complete, err := (*run).Test()
			if err != nil {
				return err
			}
			if complete {
				*run = nil
			}
		}
	}
	return nil
}

// finishCredits completes all outstanding barriers of the members.
func (x *panels) finishCredits() error {
	for k := range x.slots {
		if err := x.waitFree(k); err != nil {
			return err
		}
	}
	return nil
}
