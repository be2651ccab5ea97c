package pane

// Action is something that keys do: a line of the key table. Keys, help,
// command line and documentation are made of it.
type Action struct {
	Name  string   // as the command line knows it
	Keys  []string // as Bubble Tea spells them; none: those of the generic action of this name
	Doc   string   // what it does, without a full stop
	Hint  string   // in the footer; "": not there
	Both  string   // in the footer instead of the key: this one and its opposite
	Other string   // the opposite, which a click on the first character of Both does
	Do    func(*Host)
	// Ready says whether there is anything to do now; nil: always.
	Ready func(*Host) bool
	// Run marks an action on the run and not on the pane: it works wherever
	// the pane is.
	Run bool
}

// Generic are the actions that any pane may answer, with their keys and words:
// a pane's action of such a name has neither of its own. The key acts on the
// focused pane, or where that one does not answer it, on the first pane that
// is shown and does. No pane that is hidden gets it. Markers and back are the
// screen's where no pane answers.
var Generic = []Action{
	{Name: "longer", Keys: []string{"-"}, Doc: "show a longer time"},
	{Name: "shorter", Keys: []string{"+"}, Doc: "show a shorter time", Hint: "time", Both: "+-"},
	{Name: "log", Keys: []string{"l"}, Doc: "logarithmic or linear scale", Hint: "log"},
	{Name: "clock", Keys: []string{"x"}, Doc: "show a simulation's own clock, or the wall's, along the axis of time"},
	{Name: "markers", Keys: []string{"m"}, Doc: "draw curves with dots, blocks or lines; fonts differ", Hint: "markers"},
	{Name: "crosshair", Keys: []string{"c"}, Doc: "show or hide the crosshair that reads values", Hint: "crosshair"},
	{Name: "crosshair-left", Keys: []string{","}, Doc: "move the crosshair to earlier values"},
	{Name: "crosshair-right", Keys: []string{"."}, Doc: "move the crosshair to later values"},
	{Name: "earlier", Keys: []string{"<"}, Doc: "hold what is shown, and show what was before"},
	{Name: "later", Keys: []string{">"}, Doc: "show what came later"},
	{Name: "follow", Keys: []string{"g"}, Doc: "follow the run again; once more: show the latest iterations"},
	{Name: "row-down", Keys: []string{"j"}, Doc: "move the cursor a row down, or scroll"},
	{Name: "row-up", Keys: []string{"k"}, Doc: "move the cursor a row up, or scroll"},
	{Name: "fold", Keys: []string{"["}, Doc: "fold rows: a row a rank, a row a node"},
	{Name: "unfold", Keys: []string{"]"}, Doc: "unfold rows: a row a rank, a row a thread"},
	{Name: "scroll-up", Keys: []string{"pgup"}, Doc: "scroll up"},
	{Name: "scroll-down", Keys: []string{"pgdown"}, Doc: "scroll down"},
	{Name: "back", Keys: []string{"esc"}, Doc: "leave zoom, crosshair and freeze"},
}
