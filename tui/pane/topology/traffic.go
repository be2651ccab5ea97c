package topology

import (
	"bytes"
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// drawTraffic draws nodes with lines between them, or the matrix of bytes between nodes. It returns
// false if neither fits, or if the run does not count bytes by node.
func (t *Pane) drawTraffic(v grid.View, h *pane.Host) bool {
	snap := h.Snap
	th := h.Theme
	l := &t.layout
	r := &snap.Recent
	if l.Nodes < 2 || r.Nodes == 0 || v.H() < 5 {
		return false
	}
	heavy := 0.0
	if r.Nodes == 1 {
		heavy = t.heavyRate(r, l.Nodes)
	}
	t.addTraffic(h, heavy)
	foot := t.drawNotes(grid.View{}, v.W(), th)
	states := 1
	c, ok := t.layOut(v, v.H()-foot-states)
	if !ok && l.Nodes <= v.H()-states && v.H() < 8 { // arrows say more than notes
		foot = 0
		c, ok = t.layOut(v, v.H()-states)
	}
	if ok {
		if c.h*l.Nodes+foot+2 <= v.H() && v.W() < legendW {
			states = 2
			c, _ = t.layOut(v, v.H()-foot-states)
		}
		t.drawLines(v.Sub(grid.Rect{W: v.W(), H: v.H() - foot - states}), &c, heavy, h)
		t.drawNotes(v.Sub(grid.Rect{Y: v.H() - foot - states, W: v.W(), H: foot}), v.W(), th)
		t.drawLegend(v.Sub(grid.Rect{Y: v.H() - states, W: v.W(), H: states}), snap, th)
		return true
	}
	if v.H() < 8 || v.W() < 16 {
		return false
	}
	t.addTraffic(h, 0)
	left, rest := v.Local(), grid.Rect{}
	switch {
	case v.W() >= 90:
		left, rest = left.CutLeft(v.W() - v.W()/3)
		rest.X, rest.W = rest.X+2, rest.W-2
	case v.H() >= 12:
		left, rest = left.CutTop(v.H() - v.H()/3)
	}
	foot = t.drawNotes(grid.View{}, left.W, th)
	t.drawMatrix(v.Sub(grid.Rect{X: left.X, Y: left.Y, W: left.W, H: left.H - foot}), h)
	t.highlightCross(v, h.Pick.Within(&t.layout), snap.Recent.Nodes)
	t.drawNotes(v.Sub(grid.Rect{X: left.X, Y: left.Y + left.H - foot, W: left.W, H: foot}), left.W, th)
	if !rest.Empty() {
		t.drawRanks(v.Sub(rest), snap, th)
	}
	return true
}

// item is a note below the traffic: a symbol and a text.
type item struct {
	symbol   rune
	style    grid.Style
	from, to int // range in Pane.words
}

// addItem adds a note. f appends its text.
func (t *Pane) addItem(symbol rune, st grid.Style, f func([]byte) []byte) {
	from := len(t.words)
	t.words = f(t.words)
	t.items = append(t.items, item{symbol: symbol, style: st, from: from, to: len(t.words)})
}

func (t *Pane) addText(s string) {
	from := len(t.words)
	t.words = append(t.words, s...)
	t.items = append(t.items, item{from: from, to: len(t.words)})
}

// addTraffic adds the notes on the traffic: the scale of the lines, the kind of number, and the
// rates by class.
func (t *Pane) addTraffic(h *pane.Host, heavy float64) {
	r, th := &h.Snap.Recent, h.Theme
	t.items, t.words = t.items[:0], t.words[:0]
	t.isShort = false
	if p := h.Pick.Within(&t.layout); p.Level != pane.Nothing {
		t.isShort = !h.Alone
		t.addSelection(h, p)
	}
	st := th.Role(grid.RoleInterNode)
	switch {
	case r.Span <= 0:
		t.addText("no bytes counted yet")
		return
	case r.Class[cluster.Remote] == 0:
		t.addText("no bytes between nodes")
		t.addText("in the last second")
	case heavy > 0:
		t.addItem('1', st, func(b []byte) []byte { return h.Units.Rate().Append(append(b, '<'), heavy/10, 10) })
		t.addItem('2', st, func(b []byte) []byte { return h.Units.Rate().Append(append(b, '<'), heavy, 10) })
		t.addItem('3', lineStyle(st, 3), func(b []byte) []byte { return append(b, "more"...) })
	}
	kind := th.Kind(pane.KindOf(h.Snap.Kind))
	t.addItem(kind.Symbol, kind.Style, func(b []byte) []byte {
		b = append(b, h.Snap.Kind...)
		if r.Class[cluster.Remote] > 0 {
			b = append(b, ", last second"...)
		}
		return b
	})
	for c := range pane.ClassNames {
		if t.isShort {
			break // the notes on the selection need the room
		}
		t.addItem(pane.ClassSymbols[c], th.Role(grid.Role(c)), func(b []byte) []byte {
			b = h.Units.Rate().Append(append(append(b, pane.ClassNames[c]...), ' '), rate(r, r.Class[c]), 10)
			if h.Base != nil && h.Base.Recent.Span > 0 {
				base := &h.Base.Recent
				b = engine.AppendFactor(append(b, ' '), h.Base.Over(rate(r, r.Class[c]), rate(base, base.Class[c])))
			}
			return b
		})
	}
	if h.Base != nil && h.Base.Recent.Span > 0 && !t.isShort {
		t.addText(h.RatioLegend())
	}
}

// drawNotes draws the notes, wrapped to a width, and returns the number of rows.
func (t *Pane) drawNotes(v grid.View, w int, th *grid.Theme) int {
	x, y := 0, 0
	for _, it := range t.items {
		text := t.words[it.from:it.to]
		n := grid.Width(string(text))
		if it.symbol != 0 {
			n += 2
		}
		if x > 0 && x+n > w {
			x, y = 0, y+1
		}
		at := x
		if it.symbol != 0 {
			g := it.symbol
			if g >= '1' && g <= '3' {
				line := cellLines{directions: left | right, horizontal: uint8(g - '0')}
				g, _ = line.glyph(v.ASCII())
			}
			v.Rune(x, y, g, it.style)
			at += 2
		}
		if x+n > w {
			v.TextRows(at, y, w-at, 1, string(text), th.Dim)
		} else {
			v.Bytes(at, y, text, th.Dim)
		}
		x += n + 1
	}
	return y + 1
}

// drawMatrix draws the rates between nodes as a heat map. Rows are senders.
func (t *Pane) drawMatrix(v grid.View, h *pane.Host) {
	snap, th := h.Snap, h.Theme
	r, m := &snap.Recent, &t.heat
	blocks := r.Blocks(t.layout.Nodes)
	if t.labelled != [2]int{blocks, r.Nodes} {
		t.labelled = [2]int{blocks, r.Nodes}
		m.RowLabels, m.ColLabels = m.RowLabels[:0], m.ColLabels[:0]
		node := func(n int) string { return "n" + strconv.Itoa(min(n, t.layout.Nodes-1)) }
		for b := range blocks {
			m.RowLabels = append(m.RowLabels, grid.Range(node(b*r.Nodes), node((b+1)*r.Nodes-1)))
			m.ColLabels = append(m.ColLabels, node(b*r.Nodes))
		}
	}
	m.Cols = blocks
	m.Bar = true
	m.Blank = true
	m.Values = m.Values[:0]
	m.Ratios = m.Ratios[:0]
	m.Against = h.RatioLegend()
	var base *engine.Recent
	if h.Base != nil && !h.Absolute {
		base = h.Base.Traffic(r)
	}
	low, high := math.Inf(1), 0.0
	for i := range blocks * blocks {
		x := math.NaN()
		if i < len(r.Pairs) && r.Pairs[i] > 0 && r.Span > 0 {
			x = rate(r, r.Pairs[i])
			low, high = min(low, x), max(high, x)
		}
		m.Values = append(m.Values, x)
		if base != nil && i < len(base.Pairs) {
			m.Ratios = append(m.Ratios, h.Base.Left("B/s", x, rate(base, base.Pairs[i])))
		}
	}
	m.Axis = grid.Axis{Scale: grid.Log10, Unit: h.Units.Rate()}
	if high > 0 {
		m.Axis.Fixed = true
		m.Axis.Max = math.Pow(10, math.Ceil(math.Log10(high)))
		m.Axis.Min = math.Pow(10, math.Floor(math.Log10(low)))
		if m.Axis.Min >= m.Axis.Max {
			m.Axis.Min = m.Axis.Max / 10
		}
	}
	in := v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	m.Draw(in, th)
	t.heatAt = grid.Rect{X: in.Rect().X - t.origin.X, Y: in.Rect().Y - t.origin.Y, W: in.W(), H: in.H()}
	rows, cols := m.Folded()
	t.text = append(t.text[:0], "from row to column, cell = "...)
	switch {
	case r.Nodes == 1 && rows == 1 && cols == 1:
		t.text = append(t.text, "node pair"...)
	default:
		t.text = strconv.AppendInt(t.text, int64(r.Nodes*rows), 10)
		t.text = strconv.AppendInt(append(t.text, "×"...), int64(r.Nodes*cols), 10)
		t.text = append(t.text, " nodes"...)
		if rows*cols > 1 {
			if base != nil {
				t.text = append(t.text, ", largest difference"...)
			} else {
				t.text = append(t.text, ", largest rate"...)
			}
		}
	}
	text := t.text
	if grid.Width(string(text)) > v.W() {
		text = text[len("from row to column, "):]
	}
	if grid.Width(string(text)) > v.W() {
		text, _, _ = bytes.Cut(text, []byte(", "))
	}
	v.Bytes(0, 0, text, th.Dim)
}
