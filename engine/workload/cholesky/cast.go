package cholesky

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// word is the bytes of a number.
const word = 8

// slots are how many one-sided calls have room at once; the library takes them in turn.
const slots = 4

// caster broadcasts in a row or a column of processes, data of each size by the algorithm
// that the knobs ask for.
type caster struct {
	r    *cluster.Rank
	team *cluster.Team
	comm *coll.Comm
	asks algorithm.Reader
	site algorithm.Team
	keys map[int64]coll.Key // by the size that stands for an octave
	real bool
}

// newCaster makes one for a team at a site, with room for one-sided calls of up to most
// bytes.
func newCaster(r *cluster.Rank, t *cluster.Team, site algorithm.Team, asks algorithm.Reader, most int64, real bool) (*caster, error) {
	c := &caster{r: r, team: t, asks: asks, site: site, keys: map[int64]coll.Key{}, real: real}
	var err error
	if c.comm, err = coll.New(r, t); err != nil {
		return nil, err
	}
	room := roomOf(most, real, c.key)
	if room.err != nil {
		return nil, room.err
	}
	if room.Words == 0 {
		return c, nil
	}
	return c, c.comm.Reserve(room.Room, slots)
}

// octave is the size that stands for those from it up to its double.
func octave(n int64) int64 { return 1 << (bits.Len64(uint64(max(n, 1))) - 1) }

// chosenFor is what the ranks of a launch share of a choice.
type chosenFor struct {
	site  algorithm.Team
	ranks int
	n     int64
}

type chosen struct {
	key coll.Key
	err error
}

// key is the schedules for n bytes.
func (c *caster) key(n int64) (coll.Key, error) {
	n = octave(n)
	if k, known := c.keys[n]; known {
		return k, nil
	}
	of := c.r.Lib().Shared(chosenFor{c.site, c.team.Size(), n}, func() any {
		k, err := c.site.Chosen(c.asks, coll.OpBcast, c.team.Size(), n)
		return chosen{k, err}
	}).(chosen)
	c.keys[n] = of.key
	return of.key, of.err
}

// call is a broadcast of n bytes at an offset of the segment, which are buf where there
// are any.
func (c *caster) call(root int, at, n int64, buf []float64) (coll.Call, error) {
	k, err := c.key(n)
	call := coll.Call{Key: k, Root: root, Blocks: k.Blocks(n, word), Out: cluster.Sized(n)}
	if c.real {
		call.Out = cluster.Of(buf)
	}
	if k.Transfer.OneSided() {
		call.OutAt = &coll.At{Off: at}
	}
	return call, err
}

// room is what one-sided calls take of a slot.
type room struct {
	coll.Room
	err error
}

// roomOf is what broadcasts of up to most bytes take, whatever algorithm they go by.
func roomOf(most int64, real bool, key func(n int64) (coll.Key, error)) room {
	var all room
	for n := int64(1); n <= most; n *= 2 {
		k, err := key(n)
		if err != nil {
			return room{err: err}
		}
		if k.Transfer.OneSided() {
			all.Room = all.Most(k.Room(k.Blocks(min(2*n-1, most)/word*word, word)))
		}
	}
	all.Store = cluster.Bytewise(real)
	return all
}

// segment is what a caster takes of a segment, and what only the machine has.
func (r *room) segment() (real, sizes int64) {
	if r.Words == 0 {
		return 0, 0
	}
	words, bytes := slots*word*((r.Words+7)&^7)+lines, slots*((r.Bytes+lines-1)&^(lines-1))+lines
	if r.Store.SizeOnly() {
		return words, bytes
	}
	return words + bytes, 0
}

// lines is the bytes of a cache line, which allocations are aligned to.
const lines = 64
