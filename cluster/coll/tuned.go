package coll

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// Use sets the table of the Comm. Every member passes the same table; nil: none.
func (c *Comm) Use(t *Table) {
	c.table = t
	c.columns = [Collectives]Column{}
	if t == nil {
		return
	}
	for what := range c.columns {
		c.columns[what] = t.Column(Collective(what), int32(c.team.Size()), c.perNode())
	}
}

// perNode returns the number of members per node.
func (c *Comm) perNode() int32 {
	l := &c.r.Spec().Layout
	p := int32(c.team.Size())
	nodes := map[int]bool{}
	for _, rank := range c.team.Members() {
		nodes[l.NodeOf(int(rank))] = true
	}
	n := int32(len(nodes))
	return (p + n - 1) / n
}

// Choose returns the key for a collective on n bytes, per block if blocks are numbered by member.
// Without an entry in a table it prefers loads if they reach all members, otherwise the first
// algorithm that supports the call.
func (c *Comm) Choose(what Collective, n int64, lacks Needs) (Key, error) {
	if !c.Networked() {
		lacks |= Network
	}
	choice, ok := c.columns[what].Choose(n, lacks)
	if !ok {
		var err error
		choice, err = c.prefer(Tuple{Collective: what, Ranks: int32(c.team.Size()), Bytes: n, Lacks: lacks})
		if err != nil {
			return Key{}, err
		}
	}
	return choice.Placed(c.places()).Key(int32(c.team.Size()))
}

// places returns the placement of members on nodes.
func (c *Comm) places() Places {
	if c.placement == nil {
		at := PlacesOf(&c.r.Spec().Layout, c.team)
		c.placement = &at
	}
	return *c.placement
}

// Refiner tunes the choice at run time. For each collective and octave of sizes, the first calls
// try the choices of the table in turn. Then the choice with the fastest slowest member is used.
type Refiner struct {
	comm  *Comm
	tries int
	cells map[tuningKey]*tuning
	word  [MaxChoices]float64
}

type tuningKey struct {
	what   Collective
	octave int
	lacks  Needs
}

type tuning struct {
	keys  []Key
	times []cluster.Time // minimum of each choice
	calls int
	best  int // −1: not known yet
}

// Refine returns a Refiner for a Comm that uses a table. Every member makes one with the same
// number of tries per choice, and makes its calls with it.
func (c *Comm) Refine(tries int) (*Refiner, error) {
	if c.table == nil {
		return nil, c.lib.Errorf("refine on %s: the Comm has no table (call Use first)", c.team.Name())
	}
	return &Refiner{comm: c, tries: max(tries, 1), cells: map[tuningKey]*tuning{}}, nil
}

// Do runs a collective on n bytes, in elements of unit bytes, to its end. The Refiner sets the key
// and the blocks of the call.
func (f *Refiner) Do(what Collective, n, unit int64, lacks Needs, call Call) error {
	c := f.comm
	cell := tuningKey{what: what, octave: octave(n), lacks: lacks}
	t := f.cells[cell]
	if t == nil {
		t = &tuning{best: -1}
		if err := t.begin(c, what, n, lacks); err != nil {
			return err
		}
		f.cells[cell] = t
	}
	i := t.best
	if i < 0 {
		i = t.calls % len(t.keys)
	}
	call.Key, call.Blocks = t.keys[i], t.keys[i].Blocks(n, unit)
	if t.best >= 0 {
		return c.Do(call)
	}
	start := c.r.Now()
	if err := c.Do(call); err != nil {
		return err
	}
	if took := c.r.Now() - start; t.calls < len(t.keys) || took < t.times[i] {
		t.times[i] = took
	}
	if t.calls++; t.calls < f.tries*len(t.keys) {
		return nil
	}
	return f.chooseBest(t)
}

// octave returns 0 for no bytes, 1 for one byte, 2 for two or three, and so on.
func octave(n int64) int {
	o := 0
	for ; n > 0; n >>= 1 {
		o++
	}
	return o
}

// begin sets the choices of a cell.
func (t *tuning) begin(c *Comm, what Collective, n int64, lacks Needs) error {
	first, err := c.Choose(what, n, lacks)
	if err != nil {
		return fmt.Errorf("refine: %w", err)
	}
	t.keys = append(t.keys, first)
	for _, choice := range c.columns[what].near(n, lacks) {
		key, err := choice.Placed(c.places()).Key(int32(c.team.Size()))
		if err != nil {
			return err
		}
		if key != first {
			t.keys = append(t.keys, key)
		}
	}
	t.times = make([]cluster.Time, len(t.keys))
	if len(t.keys) == 1 {
		t.best = 0
	}
	return nil
}

// chooseBest keeps the choice with the fastest slowest member. All members are at the same call.
func (f *Refiner) chooseBest(t *tuning) error {
	words := f.word[:len(t.keys)]
	for i, x := range t.times {
		words[i] = x.Seconds()
	}
	if err := Allreduce(f.comm.r, f.comm.team, cluster.Max, words, words); err != nil {
		return err
	}
	t.best = 0
	for i := range words {
		if words[i] < words[t.best] {
			t.best = i
		}
	}
	return nil
}

// Settled returns the final key for a size; false: tries are not finished.
func (f *Refiner) Settled(what Collective, n int64, lacks Needs) (Key, bool) {
	if t := f.cells[tuningKey{what: what, octave: octave(n), lacks: lacks}]; t != nil && t.best >= 0 {
		return t.keys[t.best], true
	}
	return Key{}, false
}
