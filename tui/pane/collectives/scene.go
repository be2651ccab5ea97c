package collectives

import (
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/engine/workload/collective"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// spot is the position of a rank, in cells.
type spot struct{ x, y float64 }

// These are the styles of lines. Higher numbers cover lower ones.
const (
	waiting = iota
	delivered
	moving
)

// drawScene draws the ranks, the paths of their messages, and the messages in flight at a moment.
func (p *Pane) drawScene(v grid.View, f *collective.Flow, at float64, h *pane.Host) {
	if v.W() < 4 || v.H() < 2 {
		return
	}
	th := h.Theme
	label := len(strconv.Itoa(f.Ranks - 1))
	if f.Tree {
		p.placeInTree(v, f, label)
	} else {
		p.placeInCircle(v, f, label)
	}
	lines := []grid.Style{waiting: th.Border, delivered: th.Text, moving: th.Role(grid.RoleCommunicate).With(grid.Bold)}
	p.canvas.Reset(v, h.Markers)
	for style := waiting; style <= moving; style++ {
		for i := range f.Hops {
			m := &f.Hops[i]
			if p.lineStyle(f, m, at) == style {
				a, b := p.spots[m.From], p.spots[m.To]
				p.canvas.Line(a.x, a.y, b.x, b.y, uint8(style))
			}
		}
	}
	p.canvas.Draw(v, lines)
	p.drawRanks(v, f, at, label, th)
	for i := range f.Hops {
		m := &f.Hops[i]
		if m.Sent > at || m.Arrived <= at || m.Arrived <= m.Sent {
			continue
		}
		a := p.spots[m.From]
		b := p.spots[m.To]
		progress := (at - m.Sent) / (m.Arrived - m.Sent)
		x, y := int(a.x+(b.x-a.x)*progress+0.5), int(a.y+(b.y-a.y)*progress+0.5)
		if r := v.At(x, y).Rune; r >= '0' && r <= '9' { // do not cover a rank number
			v.Tint(grid.Rect{X: x, Y: y, W: 1, H: 1}, grid.None, grid.Reverse)
			continue
		}
		v.Rune(x, y, '◆', th.Role(grid.RoleCommunicate).With(grid.Bold))
	}
}

// hidden is the style of a line that is not drawn.
const hidden = -1

// lineStyle returns the style of the line of a message. A tree shows all lines. A circle shows only
// the lines of the current step, because the lines would cover each other, and all lines at the
// end.
func (p *Pane) lineStyle(f *collective.Flow, m *collective.Hop, at float64) int {
	switch {
	case m.Sent <= at && m.Arrived > at:
		return moving
	case m.Arrived <= at && (f.Tree || at >= f.Span || at-m.Arrived < f.Span/8):
		return delivered
	case f.Tree:
		return waiting
	}
	return hidden
}

// drawRanks draws the ranks over the lines, by number if there is room. Ranks that have finished
// are bright.
func (p *Pane) drawRanks(v grid.View, f *collective.Flow, at float64, label int, th *grid.Theme) {
	numbers := p.numbersFit(label)
	for r := range p.spots {
		st := th.Dim
		switch {
		case p.hasFinished(f, r, at):
			st = th.Good.With(grid.Bold)
		case r == f.Root:
			st = th.Title
		}
		x, y := int(p.spots[r].x+0.5), int(p.spots[r].y+0.5)
		if !numbers {
			v.Rune(x, y, '●', st)
			continue
		}
		p.text = strconv.AppendInt(p.text[:0], int64(r), 10)
		v.Bytes(x-(len(p.text)-1)/2, y, p.text, st)
	}
}

// hasFinished reports whether a rank has received all its messages by a moment.
func (p *Pane) hasFinished(f *collective.Flow, rank int, at float64) bool {
	if n := len(f.Ends); n > 0 {
		return f.Ends[rank*n/f.Ranks] <= at*(1+1e-9)
	}
	return at >= f.Span
}

// numbersFit reports whether numbers with this many digits fit at all positions without touching
// each other.
func (p *Pane) numbersFit(label int) bool {
	taken := map[[2]int]bool{}
	for _, s := range p.spots {
		x, y := int(s.x+0.5)-(label-1)/2, int(s.y+0.5)
		for i := range label + 1 {
			if taken[[2]int{x + i, y}] {
				return false
			}
		}
		for i := range label {
			taken[[2]int{x + i, y}] = true
		}
	}
	return true
}

// placeInCircle places the ranks on an ellipse: rank 0 at the top, the others clockwise.
func (p *Pane) placeInCircle(v grid.View, f *collective.Flow, label int) {
	w, h := float64(v.W()-label-1), float64(v.H()-1)
	w = min(w, 4.4*h) // about as wide as high on the screen
	p.spots = p.spots[:0]
	for r := range f.Ranks {
		a := 2 * math.Pi * float64(r) / float64(f.Ranks)
		p.spots = append(p.spots, spot{float64(v.W()-1)/2 + w/2*math.Sin(a), h/2 - h/2*math.Cos(a)})
	}
}

// placeInTree places the ranks in rows by their distance from the root, with children below their
// parent. A chain is folded over several rows, alternating between left to right and right to left.
func (p *Pane) placeInTree(v grid.View, f *collective.Flow, label int) {
	children := make([][]int, f.Ranks)
	seen := make([]bool, f.Ranks)
	widest := 0
	for i := range f.Hops {
		up, low := f.Hops[i].From, f.Hops[i].To
		if f.Up {
			up, low = low, up
		}
		if !seen[low] {
			seen[low] = true
			children[up] = append(children[up], low)
			widest = max(widest, len(children[up]))
		}
	}
	p.spots = append(p.spots[:0], make([]spot, f.Ranks)...)
	if widest <= 1 {
		p.placeInSnake(v, f, children, label)
		return
	}
	leaves, depth := 0, 0
	var walk func(r, d int) float64
	walk = func(r, d int) float64 {
		depth = max(depth, d)
		p.spots[r].y = float64(d)
		if len(children[r]) == 0 {
			leaves++
			p.spots[r].x = float64(leaves - 1)
			return p.spots[r].x
		}
		first, last := 0.0, 0.0
		for i, k := range children[r] {
			x := walk(k, d+1)
			if i == 0 {
				first = x
			}
			last = x
		}
		p.spots[r].x = (first + last) / 2
		return p.spots[r].x
	}
	walk(max(f.Root, 0), 0)
	across, down := 0.0, float64(v.H()-1)/float64(max(depth, 1))
	left := float64(v.W()-1) / 2
	if leaves > 1 {
		across = min(float64(v.W()-label-1)/float64(leaves-1), 12)
		left -= across * float64(leaves-1) / 2
	}
	down = min(down, 5)
	for r := range p.spots {
		p.spots[r].x, p.spots[r].y = left+p.spots[r].x*across, p.spots[r].y*down
	}
}

// placeInSnake places a chain on the minimum number of rows that have room for its numbers.
func (p *Pane) placeInSnake(v grid.View, f *collective.Flow, children [][]int, label int) {
	perRow := max((v.W()-label)/(label+2)+1, 2)
	rows := min((f.Ranks+perRow-1)/perRow, max(v.H(), 1))
	each := (f.Ranks + rows - 1) / rows
	pitch := min(float64(v.W()-label-1)/float64(max(each-1, 1)), 10)
	drop := min(float64(v.H()-1)/float64(max(rows-1, 1)), 4)
	top := (float64(v.H()-1) - drop*float64(rows-1)) / 2
	left := (float64(v.W()-1) - pitch*float64(each-1)) / 2
	for r, i := max(f.Root, 0), 0; ; i++ {
		col, row := i%each, i/each
		if row%2 == 1 {
			col = each - 1 - col
		}
		p.spots[r] = spot{left + float64(col)*pitch, top + float64(row)*drop}
		if len(children[r]) == 0 {
			return
		}
		r = children[r][0]
	}
}

// drawCourse draws all messages over time: ranks down, starting with the root, and time across.
// Symbols show when each rank finished in the run.
func (p *Pane) drawCourse(v grid.View, f *collective.Flow, at float64, h *pane.Host) {
	th := h.Theme
	label := len(strconv.Itoa(f.Ranks - 1))
	if v.H() < 5 || v.W() < label+12 || f.Span <= 0 {
		return
	}
	in := v.Sub(grid.Rect{X: label + 1, Y: 1, W: v.W() - label - 1, H: v.H() - 2})
	full := f.Span
	for _, d := range f.Done {
		full = max(full, d)
	}
	x := func(t float64) float64 { return min(t/full, 1) * float64(in.W()-1) }
	row := func(rank int) float64 {
		return (float64((rank-max(f.Root, 0)+f.Ranks)%f.Ranks)+0.5)/float64(f.Ranks)*float64(in.H()) - 0.5
	}
	title := "ranks over time"
	if f.Done != nil {
		kind := th.Kind(pane.KindOf(f.DoneKind))
		title += ", " + string(kind.Symbol) + " done, " + string(f.DoneKind)
	}
	v.TextIn(0, 0, v.W(), title, grid.Left, th.Title)
	lines := []grid.Style{waiting: th.Border, delivered: th.Text, moving: th.Role(grid.RoleCommunicate).With(grid.Bold)}
	p.canvas.Reset(in, h.Markers)
	for layer := waiting; layer <= moving; layer++ {
		for i := range f.Hops {
			m := &f.Hops[i]
			style := waiting
			if m.Arrived <= at {
				style = delivered
			} else if m.Sent <= at {
				style = moving
			}
			if style == layer {
				p.canvas.Line(x(m.Sent), row(m.From), x(m.Arrived), row(m.To), uint8(layer))
			}
		}
	}
	p.canvas.Draw(in, lines)
	if n := len(f.Done); n > 0 {
		kind := th.Kind(pane.KindOf(f.DoneKind))
		for b, d := range f.Done {
			in.Rune(int(x(d)+0.5), int(row(b*f.Ranks/n)+0.5), kind.Symbol, kind.Style)
		}
	}
	if at < f.Span {
		for y := range in.H() {
			if c := in.At(int(x(at)+0.5), y); c.Rune == ' ' || c.Rune == 0 {
				in.Rune(int(x(at)+0.5), y, '┆', th.Focus)
			}
		}
	}
	every := max(1, (f.Ranks+in.H()-1)/in.H())
	for r := 0; r < f.Ranks; r += every {
		rank := (r + max(f.Root, 0)) % f.Ranks
		p.text = strconv.AppendInt(p.text[:0], int64(rank), 10)
		v.Bytes(label-len(p.text), 1+int(row(rank)+0.5), p.text, th.Dim)
	}
	v.Text(label+1, v.H()-1, "0", th.Dim)
	end := formatSpan(f, full)
	v.Text(v.W()-grid.Width(end), v.H()-1, end, th.Dim)
	if mid := formatSpan(f, full/2); in.W() > 40 {
		v.Text(label+1+in.W()/2-grid.Width(mid)/2, v.H()-1, mid, th.Dim)
	}
}
