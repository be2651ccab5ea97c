package edit

import (
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry of the overlay.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "type-value", Keys: []string{"enter", "="},
		Doc: "type a value for the selected knob; for machine, choose from a list", Hint: "type"},
	Changes: true, First: true, Inside: true,
	Mode: "typing a value",
	New:  func(h *overlay.Host) overlay.Overlay { return &edit{h: h} },
}

type edit struct {
	overlay.Plain
	h    *overlay.Host
	line grid.Line
}

// Open starts with an empty line. It opens the knob's own overlay instead if there is one.
func (o *edit) Open() bool {
	if k := o.h.Panel.Knob(); k == nil || o.h.Choose(k.Name) {
		return false
	}
	o.line.Clear()
	o.h.Panel.Typed = &o.line
	return true
}

func (o *edit) Close() { o.h.Panel.Typed = nil }

func (o *edit) Draw(grid.View) {}

func (o *edit) Line() *grid.Line { return &o.line }

func (o *edit) Actions() []pane.Action {
	return []pane.Action{
		{Name: "take", Keys: []string{"enter"}, Doc: "set the value", Hint: "set", Do: func(*pane.Host) { o.take() }},
		{Name: "leave", Keys: []string{"esc"}, Doc: "keep the old value", Hint: "cancel", Do: func(*pane.Host) {
			o.h.Close()
		}},
	}
}

// take sets the value. An invalid value stays on the line.
func (o *edit) take() {
	text, k := o.line.String(), o.h.Panel.Knob()
	if k == nil || text == "" || o.h.Set(k.Name, text) {
		o.h.Close()
	}
}
