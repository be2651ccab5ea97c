package all

import (
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/bandwidth"
	"github.com/hybridtop/hybridtop/tui/pane/why"
)

// Panes are the panes of the screen.
var Panes = []pane.Spec{
	bandwidth.Spec,
	why.Spec,
}
