// Package panetest creates typical snapshots of a session and draws panes with them for golden
// files. The snapshots are the same for each call and on every host:
//
//	panetest.Looks(t, &Spec, "a run", nil, panetest.Demo(4, 4, 4))
//
// Package runs has simulated runs of every workload.
package panetest
