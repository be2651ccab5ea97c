package tuner

import (
	"context"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/presets"
)

// Kind returns the kind of the times on a site.
func (p *Site) Kind() engine.Kind {
	switch {
	case p.isVirtual():
		return engine.Simulated
	case p.Machine.Emulated:
		return engine.Emulated
	}
	return engine.Measured
}

// Library returns the Finder of an MPI library's choices on teams with o.PerNode ranks per node.
func (o *Options) Library(name string) Finder {
	sc := algorithm.Defaults(o.Modes)
	return func(at coll.Tuple) (coll.Choice, error) {
		each := max(int(at.PerNode), 1)
		l := cluster.Layout{Nodes: (int(at.Ranks) + each - 1) / each, RanksPerNode: each, ThreadsPerRank: 1, Model: cluster.Flat}
		w := algorithm.Among(&o.Machine, o.Kind(), &l, l.World()[:at.Ranks])
		c, err := w.FromLibrary(sc, name, at.Collective, int(at.Ranks), at.Bytes)
		if err != nil {
			return coll.Choice{}, err
		}
		k := &c.Key
		return coll.Choice{Algorithm: k.Algorithm, Parameters: coll.Parameters{Radix: int(k.Radix), Segments: int(k.Segments),
			Modes: k.Modes, Places: k.Places}}, nil
	}
}

// A LibraryMap compares the choices of an MPI library with the fastest ones, for one collective.
type LibraryMap struct {
	Library    *presets.Library
	Collective coll.Collective
	Machine    string
	PerNode    int // ranks per node
	Kind       engine.Kind
	Sizes      []int64
	Ranks      []int
	Misses     []Miss
}

// mapSizes are the sizes of a LibraryMap in bytes.
var mapSizes = []int64{8, 64, 512, 4096, 32768, 262144}

// maxMapped is the maximum number of ranks of a LibraryMap: larger teams take minutes.
const maxMapped = 128

// MapLibrary simulates the choices of a library and the candidates, on teams of up to a number of ranks. progress
// may be nil.
func MapLibrary(ctx context.Context, m cluster.Machine, collective, library string, ranks, perNode int,
	progress func(done, total int)) (*LibraryMap, error) {
	l, err := presets.FindLibrary(library)
	if err != nil {
		return nil, err
	}
	c, err := coll.CollectiveOf(collective)
	if err != nil {
		return nil, err
	}
	o := Options{Site: Site{Fabric: sim.New(), Machine: m, Seed: 1}, Collectives: []coll.Collective{c}, PerNode: max(perNode, 1),
		Sizes: mapSizes, Transfers: []coll.Transfer{coll.TwoSided}}
	for n := 2; n <= min(ranks, maxMapped); n *= 2 {
		if n%min(o.PerNode, n) == 0 {
			o.Ranks = append(o.Ranks, n)
		}
	}
	if ranks > 1 && ranks <= maxMapped && !slices.Contains(o.Ranks, ranks) && ranks%min(o.PerNode, ranks) == 0 {
		o.Ranks = append(o.Ranks, ranks)
	}
	if len(o.Ranks) == 0 {
		return nil, fmt.Errorf("regret: no team of 2 to %d ranks fills its nodes: %d ranks, %d per node (use another number)", maxMapped,
			ranks, perNode)
	}
	if c == coll.OpBarrier {
		o.Sizes = []int64{0}
	}
	if progress != nil {
		o.Progress = func(p Progress) { progress(p.Done, p.Total) }
	}
	misses, _, err := Misses(ctx, o, o.Library(l.Name))
	if err != nil {
		return nil, err
	}
	if len(misses) == 0 {
		return nil, fmt.Errorf("regret: %s has no rules for %s (use another library or collective)", l.Title, c)
	}
	return &LibraryMap{Library: l, Collective: c, Machine: m.Name, PerNode: o.PerNode, Kind: o.Kind(), Sizes: o.Sizes, Ranks: o.Ranks,
		Misses: misses}, nil
}

// At returns the comparison for a size on a team, or nil if the library has no choice.
func (l *LibraryMap) At(ranks int, bytes int64) *Miss {
	i := slices.IndexFunc(l.Misses, func(m Miss) bool { return int(m.At.Ranks) == ranks && m.At.Bytes == bytes })
	if i < 0 {
		return nil
	}
	return &l.Misses[i]
}

// Worst returns the n largest misses of at least leastShown, the largest first.
func (l *LibraryMap) Worst(n int) []Miss { return worst(l.Misses, n) }
