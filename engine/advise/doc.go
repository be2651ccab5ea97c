// Package advise ranks the choices of a scenario, and shows what would change the order.
//
// A candidate is a combination of values of the knobs that may change. The package simulates a candidate
// unless the workload's own cost model puts it far behind. The critical path of a simulation has the
// derivative of the time in each constant. From these, the package predicts the factor of a constant at
// which the runner-up overtakes the winner, and confirms it by simulation.
//
//	axes, late, err := advise.Axes(&scenario, nil, options) // knobs that keep the problem
//	advice, err := advise.Advise(ctx, advise.Request{Scenario: scenario, Axes: axes, Late: late})
//	for _, c := range advice.Candidates {              // by place; a tie shares one
//		fmt.Println(c.Place, c.Name(), c.Time)
//	}
//	for _, f := range advice.Flips { ... }             // confirmed on both sides
//	check, err := advice.Check(ctx, options)           // a live scenario of winner and runner-up
package advise
