package topology

import (
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// maxLined is the maximum number of nodes that are connected by lines.
const maxLined = 8

// column is the layout of nodes one above the other, with lines on their right.
type column struct {
	hasFrames   bool
	per, cell   int // ranks per row, columns per rank
	w, h        int // size of a node
	stride      int // rows from node to node
	tracks      int // columns of vertical lines
	pitch       int // columns from one vertical line to the next
	pairs       [maxLined * (maxLined - 1) / 2]pair
	n           int
	left, right int // edges of the area of the lines; the rates begin at right
}

// pair is two nodes and the path of the line between them.
type pair struct {
	a, b   int // a is above b
	ya, yb int
	track  int
}

// layOut returns the layout of nodes for a view, in at most rows rows. ok is false if none fits.
func (t *Pane) layOut(v grid.View, rows int) (c column, ok bool) {
	l := &t.layout
	if l.Nodes > maxLined {
		return c, false
	}
	c.hasFrames, c.cell = true, digits(l.Ranks()-1)+2
	for c.per = l.RanksPerNode; ; c.per = (c.per + 1) / 2 {
		c.w = max(c.per*c.cell+3, digits(l.Nodes-1)+6)
		c.h = (l.RanksPerNode+c.per-1)/c.per + 2
		if c.fits(l.Nodes, v.W(), rows) {
			return c, true
		}
		if c.per == 1 {
			break
		}
	}
	c.hasFrames = false
	c.w = digits(l.Nodes-1) + 2 + l.RanksPerNode
	c.h = 1
	return c, c.fits(l.Nodes, v.W(), rows)
}

// fits assigns a track to every pair and reports whether everything fits into w columns and h rows.
// The tracks do not depend on the traffic, so a line keeps its position.
func (c *column) fits(nodes, w, h int) bool {
	if nodes*c.h > h {
		return false
	}
	c.stride = c.h
	if c.hasFrames {
		c.h = max(c.h, min(nodes-1, h/nodes))
		c.stride = min(h/nodes, c.h+1)
	}
	c.n, c.tracks = 0, 0
	for far := 1; far < nodes; far++ {
		for a := 0; a+far < nodes; a++ {
			b := a + far
			p := pair{a: a, b: b, ya: c.port(a, b, nodes), yb: c.port(b, a, nodes)}
			for p.track = 0; c.overlaps(p); p.track++ {
			}
			c.pairs[c.n] = p
			c.n++
			c.tracks = max(c.tracks, p.track+1)
		}
	}
	width := w - c.w - 2
	if width < c.tracks {
		return false
	}
	c.pitch = min(width/max(c.tracks, 1), 3)
	c.left = c.w
	c.right = c.left + 2 + c.tracks*c.pitch
	return true
}

// port returns the row in which the line from a node to another begins. Lines upwards are above
// lines downwards, and lines to near nodes are outermost, so that few lines cross.
func (c *column) port(node, other, nodes int) int {
	top := node * c.stride
	up := node
	down := nodes - 1 - node
	above := c.h
	if down > 0 {
		above = min(max(c.h*up/(up+down), 1), max(c.h-1, 1))
	}
	if other < node {
		return top + (node-other-1)*above/up
	}
	below := c.h
	if up > 0 {
		below = max(c.h-above, 1)
	}
	return top + c.h - 1 - (other-node-1)*below/down
}

// overlaps reports whether an earlier line overlaps p on its track.
func (c *column) overlaps(p pair) bool {
	for _, o := range c.pairs[:c.n] {
		if o.track == p.track && o.ya <= p.yb && p.ya <= o.yb {
			return true
		}
	}
	return false
}

// These are the directions in which lines leave a cell.
const (
	left = 1 << iota
	right
	up
	down
)

var glyphsOf = map[uint8][4]rune{
	left | right:        {0, '┈', '─', '━'},
	up | down:           {0, '┊', '│', '┃'},
	left | down:         {0, '╮', '┐', '┓'},
	left | up:           {0, '╯', '┘', '┛'},
	left | right | down: {0, '┬', '┬', '┳'},
	left | right | up:   {0, '┴', '┴', '┻'},
}

var asciiOf = map[uint8][4]rune{left | right: {0, '.', '-', '='}, up | down: {0, ':', '|', '#'}}

// cellLines describes the lines in a cell: their directions, and the maximum weight of horizontal
// and vertical lines.
type cellLines struct{ directions, horizontal, vertical uint8 }

func (s *cellLines) add(directions, weight uint8) {
	s.directions |= directions
	if directions&(left|right) != 0 {
		s.horizontal = max(s.horizontal, weight)
	}
	if directions&(up|down) != 0 {
		s.vertical = max(s.vertical, weight)
	}
}

// glyph returns the symbol of a cell and its weight. If lines cross, the heavier one is drawn over
// the other.
func (s *cellLines) glyph(ascii bool) (rune, uint8) {
	directions, weight := s.directions, max(s.horizontal, s.vertical)
	if directions == left|right|up|down {
		directions = left | right
		if s.vertical > s.horizontal {
			directions = up | down
		}
	}
	if ascii {
		if g, ok := asciiOf[directions]; ok {
			return g[weight], weight
		}
		return '+', weight
	}
	if g, ok := glyphsOf[directions]; ok {
		return g[weight], weight
	}
	return '┼', weight
}

// heavyRate returns the scale of the weights: lines are heavy from the returned rate on, and thin
// below a tenth of it. It is the decade of the largest rate between nodes.
func (t *Pane) heavyRate(r *engine.Recent, nodes int) float64 {
	maxRate := 0.0
	for i := range r.Pairs {
		if i/nodes != i%nodes {
			maxRate = max(maxRate, rate(r, r.Pairs[i]))
		}
	}
	if maxRate <= 0 {
		return 0
	}
	return math.Pow(10, math.Floor(math.Log10(maxRate)))
}

// rate returns bytes per second of the fabric's time.
func rate(r *engine.Recent, bytes int64) float64 {
	if r.Span <= 0 {
		return 0
	}
	return float64(bytes) / r.Span.Seconds()
}

func weightOf(rate, heavy float64) uint8 {
	switch {
	case rate <= 0:
		return 0
	case rate < heavy/10:
		return 1
	case rate < heavy:
		return 2
	}
	return 3
}

// drawLines draws the nodes of a column, and a line between any two nodes that exchanged bytes.
func (t *Pane) drawLines(v grid.View, c *column, heavy float64, h *pane.Host) {
	snap, th := h.Snap, h.Theme
	r, nodes := &snap.Recent, t.layout.Nodes
	inside := th.Role(grid.RoleIntraNode)
	for n := range nodes {
		f := frameStyle{perRow: c.per, cell: c.cell, border: th.Border}
		if n*nodes+n < len(r.Pairs) && r.Pairs[n*nodes+n] > 0 {
			f.border = inside
		}
		if c.hasFrames {
			t.drawFrame(v.Sub(grid.Rect{Y: n * c.stride, W: c.w, H: c.h}), n, f, snap, th)
		} else {
			t.text = strconv.AppendInt(append(t.text[:0], 'n'), int64(n), 10)
			v.Bytes(0, n*c.stride, t.text, th.Dim)
			at := grid.Rect{X: digits(nodes-1) + 2, Y: n * c.stride, W: t.layout.RanksPerNode, H: 1}
			t.drawRow(v.Sub(at), n, snap, th)
		}
	}
	if len(r.Pairs) != nodes*nodes {
		return
	}
	in := v.Sub(grid.Rect{X: c.left, W: c.right - c.left, H: v.H()})
	w, rows := in.W(), in.H()
	if cap(t.lineCells) < w*rows {
		t.lineCells = make([]cellLines, w*rows)
	}
	t.lineCells = t.lineCells[:w*rows]
	clear(t.lineCells)
	for _, p := range c.pairs[:c.n] {
		ab, ba := rate(r, r.Pairs[p.a*nodes+p.b]), rate(r, r.Pairs[p.b*nodes+p.a])
		weight := weightOf(max(ab, ba), heavy)
		x := 1 + p.track*c.pitch + c.pitch
		if weight == 0 || x >= w || p.yb >= rows {
			continue
		}
		for i := range x {
			t.lineCells[p.ya*w+i].add(left|right, weight)
			t.lineCells[p.yb*w+i].add(left|right, weight)
		}
		t.lineCells[p.ya*w+x].add(left|down, weight)
		t.lineCells[p.yb*w+x].add(left|up, weight)
		for y := p.ya + 1; y < p.yb; y++ {
			t.lineCells[y*w+x].add(up|down, weight)
		}
	}
	st := th.Role(grid.RoleInterNode)
	for i := range t.lineCells {
		if t.lineCells[i].directions == 0 {
			continue
		}
		g, weight := t.lineCells[i].glyph(v.ASCII())
		in.Rune(i%w, i/w, g, lineStyle(st, weight))
	}
	for _, p := range c.pairs[:c.n] { // arrow heads are at the receivers
		if r.Pairs[p.a*nodes+p.b] > 0 {
			in.Rune(0, p.yb, '◂', st)
		}
		if r.Pairs[p.b*nodes+p.a] > 0 {
			in.Rune(0, p.ya, '◂', st)
		}
	}
	t.drawRates(v, c, r, h.Units, th)
}

func lineStyle(st grid.Style, weight uint8) grid.Style {
	if weight == 3 {
		return st.With(grid.Bold)
	}
	return st
}

// ratesW is the width of the rates of a node.
const ratesW = 18

// drawRates writes next to each node the bytes per second that it sends and receives, if there is
// room.
func (t *Pane) drawRates(v grid.View, c *column, r *engine.Recent, u grid.Units, th *grid.Theme) {
	if v.W()-c.right < ratesW || c.h < 3 {
		return
	}
	nodes := t.layout.Nodes
	for n := range nodes {
		var out, in int64
		for o := range nodes {
			if o != n {
				out += r.Pairs[n*nodes+o]
				in += r.Pairs[o*nodes+n]
			}
		}
		for i, one := range [...]struct {
			words string
			bytes int64
			class cluster.Class
		}{{"sends  ", out, cluster.Remote}, {"gets   ", in, cluster.Remote},
			{"inside ", r.Pairs[n*nodes+n], cluster.InNode}} {
			x := c.right + 1 + v.Text(c.right+1, n*c.stride+i, one.words, th.Dim)
			t.text = u.Rate().Append(t.text[:0], rate(r, one.bytes), 10)
			st := th.Dim
			if one.bytes > 0 {
				st = th.Role(grid.Role(one.class))
			}
			v.Bytes(x, n*c.stride+i, t.text, st)
		}
	}
}
