// Package calibrate measures this host through the live fabric and fits a machine to the measured
// times. It then shows how well a simulation of that machine predicts programs that were not used
// in the fit.
//
// The main loop is Options.run. Each round runs every trial and every check program once on the
// live fabric, so all of them see the same host conditions. Then Fit, a pure function, computes a
// machine from the times of the trials. Finally the simulator runs the check programs on that
// machine.
//
//	for range o.Rounds {
//		for _, j := range jobs { // trials and check programs
//			batches[j] = append(batches[j], j.play(live)...)
//		}
//	}
//	model := Fit(trials)
//	for _, p := range programs {
//		checks = append(checks, newCheck(p, p.play(sim, model.Machine)))
//	}
//
// A disturbance can only add time. A time is therefore the median of its quiet batches, the third
// of the batches with the closest values; resample.go computes its uncertainty. The check programs
// are a barrier, windows of messages, a halo exchange, and the unchanged bodies of the workloads
// dot, randomaccess, heat and multigrid. The fit does not use them.
package calibrate
