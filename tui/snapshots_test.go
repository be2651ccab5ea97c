package tui

import (
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/pane"
	panereg "github.com/hybridtop/hybridtop/tui/pane/all"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

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

// shownApp returns an app that shows a snapshot.
func shownApp(s *engine.Snapshot) *app {
	a := newApp()
	a.load(s)
	return a
}

// Numbers of the panes by name.
var (
	topologyPane  = paneNamed("cluster")
	bandwidthPane = paneNamed("bandwidth")
	latencyPane   = paneNamed("latency")
	localityPane  = paneNamed("locality")
	knobsPane     = paneNamed("knobs")
	whyPane       = paneNamed("why")
	epsilonPane   = paneNamed("overlap")
	timelinePane  = paneNamed("timeline")
	explainPane   = paneNamed("explain")
	shapesPane    = paneNamed("shapes")
)

func paneNamed(name string) int {
	i := slices.IndexFunc(panereg.Panes, func(s pane.Spec) bool { return s.Name == name })
	if i < 0 {
		panic("no pane " + name)
	}
	return i
}
