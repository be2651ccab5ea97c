package overlay

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Overlay lies over the panes. [Plain] has the methods that most need not
// write.
type Overlay interface {
	// Open makes it ready, and reports whether there is anything to show.
	Open() bool
	// Draw draws over the screen's body.
	Draw(body grid.View)
	// Actions are its part of the key table. The list never changes.
	Actions() []pane.Action
	// Line takes the text that is typed; nil: none is.
	Line() *grid.Line
	// Retyped follows each change of the line.
	Retyped()
	// Offer is what enter would take, for a screen with room for a line.
	Offer() string
	// Click and Wheel act on a cell of the screen.
	Click(x, y int)
	Wheel(x, y, by int)
	// Close follows its end.
	Close()
}

// Spec is an overlay's line in the registry.
type Spec struct {
	Open   pane.Action // opens it: name, keys, words, hint
	First  bool        // Open is among the first of footer and help
	Mode   string      // words for where its keys are in force
	Inside bool        // it is drawn by a pane, and covers nothing
	Page   bool        // keys that it does not have are the screen's
	Knob   string      // that it turns: it opens where a value would be typed
	New    func(*Host) Overlay
}

// Host is what an overlay sees of the screen.
type Host struct {
	*pane.Host
	Machines []cluster.Machine // the user's own

	Close    func()
	Choose   func(knob string) bool // opens the overlay that turns a knob, if there is one
	Lines    func() []Line          // of the key table
	UseTheme func(name string) bool
	UseUnits func(grid.Units)
	Picture  func(text string) error  // has the screen or a pane written to a file: FILE [PANE] [WxH]
	Capture  func(file string) error  // records the session into a file
	Seek     func(text string) error  // moves in a recording: a time, or a mark
	Command  func(knob, value string) // asks the session without a look at the knobs

	Scenarios func() (all []presets.Scenario, skipped []error) // that can be run
	Load      func(scenario string) error                      // runs one
	Save      func(name string) error                          // has what runs written as one
	Copy      func(what string)                                // to the clipboard: command, or launch and a launcher
}

// Line is a line of the key table, for those that list it.
type Line struct {
	Name, Keys, Doc string
	Mode            string // where the keys are in force
	Run             func() // what it does on the screen; other modes do nothing
}

// Words for the modes without an overlay.
const (
	Everywhere = "everywhere"
	OnScreen   = "on the screen"
)

// Here says that a line can be run when the overlay has closed.
func (l *Line) Here() bool { return l.Mode == Everywhere || l.Mode == OnScreen }

// Plain is an overlay without a line and without places for the mouse.
type Plain struct{}

// Line, Retyped, Offer, Click, Wheel and Close do nothing.
func (Plain) Line() *grid.Line { return nil }

// Retyped does nothing.
func (Plain) Retyped() {}

// Offer is nothing.
func (Plain) Offer() string { return "" }

// Click does nothing.
func (Plain) Click(int, int) {}

// Wheel does nothing.
func (Plain) Wheel(int, int, int) {}

// Close does nothing.
func (Plain) Close() {}

// Middle is a rectangle of at most w×h in the middle of a view.
func Middle(v grid.View, w, h int) grid.Rect {
	w, h = min(w, v.W()), min(h, v.H())
	return grid.Rect{X: (v.W() - w) / 2, Y: (v.H() - h) / 2, W: w, H: h}
}

// Box clears a rectangle and draws its border.
func Box(v grid.View, r grid.Rect, title, right string, th *grid.Theme) grid.View {
	v.Fill(r, grid.Cell{Bg: th.Background})
	in := v.Box(r, grid.Box{Title: title, Right: right, Border: th.Accent, TitleStyle: th.Title, RightStyle: th.Dim})
	return in.Sub(in.Local().Inset(1, 0))
}
