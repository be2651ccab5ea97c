package cholesky

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// word is the size of a number in bytes.
const word = 8

// slots is the number of one-sided calls that can be in progress. The library uses the slots
// cyclically.
const slots = 4

// A caster broadcasts in a row or a column of processes. The knobs determine the algorithm for each
// size.
type caster struct {
	r    *cluster.Rank
	team *cluster.Team
	comm *coll.Comm
	p    *algorithm.Tuning
	site algorithm.Team
	keys map[keyAt]coll.Key
}

// keyAt is a candidate of online tuning and an octave of sizes.
type keyAt struct {
	candidate int
	octave    int64
}

// open creates the communicator of a caster, with space for one-sided calls of up to maxBytes bytes.
func (c *caster) open(maxBytes int64, store cluster.Store) error {
	c.keys = map[keyAt]coll.Key{}
	var err error
	c.comm, err = coll.New(c.r, c.team)
	if err != nil {
		return err
	}
	var scratch coll.Room
	for i := range c.p.Names {
		need, err := scratchOf(maxBytes, func(n int64) (coll.Key, error) { return c.keyOf(i, n) })
		if err != nil {
			return err
		}
		scratch = scratch.Max(need)
	}
	if scratch.Words == 0 {
		return nil
	}
	scratch.Store = store
	return c.comm.Reserve(scratch, slots)
}

// octave returns the size that represents all sizes from it up to (excluding) its double.
func octave(n int64) int64 { return 1 << (bits.Len64(uint64(max(n, 1))) - 1) }

// key returns the schedules for n bytes in the current iteration.
func (c *caster) key(n int64) (coll.Key, error) { return c.keyOf(c.p.Now(), n) }

// keyOf returns the schedules of a candidate of online tuning for n bytes.
func (c *caster) keyOf(candidate int, n int64) (coll.Key, error) {
	n = octave(n)
	at := keyAt{candidate, n}
	if k, found := c.keys[at]; found {
		return k, nil
	}
	k, err := chosen(c.p, c.site, c.team.Size(), n, c.p.Names[candidate])
	c.keys[at] = k
	return k, err
}

// chosen returns the schedules of a team for n bytes and a value of the knob algorithm.
func chosen(s algorithm.Reader, site algorithm.Team, ranks int, n int64, name string) (coll.Key, error) {
	of := algorithm.Cell{Team: site, What: coll.OpBcast, Ranks: ranks, Bytes: n}
	keys, err := of.Keys(s, []string{name})
	if err != nil {
		return coll.Key{}, err
	}
	return keys[0], nil
}

// call returns a broadcast of the first n bytes of an array.
func (c *caster) call(root int, a *array, n int64) (coll.Call, error) {
	k, err := c.key(n)
	call := coll.Call{Key: k, Root: root, Blocks: k.Blocks(n, word), Out: a.Part(0, int(n/word)).Data()}
	if k.Transfer.OneSided() {
		call.OutAt = &coll.At{Off: a.at}
	}
	return call, err
}

// scratchOf returns the memory of a slot for broadcasts of up to maxBytes bytes with all algorithms
// that key selects.
func scratchOf(maxBytes int64, key func(n int64) (coll.Key, error)) (all coll.Room, err error) {
	for n := int64(1); n <= maxBytes; n *= 2 {
		k, err := key(n)
		if err != nil {
			return all, err
		}
		if k.Transfer.OneSided() {
			all = all.Max(k.Room(k.Blocks(min(2*n-1, maxBytes)/word*word, word)))
		}
	}
	return all, nil
}

// reserve adds a caster's memory to the memory of a rank.
func reserve(m *workload.Memory, store cluster.Store, scratch coll.Room) {
	const line = 64
	m.Add(cluster.Store{}, slots*word*((scratch.Words+7)&^7))
	m.Add(store, slots*((scratch.Bytes+line-1)&^(line-1)))
}
