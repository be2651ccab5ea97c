package page

import (
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

const mode = "on a page"

// Launch is the line of the registry for the launch line.
var Launch = overlay.Spec{
	Open: pane.Action{Name: "launch-line", Keys: []string{"L"}, Doc: "show the launch line of this layout", Hint: "launch line"},
	Mode: mode, Page: true,
	New: func(h *overlay.Host) overlay.Overlay { return &page{h: h, draw: launch} },
}

// page scrolls what draw draws.
type page struct {
	overlay.Plain
	h           *overlay.Host
	draw        func(*page, grid.View)
	top         int
	rows, lines int       // shown, and in all, when it was last drawn
	at          grid.Rect // where, on the screen
	ids         ids
}

func (o *page) Open() bool {
	o.top = 0
	return true
}

func (o *page) Actions() []pane.Action {
	return []pane.Action{
		{Name: "close", Keys: []string{"esc"}, Doc: "close the page", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
		{Name: "line-up", Keys: []string{"up"}, Doc: "scroll up a line", Do: func(*pane.Host) { o.scroll(-1) }},
		{Name: "line-down", Keys: []string{"down"}, Doc: "scroll down a line", Hint: "scroll", Both: "↑↓", Other: "line-up", Do: func(*pane.Host) { o.scroll(+1) }},
		{Name: "page-up", Keys: []string{"pgup"}, Doc: "scroll up a screenful", Do: func(*pane.Host) { o.scroll(-o.rows) }},
		{Name: "page-down", Keys: []string{"pgdown"}, Doc: "scroll down a screenful", Do: func(*pane.Host) { o.scroll(+o.rows) }},
		{Name: "top", Keys: []string{"home"}, Doc: "scroll to the beginning", Do: func(*pane.Host) { o.scroll(-o.lines) }},
		{Name: "bottom", Keys: []string{"end"}, Doc: "scroll to the end", Do: func(*pane.Host) { o.scroll(+o.lines) }},
	}
}

func (o *page) scroll(by int) { o.top = min(max(o.top+by, 0), max(0, o.lines-o.rows)) }

func (o *page) Wheel(x, y, by int) {
	if o.at.Contains(x, y) {
		o.scroll(-3 * by)
	}
}

func (o *page) Draw(body grid.View) { o.draw(o, body) }

// sized notes how much there is, and gives the first line that is shown.
func (o *page) sized(v grid.View, rows, lines int) (top int) {
	o.at, o.rows, o.lines = v.Rect(), rows, lines
	o.top = min(o.top, max(0, lines-rows))
	return o.top
}

func launch(o *page, body grid.View) {
	th := o.h.Theme
	v := overlay.Box(body, overlay.Middle(body, 100, 24), "Launch line", "L or esc closes", th)
	text := func(f *grid.Flow) {
		f.Text("What paper 1 would need to start this layout on a real cluster:", th.Dim)
		f.Y++
		f.Text(pane.Or(o.h.Snap.LaunchLine, "not known yet"), th.Text)
	}
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})}
	text(&measure)
	text(&grid.Flow{V: v, Y: -o.sized(v, v.H(), measure.Y)})
}
