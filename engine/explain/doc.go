// Package explain answers why a simulated run takes its time, why one run is faster than another,
// and what a change of the machine would change.
//
// It runs a scenario in a traced simulation. The trace has the critical path of the time that the
// program reports. The path is a chain of pieces whose spans add up to this time. Each piece has the
// constant of the machine that costs it.
//
//	run, err := explain.Explain(ctx, scenario, options)
//	for _, t := range run.Terms {           // by constant
//		fmt.Println(t.Key, t.Span, t.Count)
//	}
//	w := explain.Compare(a, b)              // bars that add up to b.Total - a.Total
//	f := run.Forecast(changes)                 // bounds while no choice changes
//
// While the order in which resources are used stays the same, the time is convex in each constant,
// and the path has its derivative. The line along the derivative is a lower bound. The hash of all
// choices shows whether two runs made the same ones.
package explain
