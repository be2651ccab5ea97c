package boxes

import (
	"fmt"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/domain"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "boxes", Title: "Boxes", Doc: "which rank owns which box of the grid", Place: pane.Cluster,
	Offered: func(s *engine.Snapshot) bool { return planOf(s).Boxes != nil },
	New:     func() pane.Pane { return &Pane{} },
}

// plan is the distribution of grids, or of the levels of a tree, over ranks.
type plan struct {
	*domain.Boxes
	tree *domain.Octree // nil: the run has grids
}

func planOf(s *engine.Snapshot) plan {
	if t := domain.OctreeOf(s); t != nil {
		return plan{Boxes: &t.Boxes, tree: t}
	}
	return plan{Boxes: engine.DrawingOf[*domain.Boxes](s)}
}

// Owner returns the rank that owns a box, or −1 if the box does not exist.
func (p plan) Owner(grid, x, y, z int) int {
	if p.tree != nil {
		return p.tree.Owner(grid, x, y, z)
	}
	return p.Boxes.Owner(grid, x, y, z)
}

// Owns reports whether a rank owns a box of a grid.
func (p plan) Owns(grid, rank int) bool {
	if p.tree != nil {
		return p.tree.Owns(grid, rank)
	}
	return p.Boxes.Owns(grid, rank)
}

// words returns the texts about a grid: its title, the number of its boxes, and the ranks without a
// box. isWarning reports whether idle ranks deserve a warning.
func (p plan) words(grid int) (title, boxes, idle string, isWarning bool) {
	g := &p.Grids[grid]
	if p.tree != nil {
		all, _ := p.tree.Cells(grid)
		boxes, idle = fmt.Sprintf("%d of %s octants have a cell", all, product(g.Boxes)),
			fmt.Sprintf("all %d group ranks made cells", p.Ranks)
		if n := p.Ranks - p.tree.Owners(grid); n > 0 {
			idle = fmt.Sprintf("%d of %d group ranks made no cell (╱)", n, p.Ranks)
		}
		return "Tree cells at", boxes, idle, false
	}
	boxes, idle = fmt.Sprintf("%d × %d × %d boxes of %s cells", g.Boxes[0], g.Boxes[1], g.Boxes[2], product(g.Cells)),
		fmt.Sprintf("all %d ranks own a box", p.Ranks)
	n := p.Ranks - p.Owners(grid)
	if n > 0 {
		idle = fmt.Sprintf("%d of %d ranks are idle here (╱)", n, p.Ranks)
	}
	return "Boxes of grid", boxes, idle, n > 0
}

// Pane is the selection of a grid and of a plane.
type Pane struct {
	grid, plane int
	planeChosen bool // the user chose the plane; otherwise a tree shows the plane with the most cells
}

// Inputs returns the snapshot and the selected part of the cluster.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap, Pick: h.Pick} }

// Actions returns the actions that choose a grid and a plane.
func (p *Pane) Actions() []pane.Action {
	hasPlan := func(h *pane.Host) bool { return planOf(h.Snap).Boxes != nil }
	hasPlanes := func(h *pane.Host) bool { d := planOf(h.Snap); return d.Boxes != nil && d.Grids[p.at(d)].Boxes[2] > 1 }
	return []pane.Action{
		{Name: "fold", Do: func(*pane.Host) { p.grid, p.planeChosen = p.grid+1, false }, Ready: hasPlan},
		{Name: "unfold", Do: func(*pane.Host) { p.grid, p.planeChosen = max(p.grid-1, 0), false }, Ready: hasPlan},
		{Name: "row-up", Do: func(*pane.Host) { p.plane, p.planeChosen = p.plane+1, true }, Ready: hasPlanes},
		{Name: "row-down", Do: func(*pane.Host) { p.plane, p.planeChosen = max(p.plane-1, 0), true }, Ready: hasPlanes},
	}
}

// at returns the index of the grid that is shown. It limits grid and plane to existing ones.
func (p *Pane) at(d plan) int {
	p.grid = min(p.grid, len(d.Grids)-1)
	if !p.planeChosen && d.tree != nil {
		_, p.plane = d.tree.Cells(p.grid)
	}
	p.plane = min(p.plane, d.Grids[p.grid].Boxes[2]-1)
	return p.grid
}

// titleRest is the width of the rest of a border with a title: the number of the pane, gaps and corners.
const titleRest = 6

