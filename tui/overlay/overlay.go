package overlay

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Overlay is a box that covers the panes. [Plain] has default methods.
type Overlay interface {
	// Open prepares the overlay, and reports whether there is anything to show.
	Open() bool
	// Draw draws over the body of the screen.
	Draw(body grid.View)
	// Actions returns its part of the key table. The list never changes.
	Actions() []pane.Action
	// Line returns the input line, or nil if there is none.
	Line() *grid.Line
	// Retyped is called after each change of the line.
	Retyped()
	// Offer returns the item that enter would choose, for a screen with room for one line.
	Offer() string
	// Click and Wheel handle the mouse at a cell of the screen.
	Click(x, y int)
	Wheel(x, y, by int)
	// Close is called when the overlay is closed.
	Close()
}

// Spec is the registry entry of an overlay.
type Spec struct {
	Open    pane.Action // the action that opens it
	First   bool        // Open is among the first in footer and help
	Mode    string      // name of the mode in which its keys are active
	Inside  bool        // a pane draws it, and it covers nothing
	Changes bool        // it changes the run, which a recording refuses
	Page    bool        // the screen handles the keys that it does not have
	Knob    string      // knob that it sets: it opens instead of an input line
	New     func(*Host) Overlay
}

// Host is the part of the screen that overlays use.
type Host struct {
	*pane.Host
	Machines []cluster.Machine // the user's machines

	Close    func()
	Choose   func(knob string) bool // opens the overlay that sets a knob, if there is one
	Lines    func() []Line          // returns the key table
	UseTheme func(name string) bool
	UseUnits func(grid.Units)
	Picture  func(text string) error  // writes the screen or a pane to a file: FILE [PANE] [WxH]
	Capture  func(file string) error  // records the session to a file
	Seek     func(text string) error  // moves to a time or a marker
	Command  func(knob, value string) // sends a setting to the session without checking the knobs

	Ask     func(question, text string) error // asks for a decision map (decide), pairs, regret or advice (advise)
	Explain func(changes string) error        // explains the run with KEY=FACTOR,... of its machine

	Scenarios func() (all []presets.Scenario, skipped []error) // returns those that can run
	Load      func(scenario string) error                      // runs a scenario
	Save      func(name string) error                          // writes the current run as a scenario
	Copy      func(what string)                                // copies "command", or "launch" and a launcher

	Continue   func() bool                               // continues the lesson, and reports whether it waits for an answer
	Answer     func(text string) (waits bool, err error) // answers the lesson's question, and reports whether another follows
	Hint       func()                                    // shows the hint of the lesson's question
	OpenLesson func(name string)

	Recent func() []string      // recent commands, the newest first
	Used   func(command string) // remembers a command as the newest
}

// Line is a line of the key table, for overlays that list it.
type Line struct {
	Name, Keys, Doc string
	Mode            string // where the keys are active
	Group           string // heading above it
	Run             func() // runs the action on the screen; does nothing in other modes
}

// Modes without an overlay.
const (
	Everywhere = "everywhere"
	OnScreen   = "on the screen"
)

// Here reports whether the action can run after the overlay has closed.
func (l *Line) Here() bool { return l.Mode == Everywhere || l.Mode == OnScreen }

// Plain has the default methods of an overlay without an input line and without mouse handling.
type Plain struct{}

// Line returns nil.
func (Plain) Line() *grid.Line { return nil }

// Retyped does nothing.
func (Plain) Retyped() {}

// Offer returns "".
func (Plain) Offer() string { return "" }

// Click does nothing.
func (Plain) Click(int, int) {}

// Wheel does nothing.
func (Plain) Wheel(int, int, int) {}

// Close does nothing.
func (Plain) Close() {}

// Middle returns a rectangle of at most w×h in the middle of a view.
func Middle(v grid.View, w, h int) grid.Rect {
	w, h = min(w, v.W()), min(h, v.H())
	return grid.Rect{X: (v.W() - w) / 2, Y: (v.H() - h) / 2, W: w, H: h}
}

// Box clears a rectangle, draws its border and returns the view inside.
func Box(v grid.View, r grid.Rect, title, right string, th *grid.Theme) grid.View {
	v.Fill(r, grid.Cell{Bg: th.Background})
	in := v.Box(r, grid.Box{Title: title, Right: right, Border: th.Accent, TitleStyle: th.Title, RightStyle: th.Dim})
	return in.Sub(in.Local().Inset(1, 0))
}
