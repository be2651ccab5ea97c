package topology

import (
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "cluster", Title: "Cluster", Doc: "the cluster", Place: pane.Cluster,
	New: func() pane.Pane { return &Pane{} },
}

// Pane holds the last drawn layout.
type Pane struct {
	layout cluster.Layout
	slots  []int32   // ranks in the order of nodes
	share  []float64 // for each node or block: share of time in which its ranks compute or call, summed over ranks
	text   []byte
	cap    string
	capOf  cluster.Layout
	capW   int

	lineCells []cellLines // cells of the lines between nodes
	items     []item      // notes on the traffic
	words     []byte      // texts of the notes
	heat      grid.Heatmap
	labelled  [2]int // number of blocks, and nodes per block, for which heat is labelled

	origin       grid.Rect // position of the last drawn view
	spots        []spot
	heatAt       grid.Rect // position of the matrix; empty: no matrix
	exchanged    []exchange
	peer         int  // peer of the selected node
	peerSelected bool // the user selected the peer
	isShort      bool // there is little room for notes
}

var stateGlyphs = [cluster.States]rune{cluster.Idle: '░', cluster.Computing: '█', cluster.Calling: '▓',
	cluster.Waiting: '▒'}

// shownStates is the order of the legend.
var shownStates = [...]cluster.State{cluster.Computing, cluster.Calling, cluster.Waiting, cluster.Idle}

// Inputs returns the snapshot and the selected part of the cluster.
func (t *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap, Pick: h.Pick} }

// Draw draws as much as there is room for.
func (t *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	t.origin = v.Rect()
	t.spots = t.spots[:0]
	t.heatAt = grid.Rect{}
	t.draw(v, h)
	t.highlight(v, h.Snap, h.Pick.Within(&h.Snap.Layout))
	if l := h.Snap.Layout; l != t.capOf || v.W() != t.capW || t.cap == "" {
		t.capOf = l
		t.capW = v.W()
		t.cap = layoutWords(&l, v.W())
	}
	return pane.Border{Right: t.cap}
}

// aroundWords is the number of columns of the border that the title and blanks need.
const aroundWords = 12

// layoutWords describes a layout: "4 nodes × 4 ranks, groups of 4", or "4×4, groups of 4" if a
// pane of w columns has no room.
func layoutWords(l *cluster.Layout, w int) string {
	if l.Nodes == 0 {
		return "…"
	}
	nodes, ranks := strconv.Itoa(l.Nodes), strconv.Itoa(l.RanksPerNode)
	groups := ", groups of " + strconv.Itoa(l.Group)
	if l.Model == cluster.Flat {
		groups = ", one group"
	}
	if long := nodes + " nodes × " + ranks + " ranks" + groups; grid.Width(long)+aroundWords <= w {
		return long
	}
	return nodes + "×" + ranks + groups
}

func (t *Pane) draw(v grid.View, h *pane.Host) {
	l, th := &h.Snap.Layout, h.Theme
	if l.Nodes <= 0 || l.RanksPerNode <= 0 {
		v.TextIn(0, v.H()/2, v.W(), "starting…", grid.Center, th.Dim)
		return
	}
	t.sortRanks(l)
	if t.drawTraffic(v, h) {
		return
	}
	if p := h.Pick.Within(l); p.Level != pane.Nothing && v.H() >= 6 {
		t.items = t.items[:0]
		t.words = t.words[:0]
		t.isShort = !h.Alone
		t.addSelection(h, p)
		in, foot := v.Local().CutBottom(min(t.drawNotes(grid.View{}, v.W(), th), v.H()/2))
		t.drawNotes(v.Sub(in), v.W(), th)
		v = v.Sub(foot)
	}
	t.drawRanks(v, h.Snap, th)
}

// drawRanks draws the states of the ranks.
func (t *Pane) drawRanks(v grid.View, snap *engine.Snapshot, th *grid.Theme) {
	in := v
	foot := 0 // rows of the legend
	if v.H() >= 4 {
		foot = 1
		if v.H() >= 9 && v.W() < legendW {
			foot = 2
		}
		rows := v.H() - foot
		if rows > 5 {
			rows--
		}
		in = v.Sub(grid.Rect{W: v.W(), H: rows})
	}
	legend := v.Sub(grid.Rect{Y: v.H() - foot, W: v.W(), H: foot})
	if t.drawFrames(in, snap, th) || t.drawRows(in, snap, th) || t.drawCells(in, snap, th) {
		t.drawLegend(legend, snap, th)
		return
	}
	t.drawNodes(in, legend, snap, th)
}

// sortRanks sorts the ranks by node.
func (t *Pane) sortRanks(l *cluster.Layout) {
	if *l == t.layout && len(t.slots) == l.Ranks() {
		return
	}
	t.layout = *l
	t.slots = slices.Grow(t.slots[:0], l.Ranks())[:l.Ranks()]
	for rank := range t.slots {
		t.slots[l.PositionOf(rank, 1)] = int32(rank)
	}
}

// rank returns the rank in a slot, its symbol and its style.
func (t *Pane) rank(slot int, snap *engine.Snapshot, th *grid.Theme) (rank int, glyph rune, st grid.Style) {
	rank = int(t.slots[slot])
	state := cluster.Idle
	if rank < len(snap.Ranks) {
		state = snap.Ranks[rank].State
	}
	return rank, stateGlyphs[state], t.group(rank, th)
}

