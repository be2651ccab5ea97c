// Package advise ranks the choices of a scenario, and shows what would change the order.
//
// It simulates every candidate: a combination of values of the knobs that may change. Only candidates
// that the workload's own cost model puts far behind are left out. The path of each simulation has its
// derivatives, so the factor of a constant at which the runner-up overtakes the winner is first
// predicted, then simulated.
//
//	axes, late, err := advise.Axes(&scenario, nil, options) // knobs that keep the problem
//	advice, err := advise.Advise(ctx, advise.Request{Scenario: scenario, Axes: axes, Late: late})
//	for _, c := range advice.Candidates {              // by place; a tie shares one
//		fmt.Println(c.Place, c.Name(), c.Time)
//	}
//	for _, f := range advice.Flips { ... }             // confirmed on both sides
//	p, err := advice.Check(options)                    // a live scenario of both
package advise
