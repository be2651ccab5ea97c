package coll

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Needs are the restrictions of an algorithm.
type Needs uint8

// The restrictions.
const (
	PowerOfTwo Needs = 1 << iota // ranks
	EvenRanks                    // an even number of ranks
	EvenBlocks                   // all blocks have the same length
	// a commutative reduction; other algorithms combine in the order of members, starting at the
	// root
	Commutative
	Reach   // loads reach all members, through the shared control block
	Network // the machine has a collective network
)

var needNames = []string{"ranks a power of two", "an even number of ranks", "equal blocks", "a commutative reduction",
	"loads that reach all ranks", "a collective network"}

// Words returns the names of the restrictions.
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
	Paper      string // section of the paper, or another source
	Needs      Needs
	Radix      int32 // default radix; 0: the algorithm has no radix
	MinRadix   int32 // default 2
	Segmented  bool  // the algorithm accepts a number of segments
	UsesPlaces bool  // the algorithm accepts places; without them, each rank is alone

	Make  func(b *Builder)
	Class func(k Key, rel int32) int64 // ranks of one class share a schedule; nil: one class
	Check func(k Key) error            // returns an error for a key without a schedule; nil: no check
	// number of blocks; nil: one per member if blocks are numbered by member, otherwise one per
	// segment
	Parts func(k Key) int32

	// Predict returns the time at which the last rank ends, for blocks (or all shares together) of
	// n bytes. All ranks start together, and messages do not wait for each other.
	Predict func(c *Cost, k Key, n int64) cluster.Time

	id uint8 // number by which members compare their calls
}

// MaxRanks is the maximum size of a team. MaxRadix and MaxSegments limit the size of a schedule.
const (
	MaxRanks    = 1 << 20
	MaxRadix    = 4096
	MaxSegments = math.MaxUint16
	maxParts    = 1 << 19 // segments times ranks
)

// Parameters are the parameters of a key; 0: the algorithm's default.
type Parameters struct {
	Ranks, Radix, Segments int
	Modes
	Places Places
}

// Key identifies the schedules of all ranks: an algorithm with its parameters.
type Key struct {
	Algorithm              *Algorithm
	Ranks, Radix, Segments int32
	Modes
	Places Places
	rootAt int32 // position of the root among them (setRoot)
}

// Key checks parameters against the restrictions.
func (a *Algorithm) Key(p Parameters) (Key, error) {
	k, err := a.newKey(p)
	if err != nil {
		return Key{}, fmt.Errorf("%s by %s: %w", a.Collective, a.Name, err)
	}
	return k, nil
}

func (a *Algorithm) newKey(p Parameters) (k Key, err error) {
	if err := a.checkSizes(p); err != nil {
		return k, err
	}
	if err := a.checkModes(p); err != nil {
		return k, err
	}
	if err := p.checkPlaces(); err != nil {
		return k, err
	}
	k = Key{
		Algorithm: a,
		Ranks:     int32(p.Ranks),
		Radix:     int32(p.Radix),
		Segments:  int32(max(p.Segments, 1)),
		Modes:     p.Modes,
		Places:    p.Places,
	}
	if p.Radix == 0 {
		k.Radix = a.Radix
	}
	if a.Check != nil {
		err = a.Check(k)
	}
	return k, err
}

// checkSizes returns an error if the algorithm does not support the ranks, the radix or the
// segments, or uses no places.
func (a *Algorithm) checkSizes(p Parameters) error {
	switch {
	case p.Ranks < 1 || p.Ranks > MaxRanks:
		return fmt.Errorf("%d ranks: from 1 to %d", p.Ranks, MaxRanks)
	case a.Needs&PowerOfTwo != 0 && p.Ranks&(p.Ranks-1) != 0:
		return fmt.Errorf("%d ranks: want a power of two", p.Ranks)
	case a.Needs&EvenRanks != 0 && p.Ranks%2 != 0 && p.Ranks != 1:
		return fmt.Errorf("%d ranks: want an even number", p.Ranks)
	case a.Radix == 0 && p.Radix != 0:
		return fmt.Errorf("radix %d: it has none", p.Radix)
	case a.Radix != 0 && p.Radix != 0 && (p.Radix < a.least() || p.Radix > MaxRadix):
		return fmt.Errorf("radix %d: from %d to %d", p.Radix, a.least(), MaxRadix)
	case !a.Segmented && p.Segments > 1:
		return fmt.Errorf("%d segments: it has none", p.Segments)
	case p.Segments < 0 || p.Segments > MaxSegments:
		return fmt.Errorf("%d segments: from 1 to %d", p.Segments, MaxSegments)
	case p.Segments > 1 && p.Segments > maxParts/p.Ranks: // a root may send each segment to all ranks
		return fmt.Errorf("%d segments among %d ranks: up to %d", p.Segments, p.Ranks, max(maxParts/p.Ranks, 1))
	case !a.UsesPlaces && p.Places != Places{}:
		return errors.New("places: the algorithm does not use them")
	}
	return nil
}

