// Package calibrate measures this host through the live fabric, fits a machine to
// what it measured, and shows how well a simulation of that machine predicts
// programs that were not used in the fit.
//
// The main loop is Options.run: rounds in which every trial and every check program has
// one turn on the live fabric, so that all of them see the host in the same
// moods; then Fit, a pure function from the trials' times to a machine; then the
// check programs once more, on the simulator with that machine.
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
// A disturbance only ever adds time, so a time is the median of its quiet batches,
// the third that lie closest together; resample.go says how sure that is. The check
// programs are a barrier, windows of messages, a halo exchange, and the bodies of the
// workloads dot and randomaccess as they stand; no trial is one of them.
package calibrate
