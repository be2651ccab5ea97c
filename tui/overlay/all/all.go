package all

import (
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/overlay/answer"
	"github.com/hybridtop/hybridtop/tui/overlay/edit"
	"github.com/hybridtop/hybridtop/tui/overlay/find"
	"github.com/hybridtop/hybridtop/tui/overlay/help"
	"github.com/hybridtop/hybridtop/tui/overlay/lessons"
	"github.com/hybridtop/hybridtop/tui/overlay/machines"
	"github.com/hybridtop/hybridtop/tui/overlay/page"
	"github.com/hybridtop/hybridtop/tui/overlay/palette"
	"github.com/hybridtop/hybridtop/tui/overlay/scenarios"
)

// Overlays lists the overlays of the screen.
var Overlays = []overlay.Spec{
	palette.Spec,
	edit.Spec,
	help.Spec,
	machines.Spec,
	find.Spec,
	scenarios.Spec,
	lessons.Spec,
	answer.Spec,
	page.Launch,
	page.IDs,
}
