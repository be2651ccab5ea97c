package reproduce

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/spmv"
)

// sparse is the sparse matrix-vector product over local planes (paper 2, section 7.2.2, figures 6
// and 7).
var _ = register(&Experiment{
	Name:     "spmv",
	Workload: "spmv",
	SetX:     onKnob("local-k"),
	Quantities: []Quantity{
		{
			Name: "epsilon", Unit: "1", Doc: "T_masteronly / T_scheme",
			Simulated: func(p, _ *Point) float64 { return p.metric("epsilon") },
			Modelled:  func(p, _ *Point) float64 { return epsilonOf(p) },
		},
		{
			Name: "time_ratio", Unit: "1", Doc: "T_scheme / T_masteronly; above 1, overlap no longer pays off",
			Simulated: func(p, _ *Point) float64 { return 1 / p.metric("epsilon") },
			Modelled:  func(p, _ *Point) float64 { return 1 / epsilonOf(p) },
		},
		{
			Name: "epsilon_over", Unit: "1", Doc: "ε relative to another series", Against: Another,
			Simulated: func(p, other *Point) float64 { return p.metric("epsilon") / other.metric("epsilon") },
			Modelled:  func(p, other *Point) float64 { return epsilonOf(p) / epsilonOf(other) },
		},
		{
			Name: "comm_cost", Unit: "1", Doc: "x_comm / x_MVM,overlap from the bandwidths",
			Simulated: func(p, _ *Point) float64 { return p.metric("x_comm_over_x_overlap") },
			Modelled: func(p, _ *Point) float64 {
				c := spmv.Model(&p.Scenario, p.Machine)
				return c.CommCost(int(p.Scenario.Int("local-k")))
			},
		},
		{
			Name: "wrong_rows", Unit: "1", Doc: "share of wrong rows in the product of the scheme", Wrong: true,
			Simulated: func(p, _ *Point) float64 { return p.metric("wrong_rows") },
			Modelled:  unknown,
		},
	},
	Terms: productTerms,
})

// threads is the product on one node over threads, with its speedup over one thread (figure 7,
// inset). A series with threading = single keeps one thread.
var _ = register(&Experiment{
	Name:     "spmv-threads",
	Workload: "spmv",
	SetX: func(s *engine.Scenario, x float64) error {
		if s.Text("threading") == "single" {
			x = 1
		}
		return onKnob("threads-per-rank")(s, x)
	},
	Quantities: []Quantity{
		{
			Name: "product_time", Unit: "s", Doc: "time of the product alone, masteronly",
			Simulated: func(p, _ *Point) float64 { return computed(p) },
			Modelled: func(p, _ *Point) float64 {
				c := spmv.Model(&p.Scenario, p.Machine)
				return c.Overlap + c.Wait
			},
		},
		{
			Name: "speedup", Unit: "1", Doc: "speedup of the product alone over another series", Against: Another,
			Simulated: func(p, one *Point) float64 { return computed(one) / computed(p) },
			Modelled: func(p, one *Point) float64 {
				a, b := spmv.Model(&one.Scenario, one.Machine), spmv.Model(&p.Scenario, p.Machine)
				return (a.Overlap + a.Wait) / (b.Overlap + b.Wait)
			},
		},
	},
	Terms: productTerms,
})

func epsilonOf(p *Point) float64 {
	c := spmv.Model(&p.Scenario, p.Machine)
	return c.Epsilon()
}

// computed returns the computation time of masteronly.
func computed(p *Point) float64 { return p.metric("time_overlap") + p.metric("time_non") }

// productTerms splits the time of masteronly.
func productTerms(p *Point) []Term {
	c := spmv.Model(&p.Scenario, p.Machine)
	return []Term{
		{"communication", p.metric("time_comm"), c.Comm},
		{"computing that need not wait", p.metric("time_overlap"), c.Overlap},
		{"computing that waits for the halo", p.metric("time_non"), c.Wait},
	}
}