// checkModes returns an error if the modes do not fit together, or not the algorithm.
func (a *Algorithm) checkModes(p Parameters) error {
	if err := p.Modes.check(); err != nil {
		return err
	}
	isSynchronized := p.In != MySync || p.Out != MySync
	hasBarrier := p.In == AllSync || p.Out == AllSync
	switch {
	case a.Collective == OpBarrier && (isSynchronized || p.Transfer != TwoSided):
		return fmt.Errorf("transfer %s, %s in, %s out: the collective moves no data", p.Transfer, p.In, p.Out)
	case a.Needs&Reach != 0 && (p.Transfer != TwoSided || p.Address != Single):
		return fmt.Errorf("transfer %s, addresses %s: its members load", p.Transfer, p.Address)
	case a.Needs&Network != 0 && p.Transfer != TwoSided:
		return fmt.Errorf("transfer %s: the algorithm uses the collective network", p.Transfer)
	case hasBarrier && p.Segments > maxSynchronized:
		return fmt.Errorf("%d segments with barriers: want at most %d", p.Segments, maxSynchronized)
	}
	return nil
}

// checkPlaces returns an error if the places are invalid for the number of ranks.
func (p Parameters) checkPlaces() error {
	if err := p.Places.check(); err != nil {
		return err
	}
	if d := p.Places.Places; d > 0 && p.Ranks%int(d) != 0 {
		return fmt.Errorf("%d ranks on %d places: want the same number on each place", p.Ranks, d)
	}
	return nil
}

func (a *Algorithm) least() int { return max(2, int(a.MinRadix)) }

// parts returns the number of blocks of the key's schedules.
func (k Key) parts() int32 {
	switch {
	case k.Algorithm.Parts != nil:
		return k.Algorithm.Parts(k)
	case k.Algorithm.Collective.ByMember():
		return k.Ranks
	}
	return k.Segments
}

// Make returns the schedule of the rank that is rel ranks after the root.
func (k Key) Make(rel int32) *Schedule {
	b := &Builder{Key: k, Rel: rel, P: k.Ranks, entry: none}
	b.s.Collective = k.Algorithm.Collective
	b.s.Ranks = k.Ranks
	b.s.Parts = k.parts()
	if k.In == AllSync && k.Ranks > 1 {
		b.enterBarrier()
	}
	k.Algorithm.Make(b)
	if k.Out == AllSync && k.Ranks > 1 {
		b.leaveBarrier()
	}
	return b.finish()
}

// class returns the class of a rank.
func (k Key) class(rel int32) int64 {
	if k.Algorithm.Class == nil {
		return 0
	}
	return k.Algorithm.Class(k, rel)
}

// Blocks returns the blocks of a call on n bytes: per block if blocks are numbered by member,
// otherwise of all data. An element has unit bytes.
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
	slices.SortFunc(registry, func(a, b *Algorithm) int { // algorithms for any team first
		if a.Collective != b.Collective {
			return int(a.Collective) - int(b.Collective)
		}
		if d := int(a.Needs&(Reach|Network)) - int(b.Needs&(Reach|Network)); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// All returns the algorithms by collective and name.
func All() []*Algorithm { return registry }

// Of returns the algorithms of a collective.
func Of(c Collective) []*Algorithm {
	var of []*Algorithm
	for _, a := range registry {
		if a.Collective == c {
			of = append(of, a)
		}
	}
	return of
}

// Find returns the algorithm with a name. A name with a plus sign is a composition.
func Find(c Collective, name string) (*Algorithm, error) {
	if strings.Contains(name, "+") {
		return ParseComposition(c, name)
	}
	return findRegistered(c, name)
}

// findRegistered returns the registered algorithm with a name.
func findRegistered(c Collective, name string) (*Algorithm, error) {
	for _, a := range registry {
		if a.Collective == c && a.Name == name {
			return a, nil
		}
	}
	var names []string
	for _, a := range Of(c) {
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("%s by %q: want one of %s", c, name, strings.Join(names, ", "))
}
