package collective

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A teamSite is the machine and the locations of the team.
type teamSite struct{ algorithm.Team }

// teamSiteOf returns the site of a scenario's team, for numbers of a kind.
func teamSiteOf(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) teamSite {
	l := s.Layout()
	return teamSiteIn(&l, m, kind)
}

// teamSiteIn returns the site of a layout's team.
func teamSiteIn(l *cluster.Layout, m *cluster.Machine, kind engine.Kind) teamSite {
	return teamSite{algorithm.World(m, kind, l)}
}

// teamSiteOn returns the site of a scenario's team on a site.
func teamSiteOn(s *engine.Scenario, site *workload.Site) teamSite {
	return teamSiteOf(s, site.Machine, site.Kind())
}

// chosen returns the schedules that the knobs select.
func (w teamSite) chosen(s algorithm.Reader, ranks int) (coll.Key, error) {
	return w.Chosen(s, of(s), ranks, length(s))
}

// cell returns the collective of a run, for online tuning.
func (w teamSite) cell(s algorithm.Reader, ranks int) algorithm.Cell {
	return algorithm.Cell{Team: w.Team, What: of(s), Ranks: ranks, Bytes: length(s)}
}

// tried returns the schedules that online tuning tries, or the only ones that the run uses.
func (w teamSite) tried(s algorithm.Reader, ranks int) ([]coll.Key, error) {
	c := w.cell(s, ranks)
	return c.Keys(s, algorithm.Tried(s, c))
}

// how describes how the model or a library chose the algorithm, or returns "" if the knobs name it.
func (w teamSite) how(s algorithm.Reader, ranks int) string {
	name := s.Text("algorithm")
	if algorithm.IsLibrary(name) {
		c, err := w.FromLibrary(s, name, of(s), ranks, length(s))
		if err != nil {
			return ""
		}
		return c.Words()
	}
	if name != algorithm.ByModel {
		return ""
	}
	c, err := w.Choose(s, of(s), ranks, length(s))
	if err != nil {
		return ""
	}
	return c.Words()
}

// length returns the size of a call in bytes.
func length(s algorithm.Reader) int64 {
	if of(s) == coll.OpBarrier {
		return 0
	}
	return s.Int("size")
}

// fine is the resolution of the costs: one nudge changes no choice of the longest path. generic
// makes it unlikely that two paths have the same length.
const (
	fine  = 1 << 16
	nudge = 1 << 4
)

var generic = coll.Cost{L: 7 << 10, O: 3 << 10, Gap: 2 << 10, G: 1 << 10, Copy: 1 << 9, Combine: 1 << 9}

// terms returns the terms of a predicted time: the count of each cost on the longest path. The
// formulas are sums and maxima of costs, so the derivative of a time by a cost is its count.
func terms(k *coll.Key, c *coll.Cost, n int64) []Term {
	scaled := coll.Cost{
		L: fine*c.L + generic.L, O: fine*c.O + generic.O, Gap: fine*c.Gap + generic.Gap, G: fine*c.G + generic.G,
		Copy: fine*c.Copy + generic.Copy, Combine: fine*c.Combine + generic.Combine,
		Network: coll.CollectiveNetwork{L: fine * c.Network.L, Barrier: fine * c.Network.Barrier, G: fine * c.Network.G},
	}
	if before := k.Predict(c, n); before > math.MaxInt64/fine/4 {
		return nil // overflow of Time
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
