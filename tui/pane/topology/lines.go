package topology

import (
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// mostLined is the maximum number of nodes that are connected by lines.
const mostLined = 8

// column is the layout of nodes one above the other, with lines on their right.
type column struct {
	boxed       bool
	per, cell   int // ranks per row, columns per rank
	w, h        int // size of a node
	stride      int // rows from node to node
	lanes       int // columns of vertical lines
	pitch       int // columns from one vertical line to the next
	pairs       [mostLined * (mostLined - 1) / 2]pair
	n           int
	left, right int // edges of the area of the lines; the rates begin at right
}

// pair is two nodes and the path of the line between them.
type pair struct {
	a, b   int // a is above b
	ya, yb int
	lane   int
}

// stand returns the layout of nodes for a view, in at most rows rows. ok is false if none fits.
func (t *Pane) stand(v grid.View, rows int) (c column, ok bool) {
	l := &t.layout
	if l.Nodes > mostLined {
		return c, false
	}
	c.boxed, c.cell = true, digits(l.Ranks()-1)+2
	for c.per = l.RanksPerNode; ; c.per = (c.per + 1) / 2 {
		c.w = max(c.per*c.cell+3, digits(l.Nodes-1)+6)
		if c.h = (l.RanksPerNode+c.per-1)/c.per + 2; c.fits(l.Nodes, v.W(), rows) {
			return c, true
		}
		if c.per == 1 {
			break
		}
	}
	c.boxed, c.w, c.h = false, digits(l.Nodes-1)+2+l.RanksPerNode, 1
	return c, c.fits(l.Nodes, v.W(), rows)
}

// fits assigns a lane to every pair and reports whether everything fits into w columns and h rows.
// The lanes do not depend on the traffic, so a line keeps its position.
func (c *column) fits(nodes, w, h int) bool {
	if nodes*c.h > h {
		return false
	}
	c.stride = c.h
	if c.boxed {
		c.h = max(c.h, min(nodes-1, h/nodes))
		c.stride = min(h/nodes, c.h+1)
	}
	c.n, c.lanes = 0, 0
	for far := 1; far < nodes; far++ {
		for a := 0; a+far < nodes; a++ {
			b := a + far
			p := pair{a: a, b: b, ya: c.port(a, b, nodes), yb: c.port(b, a, nodes)}
			for p.lane = 0; c.taken(p); p.lane++ {
			}
			c.pairs[c.n] = p
			c.n++
			c.lanes = max(c.lanes, p.lane+1)
		}
	}
	room := w - c.w - 2
	if room < c.lanes {
		return false
	}
	c.pitch = min(room/max(c.lanes, 1), 3)
	c.left = c.w
	c.right = c.left + 2 + c.lanes*c.pitch
	return true
}

// port returns the row in which the line from a node to another begins. Lines upwards are above
// lines downwards, and lines to near nodes are outermost, so that few lines cross.
func (c *column) port(node, other, nodes int) int {
	top, up, down := node*c.stride, node, nodes-1-node
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

// taken reports whether an earlier line overlaps p in its lane.
func (c *column) taken(p pair) bool {
	for _, o := range c.pairs[:c.n] {
		if o.lane == p.lane && o.ya <= p.yb && p.ya <= o.yb {
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

// stretch describes the lines in a cell: their directions, and the maximum weight of horizontal and
// vertical lines.
type stretch struct{ arms, flat, steep uint8 }

func (s *stretch) add(arms, weight uint8) {
	if s.arms |= arms; arms&(left|right) != 0 {
		s.flat = max(s.flat, weight)
	}
	if arms&(up|down) != 0 {
		s.steep = max(s.steep, weight)
	}
}

// glyph returns the symbol of a cell and its weight. If lines cross, the heavier one is drawn over
// the other.
func (s *stretch) glyph(ascii bool) (rune, uint8) {
	arms, weight := s.arms, max(s.flat, s.steep)
	if arms == left|right|up|down {
		if arms = left | right; s.steep > s.flat {
			arms = up | down
		}
	}
	if ascii {
		if g, ok := asciiOf[arms]; ok {
			return g[weight], weight
		}
		return '+', weight
	}
	if g, ok := glyphsOf[arms]; ok {
		return g[weight], weight
	}
	return '┼', weight
}

// decades returns the scale of the weights: lines are heavy from the returned rate on, and thin
// below a tenth of it. It is the decade of the largest rate between nodes.
func (t *Pane) decades(r *engine.Recent, nodes int) float64 {
	most := 0.0
	for i := range r.Pairs {
		if i/nodes != i%nodes {
			most = max(most, rate(r, r.Pairs[i]))
		}
	}
	if most <= 0 {
		return 0
	}
	return math.Pow(10, math.Floor(math.Log10(most)))
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

// lines draws the nodes of a column, and a line between any two nodes that exchanged bytes.
func (t *Pane) lines(v grid.View, c *column, heavy float64, snap *engine.Snapshot, u grid.Units, th *grid.Theme) {
	r, nodes := &snap.Recent, t.layout.Nodes
	inside := th.SeriesStyle(int(cluster.InNode))
	for n := range nodes {
		border := th.Border
		if n*nodes+n < len(r.Pairs) && r.Pairs[n*nodes+n] > 0 {
			border = inside
		}
		if c.boxed {
			t.frame(v.Sub(grid.Rect{Y: n * c.stride, W: c.w, H: c.h}), n, c.per, c.cell, border, snap, th)
		} else {
			t.text = strconv.AppendInt(append(t.text[:0], 'n'), int64(n), 10)
			v.Bytes(0, n*c.stride, t.text, th.Dim)
			t.run(v, digits(nodes-1)+2, n*c.stride, n, snap, th)
		}
	}
	if len(r.Pairs) != nodes*nodes {
		return
	}
	in := v.Sub(grid.Rect{X: c.left, W: c.right - c.left, H: v.H()})
	w, h := in.W(), in.H()
	if cap(t.way) < w*h {
		t.way = make([]stretch, w*h)
	}
	t.way = t.way[:w*h]
	clear(t.way)
	for _, p := range c.pairs[:c.n] {
		ab, ba := rate(r, r.Pairs[p.a*nodes+p.b]), rate(r, r.Pairs[p.b*nodes+p.a])
		weight := weightOf(max(ab, ba), heavy)
		x := 1 + p.lane*c.pitch + c.pitch
		if weight == 0 || x >= w || p.yb >= h {
			continue
		}
		for i := range x {
			t.way[p.ya*w+i].add(left|right, weight)
			t.way[p.yb*w+i].add(left|right, weight)
		}
		t.way[p.ya*w+x].add(left|down, weight)
		t.way[p.yb*w+x].add(left|up, weight)
		for y := p.ya + 1; y < p.yb; y++ {
			t.way[y*w+x].add(up|down, weight)
		}
	}
	st := th.SeriesStyle(int(cluster.Remote))
	for i := range t.way {
		if t.way[i].arms == 0 {
			continue
		}
		g, weight := t.way[i].glyph(v.ASCII())
		in.Rune(i%w, i/w, g, heavier(st, weight))
	}
	for _, p := range c.pairs[:c.n] { // arrow heads are at the receivers
		if r.Pairs[p.a*nodes+p.b] > 0 {
			in.Rune(0, p.yb, '◂', st)
		}
		if r.Pairs[p.b*nodes+p.a] > 0 {
			in.Rune(0, p.ya, '◂', st)
		}
	}
	t.rates(v, c, r, u, th)
}

func heavier(st grid.Style, weight uint8) grid.Style {
	if weight == 3 {
		return st.With(grid.Bold)
	}
	return st
}

// ratesW is the width of the rates of a node.
const ratesW = 18

// rates writes next to each node the bytes per second that it sends and receives, if there is room.
func (t *Pane) rates(v grid.View, c *column, r *engine.Recent, u grid.Units, th *grid.Theme) {
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
		}{{"sends  ", out, cluster.Remote}, {"gets   ", in, cluster.Remote}, {"inside ", r.Pairs[n*nodes+n], cluster.InNode}} {
			x := c.right + 1 + v.Text(c.right+1, n*c.stride+i, one.words, th.Dim)
			t.text = u.Rate().Append(t.text[:0], rate(r, one.bytes), 10)
			st := th.Dim
			if one.bytes > 0 {
				st = th.SeriesStyle(int(one.class))
			}
			v.Bytes(x, n*c.stride+i, t.text, st)
		}
	}
}
