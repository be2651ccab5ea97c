package tui

import (
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// screen draws an app on a grid. It keeps the grid, and draws again only what
// has changed; what it shows depends on the app and the size alone.
type screen struct {
	g     grid.Grid
	at    places
	drawn [panes]inputs
	again [panes]bool // not all could be drawn in time
	whole whole
	hits  []hit // of the chrome and the overlay

}

// whole is what every pane depends on: when it changes, all is drawn again.
type whole struct {
	w, h  int
	theme *grid.Theme
	ascii bool
	over  overlay.Overlay // covers panes
	under overlay.Overlay // covered panes in the frame before
	lines bool
}

// inputs is all that a pane depends on. Each pane names what it does (below),
// and leaves the rest zero.
type inputs struct {
	at      grid.Rect
	focused bool
	snap    *engine.Snapshot
	acted   int
	pane    pane.Inputs
}

func (s *screen) inputs(a *app, p paneID) inputs {
	in := inputs{at: s.at.pane[p], focused: a.focus == p, snap: a.Snap, acted: a.acted[p]}
	if a.panes[p] != nil {
		in.snap, in.pane = nil, a.panes[p].Inputs(&a.Host)
		return in
	}
	return in
}

// draw brings the grid up to date for a screen of w columns and h rows, and
// returns it.
func (s *screen) draw(a *app, w, h int) *grid.Grid {
	a.w, a.h = w, h
	now := whole{w: w, h: h, theme: a.Theme, ascii: a.ascii, under: s.whole.over}
	if a.covered() {
		now.over = a.over
	}
	s.at = arrange(w, h, a)
	now.lines = !s.at.lines.Empty()
	all := now != s.whole || now.over != nil || now.lines
	if w != s.g.W || h != s.g.H {
		s.g.Resize(w, h)
	}
	s.g.ASCII, s.g.Mono = a.ascii, a.Theme.Name == "mono"
	s.whole = now
	s.hits = s.hits[:0]
	if now.lines {
		s.clear(s.g.Bounds(), a.Theme)
		s.essential(a)
		return &s.g
	}
	for p := range panes {
		s.pane(a, p, all)
	}
	s.header(a)
	s.whyLine(a)
	s.status(a)
	s.footer(a)
	if a.covered() {
		a.over.Draw(s.g.View(s.body()))
	}
	return &s.g
}

// body is what lies between header and status.
func (s *screen) body() grid.Rect { return grid.Rect{Y: 1, W: s.g.W, H: s.g.H - 3} }

func (s *screen) clear(r grid.Rect, th *grid.Theme) {
	s.g.Fill(r, grid.Cell{Bg: th.Background})
}

// pane draws a pane, if it is shown and anything about it is new.
func (s *screen) pane(a *app, p paneID, all bool) {
	in := s.inputs(a, p)
	if in == s.drawn[p] && !all && !s.again[p] {
		return
	}
	s.drawn[p], s.again[p] = in, false
	if in.at.Empty() {
		return
	}
	s.clear(in.at, a.Theme)
	title, right := s.titles(a, p)
	var border pane.Border
	if a.panes[p] != nil {
		in := s.g.View(in.at)
		a.Alone = s.at.shown == 1
		border = a.panes[p].Draw(in.Sub(in.Local().Inset(2, 1)), &a.Host)
		right, s.again[p] = border.Right, border.Again
		if border.Title != "" {
			title = string(rune('1'+p)) + " " + border.Title
		}
	}
	box := grid.Box{Title: title, Right: right, Border: a.Theme.Border, TitleStyle: a.Theme.Title, RightStyle: a.Theme.Dim}
	if in.focused && s.at.shown > 1 {
		box.Border = a.Theme.Focus
	}
	s.g.Box(in.at, box)
	if border.Banner != "" {
		s.g.View(in.at).TextIn(0, 0, in.at.W, border.Banner, grid.Center, a.Theme.Warning.With(grid.Bold|grid.Reverse))
	}
	s.more(in.at, a.Theme, border.Above, border.Below)
}

// more marks on a pane's border that there is something above or below.
func (s *screen) more(r grid.Rect, th *grid.Theme, above, below bool) {
	if above {
		s.g.View(r).Rune(r.W-1, 1, '▴', th.Accent)
	}
	if below {
		s.g.View(r).Rune(r.W-1, r.H-2, '▾', th.Accent)
	}
}

// titles are the words in the upper border of a pane.
func (s *screen) titles(a *app, p paneID) (title, right string) {
	title = paneTitles[p]
	return title, right
}

var paneTitles = func() (all [panes]string) {
	for p := range panes {
		all[p] = string(rune('1'+p)) + " " + paneNames[p]
	}
	return all
}()

// hit is a place that the mouse can act on.
type hit struct {
	at    grid.Rect
	press func(*app)
	wheel func(*app, int) // by +1 or −1
}

// hitAt finds what lies under a cell, the uppermost first.
func (s *screen) hitAt(x, y int) (hit, bool) {
	for _, h := range slices.Backward(s.hits) {
		if h.at.Contains(x, y) {
			return h, true
		}
	}
	if o := s.whole.over; o != nil { // the panes lie under it
		return hit{
			at:    s.body(),
			press: func(*app) { o.Click(x, y) },
			wheel: func(_ *app, by int) { o.Wheel(x, y, by) },
		}, s.body().Contains(x, y)
	}
	for p := range panes {
		if at := s.at.pane[p]; at.Contains(x, y) {
			return s.paneHit(p, x-at.X-2, y-at.Y-1), true
		}
	}
	return hit{}, false
}

// paneHit focuses a pane, and zooms the one that is focused.
func (s *screen) paneHit(p paneID, x, y int) hit {
	h := hit{at: s.at.pane[p], press: func(a *app) {
		if a.click(p, x, y) {
			a.focus = p
			return
		}
		if a.focus == p {
			a.zoomed = !a.zoomed
		}
		a.focus = p
	}}
	h.wheel = func(a *app, by int) { a.wheel(p, x, y, by) }
	switch p {
	}
	return h
}
