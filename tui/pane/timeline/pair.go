package timeline

import (
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// pairOf returns two parts of the latest iteration that has two completely recorded parts.
func pairOf(tl *timeline.View) (both [2]*timeline.Part, ok bool) {
	for i := len(tl.Parts) - 1; i > 0; i-- {
		b := &tl.Parts[i]
		if !b.Whole || b.End > tl.Edge {
			continue
		}
		for k := i - 1; k >= 0 && tl.Parts[k].Round == b.Round; k-- {
			a := &tl.Parts[k]
			if !a.Whole || a.Row == b.Row || a.Begin < tl.From {
				continue
			}
			if a.Row > b.Row {
				a, b = b, a
			}
			return [2]*timeline.Part{a, b}, true
		}
	}
	return both, false
}

// isPaired reports whether parts are shown one above the other. They are not if the user looks at
// one moment or at messages.
func (t *Pane) isPaired() bool {
	w := &t.Want
	return !w.Sequential && !w.Path && !w.Cursor && !w.Arrows && !t.moment.Marked && !t.held
}

// pairRows is the number of rows that a pair needs: a title and two lanes each.
const pairRows = 6

// drawPair draws two parts of an iteration one above the other. Both begin at the left edge, so
// that the faster one is shorter.
func (t *Pane) drawPair(v grid.View, h *pane.Host, body, axis grid.Rect, both [2]*timeline.Part) {
	tl := h.Snap.Timeline
	height := (body.H - 2) / 2
	t.rows.arrange(tl, t.Want.Fold, height)
	t.scrollToPick(h, height)
	label, shares := t.columns(body.W)
	w := body.W - label - shares*sharesCol
	if w < 1 {
		return
	}
	column := columnOf(h.Window.Span, w)
	if column == 0 {
		longest := max(both[0].End-both[0].Begin, both[1].End-both[1].Begin, 1)
		column = fitTime((longest + cluster.Time(w) - 1) / cluster.Time(w))
	}
	binsPerCell := 2
	if v.Mono() || v.ASCII() || t.rows.fold != foldThreads {
		binsPerCell = 1
	}
	y, late := body.Y, false
	for k, part := range both {
		t.rows, t.pairs[k] = t.pairs[k], t.rows
		t.rows.arrange(tl, t.Want.Fold, height)
		t.rows.origin, t.rows.until = part.Begin, part.End
		s := &t.shown
		*s = frame{column: column, columns: w, begin: part.Begin, end: part.Begin + column*cluster.Time(w), fold: t.rows.fold}
		s.all, s.rows = len(t.rows.all), min(len(t.rows.all), height)
		s.top = min(max(t.Want.Top, 0), s.all-s.rows)
		late = !t.rows.compute(tl, s, binsPerCell) || late
		t.drawTitle(v.Sub(grid.Rect{X: label, Y: y, W: w, H: 1}), h.Theme, both, k)
		t.drawCells(v.Sub(grid.Rect{X: label, Y: y + 1, W: w, H: s.rows}), h.Theme, binsPerCell)
		t.drawLabels(v.Sub(grid.Rect{Y: y + 1, W: label, H: s.rows}), h, false)
		if shares > 0 {
			t.drawShares(v.Sub(grid.Rect{X: body.W - shares*sharesCol, Y: y, W: shares * sharesCol, H: 1 + s.rows}), 1,
				h.Theme, tl, shares)
		}
		y += 1 + s.rows
		t.rows, t.pairs[k] = t.pairs[k], t.rows
	}
	t.shown.incomplete = late
	axis.Y = min(axis.Y, y)
	from := t.shown
	t.shown.begin, t.shown.end = 0, from.end-from.begin
	t.drawAxis(v.Sub(grid.Rect{X: label, Y: axis.Y, W: w, H: axis.H}), h.Theme)
	t.shown = from
}

// drawTitle draws the name of a part and its duration. For the lower part it adds ε, the duration
// of the upper part relative to the lower one: "├─scheme: funneled, 112 µs, ε 1.43 ───┤".
func (t *Pane) drawTitle(v grid.View, th *grid.Theme, both [2]*timeline.Part, k int) {
	p := both[k]
	took := p.End - p.Begin
	text := took.String()
	if k == 1 && took > 0 {
		text += ", ε " + strconv.FormatFloat(float64(both[0].End-both[0].Begin)/float64(took), 'f', 2, 64)
	}
	drawBracket(v, th, 0, int((took-1)/t.shown.column), p.Name+", "+text, text)
}

// drawBracket draws a span of columns with the first text that fits inside or after it.
func drawBracket(v grid.View, th *grid.Theme, from, to int, texts ...string) {
	for x := max(from, 0); x <= min(to, v.W()-1); x++ {
		r := '─'
		switch {
		case x == from && from == to:
			r = '│'
		case x == from:
			r = '├'
		case x == to:
			r = '┤'
		}
		v.Rune(x, 0, r, th.Dim)
	}
	inside, behind := max(from, 0)+2, to+2
	for _, text := range texts {
		switch n := grid.Width(text); {
		case inside+n < min(to, v.W()):
			v.Text(inside, 0, text, th.Text)
			return
		case behind+n <= v.W():
			v.Text(behind, 0, text, th.Text)
			return
		}
	}
	v.Text(inside, 0, grid.Fit(texts[len(texts)-1], max(min(to, v.W())-inside-1, 0)), th.Text)
}

// drawParts writes the names of the parts of iterations above the rows.
func (t *Pane) drawParts(v grid.View, th *grid.Theme, tl *timeline.View) {
	s := &t.shown
	for i := range tl.Parts {
		p := &tl.Parts[i]
		end := p.End
		if !p.Whole {
			end = tl.Edge
		}
		if end <= s.begin || p.Begin >= s.end || end <= p.Begin {
			continue
		}
		from, to := int((p.Begin-s.begin)/s.column), int((end-1-s.begin)/s.column)
		if p.Begin < s.begin {
			from = -1
		}
		short := p.Name
		if _, name, ok := strings.Cut(p.Name, ": "); ok {
			short = name
		}
		drawBracket(v.Sub(grid.Rect{W: min(to+1, v.W()), H: 1}), th, from, to, p.Name, short)
	}
}
