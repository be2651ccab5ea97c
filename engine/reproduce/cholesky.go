package reproduce

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/cholesky"
)

// rowsOfANode is the side of a node's part of the weakly scaled matrix (paper 5, section 6.1;
// section 6.2 does not deviate from it).
const rowsOfANode = 8192

// factorizations is the Cholesky factorization of paper 5, section 6.2, over nodes: one rank per
// node, whose kernels use all its cores.
var _ = register(&Experiment{
	Name:     "cholesky",
	Workload: "cholesky",
	SetX: func(s *engine.Scenario, x float64) error {
		rows := math.Round(rowsOfANode * math.Sqrt(x))
		for name, value := range map[string]float64{"nodes": x, "ranks-per-node": 1, "n": rows} {
			if err := s.Set(name, fmt.Sprint(int64(value))); err != nil {
				return err
			}
		}
		return nil
	},
	Quantities: []Quantity{
		{
			Name: "flop_rate", Unit: "1/s", Doc: "operations per second of a factorization, all nodes",
			Simulated: func(p, _ *Point) float64 { return p.metric("flop_rate") },
			Modelled:  factorRate,
		},
		{
			Name: "rate_over", Unit: "1", Doc: "operations per second relative to another series", Against: Another,
			Simulated: func(p, other *Point) float64 { return p.metric("flop_rate") / other.metric("flop_rate") },
			Modelled:  func(p, other *Point) float64 { return factorRate(p, nil) / factorRate(other, nil) },
		},
		{
			Name: "round3_share", Unit: "1", Doc: "share of hand-off and round 3 in communication, mean over ranks",
			Simulated: func(p, _ *Point) float64 {
				last := p.metric("handoff_time") + p.metric("round3_time")
				return last / (last + p.metric("round1_time") + p.metric("round2_time"))
			},
			Modelled: unknown,
		},
	},
	Terms: func(p *Point) []Term {
		return []Term{
			{"products", p.metric("update_time"), math.NaN()},
			{"blocks on the diagonal and solves", p.metric("potrf_time") + p.metric("trsm_time"), math.NaN()},
			{"round 1", p.metric("round1_time"), math.NaN()},
			{"round 2", p.metric("round2_time"), math.NaN()},
			{"hand-off", p.metric("handoff_time"), math.NaN()},
			{"round 3", p.metric("round3_time"), math.NaN()},
		}
	},
})

// factorRate returns the rate by the model.
func factorRate(p, _ *Point) float64 {
	return cholesky.Flops(int(p.Scenario.Int("n"))) / cholesky.Model(&p.Scenario, p.Machine, engine.Simulated)
}
