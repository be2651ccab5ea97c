package checkerboard

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "checkerboard", Title: "Checkerboard",
	Doc: "which ranks send the panels of a step, and which ranks have finished", Place: pane.Cluster,
	Offered: func(s *engine.Snapshot) bool { return boardOf(s) != nil },
	New:     func() pane.Pane { return &Pane{} },
}

// boardOf returns the checkerboard of a run, or nil if it has none.
func boardOf(s *engine.Snapshot) *dense.Checkerboard {
	return engine.DrawingOf[*dense.Checkerboard](s)
}

// Pane is the selected step.
type Pane struct {
	step       int
	stepChosen bool // the user chose the step; otherwise the pane follows the program
}

// Inputs returns the snapshot and the selected part of the cluster.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap, Pick: h.Pick} }

// Actions returns the actions that move to another step.
func (p *Pane) Actions() []pane.Action {
	hasBoard := func(h *pane.Host) bool { return boardOf(h.Snap) != nil }
	by := func(n int) func(*pane.Host) {
		return func(h *pane.Host) {
			if b := boardOf(h.Snap); b != nil {
				p.step, p.stepChosen = p.at(b, h.Snap)+n, true
				p.at(b, h.Snap)
			}
		}
	}
	return []pane.Action{{Name: "row-up", Do: by(1), Ready: hasBoard}, {Name: "row-down", Do: by(-1), Ready: hasBoard}}
}

// at returns the step that is shown, limited to existing steps.
func (p *Pane) at(b *dense.Checkerboard, s *engine.Snapshot) int {
	if !p.stepChosen {
		p.step = 0
		if share := s.Progress.Share; s.Phase != engine.Ended && !math.IsNaN(share) {
			p.step = int(share * float64(b.Steps))
		}
	}
	p.step = max(0, min(p.step, b.Steps-1))
	return p.step
}

// titleRest is the width of the rest of a border with a title: the number of the pane, gaps and corners.
const titleRest = 6

// Draw draws the grid of ranks, and the senders above it.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	b := boardOf(h.Snap)
	switch {
	case b == nil && h.Snap.Layout.Nodes == 0:
		h.Empty(v)
		return pane.Border{}
	case b == nil:
		h.WriteMessage(v, h.Snap.Scenario.Workload+" does not distribute a matrix in blocks.",
			"Try gemm or cholesky: type "+h.Typed("workload gemm")+".")
		return pane.Border{}
	}
	step := p.at(b, h.Snap)
	border := pane.Border{Title: fmt.Sprintf("Checkerboard of %d × %d ranks", b.Rows, b.Cols),
		Right: fmt.Sprintf("step %d of %d", step+1, b.Steps)}
	if grid.Width(border.Title)+grid.Width(border.Right)+titleRest > v.W() {
		border = pane.Border{Title: "Board", Right: fmt.Sprintf("step %d/%d", step+1, b.Steps)}
	}
	rest := v.Local()
	if v.H() >= 6 {
		var top, low grid.Rect
		top, rest = rest.CutTop(2)
		panels := h.Theme.Role(grid.RoleCommunicate)
		v.Rune(0, top.Y, '▶', panels)
		along, down := senderWords(b, step)
		v.TextIn(2, top.Y, v.W()-2, along, grid.Left, h.Theme.Text)
		v.Rune(0, top.Y+1, '▼', panels)
		v.TextIn(2, top.Y+1, v.W()-2, down, grid.Left, h.Theme.Text)
		low, rest = rest.CutBottom(1)
		text, look := restWords(b, step, h)
		v.TextIn(0, low.Y, v.W(), text, grid.Left, look)
	}
	drawGrid(v.Sub(rest), b, step, h)
	return border
}

// senderWords describes the senders. In an upper triangular matrix (Upper) one diagonal block is
// sent along a row. The panel that this row computes is sent down the columns, and from there along
// the rows.
func senderWords(b *dense.Checkerboard, step int) (along, down string) {
	row, column := b.Row(step)+1, b.Column(step)+1
	if b.Upper {
		return fmt.Sprintf("diagonal block, along row %d", row), fmt.Sprintf("row %d: down columns, then rows", row)
	}
	return fmt.Sprintf("panel of column %d, along rows", column), fmt.Sprintf("panel of row %d, down columns", row)
}

// restWords describes the ranks without work, or the panels that are prefetched.
func restWords(b *dense.Checkerboard, step int, h *pane.Host) (string, grid.Style) {
	idle := 0
	for rank := range b.Rows * b.Cols {
		if !b.Works(rank, step) {
			idle++
		}
	}
	switch more := min(b.Ahead, b.Steps-1-step); {
	case idle > 0 && !b.Upper:
		return fmt.Sprintf("%d of %d ranks have no block (╱)", idle, b.Rows*b.Cols), h.Theme.Warning
	case idle > 0:
		return fmt.Sprintf("%d of %d ranks are finished (╱)", idle, b.Rows*b.Cols), h.Theme.Warning
	case b.Upper:
		left := 100 * (b.Steps - step) / b.Steps
		return fmt.Sprintf("%d %% of the rows remain, on all ranks", left), h.Theme.Dim
	case more == 1:
		return "the next panels are in flight", h.Theme.Dim
	case more > 1:
		return fmt.Sprintf("the next %d panels are in flight", more), h.Theme.Dim
	}
	return "no other panels are in flight", h.Theme.Dim
}

