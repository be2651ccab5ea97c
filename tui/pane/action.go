package pane

// Action is an action that a key starts, and one entry of the key table. The keys, the help, the
// command line and the documentation are generated from the table.
type Action struct {
	Name  string   // on the command line
	Keys  []string // in Bubble Tea's spelling; empty: the keys of the generic action with this name
	Doc   string   // in the imperative, without a full stop
	Hint  string   // text in the footer; "": not shown there
	Both  string   // keys of the action and its opposite, shown in the footer instead of the key
	Other string   // the opposite action, which a click on the first character of Both starts
	Do    func(*Host)
	// Ready reports whether the action can do anything now; nil: always.
	Ready func(*Host) bool
	// Run marks an action that acts on the run instead of the pane. It works in every layout.
	Run bool
}

// Generic lists the actions that any pane may implement, with their keys and texts. A pane's action
// with such a name has no keys or texts itself. The key acts on the focused pane if it implements
// the action, otherwise on the first shown pane that does. Hidden panes never receive it. If no
// pane implements markers or back, the screen handles them.
var Generic = []Action{
	{Name: "longer", Keys: []string{"-"}, Doc: "show a longer time span"},
	{Name: "shorter", Keys: []string{"+"}, Doc: "show a shorter time span", Hint: "time", Both: "+-"},
	{Name: "log", Keys: []string{"l"}, Doc: "switch between logarithmic and linear scale", Hint: "log"},
	{Name: "clock", Keys: []string{"x"}, Doc: "switch the time axis between virtual time (simulations) and wall time"},
	{Name: "markers", Keys: []string{"m"}, Doc: "draw curves with dots, blocks or lines (fonts differ)", Hint: "markers"},
	{Name: "crosshair", Keys: []string{"c"}, Doc: "show or hide the crosshair that reads values", Hint: "crosshair"},
	{Name: "crosshair-left", Keys: []string{","}, Doc: "move the crosshair to earlier values"},
	{Name: "crosshair-right", Keys: []string{"."}, Doc: "move the crosshair to later values"},
	{Name: "earlier", Keys: []string{"<"}, Doc: "hold the display and scroll to earlier times"},
	{Name: "later", Keys: []string{">"}, Doc: "scroll to later times"},
	{Name: "follow", Keys: []string{"g"}, Doc: "follow the run again; press again to show the latest iterations"},
	{Name: "row-down", Keys: []string{"j"}, Doc: "move the cursor down one row, or scroll"},
	{Name: "row-up", Keys: []string{"k"}, Doc: "move the cursor up one row, or scroll"},
	{Name: "fold", Keys: []string{"["}, Doc: "fold rows: one per rank, then one per node"},
	{Name: "unfold", Keys: []string{"]"}, Doc: "unfold rows: one per rank, then one per thread"},
	{Name: "scroll-up", Keys: []string{"pgup"}, Doc: "scroll up"},
	{Name: "scroll-down", Keys: []string{"pgdown"}, Doc: "scroll down"},
	{Name: "back", Keys: []string{"esc"}, Doc: "leave zoom, crosshair or freeze"},
}
