package session

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// maxGroupSizes bounds how many group sizes are compared.
const maxGroupSizes = 24

// maxPlacedRanks is up to how many ranks the law's shares are worked out for
// other group sizes.
const maxPlacedRanks = 1 << 14

// locality keeps what each group size gave, as long as the points compare.
type locality struct {
	frame    []engine.LocalityPoint // what is known without running, by rising group size
	shares   []models.Shares        // the law's, beside it
	measured map[int]*accesses
	group    int      // of the launch under way
	base     accesses // its counts that were forgotten
}

// accesses are counts and times by class.
type accesses struct {
	n    [cluster.Classes]int64
	time [cluster.Classes]cluster.Time
}

func (a *accesses) add(b accesses, sign int64) {
	for c := range cluster.Classes {
		a.n[c] += sign * b.n[c]
		a.time[c] += cluster.Time(sign) * b.time[c]
	}
}

func (a *accesses) total() (n int64, sum cluster.Time) {
	for c := range cluster.Classes {
		n += a.n[c]
		sum += a.time[c]
	}
	return n, sum
}

func (c *counts) all() accesses { return accesses{n: c.accesses, time: c.time} }

// begin prepares for a launch; keep says that earlier points still compare.
func (l *locality) begin(set *setup, keep bool) {
	if !keep || l.measured == nil {
		l.measured = make(map[int]*accesses)
	}
	layout := set.spec.Layout
	l.group, l.base = layout.GroupSize(), accesses{}
	l.frame, l.shares = nil, nil
	if !set.plan.Locality {
		return
	}
	for _, g := range groupSizes(layout.Ranks(), l.group) {
		memory := set.plan.Memory(g) * int64(layout.RanksPerNode)
		p := engine.LocalityPoint{Group: g, Memory: memory, Replicas: layout.Ranks() / g}
		p.Fits = set.machine.MemoryPerNode == 0 || memory <= set.machine.MemoryPerNode
		shares := models.PlacedShares(layout.Ranks(), layout.NodeOf, func(rank int) int { return rank / g })
		p.LawRank, p.LawNode = shares.Rank, shares.Node
		l.frame = append(l.frame, p)
		l.shares = append(l.shares, shares)
	}
}

// groupSizes are the divisors of ranks, thinned to powers of two and the ends if
// there are many; group is always among them.
func groupSizes(ranks, group int) []int {
	if ranks > maxPlacedRanks {
		return []int{group}
	}
	var all []int
	for g := 1; g <= ranks; g++ {
		if ranks%g == 0 {
			all = append(all, g)
		}
	}
	if len(all) <= maxGroupSizes {
		return all
	}
	return slices.DeleteFunc(all, func(g int) bool {
		return g&(g-1) != 0 && g != group && g != ranks
	})
}

// fold adds the counts of a launch that is over to its group size.
func (l *locality) fold(c *counts) {
	now := l.current(c)
	l.measured[l.group] = &now
	l.base = c.all()
}

// forget drops every point, and what the launch under way has counted so far.
func (l *locality) forget(c *counts) {
	clear(l.measured)
	l.base = c.all()
}

// current is what the present group size has given in all.
func (l *locality) current(c *counts) accesses {
	var a accesses
	if m := l.measured[l.group]; m != nil {
		a = *m
	}
	a.add(c.all(), 1)
	a.add(l.base, -1)
	return a
}

// points fills the frame with what was measured, and with the law: each class's
// mean latency over all points, weighed by the law's shares.
func (l *locality) points(c *counts) []engine.LocalityPoint {
	if len(l.frame) == 0 {
		return nil
	}
	of := func(group int) accesses {
		if group == l.group {
			return l.current(c)
		}
		if m := l.measured[group]; m != nil {
			return *m
		}
		return accesses{}
	}
	var all accesses
	points := slices.Clone(l.frame)
	for i := range points {
		p := &points[i]
		a := of(p.Group)
		all.add(a, 1)
		n, sum := a.total()
		p.Accesses = n
		p.RankLocal, p.NodeLocal, p.Access = math.NaN(), math.NaN(), math.NaN()
		if n > 0 {
			p.RankLocal = float64(a.n[cluster.InRank]) / float64(n)
			p.NodeLocal = 1 - float64(a.n[cluster.Remote])/float64(n)
			p.Access = sum.Seconds() / float64(n)
		}
	}
	for i := range points {
		points[i].LawAccess = law(&all, l.shares[i])
	}
	return points
}

// law is l_avg at the given shares; NaN if it needs the latency of a class that
// was never accessed.
func law(all *accesses, s models.Shares) float64 {
	var mean [cluster.Classes]float64
	share := [cluster.Classes]float64{s.Rank, s.Node - s.Rank, 1 - s.Node}
	for c := range cluster.Classes {
		switch {
		case all.n[c] > 0:
			mean[c] = all.time[c].Seconds() / float64(all.n[c])
		case share[c] > 1e-9:
			return math.NaN()
		}
	}
	return models.Levels{Rank: mean[cluster.InRank], Node: mean[cluster.InNode], Remote: mean[cluster.Remote]}.Average(s)
}