// Draw draws the plane and the row of ranks below it.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	d := planOf(h.Snap)
	switch {
	case d.Boxes == nil && h.Snap.Layout.Nodes == 0:
		h.Empty(v)
		return pane.Border{}
	case d.Boxes == nil || len(d.Grids) == 0 || d.Grids[0].Count() == 0:
		h.WriteMessage(v, h.Snap.Scenario.Workload+" does not divide a grid into boxes.",
			"Try multigrid: type "+h.Typed("workload multigrid")+".")
		return pane.Border{}
	}
	p.at(d)
	g := &d.Grids[p.grid]
	title, boxes, idle, isWarning := d.words(p.grid)
	b := pane.Border{Title: fmt.Sprintf("%s %s (%d of %d)", title, g.Name, p.grid+1, len(d.Grids)),
		Right: fmt.Sprintf("plane %d of %d", p.plane+1, g.Boxes[2])}
	if grid.Width(b.Title)+grid.Width(b.Right)+titleRest > v.W() {
		b = pane.Border{Title: g.Name, Right: fmt.Sprintf("plane %d/%d", p.plane+1, g.Boxes[2])}
	}
	rest := v.Local()
	if v.H() >= 6 {
		var top, low grid.Rect
		top, rest = rest.CutTop(1)
		v.TextIn(0, top.Y, v.W(), boxes, grid.Left, h.Theme.Text)
		low, rest = rest.CutBottom(2)
		look := h.Theme.Dim
		if isWarning {
			look = h.Theme.Warning
		}
		v.TextIn(0, low.Y, v.W(), idle, grid.Left, look)
		p.drawRanks(v.Sub(low), d, h)
	}
	p.drawPlane(v.Sub(rest), d, h)
	return b
}

func product(n [3]int) string {
	if n[0] == n[1] && n[1] == n[2] {
		return strconv.Itoa(n[0]) + "³"
	}
	return fmt.Sprintf("%d × %d × %d", n[0], n[1], n[2])
}

// minFramedH is the minimum height in rows of a box with a frame. maxCellW is the maximum width in
// columns of a box without one.
const (
	minFramedH = 4
	maxCellW   = 8
)

// drawPlane draws the boxes of the plane as large as possible, with y upwards. If there is no room
// for all, it draws every n-th box.
func (p *Pane) drawPlane(v grid.View, d plan, h *pane.Host) {
	g := &d.Grids[p.grid]
	if v.W() < 1 || v.H() < 1 {
		return
	}
	byX, byY := (g.Boxes[0]+v.W()-1)/v.W(), (g.Boxes[1]+v.H()-1)/v.H()
	nx, ny := (g.Boxes[0]+byX-1)/byX, (g.Boxes[1]+byY-1)/byY
	wide, high := grid.Tile(v.W(), v.H(), nx, ny, maxCellW)
	for row := range ny {
		for col := range nx {
			rank := d.Owner(p.grid, col*byX, (ny-1-row)*byY, p.plane)
			if at := v.Sub(grid.Rect{X: col * wide, Y: row * high, W: wide, H: high}); rank >= 0 {
				p.drawBox(at, rank, d.Ranks, h)
			} else {
				at.Rune((wide-1)/2, (high-1)/2, '·', h.Theme.Dim)
			}
		}
	}
}

// drawBox draws one box with the number of its owner, on the colour of the owner if the terminal
// has colours.
func (p *Pane) drawBox(v grid.View, rank, ranks int, h *pane.Host) {
	th := h.Theme
	st := th.Text
	text := strconv.Itoa(rank)
	hasColours := len(th.Ramp) > 0 && !v.Mono()
	if hasColours {
		st = th.Choice(rank)
		v.Fill(v.Local(), grid.Cell{Bg: st.Bg})
	}
	isPicked := h.Pick.Level != pane.Nothing && rank < len(h.Snap.Ranks) && h.Pick.Has(h.Snap, rank, 0)
	if v.H() >= minFramedH {
		in := v.Box(v.Local(), grid.Box{Border: st})
		if scale := grid.Numerals(in.W(), in.H(), len(strconv.Itoa(ranks-1))); scale > 0 {
			in.Numeral(text, scale, st)
			if isPicked {
				v.Tint(v.Local(), grid.None, grid.Reverse|grid.Bold)
			}
			return
		}
		v = in
	}
	if isPicked {
		st.Attr |= grid.Reverse | grid.Bold
	}
	switch n := grid.Width(text); {
	case n < v.W() || n == v.W() && hasColours:
		v.Text((v.W()-n)/2, (v.H()-1)/2, text, st)
	case hasColours:
	default: // the last digit distinguishes neighbours
		v.Rune(0, 0, rune(text[len(text)-1]), st)
	}
}

// drawRanks draws the row of ranks. Ranks without a box are hatched.
func (p *Pane) drawRanks(v grid.View, d plan, h *pane.Host) {
	th := h.Theme
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
			v.Rune(x, 1, '▒', grid.Fg(th.Choice(x*per).Bg))
		default:
			v.Rune(x, 1, '█', grid.Fg(th.Choice(x*per).Bg))
		}
	}
}
