// Package runs has simulated runs of every registered workload, for tests of panes and of
// the screen. Their numbers are the same on every host:
//
//	for _, name := range runs.Workloads() {
//		s := runs.Of(name).On(t, "demo")
//		…
//	}
package runs
