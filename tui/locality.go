package tui

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// locality draws the shares of accesses that stayed in the rank and in the
// node, measured, over the law's curves (paper 1, section 4.3.1), and what each
// group size costs in memory:
//
//	100%┤●╌╌╌╮        ● rank  ▲ node  ╌ law     group  rank  law  access  memory
//	 50%┤    ╰●╌╌╌                                 ★ 2   50%  50%   95 ns   2 MiB
//	  0%┤         ╌●                                 4   25%  25%  210 ns   1 MiB
type locality struct {
	chart grid.LineChart
	x     []float64
	y     [4][]float64
	text  []byte
}

// localityLines are the series: name, and whether it is the law's.
var localityLines = [4]struct {
	name string
	law  bool
}{{"law, rank", true}, {"law, node", true}, {"rank", false}, {"node", false}}

func (l *locality) draw(v grid.View, a *app) {
	points, th := a.Snap.Locality, a.Theme
	if len(points) == 0 {
		if a.Snap.Phase == engine.Running || a.Snap.Phase == engine.Paused {
			v.TextIn(0, v.H()/2, v.W(), "this workload compares no group sizes", grid.Center, th.Dim)
			return
		}
		a.Empty(v)
		return
	}
	chart, table := v.Local(), grid.Rect{}
	switch {
	case v.W() >= 78 && v.H() < 18:
		table, chart = chart.CutRight(min(localityWidth, v.W()/2))
		chart.W--
	case v.H() >= 10:
		table, chart = chart.CutBottom(min(len(points)+1, v.H()/2))
	case v.H() >= 5:
		table, chart = chart.CutBottom(1)
	}
	l.plot(v.Sub(chart), a)
	l.table(v.Sub(table), a)
}

// plot draws shares over group size. Law curves have the modelled look, points
// that of the run's kind.
func (l *locality) plot(v grid.View, a *app) {
	points, th := a.Snap.Locality, a.Theme
	l.x = l.x[:0]
	for i := range l.y {
		l.y[i] = l.y[i][:0]
	}
	for i := range points {
		p := &points[i]
		l.x = append(l.x, float64(p.Group))
		for k, x := range [4]float64{p.LawRank, p.LawNode, p.RankLocal, p.NodeLocal} {
			l.y[k] = append(l.y[k], x)
		}
	}
	kind, law := th.Kind(pane.KindOf(a.Snap.Kind)), th.Kind(grid.Modelled)
	c := &l.chart
	c.X = grid.Axis{Scale: grid.Log2, Unit: pane.Integer}
	if len(l.x) > 1 {
		c.X.Fixed, c.X.Min, c.X.Max = true, l.x[0]/1.1, l.x[len(l.x)-1]*1.1
	}
	c.Y = grid.Axis{Unit: grid.Share, Fixed: true, Max: 1}
	c.Series = c.Series[:0]
	for k, line := range localityLines {
		s := grid.Series{Name: line.name, X: l.x, Y: l.y[k], Shape: grid.Points, Style: kind.Style.With(grid.Bold), Glyph: kind.Mark}
		if line.law {
			s.Shape, s.Style = grid.Dashed, law.Style
		} else if k == 3 {
			s.Glyph, s.Style = pane.ClassMarks[1], th.SeriesStyle(1).With(grid.Bold)
		}
		c.Series = append(c.Series, s)
	}
	c.VLines = c.VLines[:0]
	if g := a.Snap.Layout.Group; g > 0 {
		c.VLines = append(c.VLines, grid.VLine{X: float64(g), Style: th.Focus})
	}
	if v.H() >= 6 {
		l.legend(v, c, a)
		v = v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	}
	c.Draw(v, th)
}

func (l *locality) legend(v grid.View, c *grid.LineChart, a *app) {
	x := 0
	for _, it := range [...]struct {
		s    *grid.Series
		mark rune
		name string
	}{
		{&c.Series[2], c.Series[2].Glyph, "in rank"},
		{&c.Series[3], c.Series[3].Glyph, "in node"},
		{&c.Series[0], '╌', "law of 1/G"},
	} {
		n := 2 + grid.Width(it.name)
		if x+n > v.W() && it.mark == '╌' {
			it.name, n = "law", 5
		}
		if x+n > v.W() {
			return
		}
		v.Rune(x, 0, it.mark, it.s.Style)
		v.Text(x+2, 0, it.name, a.Theme.Dim)
		x += n + 2
	}
}

