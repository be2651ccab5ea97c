package fft

import (
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// The two exchanges, by team: a process's plane of the grid exchanges axes 1 and 2, its row
// exchanges axes 2 and 3.
const (
	first = iota
	second
	exchanges
)

// keyFor returns the schedule that the knobs choose, for blocks of n bytes in a team of this many
// members.
func keyFor(s algorithm.Reader, on algorithm.Team, members int, n int64) (coll.Key, error) {
	return on.Chosen(s, coll.OpExchange, members, n)
}

// arrays returns the number of arrays for a process's points, without the spectrum. If a member may
// put before its peer has begun, the second exchange needs a separate target array.
func arrays(m coll.Modes) int {
	if m.Transfer.OneSided() && m.In == coll.NoSync {
		return 4
	}
	return 3
}

// slots returns the number of one-sided calls that have buffers at once.
func slots(s *shape) int { return min(max(s.slabs, 4), 16) }

// scratch returns the scratch space of a slot for one-sided calls of a team, for both transforms.
func scratch(k coll.Key, e int, shapes ...*shape) coll.Room {
	var largest coll.Room
	for _, s := range shapes {
		largest = largest.Max(k.Room(k.Blocks(s.blocks()[e], 16)))
	}
	return largest
}

// channel is one of the two exchanges of a transform, with one call per slab.
type channel struct {
	comm *coll.Comm // nil: the team has one member
	key  coll.Key
	runs []*coll.Run
}

// setupKey returns the algorithm of exchanges that are not timed.
func setupKey(members int) (coll.Key, error) {
	a, err := coll.Find(coll.OpExchange, "pairwise")
	if err != nil {
		return coll.Key{}, err
	}
	return a.Key(coll.Parameters{Ranks: members})
}

// channel returns the channel in use: the timed one or the one for setup.
func (s *solver) channel(e int) *channel {
	if s.timed {
		return &s.channels[e]
	}
	return &s.setup[e]
}

// call returns the exchange of a slab of a shape from one of the arrays to another.
func (s *solver) call(e int, of *shape, slab, from, to int) coll.Call {
	k := s.channel(e).key
	at := slab * of.slab()
	end := at + of.slab()
	c := coll.Call{Key: k, Blocks: k.Blocks(of.blocks()[e], pointBytes), In: s.arrays[from].Part(at, end).Data(),
		Out: s.arrays[to].Part(at, end).Data()}
	if k.Transfer.OneSided() {
		c.InAt, c.OutAt = &coll.At{Off: s.at[from] + 16*int64(at)}, &coll.At{Off: s.at[to] + 16*int64(at)}
	}
	return c
}

// start begins the exchange of a slab.
func (s *solver) start(e int, of *shape, slab, from, to int) error {
	c := s.channel(e)
	x, err := c.comm.Start(s.call(e, of, slab, from, to))
	if err != nil {
		return err
	}
	c.runs[slab] = x
	s.lap(&s.took.comm)
	return nil
}

// wait waits for the exchange of a slab.
func (s *solver) wait(e, slab int) error {
	if err := s.channel(e).runs[slab].Wait(); err != nil {
		return err
	}
	s.lap(&s.took.comm)
	return nil
}
