package coll

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Needs are what an algorithm asks of its use.
type Needs uint8

// The restrictions.
const (
	PowerOfTwo  Needs = 1 << iota // ranks
	EvenRanks                     // an even number of them
	EvenBlocks                    // all blocks are equally long
	Commutative                   // the reduction; one without it combines in the order of members, from the root on
	Reach                         // loads reach all members: it uses their board
	Network                       // the machine has a collective network
)

var needNames = []string{"ranks a power of two", "an even number of ranks", "equal blocks", "a commutative reduction", "loads that reach all ranks", "a collective network"}

// Words lists the restrictions.
func (n Needs) Words() []string {
	words := []string{}
	for i, w := range needNames {
		if n>>i&1 != 0 {
			words = append(words, w)
		}
	}
	return words
}

// Algorithm is one way to do a collective.
type Algorithm struct {
	Collective Collective
	Name       string
	Doc        string
	Paper      string // the section that has it, or where it is from
	Needs      Needs
	Radix      int32 // that it takes unless told; 0: it has none
	LeastRadix int32 // 2 unless told
	Segmented  bool  // it takes a number of segments
	Housed     bool  // it takes places; without, each rank is alone

	Make  func(b *Builder)
	Class func(k Key, rel int32) int64 // ranks of one class have one schedule; nil: all are one class
	Check func(k Key) error            // refuses a key that no schedule is for; nil: none is refused
	Parts func(k Key) int32            // blocks; nil: a member each where blocks go by member, else a segment each

	// Predict is the time of the last rank to end, of blocks (or shares' sum) of n
	// bytes, all ranks starting at once and nothing in each other's way.
	Predict func(c *Cost, k Key, n int64) cluster.Time

	id uint8 // by which members compare what they call
}

// MostRanks is the largest team; MostRadix and MostSegments bound what a schedule
// holds.
const (
	MostRanks    = 1 << 20
	MostRadix    = 4096
	MostSegments = math.MaxUint16
	mostParts    = 1 << 19 // segments times ranks
)

// Parameters are the choices of a key; 0: what the algorithm takes unless told.
type Parameters struct {
	Ranks, Radix, Segments int
	Modes
	Places Places
}

// Key names schedules: those of all ranks.
type Key struct {
	Algorithm              *Algorithm
	Ranks, Radix, Segments int32
	Modes
	Places Places
	turn   int32 // of the root among them (at)
}

// Key checks parameters against the restrictions.
func (a *Algorithm) Key(p Parameters) (Key, error) {
	refuse := func(format string, args ...any) (Key, error) {
		return Key{}, fmt.Errorf("%s by %s: %w", a.Collective, a.Name, fmt.Errorf(format, args...))
	}
	k := Key{Algorithm: a, Ranks: int32(p.Ranks), Segments: 1}
	switch {
	case p.Ranks < 1 || p.Ranks > MostRanks:
		return refuse("%d ranks: from 1 to %d", p.Ranks, MostRanks)
	case a.Needs&PowerOfTwo != 0 && p.Ranks&(p.Ranks-1) != 0:
		return refuse("%d ranks: it needs a power of two", p.Ranks)
	case a.Needs&EvenRanks != 0 && p.Ranks%2 != 0 && p.Ranks != 1:
		return refuse("%d ranks: it needs an even number", p.Ranks)
	case a.Radix == 0 && p.Radix != 0:
		return refuse("radix %d: it has none", p.Radix)
	case a.Radix != 0 && p.Radix != 0 && (p.Radix < a.least() || p.Radix > MostRadix):
		return refuse("radix %d: from %d to %d", p.Radix, a.least(), MostRadix)
	case !a.Segmented && p.Segments > 1:
		return refuse("%d segments: it has none", p.Segments)
	case p.Segments < 0 || p.Segments > MostSegments:
		return refuse("%d segments: from 1 to %d", p.Segments, MostSegments)
	case p.Segments > 1 && p.Segments > mostParts/p.Ranks: // a root may send each to all
		return refuse("%d segments among %d ranks: up to %d", p.Segments, p.Ranks, max(mostParts/p.Ranks, 1))
	case !a.Housed && p.Places != Places{}:
		return refuse("places: it has no use for them")
	}
	if k.Radix = int32(p.Radix); p.Radix == 0 {
		k.Radix = a.Radix
	}
	k.Segments = int32(max(p.Segments, 1))
	if err := p.Modes.check(); err != nil {
		return refuse("%w", err)
	}
	switch synced := p.In != MySync || p.Out != MySync; {
	case a.Collective == OpBarrier && (synced || p.Transfer != TwoSided):
		return refuse("transfer %s, %s in, %s out: it moves no data", p.Transfer, p.In, p.Out)
	case a.Needs&Reach != 0 && (p.Transfer != TwoSided || p.Address != Single):
		return refuse("transfer %s, addresses %s: its members load", p.Transfer, p.Address)
	case a.Needs&Network != 0 && p.Transfer != TwoSided:
		return refuse("transfer %s: a network of its own carries it", p.Transfer)
	case (p.In == AllSync || p.Out == AllSync) && p.Segments > synchronized:
		return refuse("%d segments with barriers: up to %d", p.Segments, synchronized)
	}
	if err := p.Places.check(); err != nil {
		return refuse("%w", err)
	}
	if d := p.Places.Places; d > 0 && p.Ranks%int(d) != 0 {
		return refuse("%d ranks dealt to %d places: they must come out even", p.Ranks, d)
	}
	k.Modes, k.Places = p.Modes, p.Places
	if a.Check != nil {
		if err := a.Check(k); err != nil {
			return refuse("%w", err)
		}
	}
	return k, nil
}

