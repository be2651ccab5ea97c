package pane

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// Host is what a pane sees of the screen around it, and what it may ask of it.
// The screen makes one and keeps it up to date.
type Host struct {
	Snap    *engine.Snapshot // shown; never nil
	Theme   *grid.Theme
	Units   grid.Units   // that bytes are written in
	Markers grid.Markers // of curves
	Alone   bool         // no other pane is shown
	Whole   bool         // a picture: charts over time show all of it
	Pick    Pick         // what the user has selected of the cluster
	Held    bool         // ctrl, alt or shift is held while the wheel turns
	Panel   Panel        // the knobs as the user turns them

	Base     *engine.Against // the baseline beside Snap; nil: there is none
	Absolute bool            // heat maps show numbers and no ratios to it

	// Say shows words in the status line until the next key.
	Say func(string)
	// Idle says why turning a knob has no effect now; "": it has.
	Idle func(knob string) string
	// Keys gives the keys of an action as they are written on the screen.
	Keys func(action string) string
}

// Asked gives a knob's value as the user has last asked for it, which may be
// later than the snapshot's.
func (h *Host) Asked(knob string) string { return h.Panel.Value(knob) }

// Set asks the session to turn a knob, and reports whether the value can be.
func (h *Host) Set(knob, value string) bool { return h.Panel.Set(knob, value) }

// Typed is a command as a user types it, with the key that begins it.
func (h *Host) Typed(command string) string { return h.Keys("command") + command }
