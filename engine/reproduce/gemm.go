package reproduce

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/gemm"
)

// gemmSide is the side of a node's part of each matrix (paper 5, section 6.1).
const gemmSide = 8192

// products is the weakly scaled matrix product of paper 5, section 6.1, over the side q of a
// square grid of nodes, one rank per node: n = 8192·q.
var _ = register(&Experiment{
	Name:     "gemm",
	Workload: "gemm",
	SetX: func(s *engine.Scenario, q float64) error {
		if q != math.Round(q) || q < 1 || q > 64 {
			return fmt.Errorf("grid side %v: want 1 to 64", q)
		}
		for name, value := range map[string]float64{"nodes": q * q, "n": gemmSide * q, "rows": q} {
			if err := s.Set(name, fmt.Sprint(int64(value))); err != nil {
				return err
			}
		}
		return nil
	},
	Quantities: []Quantity{
		{
			Name: "node_rate", Unit: "1/s", Doc: "2n³ operations over the time of a product, per node",
			Simulated: func(p, _ *Point) float64 { return p.metric("node_flops") },
			Modelled: func(p, _ *Point) float64 {
				n := float64(p.Scenario.Int("n"))
				return 2 * n * n * n / gemmModel(p) / float64(p.Scenario.Int("nodes"))
			},
		},
		{
			Name: "compute_share", Unit: "1", Doc: "share of the speed without communication",
			Simulated: func(p, _ *Point) float64 { return p.metric("compute_share") },
			Modelled: func(p, _ *Point) float64 {
				all, compute, _ := gemm.Model(&p.Scenario, p.Machine, engine.Simulated)
				return compute / all
			},
		},
		{
			Name: "speedup_over", Unit: "1", Doc: "time of another series over the time of this one", Against: Another,
			Simulated: func(p, other *Point) float64 { return other.metric("gemm_time") / p.metric("gemm_time") },
			Modelled:  func(p, other *Point) float64 { return gemmModel(other) / gemmModel(p) },
		},
	},
	Terms: func(p *Point) []Term {
		_, compute, _ := gemm.Model(&p.Scenario, p.Machine, engine.Simulated)
		return []Term{
			{"multiplying", p.metric("compute_time"), compute},
			{"packing", p.metric("pack_time"), math.NaN()},
			{"waiting for panels", p.metric("wait_time"), math.NaN()},
		}
	},
})

func gemmModel(p *Point) float64 {
	all, _, _ := gemm.Model(&p.Scenario, p.Machine, engine.Simulated)
	return all
}
