package reproduce

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// randomAccess is the random-access benchmark of paper 1 (sections 4.1 and 4.3.1) over processors.
// P of l_avg is the share inside the node: an access to memory of any rank of the node is a load.
var _ = register(&Experiment{
	Name:     "randomaccess",
	Workload: "randomaccess",
	SetX:     byProcessors,
	Quantities: []Quantity{
		{
			Name: "rank_local_share", Unit: "1", Doc: "share of accesses in the local rank's memory",
			Simulated: func(p, _ *Point) float64 { return p.metric("rank_local_share") },
			Modelled:  func(p, _ *Point) float64 { return accessShares(p).Rank },
			Sigma: func(p *Point, truth float64) float64 {
				l := p.Scenario.Layout()
				return binomialError(truth, float64(l.Ranks())*float64(p.Scenario.Int("accesses")))
			},
		},
		{
			Name: "access_time", Unit: "s", Doc: "mean time of an access without computation",
			Simulated: func(p, _ *Point) float64 { return p.metric("access_time_mean") },
			Modelled:  func(p, _ *Point) float64 { return accessTime(p) },
		},
		{
			Name: "time_per_access", Unit: "s", Doc: "mean time of an access with the computation on its element",
			Simulated: func(p, _ *Point) float64 { return p.metric("time_per_access") },
			Modelled:  func(p, _ *Point) float64 { return accessTime(p) + computing(p) },
		},
		{
			Name: "speedup", Unit: "1", Doc: "speedup over the baseline on as many processors", Against: "baseline",
			Simulated: func(p, base *Point) float64 { return base.metric("time_per_access") / p.metric("time_per_access") },
			Modelled: func(p, base *Point) float64 {
				return (accessTime(base) + computing(base)) / (accessTime(p) + computing(p))
			},
		},
	},
	Terms: func(p *Point) []Term {
		s := accessShares(p)
		model := [cluster.Classes]float64{s.Rank, s.Node - s.Rank, 1 - s.Node}
		n := 0.0
		for _, q := range p.Snapshot.Latency {
			n += float64(q.Count)
		}
		terms := []Term{{"computing", p.metric("time_per_access") - p.metric("access_time_mean"), computing(p)}}
		for c, name := range [cluster.Classes]string{"accesses in the rank", "accesses in the node", "remote accesses"} {
			q := p.Snapshot.Latency[c]
			t := Term{Name: name, Modelled: model[c] * p.Machine.AccessTime(cluster.Class(c), element).Seconds()}
			if q.Count > 0 {
				t.Simulated = float64(q.Count) / n * q.Mean
			}
			terms = append(terms, t)
		}
		return terms
	},
})

// binomialError returns the standard error of a share p of n independent accesses.
func binomialError(p, n float64) float64 { return math.Sqrt(p * (1 - p) / n) }

// accessShares returns the shares of a run's accesses by the law.
func accessShares(p *Point) models.Shares {
	l := p.Scenario.Layout()
	return models.PlacedShares(l.Ranks(), l.NodeOf, l.GroupOf)
}

// accessTime returns l_avg with three levels. If self and intra-node accesses cost the same, it
// equals (l_l − l_r)·P + l_r, where P is the share inside the node (paper 1, section 4.3.1).
func accessTime(p *Point) float64 {
	at := func(c cluster.Class) float64 { return p.Machine.AccessTime(c, element).Seconds() }
	return models.Levels{Rank: at(cluster.InRank), Node: at(cluster.InNode),
		Remote: at(cluster.Remote)}.Average(accessShares(p))
}

// element is the size of an access in bytes.
const element = 8

// computing returns the time of the operations on an element.
func computing(p *Point) float64 {
	return p.Machine.ComputeTime(cluster.Work{Flops: float64(p.Scenario.Int("flops")), Kernel: cluster.Chain}).Seconds()
}

// byProcessors sets the number of processors of a point, which must fill whole nodes.
func byProcessors(s *engine.Scenario, x float64) error {
	perNode := s.Int("ranks-per-node")
	n := int64(x)
	if float64(n) != x || n%perNode != 0 {
		return fmt.Errorf("%v processors do not fill nodes of %d", x, perNode)
	}
	return s.Set("nodes", fmt.Sprint(n/perNode))
}