// minFramedH is the minimum height in rows of a rank with a frame. maxCellW is the maximum width in
// columns of a rank without one.
const (
	minFramedH = 4
	maxCellW   = 8
)

// drawGrid draws the ranks as large as possible. If there is no room for all, each drawn rank
// stands for several; it shows as a sender if one of them sends.
func drawGrid(v grid.View, b *dense.Checkerboard, step int, h *pane.Host) {
	if v.W() < 1 || v.H() < 1 {
		return
	}
	byX, byY := (b.Cols+v.W()-1)/v.W(), (b.Rows+v.H()-1)/v.H()
	nx, ny := (b.Cols+byX-1)/byX, (b.Rows+byY-1)/byY
	wide, high := grid.Tile(v.W(), v.H(), nx, ny, maxCellW)
	digits := len(strconv.Itoa(b.Rows*b.Cols - 1))
	for row := range ny {
		for column := range nx {
			at := v.Sub(grid.Rect{X: column * wide, Y: row * high, W: wide, H: high})
			rank := row*byY*b.Cols + column*byX
			down := b.Row(step)/byY == row
			sq := square{
				number: strconv.Itoa(rank),
				works:  b.Works(rank, step),
				along:  b.Column(step)/byX == column && (down || !b.Upper),
				down:   down,
				picked: isPicked(rank, h),
			}
			if high >= minFramedH {
				sq.drawLarge(at, digits, h.Theme)
			} else {
				sq.drawSmall(at, h.Theme)
			}
		}
	}
}

// isPicked reports whether a rank of the grid is selected.
func isPicked(rank int, h *pane.Host) bool {
	world := h.Snap.Layout.World()
	return h.Pick.Level != pane.Nothing && rank < len(world) && int(world[rank]) < len(h.Snap.Ranks) &&
		h.Pick.Has(h.Snap, int(world[rank]), 0)
}

// square is a rank of the grid in the step that is shown.
type square struct {
	number string
	works  bool // it has work left
	along  bool // it sends its panel along the row
	down   bool // it sends its panel down the column
	picked bool
}

// drawLarge draws a rank in a frame. It is hatched if it has no work left. The panels that it sends
// are at the sides where they leave. digits is the length of the longest number of a rank.
func (sq *square) drawLarge(v grid.View, digits int, th *grid.Theme) {
	in := v.Box(v.Local(), grid.Box{Border: th.Dim})
	thick := max(in.H()/6, 1)
	// The scale is the same for all ranks, senders or not.
	scale := grid.Numerals(in.W()-2*thick, in.H()-thick, digits)
	rest := in.Local()
	if sq.down {
		var low grid.Rect
		low, rest = rest.CutBottom(thick)
		drawPanel(in.Sub(low), '▼', th.Role(grid.RoleCommunicate), th)
	}
	if sq.along {
		var right grid.Rect
		right, rest = rest.CutRight(2 * thick)
		drawPanel(in.Sub(right), '▶', th.Role(grid.RoleCommunicate), th)
	}
	inner := in.Sub(rest)
	switch {
	case !sq.works:
		inner.Fill(inner.Local(), grid.Cell{Rune: '╱', Fg: th.Warning.Fg, Attr: th.Warning.Attr})
	case scale > 0:
		inner.Numeral(sq.number, scale, th.Text)
	default:
		inner.TextIn(0, (inner.H()-1)/2, inner.W(), sq.number, grid.Center, th.Text)
	}
	if sq.picked {
		v.Tint(v.Local(), grid.None, grid.Reverse|grid.Bold)
	}
}

// drawPanel fills one side of a rank with the symbol of the panel that leaves there.
func drawPanel(v grid.View, symbol rune, st grid.Style, th *grid.Theme) {
	if len(th.Ramp) > 0 && !v.Mono() {
		st = grid.Style{Fg: th.InkOn(st.Fg), Bg: st.Fg}
	}
	v.Fill(v.Local(), grid.Cell{Rune: symbol, Fg: st.Fg, Bg: st.Bg, Attr: st.Attr})
}

// drawSmall draws a rank in one cell: its number, and the symbols of the panels that it sends.
func (sq *square) drawSmall(v grid.View, th *grid.Theme) {
	st, y := th.Text, (v.H()-1)/2
	number := sq.number
	if !sq.works {
		st, number = th.Warning, "╱"
	}
	if sq.picked {
		st.Attr |= grid.Reverse | grid.Bold
	}
	free := v.W()
	if sq.along {
		free--
		v.Rune(free, y, '▶', th.Role(grid.RoleCommunicate))
	}
	if sq.down && free > 0 {
		free--
		v.Rune(free, y, '▼', th.Role(grid.RoleCommunicate))
	}
	switch n := grid.Width(number); {
	case n <= free:
		v.Text(free-n, y, number, st)
	case free == v.W():
		v.Rune(0, y, '·', st)
	}
}
