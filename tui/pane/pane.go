package pane

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// Pane draws a snapshot and handles keys. A pane that handles the mouse is also a [Clicker] or a
// [Wheeler].
type Pane interface {
	// Inputs returns the values that the pane depends on, apart from its own state. The screen
	// draws the pane again when they change.
	Inputs(*Host) Inputs
	// Draw draws the pane inside its border and returns the contents of the border. It must accept
	// any size.
	Draw(grid.View, *Host) Border
	// Actions returns the actions of the pane while it has the focus. The list never changes.
	Actions() []Action
}

// Inputs lists the values that a pane may depend on. Fields that a pane does not depend on are
// zero.
type Inputs struct {
	Snap    *engine.Snapshot
	Markers grid.Markers
	Pick    Pick
	Edits   int // Host.Panel.Edits
	Moment  Moment
	Window  Window

	Explained *explain.Answer
	Inquiry   *Inquiry
	Forecasts *Forecasts
}

// Border is the contents of a pane's border.
type Border struct {
	Title        string // "": the title in the registry
	Right        string // on the right side: usually the kind and unit of the numbers
	Banner       string // in the middle, styled as a warning
	Above, Below bool   // more rows are available by scrolling
	Incomplete   bool   // the frame is incomplete: draw again at the next tick
}

// Clicker is a pane that handles clicks. Click reports whether a click at this position of the last
// drawn view had an effect.
type Clicker interface {
	Click(h *Host, x, y int) bool
}

// Wheeler is a pane that handles the mouse wheel. by is +1 for a turn away from the user and −1 for
// a turn towards the user. Wheel reports whether anything changed.
type Wheeler interface {
	Wheel(h *Host, x, y, by int) bool
}

// Spec is a pane's entry in the registry.
type Spec struct {
	Name  string // the action zoom-NAME shows the pane
	Title string // in its border, after its digit
	Doc   string // object of the help text of zoom-NAME: "the bandwidth"
	Place Place
	// Offered reports whether a run has data for this pane; nil: every run has. A pane that is not
	// offered has no digit.
	Offered func(*engine.Snapshot) bool
	// Now reports whether the run has anything to show at the moment. If so, a large screen also
	// shows the pane. It is only called if the pane is offered; nil: always true.
	Now func(*engine.Snapshot) bool
	New func() Pane
}

// Place is a pane's position on the screen. If several panes share a place, the screen shows the
// focused one, otherwise the first that is offered.
type Place uint8

// The places, in the order of their digits.
const (
	Cluster  Place = iota
	Rates          // over time
	Times          // of single accesses
	Workload       // the panes of the workload
	Knobs
	Reasons
	Places
)
