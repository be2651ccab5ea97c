// Package reproduce runs what the papers' figures show, in virtual time on the
// papers' machines, and checks it against what they publish.
//
// The main loop is Run: collect the runs that the figures' checks rest on, each
// once; run them side by side; let each check judge what came out:
//
//	figures, err := presets.FindFigures("fig6", "fig7")
//	report, err := reproduce.Run(ctx, figures, reproduce.Options{}, nil)
//	for _, row := range report.Rows { ... }
//
// What is published stands in presets/figures. How it is run stands in one Go file
// an experiment, here (randomaccess.go), which registers itself: the workload, how
// a place on the x axis turns its knobs, and its quantities, each as simulated and
// as modelled. No result stands in either.
package reproduce
