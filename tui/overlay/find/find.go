package find

import (
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry of the overlay.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "find", Keys: []string{"/"},
		Doc: "select a node, rank or thread by number, or ranks by state"},
	Mode: "finding",
	New:  func(h *overlay.Host) overlay.Overlay { return &find{h: h} },
}

type find struct {
	overlay.Plain
	h     *overlay.Host
	line  grid.Line
	fault string
}

// Open starts with an empty line.
func (o *find) Open() bool {
	o.line.Clear()
	o.fault = ""
	return true
}

func (o *find) Line() *grid.Line { return &o.line }

func (o *find) Retyped() { o.fault = "" }

// Offer returns the item that enter would select.
func (o *find) Offer() string {
	if p, ok := o.parse(); ok {
		return p.String()
	}
	return ""
}

func (o *find) parse() (pane.Pick, bool) { return pane.ParsePick(o.line.String(), &o.h.Snap.Layout) }

// Draw shows the line and the item that enter would select.
func (o *find) Draw(body grid.View) {
	th := o.h.Theme
	r := overlay.Middle(body, 60, 4)
	r.Y = min(r.Y, 2)
	v := overlay.Box(body, r, "Find", "enter select", th)
	v.Text(0, 0, "/", th.Accent)
	o.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	switch offer := o.Offer(); {
	case o.fault != "":
		v.TextIn(2, 1, v.W()-2, "✗ "+o.fault, grid.Left, th.Error)
	case offer != "":
		v.TextIn(2, 1, v.W()-2, offer, grid.Left, th.Text)
	default:
		v.TextIn(2, 1, v.W()-2, "node 3, rank 12, 3-7, rank 12 thread 1, wait", grid.Left, th.Dim)
	}
}

func (o *find) Actions() []pane.Action {
	return []pane.Action{
		{Name: "take", Keys: []string{"enter"}, Doc: "select in the Cluster pane and on the timeline", Hint: "select",
			Do: func(*pane.Host) { o.take() }},
		{Name: "close", Keys: []string{"esc"}, Doc: "close", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
	}
}

// take selects the typed item. An unknown item stays on the line.
func (o *find) take() {
	p, ok := o.parse()
	switch {
	case ok:
		o.h.Pick = p
		o.h.Close()
	case o.line.String() == "":
		o.h.Pick = pane.Pick{}
		o.h.Close()
	default:
		o.fault = "no such node, rank, thread or state"
	}
}
