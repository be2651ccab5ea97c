package fft

import (
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// The teams of a process: those of its plane of the grid, among whom axes 1 and 2 change
// places, and those of its row, among whom axes 2 and 3 do.
const (
	first = iota
	second
	exchanges
)

// chosen are the schedules that the knobs ask for, of blocks of n bytes in a team of so
// many members.
func chosen(s algorithm.Reader, on algorithm.Team, members int, n int64) (coll.Key, error) {
	return on.Chosen(s, coll.OpExchange, members, n)
}

// arrays are how many a process holds of its points beside the spectrum. Where a member
// may put before its peer has begun the second exchange lands in an array of its own.
func arrays(m coll.Modes) int {
	if m.Transfer.OneSided() && m.In == coll.NoSync {
		return 4
	}
	return 3
}

// slots are how many one-sided calls have room at once.
func slots(s *shape) int { return min(max(s.slabs, 4), 16) }

// room is what one-sided calls of a team need of a slot, for both transforms.
func room(k coll.Key, e int, shapes ...*shape) coll.Room {
	var most coll.Room
	for _, s := range shapes {
		most = most.Most(k.Room(k.Blocks(s.blocks()[e], 16)))
	}
	return most
}

// channel is one of the two exchanges of a transform: a call a slab.
type channel struct {
	comm *coll.Comm // nil: the team has one member
	key  coll.Key
	runs []*coll.Run
}

// plain is how exchanges go that are not timed.
func plain(members int) (coll.Key, error) {
	a, err := coll.Find(coll.OpExchange, "pairwise")
	if err != nil {
		return coll.Key{}, err
	}
	return a.Key(coll.Parameters{Ranks: members})
}

// channel is the one in use.
func (s *solver) channel(e int) *channel {
	if s.timed {
		return &s.channels[e]
	}
	return &s.setup[e]
}

// call is the exchange of a slab of a shape from one of the arrays to another.
func (s *solver) call(e int, of *shape, slab, from, to int) coll.Call {
	k := s.channel(e).key
	at := slab * of.slab()
	end := at + of.slab()
	c := coll.Call{Key: k, Blocks: k.Blocks(of.blocks()[e], pointBytes), In: s.arrays[from].Part(at, end).Data(), Out: s.arrays[to].Part(at, end).Data()}
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

// wait ends it.
func (s *solver) wait(e, slab int) error {
	if err := s.channel(e).runs[slab].Wait(); err != nil {
		return err
	}
	s.lap(&s.took.comm)
	return nil
}
