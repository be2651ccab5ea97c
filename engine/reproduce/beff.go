package reproduce

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/beff"
	"github.com/hybridtop/hybridtop/models"
)

// nodeCube is the arrangement of the domains of a node with eight CPUs (paper 2, section 5).
var nodeCube = models.NodeBox{I: 2, J: 2, K: 2}

// onNodes sets the number of nodes.
func onNodes(s *engine.Scenario, x float64) error { return s.Set("nodes", fmt.Sprint(int64(x))) }

// effectiveBandwidth is b_eff and its 3-D cyclic pattern (paper 2, section 6, table 1). Averages
// are over message sizes.
var _ = register(&Experiment{
	Name:     "beff",
	Workload: "beff",
	SetX:     onNodes,
	Quantities: append(append(
		bandwidthsOf("average", func(average, _ float64) float64 { return average }),
		bandwidthsOf("at_lmax", func(_, atLmax float64) float64 { return atLmax })...),
		Quantity{
			Name: "bytes_over_remote", Unit: "1", Doc: "all bytes over inter-node bytes (hybrid sends only these)",
			Simulated: func(p, _ *Point) float64 {
				t := &p.Snapshot.Traffic
				return float64(t.Bytes[cluster.InNode]+t.Bytes[cluster.Remote]) / float64(t.Bytes[cluster.Remote])
			},
			Modelled: func(*Point, *Point) float64 { return must(nodeCube.MoreBytes()) },
		},
		Quantity{
			Name: "in_node_share", Unit: "1", Doc: "share of bytes that stay inside a node",
			Simulated: func(p, _ *Point) float64 {
				t := &p.Snapshot.Traffic
				return float64(t.Bytes[cluster.InNode]) / float64(t.Bytes[cluster.InNode]+t.Bytes[cluster.Remote])
			},
			Modelled: func(*Point, *Point) float64 {
				intra, inter, err := nodeCube.Faces()
				return must(float64(intra)/float64(intra+inter), err)
			},
		},
	),
	Terms: func(p *Point) []Term {
		l := p.Scenario.Layout()
		// spell is the time in which every process sends 1 MB.
		spell := func(b float64) float64 { return 1e6 * float64(l.Ranks()) / b }
		average, atLmax := beff.Model(&p.Scenario, p.Machine)
		long, all := p.metric("b_eff_at_lmax"), p.metric("b_eff_average")
		return []Term{
			{"1 MB per process in the longest messages", spell(long), spell(atLmax)},
			{"1 MB per process, time added by shorter messages", spell(all) - spell(long), spell(average) - spell(atLmax)},
		}
	},
})

// bandwidthsOf returns b_eff's average or its value at Lmax, in all forms of table 1. of selects
// one of the model's two values.
func bandwidthsOf(name string, pick func(average, atLmax float64) float64) []Quantity {
	simulated := func(p *Point) float64 { return p.metric("b_eff_" + name) }
	modelled := func(p *Point) float64 { return pick(beff.Model(&p.Scenario, p.Machine)) }
	over := func(value func(*Point) float64, parts func(*Point) int) func(p, _ *Point) float64 {
		return func(p, _ *Point) float64 { return value(p) / float64(parts(p)) }
	}
	one := func(*Point) int { return 1 }
	nodes := func(p *Point) int { return int(p.Scenario.Int("nodes")) }
	processes := func(p *Point) int { l := p.Scenario.Layout(); return l.Ranks() }
	times := func(value func(*Point) float64) func(p, other *Point) float64 {
		return func(p, other *Point) float64 { return value(p) / value(other) }
	}
	longer := func(value func(*Point) float64) func(p, other *Point) float64 {
		return func(p, other *Point) float64 {
			return must(models.HybridRatio(value(p), value(other), must(nodeCube.MoreBytes())))
		}
	}
	return []Quantity{
		{Name: name, Unit: "B/s", Doc: "bandwidth of all processes together", Simulated: over(simulated, one),
			Modelled: over(modelled, one)},
		{Name: name + "_per_node", Unit: "B/s", Doc: "a node", Simulated: over(simulated, nodes),
			Modelled: over(modelled, nodes)},
		{Name: name + "_per_process", Unit: "B/s", Doc: "a process", Simulated: over(simulated, processes),
			Modelled: over(modelled, processes)},
		{Name: name + "_ratio", Unit: "1", Doc: "bandwidth relative to another series", Against: Another,
			Simulated: times(simulated), Modelled: times(modelled)},
		{Name: name + "_time_ratio", Unit: "1",
			Doc: "T_hybrid/T_MPP: bandwidth relative to the hybrid series, with twice the bytes", Against: Another,
			Simulated: longer(simulated), Modelled: longer(modelled)},
	}
}

// must returns a model's value whose arguments are known to be valid.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
