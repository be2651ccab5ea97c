package reproduce

import (
	"fmt"
	"math"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/multigrid"
)

// boxCells is the side of a rank's box of the finest grid (section VI.A).
const boxCells = 128

// layoutOf returns a layout of the point's processes on the figure's machine: 16 per node, half of
// them per socket.
func layoutOf(p *Point) (*cluster.Layout, *cluster.Machine) {
	ranks := int(p.Scenario.Int("processes"))
	return &cluster.Layout{Nodes: (ranks + 15) / 16, RanksPerNode: min(ranks, 16), ThreadsPerRank: 1,
		Ranking: cluster.Sequential, Model: cluster.Flat}, p.Machine
}

var processes = engine.Knob{Name: "processes", Label: "processes", Doc: "processes, a cube number",
	Type: engine.Integer, Default: "8", Min: 8, Max: 1 << 15}

// faces counts the data that a rank sends on the finest grid along a dimension (paper 3, table
// II).
var _ = register(&Experiment{
	Name: "halo",
	Knobs: []engine.Knob{processes,
		{Name: "along", Label: "along", Doc: "dimension: 0, 1, 2 for i, j, k", Type: engine.Integer, Default: "0", Max: 2}},
	SetX: onKnob("processes"),
	Quantities: []Quantity{
		formula("messages", "1", "messages per face, one per row", func(p *Point) float64 {
			return float64(faceOf(p).Messages)
		}),
		formula("bytes", "B", "of each", func(p *Point) float64 { return float64(faceOf(p).Bytes) }),
		formula("link", "1", "farthest link between two processes: 1 on-socket, 2 on-node, 3 PCIe, 4 rank-1, 5 "+
			"rank-2, 6 rank-3", func(p *Point) float64 { return float64(faceOf(p).Link + 1) }),
	},
})

func faceOf(p *Point) multigrid.Face {
	l, m := layoutOf(p)
	per := *m
	if l.RanksPerNode < 16 { // eight ranks are on one socket
		per.Sockets = 1
	}
	key := fmt.Sprintf("faces %d×%d %s %d %+v", l.Nodes, l.RanksPerNode, l.Ranking, per.Sockets, per.Topology)
	along, ok := halos.Load(key)
	if !ok {
		along, _ = halos.LoadOrStore(key, multigrid.Faces(l, &per, boxCells))
	}
	return along.([3]multigrid.Face)[p.Scenario.Int("along")]
}

// halos caches counts: for many ranks counting takes a second, and it does not depend on the
// machine's costs.
var halos sync.Map

// reached tests which resource the cost of a put can belong to: a rank's processor or its node's
// adapter. For each it computes the cost from the slowdown at 8 processes and the number of puts.
// It then predicts the slowdown elsewhere (paper 3, section VI.B).
var _ = register(&Experiment{
	Name: "puts",
	Knobs: []engine.Knob{processes, real("bulk", "time of a solve with bulk messages, s", "0.366", 1000),
		real("bulk-at-8", "time of a solve with bulk messages at 8 processes, s", "0.348", 1000),
		real("slowdown-at-8", "slowdown of fine-grained puts at 8 processes", "1.44", 1000)},
	SetX: onKnob("processes"),
	Quantities: []Quantity{
		formula("cost_processor", "s", "cost of a put if the processor paid it", func(p *Point) float64 {
			return extraAtEight(p) / putsAtEight(0)
		}),
		formula("cost_adapter", "s", "cost of a put if the adapter paid it", func(p *Point) float64 {
			return extraAtEight(p) / putsAtEight(1)
		}),
		formula("slowdown_processor", "1", "slowdown of fine-grained puts if the processor paid the cost",
			func(p *Point) float64 { return slowdown(p, 0) }),
		formula("slowdown_adapter", "1", "slowdown of fine-grained puts if the adapter paid the cost",
			func(p *Point) float64 { return slowdown(p, 1) }),
	},
})

// puts returns the largest number of puts of any rank, and of any node.
func puts(l *cluster.Layout) [2]float64 {
	key := fmt.Sprintf("puts %d×%d %s", l.Nodes, l.RanksPerNode, l.Ranking)
	maxima, ok := halos.Load(key)
	if !ok {
		rank, node := multigrid.Puts(l, boxCells)
		maxima, _ = halos.LoadOrStore(key, [2]float64{float64(rank), float64(node)})
	}
	return maxima.([2]float64)
}

func putsAtEight(of int) float64 {
	return puts(&cluster.Layout{Nodes: 1, RanksPerNode: 8, ThreadsPerRank: 1, Ranking: cluster.Sequential,
		Model: cluster.Flat})[of]
}

func extraAtEight(p *Point) float64 {
	return (p.Scenario.Float("slowdown-at-8") - 1) * p.Scenario.Float("bulk-at-8")
}

func slowdown(p *Point, of int) float64 {
	l, _ := layoutOf(p)
	return 1 + puts(l)[of]*extraAtEight(p)/putsAtEight(of)/p.Scenario.Float("bulk")
}

// solves is HPGMG-FV's solve over processes, with one box of the finest grid per process and 16
// processes per node (paper 3, section VI, table I and figure 6).
var _ = register(&Experiment{
	Name:     "multigrid",
	Workload: "multigrid",
	SetX: func(s *engine.Scenario, x float64) error {
		per := min(x, 16)
		for name, value := range map[string]float64{"nodes": x / per, "ranks-per-node": per, "boxes": math.Cbrt(x)} {
			if err := s.Set(name, fmt.Sprint(int64(math.Round(value)))); err != nil {
				return err
			}
		}
		return nil
	},
	Quantities: []Quantity{
		{
			Name: "solve_time", Unit: "s", Doc: "time of a solve",
			Simulated: func(p, _ *Point) float64 { return p.metric("solve_time") },
			Modelled:  func(p, _ *Point) float64 { return multigrid.Model(&p.Scenario, p.Machine) },
		},
		{
			Name: "solve_over", Unit: "1", Doc: "time of a solve relative to another series", Against: Another,
			Simulated: func(p, other *Point) float64 { return p.metric("solve_time") / other.metric("solve_time") },
			Modelled: func(p, other *Point) float64 {
				return multigrid.Model(&p.Scenario, p.Machine) / multigrid.Model(&other.Scenario, other.Machine)
			},
		},
	},
	Terms: func(p *Point) []Term {
		return []Term{
			{"smoothing", p.metric("time_smooth"), math.NaN()},
			{"packing and transfers", p.metric("time_move"), math.NaN()},
			{"synchronization", p.metric("time_sync"), math.NaN()},
		}
	},
})
