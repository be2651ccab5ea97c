package help

import (
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = overlay.Spec{
	Open:  pane.Action{Name: "help", Keys: []string{"?"}, Doc: "search all keys and actions, and run one", Hint: "help"},
	First: true,
	Mode:  "in the help",
	New:   func(h *overlay.Host) overlay.Overlay { return &help{h: h} },
}

type help struct {
	overlay.Plain
	h    *overlay.Host
	line grid.Line
	list overlay.List
}

func (o *help) Open() bool {
	o.line.Clear()
	o.Retyped()
	return true
}

func (o *help) Line() *grid.Line { return &o.line }

func (o *help) Retyped() { o.list.At = 0 }

func (o *help) Actions() []pane.Action {
	return []pane.Action{
		{Name: "run", Keys: []string{"enter"}, Doc: "run the selected action", Hint: "run", Do: func(*pane.Host) { o.run() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the action above", Do: func(*pane.Host) { o.move(-1) }},
		{Name: "down", Keys: []string{"down", "tab"}, Doc: "select the action below", Hint: "select", Both: "↑↓", Other: "up", Do: func(*pane.Host) { o.move(+1) }},
		{Name: "close", Keys: []string{"esc", "?"}, Doc: "close the help", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
	}
}

// entries are the lines of the key table that fit what is searched for.
func (o *help) entries() []overlay.Line {
	return overlay.Rank(o.h.Lines(), o.line.String(), func(l overlay.Line) string {
		return l.Name + " " + l.Keys + " " + l.Doc + " " + l.Mode
	})
}

func (o *help) move(by int) { o.list.Move(by, len(o.entries())) }

// run runs the selected action. Those of other modes than the screen are there
// to be read.
func (o *help) run() {
	all := o.entries()
	if o.list.At >= len(all) {
		return
	}
	l := all[o.list.At]
	if !l.Here() {
		o.h.Say(l.Keys + " works " + l.Mode)
		return
	}
	o.h.Close()
	l.Run()
}

func (o *help) Offer() string {
	if all := o.entries(); o.list.At < len(all) {
		return all[o.list.At].Name
	}
	return ""
}

func (o *help) Click(x, y int) {
	if i, ok := o.list.Row(x, y); ok {
		o.list.At = i
		o.run()
	}
}

func (o *help) Wheel(x, y, by int) {
	if _, ok := o.list.Row(x, y); ok {
		o.move(-by)
	}
}

func (o *help) Draw(body grid.View) {
	th := o.h.Theme
	v := overlay.Box(body, overlay.Middle(body, 86, 44), "Help", "type to search, enter runs", th)
	v.Text(0, 0, "/", th.Accent)
	o.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	all := o.entries()
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no key or action fits", grid.Center, th.Dim)
	}
	o.list.Draw(v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1}), len(all), th, func(i int, row grid.View, selected bool) {
		l := &all[i]
		key, doc, name, text := th.Accent, th.Text, th.Dim, l.Doc
		if !l.Here() {
			key, doc, text = th.Dim, th.Dim, l.Mode+": "+text
		}
		if selected {
			key, doc, name = th.Selected, th.Selected, th.Selected
		}
		row.TextIn(0, 0, 14, l.Keys, grid.Left, key)
		row.TextIn(15, 0, row.W()-15-17, text, grid.Left, doc)
		if row.W() > 60 {
			row.TextIn(row.W()-16, 0, 16, l.Name, grid.Right, name)
		}
	})
}
