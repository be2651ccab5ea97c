package grid

// plot is the frame of all charts with axes. It determines the ranges, reserves space for labels,
// draws the axes, and maps values to cells.
type plot struct {
	x, y mapping
	area Rect // the cells inside the axes, in the coordinates of the view

	xticks, yticks []float64
	text           []byte
	labels         []labelSpan // used by labels of horizontal lines
}

// labelSpan describes the columns of a row of the plot that a label uses, from a column to the end.
type labelSpan struct{ row, from int }

const (
	axisMinW = 16 // columns below which the vertical axis is omitted
	axisMinH = 5  // rows below which the horizontal axis is omitted
	labelMax = 9  // columns of a label of the vertical axis
)

// drawAxes computes the layout of the plot in v for data of the given spans, and draws both axes.
// The vertical range is rounded, the horizontal one is not.
func (p *plot) drawAxes(v View, th *Theme, xa, ya *Axis, xs, ys span) {
	p.area = v.Local()
	if v.H() >= axisMinH {
		p.area.H -= 2
	}
	n := maxTicks(p.area.H)
	p.x, p.y = xa.mapSpan(xs, false, 0), ya.mapSpan(ys, true, n)
	p.yticks = ya.appendTicks(p.yticks[:0], p.y.lo, p.y.hi, n)
	if v.W() >= axisMinW {
		p.drawVerticalAxis(v, th, ya.tickUnit(p.y.lo, p.y.hi))
	}
	if v.H() >= axisMinH {
		p.drawHorizontalAxis(v, th, xa)
	}
}

// maxTicks returns the maximum number of ticks of a vertical axis. With three, at least two are in the range. With two,
// the range can end before the second one.
func maxTicks(rows int) int { return clampInt((rows+1)/2, min(3, max(rows, 2)), 6) }

func (p *plot) drawVerticalAxis(v View, th *Theme, u Unit) {
	cols, sig := min(labelMax, v.W()/3), tickDigits(p.yticks)
	width := 0
	for _, t := range p.yticks {
		p.text = u.appendDigits(p.text[:0], t, cols, sig)
		width = max(width, runes(p.text))
	}
	_, p.area = p.area.CutLeft(width + 1)
	for y := range p.area.H {
		v.Rune(width, y, '│', th.Border)
	}
	free := p.area.H // labels fit above this row
	for _, t := range p.yticks {
		f, _ := p.y.frac(t)
		row, ok := cell(1-f, p.area.H)
		if !ok || row >= free {
			continue
		}
		free = row
		p.text = u.appendDigits(p.text[:0], t, cols, sig)
		v.Bytes(width-runes(p.text), row, p.text, th.Dim)
		v.Rune(width, row, '┤', th.Border)
	}
}

func (p *plot) drawHorizontalAxis(v View, th *Theme, xa *Axis) {
	row := p.area.H
	if p.area.X > 0 {
		v.Rune(p.area.X-1, row, '└', th.Border)
	}
	for x := range p.area.W {
		v.Rune(p.area.X+x, row, '─', th.Border)
	}
	p.xticks = xa.appendTicks(p.xticks[:0], p.x.lo, p.x.hi, max(1, p.area.W/9))
	u := xa.tickUnit(p.x.lo, p.x.hi)
	sig := tickDigits(p.xticks)
	free := 0 // labels fit from this column on
	for _, t := range p.xticks {
		f, _ := p.x.frac(t)
		col, ok := cell(f, p.area.W)
		if !ok {
			continue
		}
		col += p.area.X
		p.text = u.appendDigits(p.text[:0], t, labelMax+3, sig)
		n := runes(p.text)
		at := clampInt(col-n/2, 0, v.W()-n)
		if at < free {
			continue
		}
		v.Rune(col, row, '┬', th.Border)
		v.Bytes(at, row+1, p.text, th.Dim)
		free = at + n + 1
	}
}

