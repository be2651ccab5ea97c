package coll

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// Comm runs collectives on a team. Every member makes one, and starts the same calls
// in the same order; any number may be under way.
type Comm struct {
	r     *cluster.Rank
	lib   cluster.Lib
	team  *cluster.Team      // of its own: no message of others can be there
	cache *Cache             // of the launch
	own   map[role]*Schedule // that were used before
	turn  int
	begun [turns]*Run // by turn
	idle  []*Run
	fire  cluster.Op // of the steps
}

// role is a member's in the schedules of a key.
type role struct {
	key Key
	rel int32
}

// turns is how many calls may be under way before one more waits for the oldest:
// messages carry the turn above the lane.
const (
	turns    = 64
	laneBits = 16
)

// cacheKey is what a launch keeps its schedules by.
type cacheKey struct{}

// New makes a Comm for a team. Every member calls it, outside parallel regions.
func New(r *cluster.Rank, t *cluster.Team) (*Comm, error) {
	lib := r.Lib()
	own, err := lib.Dup("comm", t)
	if err != nil {
		return nil, err
	}
	cache := lib.Shared(cacheKey{}, func() any { return &Cache{} }).(*Cache)
	return &Comm{r: r, lib: lib, team: own, cache: cache, own: map[role]*Schedule{}}, nil
}

// Free ends the Comm. Every member calls it, with nothing under way.
func (c *Comm) Free() error { return c.r.FreeTeam(c.team) }

// Call is one collective: by which schedules, from which root, on what.
type Call struct {
	Key    Key
	Root   int
	In     []byte  // what a member gives; a broadcast's is the root's Out
	Out    []byte  // what it gets; it must not overlap In
	Blocks Blocks  // the same at every member
	Into   *Blocks // of Out, where an exchange has other sizes there
	Sizes  bool    // sizes without bytes: In and Out are not read

	// Combine does acc = acc op in, of whole elements.
	Combine func(acc, in []byte)
}

// Do runs a call to its end.
func (c *Comm) Do(call Call) error {
	x, err := c.Start(call)
	if err != nil {
		return err
	}
	return x.Wait()
}

// Start begins a call. The buffers belong to it until it is complete.
func (c *Comm) Start(call Call) (*Run, error) {
	k := call.Key
	what := k.Algorithm.Collective
	if c.lib.Parallel() {
		return nil, c.lib.Errorf("%s on %s: inside a parallel region: start it outside", what, c.team.Name())
	}
	p := int(k.Ranks)
	if p != c.team.Size() {
		return nil, c.lib.Errorf("%s on %s: schedules for %d ranks, the team has %d", what, c.team.Name(), p, c.team.Size())
	}
	if call.Root < 0 || call.Root >= p || call.Root > 0 && !what.Rooted() {
		return nil, c.lib.Errorf("%s on %s: root %d: the team has ranks 0 to %d", what, c.team.Name(), call.Root, p-1)
	}
	if what.Combines() && call.Combine == nil && !call.Sizes {
		return nil, c.lib.Errorf("%s on %s: nothing to combine with", what, c.team.Name())
	}
	rel := wrap(int32(c.team.Rank()-call.Root), k.Ranks)
	s := c.own[role{k, rel}]
	if s == nil {
		s = c.cache.Schedule(k, rel)
		c.own[role{k, rel}] = s
	}
	place := Place{Schedule: s, Rel: rel, Root: int32(call.Root), Blocks: call.Blocks, Into: call.Into}
	if call.Blocks.Parts != s.Parts || call.Into != nil && call.Into.Parts != s.Parts {
		return nil, c.lib.Errorf("%s on %s: %d blocks for schedules of %d", what, c.team.Name(), call.Blocks.Parts, s.Parts)
	}
	for b, buf := range [...][]byte{call.In, call.Out} {
		if want := place.Size(Buf(b)); what.uses(Buf(b), rel) && !call.Sizes && int64(len(buf)) != want {
			return nil, c.lib.Errorf("%s on %s: %s of %d B, want %d", what, c.team.Name(), [...]string{"in", "out"}[b], len(buf), want)
		}
	}
	if old := c.begun[c.turn]; old != nil {
		old.await()
	}
	x := c.take()
	x.begin(c, call, place, int32(c.turn)<<laneBits)
	c.begun[c.turn] = x
	c.turn = (c.turn + 1) % turns
	return x, nil
}

// uses reports whether a member has such a buffer.
func (c Collective) uses(b Buf, rel int32) bool {
	switch c {
	case Barrier:
		return false
	case Bcast:
		return b == Out
	case Scatter:
		return b == Out || rel == 0
	case Gather, Reduce:
		return b == In || rel == 0
	}
	return true
}

// take gives a Run that nobody uses.
func (c *Comm) take() *Run {
	if n := len(c.idle); n > 0 {
		x := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return x
	}
	return &Run{}
}
