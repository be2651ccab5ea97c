package tuner

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Miss compares a table's choice with the best one for a tuple that was not tuned.
type Miss struct {
	At     coll.Tuple
	Chosen coll.Choice
	Best   coll.Choice // of all candidates
	Took   cluster.Time
	Least  cluster.Time
}

// Regret returns the additional time of the chosen one relative to the best: 0.1 means 10 %
// slower.
func (m *Miss) Regret() float64 { return float64(m.Took)/float64(m.Least) - 1 }

// Mean returns the mean regret.
func Mean(all []Miss) float64 {
	sum := 0.0
	for i := range all {
		sum += all[i].Regret()
	}
	return sum / float64(len(all))
}

// A Finder returns the choice for a tuple.
type Finder func(coll.Tuple) (coll.Choice, error)

// HeldOut draws n tuples within the limits of a tuning that were not tuned: teams and sizes are
// any numbers of ranks and elements, equally likely in each octave.
func (o *Options) HeldOut(n int, seed uint64) []coll.Tuple {
	rng := rand.New(rand.NewPCG(seed, 0x72656772657473))
	drawLog := func(from, to float64) int64 {
		return int64(math.Round(from * math.Pow(to/from, rng.Float64())))
	}
	ranks := slices.Clone(o.Ranks)
	slices.Sort(ranks)
	bytes := slices.Clone(o.Sizes)
	slices.Sort(bytes)
	var drawn []coll.Tuple
	for tries := 0; len(drawn) < n && tries < 100*n; tries++ {
		c := o.Collectives[tries%len(o.Collectives)]
		team := drawLog(float64(max(ranks[0], 2)), float64(ranks[len(ranks)-1]))
		if each := int64(max(o.PerNode, 1)); team > each {
			team -= team % each
		}
		size := drawLog(float64(max(bytes[0], 8)), float64(max(bytes[len(bytes)-1], 8))) &^ 7
		if c == coll.OpBarrier {
			size = 0
		}
		at := o.tuple(c, int(team), size)
		if slices.Contains(o.Ranks, int(team)) && slices.Contains(o.Sizes, size) || slices.Contains(drawn, at) ||
			o.checkFits(at) != nil || o.data(at) > maxPayload {
			continue
		}
		drawn = append(drawn, at)
	}
	return drawn
}

// Regret measures the choices of find for tuples together with all other candidates. On a real clock
// the best of many measurements is biased by luck. The best one is therefore timed again,
// alternating with the chosen one.
func Regret(ctx context.Context, o Options, find Finder, tuples []coll.Tuple,
	progress func(done int)) ([]Miss, error) {
	all := make([]Miss, len(tuples))
	var mu sync.Mutex
	done := 0
	err := each(ctx, o.workers(), len(tuples), func(ctx context.Context, i int) error {
		var err error
		all[i], err = o.compareChoice(ctx, find, tuples[i])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		if progress != nil {
			progress(done)
		}
		return nil
	})
	return all, err
}

func (p *Options) compareChoice(ctx context.Context, find Finder, at coll.Tuple) (Miss, error) {
	chosen, err := find(at)
	if err != nil {
		return Miss{}, err
	}
	choices := []coll.Choice{chosen}
	fit, _ := p.candidates(at)
	for _, c := range fit {
		if c != chosen {
			choices = append(choices, c)
		}
	}
	times, err := p.measure(ctx, at, choices, searchPace)
	if err != nil {
		return Miss{}, err
	}
	best := slices.Index(times, slices.MinFunc(times, func(a, b cluster.Time) int { return cmp.Compare(a, b) }))
	m := Miss{At: at, Chosen: chosen, Best: choices[best], Took: times[0], Least: times[best]}
	if p.isVirtual() || best == 0 {
		m.Took = times[0]
		return m, nil
	}
	err = p.alternate(ctx, &m)
	return m, err
}

// alternate times the chosen and the best choice of a Miss in turn. If the chosen one is not slower, it is the best.
func (p *Options) alternate(ctx context.Context, m *Miss) error {
	times, err := p.measure(ctx, m.At, []coll.Choice{m.Chosen, m.Best}, comparePace)
	if err != nil {
		return err
	}
	m.Took, m.Least = times[0], times[1]
	if m.Least >= m.Took {
		m.Best, m.Least = m.Chosen, m.Took
	}
	return nil
}

// Misses tunes, and compares the choices of find with the fastest ones for the teams and sizes of o. It returns
// no Miss for tuples for which find has no choice.
func Misses(ctx context.Context, o Options, find Finder) ([]Miss, *Result, error) {
	result, err := Tune(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	var all []Miss
	for _, r := range result.Table.Rules() {
		if r.Collective != coll.OpBarrier && !slices.Contains(o.Sizes, r.Bytes) {
			continue // a size where the fastest algorithm changes
		}
		m := Miss{At: r.Tuple, Best: r.Choices[0]}
		if m.Chosen, err = find(r.Tuple); err == nil {
			all = append(all, m)
		}
	}
	err = each(ctx, o.workers(), len(all), func(ctx context.Context, i int) error { return o.alternate(ctx, &all[i]) })
	return all, result, err
}
