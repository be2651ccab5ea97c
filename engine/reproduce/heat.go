package reproduce

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/heat"
)

// heatSteps is heat conduction over the number of nodes, with six processes and devices each
// (paper 4, section V). The knob nodes multiplies x, so that a series can represent twice as many
// nodes.
var _ = register(&Experiment{
	Name: "heat", Workload: "heat",
	SetX: func(s *engine.Scenario, x float64) error {
		times := 1.0
		if s.Int("nodes") == 2 {
			times = 2
		}
		return s.Set("nodes", fmt.Sprint(int64(math.Round(times*x))))
	},
	Quantities: heatQuantities,
	Terms:      heatTerms,
})

// heatNoise is the same on a fixed number of nodes, over the number of detours per second of each
// process. A detour is one interruption by OS noise. Its length is such that all detours take 2.5
// % of the time.
var _ = register(&Experiment{
	Name: "heat-noise", Workload: "heat",
	SetX: func(s *engine.Scenario, x float64) error {
		if err := s.Set("noise-rate", fmt.Sprint(x)); err != nil || x == 0 {
			return err
		}
		return s.Set("noise-length", fmt.Sprint(detoured/x))
	},
	Quantities: heatQuantities,
	Terms:      heatTerms,
})

// detoured is the share of a process's time that its detours take.
const detoured = 0.025

var heatQuantities = []Quantity{
	{
		Name: "step_time", Unit: "s", Doc: "time per step",
		Simulated: func(p, _ *Point) float64 { return p.metric("step_time") },
		Modelled:  heatModel,
	},
	{
		Name: "step_over", Unit: "1", Doc: "time per step relative to another series", Against: Another,
		Simulated: func(p, other *Point) float64 { return p.metric("step_time") / other.metric("step_time") },
		Modelled:  func(p, other *Point) float64 { return heatModel(p, nil) / heatModel(other, nil) },
	},
	{
		Name: "median_over", Unit: "1", Doc: "median of two successive steps relative to another series; the model " +
			"has no noise", Against: Another,
		Modelled:  func(p, other *Point) float64 { return heatModel(p, nil) / heatModel(other, nil) },
		Simulated: func(p, other *Point) float64 { return p.metric("step_median") / other.metric("step_median") },
	},
	{
		Name: "width_over", Unit: "1", Doc: "10th to 90th percentile range of two successive steps, relative to " +
			"another series", Against: Another, Modelled: unknown,
		Simulated: func(p, other *Point) float64 {
			return p.metric("step_spread") * p.metric("step_median") /
				(other.metric("step_spread") * other.metric("step_median"))
		},
	},
}

func heatModel(p, _ *Point) float64 { return heat.Model(&p.Scenario, p.Machine).Time() }

func heatTerms(p *Point) []Term {
	model := heat.Model(&p.Scenario, p.Machine)
	exchange, compute := model.Parts()
	return []Term{
		{"kernels and their fences", p.metric("compute_time"), compute},
		{"exchange of faces", p.metric("exchange_time"), exchange},
		{"reduction", p.metric("reduce_time"), model.Reduce},
	}
}
