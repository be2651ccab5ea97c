package boxes

import (
	"fmt"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = pane.Spec{
	Name: "boxes", Title: "Boxes", Doc: "which rank has which box of the grid", Place: pane.Cluster,
	Offered: func(s *engine.Snapshot) bool { return s.Domain() != nil },
	New:     func() pane.Pane { return &Pane{} },
}

// Pane is the grid and the plane that are shown.
type Pane struct{ grid, plane int }

// Inputs are the snapshot and what is selected of the cluster.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap, Pick: h.Pick} }

// Actions go from grid to grid, and from plane to plane.
func (p *Pane) Actions() []pane.Action {
	some := func(h *pane.Host) bool { return h.Snap.Domain() != nil }
	planes := func(h *pane.Host) bool { return some(h) && h.Snap.Domain().Grids[p.at(h.Snap.Domain())].Boxes[2] > 1 }
	return []pane.Action{
		{Name: "fold", Do: func(*pane.Host) { p.grid++ }, Ready: some},
		{Name: "unfold", Do: func(*pane.Host) { p.grid = max(p.grid-1, 0) }, Ready: some},
		{Name: "row-up", Do: func(*pane.Host) { p.plane++ }, Ready: planes},
		{Name: "row-down", Do: func(*pane.Host) { p.plane = max(p.plane-1, 0) }, Ready: planes},
	}
}

// at is the grid that is shown; it keeps grid and plane among those that there are.
func (p *Pane) at(d *engine.Domain) int {
	p.grid = min(p.grid, len(d.Grids)-1)
	p.plane = min(p.plane, d.Grids[p.grid].Boxes[2]-1)
	return p.grid
}

// Draw draws the plane, and the ranks below it.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	d := h.Snap.Domain()
	switch {
	case d == nil && h.Snap.Layout.Nodes == 0:
		h.Empty(v)
		return pane.Border{}
	case d == nil || len(d.Grids) == 0 || d.Grids[0].Count() == 0:
		h.Tell(v, h.Snap.Scenario.Workload+" shares no grid out.", "multigrid does: type "+h.Typed("workload multigrid")+".")
		return pane.Border{}
	}
	p.at(d)
	g := &d.Grids[p.grid]
	b := pane.Border{Title: fmt.Sprintf("Boxes of grid %s (%d of %d)", g.Name, p.grid+1, len(d.Grids)), Right: fmt.Sprintf("plane %d of %d", p.plane+1, g.Boxes[2])}
	rest := v.Local()
	if v.H() >= 6 {
		var top, low grid.Rect
		top, rest = rest.CutTop(1)
		v.TextIn(0, top.Y, v.W(), fmt.Sprintf("%d × %d × %d boxes of %s cells", g.Boxes[0], g.Boxes[1], g.Boxes[2], product(g.Cells)), grid.Left, h.Theme.Text)
		low, rest = rest.CutBottom(2)
		p.ranks(v.Sub(low), d, h)
	}
	p.draw(v.Sub(rest), d, h)
	return b
}

func product(n [3]int) string {
	if n[0] == n[1] && n[1] == n[2] {
		return strconv.Itoa(n[0]) + "³"
	}
	return fmt.Sprintf("%d × %d × %d", n[0], n[1], n[2])
}

// The most that a box takes on the screen.
const (
	mostWide = 8
	mostHigh = 3
)

// draw draws the boxes of the plane, y upwards. Of a plane that is larger than its room
// every few boxes are shown.
func (p *Pane) draw(v grid.View, d *engine.Domain, h *pane.Host) {
	g := &d.Grids[p.grid]
	if v.W() < 1 || v.H() < 1 {
		return
	}
	byX, byY := (g.Boxes[0]+v.W()-1)/v.W(), (g.Boxes[1]+v.H()-1)/v.H()
	nx, ny := (g.Boxes[0]+byX-1)/byX, (g.Boxes[1]+byY-1)/byY
	wide := min(max(v.W()/nx, 1), mostWide)
	high := min(max(v.H()/ny, 1), mostHigh, max((wide+1)/2, 1))
	for row := range ny {
		for col := range nx {
			rank := d.Owner(p.grid, col*byX, (ny-1-row)*byY, p.plane)
			p.box(v.Sub(grid.Rect{X: col * wide, Y: row * high, W: wide, H: high}), rank, h)
		}
	}
}

// box draws one box: the number of its rank, on the rank's colour where there are colours.
func (p *Pane) box(v grid.View, rank int, h *pane.Host) {
	th := h.Theme
	st := th.SeriesStyle(rank)
	text := strconv.Itoa(rank)
	coloured := len(th.Ramp) > 0 && !v.Mono()
	if coloured {
		v.Fill(v.Local(), grid.Cell{Bg: st.Fg})
		st = grid.Style{Fg: th.InkOn(st.Fg), Bg: st.Fg}
	}
	if h.Pick.Level != pane.Nothing && rank < len(h.Snap.Ranks) && h.Pick.Has(h.Snap, rank, 0) {
		st.Attr |= grid.Reverse | grid.Bold
	}
	switch n := grid.Width(text); {
	case n < v.W() || n == v.W() && coloured:
		v.Text((v.W()-n)/2, (v.H()-1)/2, text, st)
	case coloured:
	default: // the last digit tells neighbours apart
		v.Rune(0, 0, rune(text[len(text)-1]), st)
	}
}

// ranks draws all ranks, those hatched that have no box.
func (p *Pane) ranks(v grid.View, d *engine.Domain, h *pane.Host) {
	th, idle := h.Theme, d.Ranks-d.Owners(p.grid)
	text, look := fmt.Sprintf("each of %d ranks has a box", d.Ranks), th.Dim
	if idle > 0 {
		text, look = fmt.Sprintf("%d of %d ranks are idle on it (╱)", idle, d.Ranks), th.Warning
	}
	v.TextIn(0, 0, v.W(), text, grid.Left, look)
	if v.W() < 1 {
		return
	}
	per := (d.Ranks + v.W() - 1) / v.W()
	for x := range (d.Ranks + per - 1) / per {
		owns := 0
		last := min((x+1)*per, d.Ranks)
		for rank := x * per; rank < last; rank++ {
			if d.Owns(p.grid, rank) {
				owns++
			}
		}
		switch {
		case owns == 0:
			v.Rune(x, 1, '╱', th.Warning)
		case owns < last-x*per:
			v.Rune(x, 1, '▒', th.SeriesStyle(x*per))
		default:
			v.Rune(x, 1, '█', th.SeriesStyle(x*per))
		}
	}
}