// at returns the cell of a point in the coordinates of the view, and false for a point outside the
// plot or without a position.
func (p *plot) at(x, y float64) (col, row int, ok bool) {
	col, okx := p.col(x)
	row, oky := p.row(y)
	return col, row, okx && oky
}

func (p *plot) col(x float64) (int, bool) {
	f, ok := p.x.frac(x)
	if !ok {
		return 0, false
	}
	c, ok := cell(f, p.area.W)
	return p.area.X + c, ok
}

func (p *plot) row(y float64) (int, bool) {
	f, ok := p.y.frac(y)
	if !ok {
		return 0, false
	}
	r, ok := cell(1-f, p.area.H)
	return p.area.Y + r, ok
}

// VLine is a vertical line across a chart, for the moment of a change or for an important value.
type VLine struct {
	X float64 // in the unit of the horizontal axis
	// Label is printed next to the top of the line.
	Label string
	// Style defaults to the theme's dim text.
	Style Style
}

// HLine is a horizontal line across a chart: a threshold or a bound.
type HLine struct {
	Y     float64 // in the unit of the vertical axis
	Label string
	Style Style
}

func (p *plot) drawVLines(v View, th *Theme, lines []VLine) {
	in := v.Sub(p.area)
	for i := range lines {
		if col, ok := p.col(lines[i].X); ok {
			for y := range p.area.H {
				in.Rune(col-p.area.X, y, '┆', orStyle(lines[i].Style, th.Dim))
			}
		}
	}
}

// drawVLabels writes the labels of vertical lines over the curves. Each label is in the first of
// three rows in which it does not overlap another one.
func (p *plot) drawVLabels(v View, th *Theme, lines []VLine) {
	in := v.Sub(p.area)
	var free [3]int
	for i := range lines {
		col, ok := p.col(lines[i].X)
		if !ok || lines[i].Label == "" {
			continue
		}
		at, n := col-p.area.X+1, Width(lines[i].Label)
		if at+n > p.area.W {
			at = max(0, at-1-n) // does not fit on the right
		}
		for row := range min(len(free), p.area.H) {
			if at >= free[row] && (at+n < p.labelStart(row) || p.labelStart(row) == p.area.W) {
				in.TextIn(at, row, p.area.W-at, lines[i].Label, Left, orStyle(lines[i].Style, th.Dim))
				free[row] = at + n + 1
				break
			}
		}
	}
}

// labelStart returns the column where labels of horizontal lines start in a row, or the edge of the
// plot.
func (p *plot) labelStart(row int) int {
	end := p.area.W
	for _, t := range p.labels {
		if t.row == row {
			end = min(end, t.from)
		}
	}
	return end
}

func (p *plot) drawHLines(v View, th *Theme, lines []HLine) {
	in := v.Sub(p.area)
	for i := range lines {
		row, ok := p.row(lines[i].Y)
		if !ok {
			continue
		}
		st := orStyle(lines[i].Style, th.Text)
		for x := range p.area.W {
			in.Rune(x, row-p.area.Y, '┄', st)
		}
	}
}

func (p *plot) drawHLabels(v View, th *Theme, lines []HLine) {
	in := v.Sub(p.area)
	p.labels = p.labels[:0]
	for i := range lines {
		row, ok := p.row(lines[i].Y)
		if !ok || lines[i].Label == "" {
			continue
		}
		row -= p.area.Y
		end, n := p.labelStart(row)-1, Width(lines[i].Label)
		if end < p.area.W-1 && n >= end {
			continue // another label is in the row
		}
		in.TextIn(1, row, end-1, lines[i].Label, Right, orStyle(lines[i].Style, th.Text))
		p.labels = append(p.labels, labelSpan{row, max(end-n, 1)})
	}
}

func orStyle(st, otherwise Style) Style {
	if st == (Style{}) {
		return otherwise
	}
	return st
}

// runes returns the number of columns of a formatted number.
func runes(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}
