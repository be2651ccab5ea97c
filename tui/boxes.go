package tui

import (
	"github.com/hybridtop/hybridtop/tui/grid"
)

// box clears a rectangle over the panes and draws its border.
func (s *screen) box(r grid.Rect, title, right string, th *grid.Theme) grid.View {
	s.clear(r, th)
	v := s.g.Box(r, grid.Box{Title: title, Right: right, Border: th.Accent, TitleStyle: th.Title, RightStyle: th.Dim})
	return v.Sub(v.Local().Inset(1, 0))
}

// middle is a rectangle of at most w×h in the middle of the body.
func (s *screen) middle(w, h int) grid.Rect {
	body := grid.Rect{Y: 1, W: s.g.W, H: s.g.H - 3}
	w, h = min(w, body.W), min(h, body.H)
	return grid.Rect{X: (body.W - w) / 2, Y: body.Y + (body.H-h)/2, W: w, H: h}
}

// helpEntries are the lines of the key table that fit what is searched for;
// each action stands once.
func helpEntries(query string) []*binding {
	var all []*binding
	for i := range keyTable {
		all = append(all, &keyTable[i])
	}
	return rank(all, query, func(b *binding) string {
		return b.name + " " + b.labels() + " " + b.doc + " " + modeNames[b.in]
	})
}

// helpBox lists keys and actions under the line that narrows them.
func (s *screen) helpBox(a *app) {
	th := a.Theme
	v := s.box(s.middle(86, 44), "Help", "type to search, enter runs", th)
	v.Text(0, 0, "/", th.Accent)
	a.help.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	all := helpEntries(a.help.line.String())
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no key or action fits", grid.Center, th.Dim)
	}
	room := v.H() - 1
	at := min(a.help.at, max(0, len(all)-1))
	top := min(max(at-room/2, 0), max(0, len(all)-room))
	for y := 0; y < room && top+y < len(all); y++ {
		b := all[top+y]
		row := v.Sub(grid.Rect{Y: y + 1, W: v.W(), H: 1})
		key, doc, name := th.Accent, th.Text, th.Dim
		if b.in > onScreen {
			key, doc = th.Dim, th.Dim
		}
		if top+y == at {
			row.Tint(row.Local(), th.Selected.Bg, th.Selected.Attr)
			key, doc, name = th.Selected, th.Selected, th.Selected
		}
		row.TextIn(0, 0, 14, b.labels(), grid.Left, key)
		text := b.doc
		if b.in > onScreen {
			text = modeNames[b.in] + ": " + text
		}
		row.TextIn(15, 0, v.W()-15-17, text, grid.Left, doc)
		if v.W() > 60 {
			row.TextIn(v.W()-16, 0, 16, b.name, grid.Right, name)
		}
		s.listHit(row, func(a *app) {
			a.help.at = top + y
			a.runHelp()
		}, (*app).moveHelp)
	}
}

// listHit makes a row of a list a place for the mouse.
func (s *screen) listHit(row grid.View, press func(*app), move func(*app, int)) {
	s.hits = append(s.hits, hit{at: row.Rect(), press: press, wheel: func(a *app, by int) { move(a, -by) }})
}

// paletteBox shows the command line and what it offers.
func (s *screen) paletteBox(a *app) {
	th, p := a.Theme, &a.palette
	all := p.offers(a)
	rows := min(len(all), 12) + 3
	if p.fault != "" {
		rows += 2
	}
	r := s.middle(76, max(rows, 6))
	r.Y = min(r.Y, 3)
	v := s.box(r, "Command", "tab completes, enter runs", th)
	v.Text(0, 0, ":", th.Accent)
	p.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	y := 1
	if p.fault != "" {
		f := grid.Flow{V: v.Sub(grid.Rect{X: 2, Y: 1, W: v.W() - 2, H: 2})}
		f.Text("✗ "+p.fault, th.Error)
		y += min(f.Y, 2)
	}
	room := v.H() - y
	at := min(p.at, max(0, len(all)-1))
	top := min(max(at-room/2, 0), max(0, len(all)-room))
	for i := 0; i < room && top+i < len(all); i++ {
		e := &all[top+i]
		row := v.Sub(grid.Rect{Y: y + i, W: v.W(), H: 1})
		name, doc, key := th.Text, th.Dim, th.Accent
		if top+i == at {
			row.Tint(row.Local(), th.Selected.Bg, th.Selected.Attr)
			name, doc, key = th.Selected, th.Selected, th.Selected
		}
		n := row.TextIn(2, 0, v.W()/2, e.text, grid.Left, name)
		row.TextIn(max(26, n+4), 0, v.W()-max(26, n+4)-13, e.doc, grid.Left, doc)
		row.TextIn(v.W()-12, 0, 12, e.keys, grid.Right, key)
		s.listHit(row, func(a *app) {
			a.palette.line.Put(a.palette.offers(a)[top+i].text)
			a.runPalette()
		}, func(a *app, by int) { a.palette.move(a, by) })
	}
}
