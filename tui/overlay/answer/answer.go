package answer

import (
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Mode is the name of the overlay's mode.
const Mode = "answering a question"

// Spec is the registry entry of the overlay.
var Spec = overlay.Spec{
	Open:    pane.Action{Name: "answer", Keys: []string{"N"}, Doc: "answer the question of the lesson, or continue the lesson"},
	Changes: true, Inside: true, Mode: Mode,
	New: func(h *overlay.Host) overlay.Overlay { return &answer{h: h} },
}

type answer struct {
	overlay.Plain
	h    *overlay.Host
	line grid.Line
}

// Open continues the lesson. It opens the overlay if the lesson waits for an answer.
func (o *answer) Open() bool {
	o.line.Clear()
	return o.h.Continue()
}

func (o *answer) Draw(grid.View) {}

func (o *answer) Line() *grid.Line { return &o.line }

func (o *answer) Actions() []pane.Action {
	return []pane.Action{
		{Name: "take", Keys: []string{"enter"}, Doc: "answer the question", Hint: "answer", Do: func(*pane.Host) { o.take() }},
		{Name: "hint", Keys: []string{"?"}, Doc: "show the hint of the question", Hint: "hint", Do: func(*pane.Host) { o.h.Hint() }},
		{Name: "leave", Keys: []string{"esc"}, Doc: "return to the charts, and answer later", Hint: "later", Do: func(*pane.Host) {
			o.h.Close()
		}},
	}
}

// take answers. An invalid answer stays on the line.
func (o *answer) take() {
	waits, err := o.h.Answer(o.line.String())
	if err != nil {
		o.h.Say(err.Error())
		return
	}
	o.line.Clear()
	if !waits {
		o.h.Close()
	}
}
