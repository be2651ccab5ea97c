package pane

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// Pane draws a snapshot and answers keys. One that the mouse can act on is a
// [Clicker] or a [Wheeler] as well.
type Pane interface {
	// Inputs is what the pane depends on beside its own state: it is drawn
	// again when they change.
	Inputs(*Host) Inputs
	// Draw draws the pane inside its border, and returns what stands on the
	// border. It must take any size.
	Draw(grid.View, *Host) Border
	// Actions are what the pane does when it has the focus. The list never
	// changes.
	Actions() []Action
}

// Inputs is what a pane may depend on. It leaves zero what it does not.
type Inputs struct {
	Snap    *engine.Snapshot
	Markers grid.Markers
	Pick    Pick
	Edits   int // Host.Panel.Edits
}

// Border is what stands on a pane's border.
type Border struct {
	Title        string // "": the title of the registry
	Right        string // at the right: kind and unit of the numbers, mostly
	Banner       string // in the middle, as a warning
	Above, Below bool   // there is more to scroll to
	Again        bool   // not all could be drawn in time: draw again at the next tick
}

// Clicker is a pane with places that a click acts on. Click reports whether
// there is one at this place of the view that was drawn last.
type Clicker interface {
	Click(h *Host, x, y int) bool
}

// Wheeler is a pane that answers the mouse's wheel: by is +1 away from the
// user, −1 towards. It reports whether anything was done.
type Wheeler interface {
	Wheel(h *Host, x, y, by int) bool
}

// Spec is a pane's line in the registry.
type Spec struct {
	Name  string // action zoom-NAME shows it
	Title string // in its border, behind its digit
	Doc   string // what zoom-NAME shows: "the bandwidth"
	Place Place
	// Offered says whether a run has anything for this pane; nil: every run
	// has. A pane that is not on offer has no digit.
	Offered func(*engine.Snapshot) bool
	// Now says whether a run that it is offered for has anything to show at the moment, so
	// that a large screen shows the pane beside the others; nil: it has.
	Now func(*engine.Snapshot) bool
	New func() Pane
}

// Place is a pane's home on the screen. Where several panes have one place,
// the focused one is shown, else the first on offer.
type Place uint8

// The places, in the order of their digits.
const (
	Cluster Place = iota
	Rates         // over time
	Times         // of single accesses
	Story         // the workload's own panes
	Knobs
	Reasons
	Places
)
