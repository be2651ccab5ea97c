package reproduce

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/multigrid"
)

// solves is HPGMG-FV's solve over processes, a box of the finest grid each, 16 a node
// (paper 3, section VI, table I and figure 6).
var _ = register(&Experiment{
	Name:     "multigrid",
	Workload: "multigrid",
	Place: func(s *engine.Scenario, x float64) error {
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
			Name: "solve_time", Unit: "s", Doc: "of a solve",
			Simulated: func(p, _ *Point) float64 { return p.metric("solve_time") },
			Modelled:  func(p, _ *Point) float64 { return multigrid.Model(&p.Scenario, p.Machine) },
		},
		{
			Name: "solve_over", Unit: "1", Doc: "time of a solve over that of another series", Against: Another,
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
