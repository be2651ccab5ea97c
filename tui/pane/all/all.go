package all

import (
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/bandwidth"
	"github.com/hybridtop/hybridtop/tui/pane/boxes"
	"github.com/hybridtop/hybridtop/tui/pane/checkerboard"
	"github.com/hybridtop/hybridtop/tui/pane/collectives"
	"github.com/hybridtop/hybridtop/tui/pane/explain"
	"github.com/hybridtop/hybridtop/tui/pane/knobs"
	"github.com/hybridtop/hybridtop/tui/pane/latency"
	"github.com/hybridtop/hybridtop/tui/pane/regret"
	"github.com/hybridtop/hybridtop/tui/pane/shapes"
	"github.com/hybridtop/hybridtop/tui/pane/study"
	"github.com/hybridtop/hybridtop/tui/pane/tables"
	"github.com/hybridtop/hybridtop/tui/pane/timeline"
	"github.com/hybridtop/hybridtop/tui/pane/topology"
	"github.com/hybridtop/hybridtop/tui/pane/waits"
	"github.com/hybridtop/hybridtop/tui/pane/why"
	"github.com/hybridtop/hybridtop/tui/pane/winners"
)

// Panes lists the panes of the screen.
var Panes = []pane.Spec{
	topology.Spec,
	bandwidth.Spec,
	latency.Spec,
	tables.Spec,
	study.Spec,
	study.Overlap,
	study.Convergence,
	study.Steps,
	study.Links,
	study.Tries,
	boxes.Spec,
	checkerboard.Spec,
	knobs.Spec,
	why.Spec,
	timeline.Spec,
	waits.Spec,
	collectives.Spec,
	winners.Spec,
	explain.Spec,
	shapes.Spec,
	regret.Spec,
}
