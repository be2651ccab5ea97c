// Package panetest has snapshots as a session would publish them, and draws panes with them
// for their golden files. They are the same at each call and on every host:
//
//	panetest.Looks(t, &Spec, "a run", nil, panetest.Demo(4, 4, 4))
//
// Package runs has simulated runs of every workload.
package panetest
