// Package reproduce runs the papers' figures in virtual time on the papers' machines, and checks
// the results against the published ones.
//
// The main loop is Run. It collects the runs that the figures' checks need, each once, runs them
// in parallel, and lets each check judge the results:
//
//	figures, err := presets.FindFigures("fig6", "fig7")
//	report, err := reproduce.Run(ctx, figures, reproduce.Options{}, nil)
//	for _, row := range report.Rows { ... }
//
// The published values are in presets/figures. Each experiment has one Go file here (such as
// randomaccess.go), which registers itself. It defines the workload, how a position on the x axis
// sets its knobs, and its quantities, each simulated and modelled. Neither place contains results.
package reproduce
