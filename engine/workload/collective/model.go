package collective

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// place is where the team runs.
type place struct{ algorithm.Team }

// placeOf is where a scenario's team runs, for numbers of a kind.
func placeOf(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) place {
	l := s.Layout()
	return placeIn(&l, m, kind)
}

// placeIn is where the team of a layout runs.
func placeIn(l *cluster.Layout, m *cluster.Machine, kind engine.Kind) place {
	return place{algorithm.Team{Machine: m, Kind: kind, Node: l.Nodes == 1, PerNode: l.RanksPerNode, Places: coll.PlacesAmong(l, l.World()), World: true}}
}

// on is that of a site.
func on(s *engine.Scenario, site *workload.Site) place { return placeOf(s, site.Machine, site.Kind()) }

// chosen are the schedules that the knobs ask for.
func (w place) chosen(s algorithm.Reader, ranks int) (coll.Key, error) {
	return w.Chosen(s, of(s), ranks, length(s))
}

// length is the size that the model and the call take.
func length(s algorithm.Reader) int64 {
	if of(s) == coll.OpBarrier {
		return 0
	}
	return s.Int("size")
}

// fine divides the terms, so that a small change of one, by nudge, chooses no other path,
// and generic is what keeps two paths from being equally long.
const (
	fine  = 1 << 16
	nudge = 1 << 4
)

var generic = coll.Cost{L: 7 << 10, O: 3 << 10, Gap: 2 << 10, G: 1 << 10, Copy: 1 << 9, Combine: 1 << 9}

// terms are what a predicted time is made of: how often each cost counts on the path
// that takes longest. The formulas are sums and maxima of the costs, so how a time
// grows with a cost says how often it counts.
func terms(k *coll.Key, c *coll.Cost, n int64) []Term {
	scaled := coll.Cost{
		L: fine*c.L + generic.L, O: fine*c.O + generic.O, Gap: fine*c.Gap + generic.Gap, G: fine*c.G + generic.G,
		Copy: fine*c.Copy + generic.Copy, Combine: fine*c.Combine + generic.Combine,
		Network: coll.CollectiveNetwork{L: fine * c.Network.L, Barrier: fine * c.Network.Barrier, G: fine * c.Network.G},
	}
	if before := k.Predict(c, n); before > math.MaxInt64/fine/4 {
		return nil // beyond what a Time holds
	}
	from := k.Predict(&scaled, n)
	var all []Term
	add := func(name, doc string, cost cluster.Time, more func(*coll.Cost)) {
		with := scaled
		more(&with)
		count := math.Round(float64(k.Predict(&with, n)-from) / nudge)
		if cost > 0 && count > 0 {
			all = append(all, Term{Name: name, Doc: doc, Count: count, Time: count * cost.Seconds()})
		}
	}
	add("L", "latency", c.L, func(c *coll.Cost) { c.L += nudge })
	add("o", "overhead", c.O, func(c *coll.Cost) { c.O += nudge })
	add("g", "gap", c.Gap, func(c *coll.Cost) { c.Gap += nudge })
	add("G", "bandwidth", c.G, func(c *coll.Cost) { c.G += nudge })
	add("copy", "copies", c.Copy, func(c *coll.Cost) { c.Copy += nudge })
	add("add", "reductions", c.Combine, func(c *coll.Cost) { c.Combine += nudge })
	add("Ln", "collective network", c.Network.L, func(c *coll.Cost) { c.Network.L += nudge })
	add("bn", "barrier of the collective network", c.Network.Barrier, func(c *coll.Cost) { c.Network.Barrier += nudge })
	add("Gn", "bandwidth of the collective network", c.Network.G, func(c *coll.Cost) { c.Network.G += nudge })
	return all
}
