package fft

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// The two exchanges, by team: a process's plane of the grid exchanges axes 1 and 2, its row
// exchanges axes 2 and 3.
const (
	first = iota
	second
	exchanges
)

// cellFor returns an exchange of blocks of n bytes in a team of this many members.
func cellFor(on algorithm.Team, members int, n int64) algorithm.Cell {
	return algorithm.Cell{Team: on, What: coll.OpExchange, Ranks: members, Bytes: n}
}

// cellsOf returns the exchanges of a transform, for online tuning.
func cellsOf(s algorithm.Reader, m *cluster.Machine, kind engine.Kind, l *cluster.Layout) (all []algorithm.Cell) {
	world := l.World()
	of, err := instanceOf(s, len(world), 0)
	if err != nil {
		return nil
	}
	g := &of.grid
	_, back := of.shapes()
	for e, members := range []int{g.ty, g.tz} {
		if members > 1 {
			all = append(all, cellFor(algorithm.Among(m, kind, l, g.team(world, e, 0)), members, back.blocks()[e]))
		}
	}
	return all
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

// scratch returns the scratch space of a slot for one-sided calls of a team, by any of the keys.
func scratch(keys []coll.Key, e int, s *shape) (largest coll.Room) {
	for _, k := range keys {
		largest = largest.Max(k.Room(k.Blocks(s.blocks()[e], 16)))
	}
	return largest
}

// channel is one of the two exchanges of a transform, with one call per slab.
type channel struct {
	comm *coll.Comm // nil: the team has one member
	keys []coll.Key // by candidate of online tuning
	key  coll.Key   // in use
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
