package study

import (
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// minLabel is the minimum width of the first column of a table. longLabel is its width for long
// names if other columns need the room.
const (
	minLabel  = 5
	longLabel = 24
)

// measure returns the width of a study's table, or 0 if it has none. Labels are complete if there
// is room. Otherwise parts that all labels share are dropped, from the heading as well.
func (p *Pane) measure(s *engine.StudyView, cols int) int {
	wide := 0
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Title != "" {
			wide += c.Wide
		}
	}
	if wide == 0 {
		return 0
	}
	wide += 3 // the symbol before names, and blanks
	for i := range s.Columns {
		if i == p.baseline.column || isMeasured(&s.Form, i) {
			wide += p.baseline.ratioWidth(s)
		}
	}
	p.names = p.names[:0]
	for i := range s.Rows {
		p.names = append(p.names, p.units.Text(s.Rows[i].Label))
	}
	p.item = s.Item
	for range shorten(p.names, max(longLabel, cols-wide)) {
		if _, rest, more := strings.Cut(p.item, comma); more {
			p.item = rest
		}
	}
	p.labels = max(minLabel, grid.Width(p.item), maxWidth(p.names))
	return p.labels + wide
}

// drawTable draws the table. The best row has a star, a row that cannot run has a cross, and the
// present row is highlighted.
func (p *Pane) drawTable(v grid.View, s *engine.StudyView, h *pane.Host) {
	if v.H() == 0 || v.W() < 18 {
		return
	}
	if v.H() == 1 {
		p.drawOneLine(v, s, h.Theme)
		return
	}
	first := 2
	p.ratioWidths = p.baseline.ratioWidths(p.ratioWidths, s, p.labels, v.W())
	v.TextIn(first, 0, p.labels, p.item, grid.Left, h.Theme.Dim)
	x := first + p.labels + 1
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Title == "" {
			continue
		}
		if x+c.Wide > v.W() {
			break
		}
		v.TextIn(x, 0, c.Wide, c.Title, grid.Right, h.Theme.Dim)
		x += c.Wide
		if wide := p.ratioWidths[i]; wide > 0 {
			v.TextIn(x, 0, wide, "× base", grid.Right, h.Theme.Dim)
			x += wide
		}
	}
	rows := v.H() - 1
	top := p.scroll.top(s.Now, len(s.Rows), rows)
	for y := range min(rows, len(s.Rows)) {
		p.drawRow(v.Sub(grid.Rect{Y: y + 1, W: min(x, v.W()), H: 1}), s, top+y, h.Theme)
	}
	if top > 0 {
		v.Rune(1, 1, '▴', h.Theme.Accent)
	}
	if top+rows < len(s.Rows) {
		v.Rune(1, rows, '▾', h.Theme.Accent)
	}
}

// scroll is the scroll position of a table that does not fit, relative to the rows around the
// present one.
type scroll struct {
	by         int
	now        int  // the present row; a change resets the scroll position
	isScrolled bool // the table does not fit
}

// top returns the first shown row of a table with n rows. rows is the number of rows that fit.
func (c *scroll) top(now, n, rows int) int {
	if now != c.now {
		c.now, c.by = now, 0
	}
	limit := max(0, n-rows)
	c.isScrolled = limit > 0
	around := min(max(now-rows/2, 0), limit)
	top := min(max(around+c.by, 0), limit)
	c.by = top - around
	return top
}

// flagStyle returns the symbol of a flag, its style, and the style of the row. The symbol is 0 if
// there is none.
func flagStyle(f engine.Flag, th *grid.Theme) (symbol rune, ink, text grid.Style) {
	switch f {
	case engine.Unfit:
		return '✗', th.Error, th.Dim
	case engine.Best:
		return '★', th.Good, th.Good
	case engine.Late:
		return '▲', th.Warning, th.Warning
	}
	return 0, grid.Style{}, th.Text
}

func (p *Pane) drawRow(v grid.View, s *engine.StudyView, n int, th *grid.Theme) {
	r := &s.Rows[n]
	symbol, ink, st := flagStyle(r.Flag, th)
	if symbol != 0 {
		v.Rune(0, 0, symbol, ink)
	}
	if n == s.Now {
		v.Tint(v.Local(), th.Selected.Bg, th.Selected.Attr)
		st = st.With(th.Selected.Attr)
	}
	v.TextIn(2, 0, p.labels, p.names[n], grid.Right, st)
	x := 3 + p.labels
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Title == "" {
			continue
		}
		if x+c.Wide > v.W() {
			return
		}
		look := st
		if c.Kind != "" {
			look = th.Kind(pane.KindOf(c.Kind)).Style
			if n == s.Now {
				look = look.With(th.Selected.Attr)
			}
		}
		p.text = unit(c, p.units).Append(p.text[:0], s.Cell(n, i), c.Wide-1)
		v.Bytes(x+c.Wide-grid.Width(string(p.text)), 0, p.text, look)
		x += c.Wide
		if wide := p.ratioWidths[i]; wide > 0 {
			look = th.Accent
			if n == s.Now {
				look = look.With(th.Selected.Attr)
			}
			p.text = p.baseline.appendRatio(p.text[:0], s, n, i, th)
			v.Bytes(x+wide-grid.Width(string(p.text)), 0, p.text, look)
			x += wide
		}
	}
}

// drawOneLine draws the present row and the best row in one line.
func (p *Pane) drawOneLine(v grid.View, s *engine.StudyView, th *grid.Theme) {
	x := 0
	for i := range s.Rows {
		symbol, st := '▸', th.Text
		switch {
		case s.Rows[i].Flag == engine.Best:
			symbol, st = '★', th.Good
		case i != s.Now:
			continue
		}
		p.text = append(p.text[:0], s.Brief.Before+p.units.Text(s.Rows[i].Label)+": "...)
		p.text = append(unit(&s.Columns[s.Brief.Column], p.units).Append(p.text, s.Cell(i, s.Brief.Column), 9),
			s.Brief.After...)
		if x+2+grid.Width(string(p.text)) > v.W() {
			return
		}
		v.Rune(x, 0, symbol, st)
		x += v.Bytes(x+2, 0, p.text, st) + 4
	}
}
