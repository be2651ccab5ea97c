package edit

import (
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = overlay.Spec{
	Open:  pane.Action{Name: "type-value", Keys: []string{"enter", "="}, Doc: "type a value for the selected knob; of the machine, choose from the list", Hint: "type"},
	First: true, Inside: true,
	Mode: "typing a value",
	New:  func(h *overlay.Host) overlay.Overlay { return &edit{h: h} },
}

type edit struct {
	overlay.Plain
	h    *overlay.Host
	line grid.Line
}

// Open begins with an empty line, unless the knob has an overlay of its own.
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
		{Name: "take", Keys: []string{"enter"}, Doc: "take the value", Hint: "take", Do: func(*pane.Host) { o.take() }},
		{Name: "leave", Keys: []string{"esc"}, Doc: "leave the value as it was", Hint: "leave", Do: func(*pane.Host) { o.h.Close() }},
	}
}

// take asks for the value; one that cannot be stays on the line.
func (o *edit) take() {
	text, k := o.line.String(), o.h.Panel.Knob()
	if k == nil || text == "" || o.h.Set(k.Name, text) {
		o.h.Close()
	}
}