func (a *Algorithm) least() int { return max(2, int(a.LeastRadix)) }

// parts is the number of blocks of the key's schedules.
func (k Key) parts() int32 {
	switch {
	case k.Algorithm.Parts != nil:
		return k.Algorithm.Parts(k)
	case k.Algorithm.Collective.ByMember():
		return k.Ranks
	}
	return k.Segments
}

// Make makes the schedule of the rank that is rel after the root.
func (k Key) Make(rel int32) *Schedule {
	b := &Builder{Key: k, Rel: rel, P: k.Ranks, entry: none}
	b.s.Collective, b.s.Ranks, b.s.Parts = k.Algorithm.Collective, k.Ranks, k.parts()
	if k.In == AllSync && k.Ranks > 1 {
		b.enter()
	}
	k.Algorithm.Make(b)
	if k.Out == AllSync && k.Ranks > 1 {
		b.leave()
	}
	return b.finish()
}

// class is the rank's class.
func (k Key) class(rel int32) int64 {
	if k.Algorithm.Class == nil {
		return 0
	}
	return k.Algorithm.Class(k, rel)
}

// Blocks are those of a call on n bytes: of every member's block where blocks go by
// member, of the whole data elsewhere. An element has unit bytes.
func (k Key) Blocks(n, unit int64) Blocks {
	if k.Algorithm.Collective.ByMember() {
		return Even(n, k.parts())
	}
	return Share(n, unit, k.parts())
}

var registry []*Algorithm

func register(all ...*Algorithm) {
	for _, a := range all {
		if _, err := Find(a.Collective, a.Name); err == nil {
			panic("coll: two algorithms " + a.Name + " of " + a.Collective.String())
		}
		registry = append(registry, a)
		a.id = uint8(len(registry))
	}
	slices.SortFunc(registry, func(a, b *Algorithm) int { // those that serve any team first
		if a.Collective != b.Collective {
			return int(a.Collective) - int(b.Collective)
		}
		if d := int(a.Needs&(Reach|Network)) - int(b.Needs&(Reach|Network)); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// All lists the algorithms by collective and name.
func All() []*Algorithm { return registry }

// Of lists those of a collective.
func Of(c Collective) []*Algorithm {
	var of []*Algorithm
	for _, a := range registry {
		if a.Collective == c {
			of = append(of, a)
		}
	}
	return of
}

// Find gives an algorithm by its name.
func Find(c Collective, name string) (*Algorithm, error) {
	for _, a := range registry {
		if a.Collective == c && a.Name == name {
			return a, nil
		}
	}
	var names []string
	for _, a := range Of(c) {
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("%s by %q: there are %s", c, name, strings.Join(names, ", "))
}
