package tui

import (
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// screen draws an app on a grid. It keeps the grid and redraws only what has changed. The picture
// depends only on the app and the size.
type screen struct {
	g      grid.Grid
	at     arrangement
	drawn  []drawn // by pane
	shared sharedInputs
	hits   []hit // places for the mouse outside of panes
	opened int   // app.opened at the last drawing
}

// drawn describes the last drawing of a pane.
type drawn struct {
	in         inputs
	incomplete bool // the pane is not complete yet
	title      title
}

// title is the text in a pane's border, and its parts.
type title struct {
	digit      int
	name, text string
}

// sharedInputs holds the inputs of all panes. If it changes, everything is redrawn.
type sharedInputs struct {
	w, h      int
	theme     *grid.Theme
	units     grid.Units
	ascii     bool
	base      *engine.Baseline
	predicted *pane.Prediction
	plain     bool            // heat maps show values instead of ratios
	over      overlay.Overlay // covers panes now
	under     overlay.Overlay // covered panes in the previous frame
	lines     bool
}

// inputs holds everything that the picture of a pane depends on.
type inputs struct {
	at      grid.Rect
	digit   int
	focused bool
	acted   int
	pane    pane.Inputs
}

// draw updates the grid for a screen of w columns and h rows, and returns it.
func (s *screen) draw(a *app, w, h int) *grid.Grid {
	a.w, a.h = w, h
	now := sharedInputs{w: w, h: h, theme: a.Theme, units: a.Units, ascii: a.ascii, base: a.base, plain: a.Absolute, predicted: a.Predicted,
		under: s.shared.over}
	if a.covered() {
		now.over = a.over
	}
	s.at = arrange(w, h, a)
	now.lines = !s.at.lines.Empty()
	all := now != s.shared || now.over != nil || now.lines
	if w != s.g.W || h != s.g.H {
		s.g.Resize(w, h)
	}
	s.g.ASCII, s.g.Mono = a.ascii, a.Theme.Name == "mono"
	s.shared, s.opened = now, a.opened
	s.hits = s.hits[:0]
	if now.lines {
		s.clear(s.g.Bounds(), a.Theme)
		s.drawEssential(a)
		return &s.g
	}
	if len(s.drawn) == 0 {
		s.drawn = make([]drawn, len(a.panes))
	}
	digits, n := a.numbered()
	for p := range a.panes {
		s.drawPane(a, p, slices.Index(digits[:n], p)+1, all)
	}
	s.drawHeader(a)
	s.drawWhy(a)
	s.drawGuide(a)
	s.drawLesson(a)
	s.drawWarning(a)
	s.drawStatus(a)
	s.drawFooter(a)
	if a.covered() {
		a.over.Draw(s.g.View(s.body()))
	}
	return &s.g
}

// drawOnly draws a single pane over the whole grid.
func (s *screen) drawOnly(a *app, p, w, h int) {
	a.w, a.h = w, h
	if w != s.g.W || h != s.g.H {
		s.g.Resize(w, h)
	}
	s.g.ASCII, s.g.Mono = a.ascii, a.Theme.Name == "mono"
	home := a.specs[p].Place
	s.at = arrangement{shown: 1}
	s.at.of[home], s.at.at[home] = p, s.g.Bounds()
	if len(s.drawn) == 0 {
		s.drawn = make([]drawn, len(a.panes))
	}
	s.drawPane(a, p, 0, false)
}

// body returns the area between the header and the status line, without the scenario's text and the
// warning if an overlay fits above them.
func (s *screen) body() grid.Rect {
	all := grid.Rect{Y: 1, W: s.g.W, H: s.g.H - 3}
	if rest := all.H - s.at.guide.H - s.at.warning.H; rest >= overlayH {
		all.H = rest
	}
	return all
}

// overlayH is the least height of an overlay next to other texts.
const overlayH = 12

func (s *screen) clear(r grid.Rect, th *grid.Theme) {
	s.g.Fill(r, grid.Cell{Bg: th.Background})
}

// drawPane draws a pane if it is visible and its inputs have changed. A digit of 0 means no number.
func (s *screen) drawPane(a *app, p, digit int, all bool) {
	d := &s.drawn[p]
	in := inputs{at: s.at.pane(p, a.specs)}
	if in.at.Empty() {
		d.in, d.incomplete = in, false
		return
	}
	in.digit = digit
	in.focused = a.focus == p
	in.acted = a.actionCounts[p]
	in.pane = a.panes[p].Inputs(&a.Host)
	if in == d.in && !all && !d.incomplete {
		return
	}
	s.clear(in.at, a.Theme)
	a.Alone = s.at.shown == 1
	v := s.g.View(in.at)
	border := a.panes[p].Draw(v.Sub(v.Local().Inset(2, 1)), &a.Host)
	d.in, d.incomplete = in, border.Incomplete
	d.title.set(in.digit, pane.Or(border.Title, a.specs[p].Title))
	box := grid.Box{Title: d.title.text, Right: border.Right, Border: a.Theme.Border, TitleStyle: a.Theme.Title,
		RightStyle: a.Theme.Dim}
	if in.focused && s.at.shown > 1 {
		box.Border = a.Theme.Focus
	}
	s.g.Box(in.at, box)
	if border.Banner != "" {
		v.TextIn(0, 0, in.at.W, border.Banner, grid.Center, a.Theme.Warning.With(grid.Bold|grid.Reverse))
	}
	s.drawMoreMarks(in.at, a.Theme, border.Above, border.Below)
}

// set sets the text of a title: the number of the pane, if it has one, and its name.
func (t *title) set(digit int, name string) {
	switch {
	case t.text != "" && t.digit == digit && t.name == name:
	case digit > 0:
		*t = title{digit: digit, name: name, text: string(rune('0'+digit)) + " " + name}
	default:
		*t = title{digit: digit, name: name, text: name}
	}
}

// incomplete reports whether a pane is incomplete and must be drawn again.
func (s *screen) incomplete() bool {
	return slices.ContainsFunc(s.drawn, func(d drawn) bool { return d.incomplete })
}

// drawMoreMarks shows in a pane's border that there is more text above or below.
func (s *screen) drawMoreMarks(r grid.Rect, th *grid.Theme, above, below bool) {
	if above {
		s.g.View(r).Rune(r.W-1, 1, '▴', th.Accent)
	}
	if below {
		s.g.View(r).Rune(r.W-1, r.H-2, '▾', th.Accent)
	}
}

// hit is an area that reacts to the mouse.
type hit struct {
	at    grid.Rect
	press func(*app)
	wheel func(*app, int) // by +1 or −1
}

// hitAt returns the uppermost area at a cell, and false if there is none. If an overlay has opened or closed since the
// last drawing, there is none: the areas belong to the last frame.
func (s *screen) hitAt(a *app, x, y int) (hit, bool) {
	if s.opened != a.opened {
		return hit{}, false
	}
	for _, h := range slices.Backward(s.hits) {
		if h.at.Contains(x, y) {
			return h, true
		}
	}
	if o := s.shared.over; o != nil { // it covers the panes
		return hit{
			at:    s.body(),
			press: func(*app) { o.Click(x, y) },
			wheel: func(_ *app, by int) { o.Wheel(x, y, by) },
		}, s.body().Contains(x, y)
	}
	for _, b := range s.at.extra {
		if b.at.Contains(x, y) {
			return paneHit(b.pane, b.at, x-b.at.X-2, y-b.at.Y-1), true
		}
	}
	for home, at := range s.at.at {
		if at.Contains(x, y) {
			return paneHit(s.at.of[home], at, x-at.X-2, y-at.Y-1), true
		}
	}
	return hit{}, false
}

// paneHit returns the area of a pane. A click acts inside the pane, focuses it, or zooms it if it
// has the focus.
func paneHit(p int, at grid.Rect, x, y int) hit {
	return hit{
		at: at,
		press: func(a *app) {
			if !a.click(p, x, y) && a.focus == p {
				a.zoomed = !a.zoomed
			}
			a.setFocus(p)
		},
		wheel: func(a *app, by int) { a.wheel(p, x, y, by) },
	}
}
