package find

import (
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "find", Keys: []string{"/"}, Doc: "select a node, a rank or a thread by its number, or ranks by their state"},
	Mode: "finding",
	New:  func(h *overlay.Host) overlay.Overlay { return &find{h: h} },
}

type find struct {
	overlay.Plain
	h     *overlay.Host
	line  grid.Line
	fault string
}

// Open begins with an empty line.
func (o *find) Open() bool {
	o.line.Clear()
	o.fault = ""
	return true
}

func (o *find) Line() *grid.Line { return &o.line }

func (o *find) Retyped() { o.fault = "" }

// Offer is what enter would select.
func (o *find) Offer() string {
	if p, ok := o.parsed(); ok {
		return p.String()
	}
	return ""
}

func (o *find) parsed() (pane.Pick, bool) { return pane.ParsePick(o.line.String(), &o.h.Snap.Layout) }

// Draw shows the line, and what enter would select.
func (o *find) Draw(body grid.View) {
	th := o.h.Theme
	r := overlay.Middle(body, 60, 4)
	r.Y = min(r.Y, 2)
	v := overlay.Box(body, r, "Find", "enter selects", th)
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
		{Name: "take", Keys: []string{"enter"}, Doc: "select it in the Cluster pane and on the timeline", Hint: "select", Do: func(*pane.Host) { o.take() }},
		{Name: "close", Keys: []string{"esc"}, Doc: "close the line", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
	}
}

// take selects what is typed; what this cluster does not have stays on the line.
func (o *find) take() {
	p, ok := o.parsed()
	switch {
	case ok:
		o.h.Pick = p
		o.h.Close()
	case o.line.String() == "":
		o.h.Pick = pane.Pick{}
		o.h.Close()
	default:
		o.fault = "this cluster has no such node, rank, thread or state"
	}
}