// localityColumns are the columns of the table, the first ones the most
// needed: title, columns of the screen, and the value of a point.
var localityColumns = [...]struct {
	title string
	cols  int
	unit  grid.Unit
	get   func(*engine.LocalityPoint) float64
	law   bool
}{
	{"mem/node", 10, grid.Bytes, func(p *engine.LocalityPoint) float64 { return float64(p.Memory) }, false},
	{"rank", 6, grid.Share, func(p *engine.LocalityPoint) float64 { return p.RankLocal }, false},
	{"access", 9, grid.Seconds, func(p *engine.LocalityPoint) float64 { return p.Access }, false},
	{"law", 9, grid.Seconds, func(p *engine.LocalityPoint) float64 { return p.LawAccess }, true},
	{"node", 6, grid.Share, func(p *engine.LocalityPoint) float64 { return p.NodeLocal }, false},
	{"copies", 8, pane.Integer, func(p *engine.LocalityPoint) float64 { return float64(p.Replicas) }, false},
}

const localityWidth = 8 + 10 + 6 + 9 + 9 + 6 + 8

// table lists the group sizes. The smallest that fits the machine's memory has
// a star, those that do not fit are struck by a cross, the own one is selected.
func (l *locality) table(v grid.View, a *app) {
	points, th := a.Snap.Locality, a.Theme
	if v.H() == 0 || v.W() < 18 {
		return
	}
	if v.H() == 1 {
		l.oneLine(v, a)
		return
	}
	v.Text(2, 0, "group", th.Dim)
	x := 8
	for _, c := range localityColumns {
		if x+c.cols > v.W() {
			break
		}
		v.TextIn(x, 0, c.cols, c.title, grid.Right, th.Dim)
		x += c.cols
	}
	// The rows around the own group are shown when not all can be.
	room, own := v.H()-1, 0
	for i := range points {
		if points[i].Group <= a.Snap.Layout.Group {
			own = i
		}
	}
	first := min(max(own-room/2, 0), max(0, len(points)-room))
	for y := range min(room, len(points)) {
		l.line(v.Sub(grid.Rect{Y: y + 1, W: min(x, v.W()), H: 1}), &points[first+y], a)
	}
}

func (l *locality) line(v grid.View, p *engine.LocalityPoint, a *app) {
	th := a.Theme
	st := th.Text
	switch {
	case !p.Fits:
		st = th.Dim
		v.Rune(0, 0, '✗', th.Error)
	case p.Group == a.Snap.SmallestFit:
		st = th.Good
		v.Rune(0, 0, '★', th.Good)
	}
	own := p.Group == a.Snap.Layout.Group
	if own {
		v.Tint(v.Local(), th.Selected.Bg, th.Selected.Attr)
		st = st.With(th.Selected.Attr)
	}
	l.text = pane.Integer.Append(l.text[:0], float64(p.Group), 6)
	v.Bytes(7-grid.Width(string(l.text)), 0, l.text, st)
	x := 8
	for _, c := range localityColumns {
		if x+c.cols > v.W() {
			return
		}
		look := st
		if c.law {
			look = th.Kind(grid.Modelled).Style
			if own {
				look = look.With(th.Selected.Attr)
			}
		}
		l.text = c.unit.Append(l.text[:0], c.get(p), c.cols-1)
		v.Bytes(x+c.cols-grid.Width(string(l.text)), 0, l.text, look)
		x += c.cols
	}
}

// oneLine says the same of the own group and of the smallest that fits.
func (l *locality) oneLine(v grid.View, a *app) {
	x := 0
	for i := range a.Snap.Locality {
		p := &a.Snap.Locality[i]
		mark, st := '▸', a.Theme.Text
		switch {
		case p.Group == a.Snap.SmallestFit:
			mark, st = '★', a.Theme.Good
		case p.Group != a.Snap.Layout.Group:
			continue
		}
		l.text = append(l.text[:0], "G "...)
		l.text = pane.Integer.Append(l.text, float64(p.Group), 7)
		l.text = append(l.text, ": "...)
		l.text = append(grid.Bytes.Append(l.text, float64(p.Memory), 9), "/node"...)
		if x+2+grid.Width(string(l.text)) > v.W() {
			return
		}
		v.Rune(x, 0, mark, st)
		x += v.Bytes(x+2, 0, l.text, st) + 4
	}
}
