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

// traffic draws nodes with lines between them, or the matrix of bytes between nodes. It returns
// false if neither fits, or if the run does not count bytes by node.
func (t *Pane) traffic(v grid.View, h *pane.Host) bool {
	snap, th, l := h.Snap, h.Theme, &t.layout
	r := &snap.Recent
	if l.Nodes < 2 || r.Nodes == 0 || v.H() < 5 {
		return false
	}
	heavy := 0.0
	if r.Nodes == 1 {
		heavy = t.decades(r, l.Nodes)
	}
	t.note(h, heavy)
	foot := t.notes(grid.View{}, v.W(), th)
	states := 1
	if c, ok := t.stand(v, v.H()-foot-states); ok {
		if c.h*l.Nodes+foot+2 <= v.H() && v.W() < legendW {
			states = 2
			c, _ = t.stand(v, v.H()-foot-states)
		}
		t.lines(v.Sub(grid.Rect{W: v.W(), H: v.H() - foot - states}), &c, heavy, snap, h.Units, th)
		t.notes(v.Sub(grid.Rect{Y: v.H() - foot - states, W: v.W(), H: foot}), v.W(), th)
		t.legend(v.Sub(grid.Rect{Y: v.H() - states, W: v.W(), H: states}), snap, th)
		return true
	}
	if v.H() < 8 || v.W() < 16 {
		return false
	}
	t.note(h, 0)
	left, rest := v.Local(), grid.Rect{}
	switch {
	case v.W() >= 90:
		left, rest = left.CutLeft(v.W() - v.W()/3)
		rest.X, rest.W = rest.X+2, rest.W-2
	case v.H() >= 12:
		left, rest = left.CutTop(v.H() - v.H()/3)
	}
	foot = t.notes(grid.View{}, left.W, th)
	t.matrix(v.Sub(grid.Rect{X: left.X, Y: left.Y, W: left.W, H: left.H - foot}), h)
	t.cross(v, h.Pick.Within(&t.layout), snap.Recent.Nodes)
	t.notes(v.Sub(grid.Rect{X: left.X, Y: left.Y + left.H - foot, W: left.W, H: foot}), left.W, th)
	if !rest.Empty() {
		t.ranks(v.Sub(rest), snap, th)
	}
	return true
}

// item is a note below the traffic: a symbol and a text.
type item struct {
	mark     rune
	style    grid.Style
	from, to int // range in Pane.words
}

// write adds a note. f appends its text.
func (t *Pane) write(mark rune, st grid.Style, f func([]byte) []byte) {
	from := len(t.words)
	t.words = f(t.words)
	t.items = append(t.items, item{mark, st, from, len(t.words)})
}

func (t *Pane) say(s string) {
	from := len(t.words)
	t.words = append(t.words, s...)
	t.items = append(t.items, item{from: from, to: len(t.words)})
}

// note adds the notes on the traffic: the scale of the lines, the kind of number, and the rates by
// class.
func (t *Pane) note(h *pane.Host, heavy float64) {
	r, th := &h.Snap.Recent, h.Theme
	t.items, t.words = t.items[:0], t.words[:0]
	t.short = false
	if p := h.Pick.Within(&t.layout); p.Level != pane.Nothing {
		t.short = !h.Alone
		t.tell(h, p)
	}
	st := th.SeriesStyle(int(cluster.Remote))
	switch {
	case r.Span <= 0:
		t.say("no bytes counted yet")
		return
	case r.Class[cluster.Remote] == 0:
		t.say("no bytes between nodes")
		t.say("in the last second")
	case heavy > 0:
		t.write('1', st, func(b []byte) []byte { return h.Units.Rate().Append(append(b, '<'), heavy/10, 10) })
		t.write('2', st, func(b []byte) []byte { return h.Units.Rate().Append(append(b, '<'), heavy, 10) })
		t.write('3', heavier(st, 3), func(b []byte) []byte { return append(b, "more"...) })
	}
	kind := th.Kind(pane.KindOf(h.Snap.Kind))
	t.write(kind.Symbol, kind.Style, func(b []byte) []byte {
		if b = append(b, h.Snap.Kind...); r.Class[cluster.Remote] > 0 {
			b = append(b, ", last second"...)
		}
		return b
	})
	for c := range pane.ClassNames {
		if t.short {
			break // the notes on the selection need the room
		}
		t.write(pane.ClassMarks[c], th.SeriesStyle(c), func(b []byte) []byte {
			b = h.Units.Rate().Append(append(append(b, pane.ClassNames[c]...), ' '), rate(r, r.Class[c]), 10)
			if h.Base != nil && h.Base.Recent.Span > 0 {
				base := &h.Base.Recent
				b = engine.AppendFactor(append(b, ' '), h.Base.Over(rate(r, r.Class[c]), rate(base, base.Class[c])))
			}
			return b
		})
	}
	if h.Base != nil && h.Base.Recent.Span > 0 && !t.short {
		t.say(h.Versus())
	}
}

// notes draws the notes, wrapped to a width, and returns the number of rows.
func (t *Pane) notes(v grid.View, w int, th *grid.Theme) int {
	x, y := 0, 0
	for _, it := range t.items {
		text := t.words[it.from:it.to]
		n := grid.Width(string(text))
		if it.mark != 0 {
			n += 2
		}
		if x > 0 && x+n > w {
			x, y = 0, y+1
		}
		at := x
		if it.mark != 0 {
			g := it.mark
			if g >= '1' && g <= '3' {
				line := stretch{arms: left | right, flat: uint8(g - '0')}
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

// matrix draws the rates between nodes as a heat map. Rows are senders.
func (t *Pane) matrix(v grid.View, h *pane.Host) {
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
	m.Cols, m.Bar, m.Blank, m.Values, m.Ratios, m.Against = blocks, true, true, m.Values[:0], m.Ratios[:0], h.Versus()
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
	t.heatAt = grid.Rect{X: in.Rect().X - t.base.X, Y: in.Rect().Y - t.base.Y, W: in.W(), H: in.H()}
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
