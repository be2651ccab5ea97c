package tuner

import (
	"cmp"
	"context"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Limits of the choices that are measured. These are all choices with a predicted time within a
// factor of the best, always the minKept best ones, and the best choice of each algorithm unless
// it is hopeless. A real clock includes costs that the model does not know, so its factor is
// larger.
const (
	keepVirtual = 1.6
	keepReal    = 4
	keepBetween = 1.2 // between two sizes, in addition to the choices near the best of these
	minKept     = 4
	hopeless    = 3 // times the factor
)

// prune removes the choices whose predicted time is much longer than the best.
func prune(all []coll.Choice, at coll.Tuple, cost *coll.Cost, factor float64) []coll.Choice {
	type guess struct {
		choice coll.Choice
		time   cluster.Time
		index  int
	}
	guesses := make([]guess, 0, len(all))
	for i, c := range all {
		k, err := c.Placed(coll.Places{Per: max(at.PerNode, 1)}).Key(at.Ranks)
		if err != nil {
			continue
		}
		guesses = append(guesses, guess{choice: c, time: k.Predict(cost, at.Bytes), index: i})
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.time, b.time) })
	seen := map[*coll.Algorithm]bool{}
	var kept []guess
	for i, g := range guesses {
		near := float64(g.time) <= factor*float64(guesses[0].time)
		first := !seen[g.choice.Algorithm] && float64(g.time) <= hopeless*factor*float64(guesses[0].time)
		seen[g.choice.Algorithm] = true
		if near || first || i < minKept {
			kept = append(kept, g)
		}
	}
	slices.SortFunc(kept, func(a, b guess) int { return cmp.Compare(a.index, b.index) })
	choices := make([]coll.Choice, len(kept))
	for i := range kept {
		choices[i] = kept[i].choice
	}
	return choices
}

// pruneByClock prunes with the factor for the place's clock.
func (p *Site) pruneByClock(all []coll.Choice, at coll.Tuple, cost *coll.Cost) []coll.Choice {
	if p.isVirtual() {
		return prune(all, at, cost, keepVirtual)
	}
	return prune(all, at, cost, keepReal)
}

// Pruned returns the choices that a search for a tuple tries on a machine with costs, after pruning
// by the model (paper 5, section 3.6).
func (p *Site) Pruned(at coll.Tuple, transfers ...coll.Transfer) ([]coll.Choice, error) {
	cost, err := coll.CostOf(&p.Machine)
	if err != nil {
		return nil, err
	}
	return p.pruneByClock(p.Candidates(at, transfers...), at, &cost), nil
}

// cost returns the model's terms for a tuple. They describe inter-node links, or of intra-node
// links for a team on one node. A host without terms is measured once.
func (p *Site) cost(ctx context.Context, at coll.Tuple, host **coll.Cost) (*coll.Cost, error) {
	m := p.Machine
	if at.Ranks <= max(at.PerNode, 1) {
		m.Classes[cluster.Remote] = m.Classes[cluster.InNode]
	}
	if c, err := coll.CostOf(&m); err == nil {
		return &c, nil
	}
	if *host == nil {
		c, err := p.measureCost(ctx)
		if err != nil {
			return nil, err
		}
		*host = c
	}
	return *host, nil
}

// measureCost fits the model's terms to broadcasts between two ranks.
func (p *Site) measureCost(ctx context.Context) (*coll.Cost, error) {
	const short, long = 8, 64 << 10
	flat, err := coll.Find(coll.OpBcast, "flat")
	if err != nil {
		return nil, err
	}
	var t [2]cluster.Time
	for i, n := range []int64{short, long} {
		at := coll.Tuple{Collective: coll.OpBcast, Ranks: 2, PerNode: 2, Bytes: n}
		times, err := p.measure(ctx, at, []coll.Choice{{Algorithm: flat, Parameters: coll.Parameters{Segments: 1}}},
			searchPace)
		if err != nil {
			return nil, err
		}
		t[i] = times[0]
	}
	c := &coll.Cost{L: max(t[0]/2, 1), O: t[0] / 4, G: max(t[1]-t[0], 0) / (long - short)}
	c.Copy, c.Combine = c.G, 2*c.G
	return c, nil
}
