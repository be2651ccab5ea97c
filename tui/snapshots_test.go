package tui

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

const us = cluster.Microsecond

var (
	demo      = panetest.Demo
	scheme    = panetest.Scheme
	simulated = panetest.Simulated
	recorded  = panetest.Recorded

	firstScheme = panetest.FirstScheme
	knob        = panetest.Knob
	masteronly  = panetest.Masteronly
	starting    = panetest.Starting
)

// shownApp is an app on which a snapshot is shown.
func shownApp(s *engine.Snapshot) *app {
	a := newApp()
	a.load(s)
	return a
}