// group returns the style of a rank's group.
func (t *Pane) group(rank int, th *grid.Theme) grid.Style {
	return th.Group(t.layout.GroupOf(rank))
}

// drawFrames draws one frame per node with numbered ranks, if all fit.
func (t *Pane) drawFrames(v grid.View, snap *engine.Snapshot, th *grid.Theme) bool {
	l := &t.layout
	if l.Ranks() > 4096 {
		return false
	}
	cell := digits(l.Ranks()-1) + 2
	for per := l.RanksPerNode; per > 0; per = (per + 1) / 2 {
		w := max(per*cell+3, digits(l.Nodes-1)+6)
		h := (l.RanksPerNode+per-1)/per + 2
		if cols := v.W() / w; cols > 0 && (l.Nodes+cols-1)/cols*h <= v.H() {
			cols = balanced(l.Nodes, cols)
			f := frameStyle{perRow: per, cell: cell, border: th.Border}
			for n := range l.Nodes {
				t.drawFrame(v.Sub(grid.Rect{X: n % cols * w, Y: n / cols * h, W: w, H: h}), n, f, snap, th)
			}
			return true
		}
		if per == 1 {
			break
		}
	}
	return false
}

// frameStyle describes the frame of a node: the ranks per row, the columns per rank, and the
// border.
type frameStyle struct {
	perRow, cell int
	border       grid.Style
}

func (t *Pane) drawFrame(v grid.View, node int, f frameStyle, snap *engine.Snapshot, th *grid.Theme) {
	in := v.Box(v.Local(), grid.Box{Border: f.border})
	v.Rune(1, 0, ' ', f.border)
	t.text = strconv.AppendInt(append(t.text[:0], 'n'), int64(node), 10)
	n := v.Bytes(2, 0, t.text, th.Dim)
	v.Rune(2+n, 0, ' ', f.border)
	for k := range t.layout.RanksPerNode {
		rank, glyph, st := t.rank(node*t.layout.RanksPerNode+k, snap, th)
		x, y := k%f.perRow*f.cell, k/f.perRow
		right := x + f.cell - 1
		t.text = strconv.AppendInt(t.text[:0], int64(rank), 10)
		in.Bytes(right-len(t.text), y, t.text, th.Dim)
		in.Rune(right, y, glyph, st)
		at := grid.Rect{X: right - len(t.text), Y: y, W: len(t.text) + 1, H: 1}
		t.addSpot(in, at, node*t.layout.RanksPerNode+k, 1)
	}
}

// balanced returns the smallest number of columns that needs no more rows than cols columns do.
func balanced(n, cols int) int {
	rows := (n + cols - 1) / cols
	return (n + rows - 1) / rows
}

// drawRows draws the label and the ranks of each node, in columns.
func (t *Pane) drawRows(v grid.View, snap *engine.Snapshot, th *grid.Theme) bool {
	l := &t.layout
	head := digits(l.Nodes-1) + 2
	w := head + l.RanksPerNode + 2
	cols := (v.W() + 2) / w
	if cols == 0 || (l.Nodes+cols-1)/cols > v.H() {
		return false
	}
	cols = balanced(l.Nodes, cols)
	for n := range l.Nodes {
		x, y := n%cols*w, n/cols
		t.text = strconv.AppendInt(append(t.text[:0], 'n'), int64(n), 10)
		v.Bytes(x, y, t.text, th.Dim)
		t.drawRow(v.Sub(grid.Rect{X: x + head, Y: y, W: l.RanksPerNode, H: 1}), n, snap, th)
	}
	return true
}

// drawRow draws the symbols of a node's ranks in one row.
func (t *Pane) drawRow(v grid.View, node int, snap *engine.Snapshot, th *grid.Theme) {
	for k := range t.layout.RanksPerNode {
		_, glyph, st := t.rank(node*t.layout.RanksPerNode+k, snap, th)
		v.Rune(k, 0, glyph, st)
		t.addSpot(v, grid.Rect{X: k, W: 1, H: 1}, node*t.layout.RanksPerNode+k, 1)
	}
}

// drawCells draws one cell per rank, with gaps between nodes if there is room.
func (t *Pane) drawCells(v grid.View, snap *engine.Snapshot, th *grid.Theme) bool {
	l := &t.layout
	if l.RanksPerNode <= v.W() {
		cols := (v.W() + 1) / (l.RanksPerNode + 1)
		if (l.Nodes+cols-1)/cols <= v.H() {
			cols = balanced(l.Nodes, cols)
			for n := range l.Nodes {
				at := grid.Rect{X: n % cols * (l.RanksPerNode + 1), Y: n / cols, W: l.RanksPerNode, H: 1}
				t.drawRow(v.Sub(at), n, snap, th)
			}
			return true
		}
	}
	if v.W() <= 0 || (l.Ranks()+v.W()-1)/v.W() > v.H() {
		return false
	}
	for i := range t.slots {
		_, glyph, st := t.rank(i, snap, th)
		v.Rune(i%v.W(), i/v.W(), glyph, st)
		t.addSpot(v, grid.Rect{X: i % v.W(), Y: i / v.W(), W: 1, H: 1}, i, 1)
	}
	return true
}

func digits(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
