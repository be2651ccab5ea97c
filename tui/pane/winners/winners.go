package winners

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/collective"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "winners", Title: "Winners", Doc: "the fastest algorithm by size and number of ranks", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return mapOf(s) != nil },
	New:     func() pane.Pane { return &Pane{} },
}

// mapOf returns the decision map of a run, or nil if it has none.
func mapOf(s *engine.Snapshot) *collective.Map {
	return engine.DrawingOf[*collective.Map](s)
}

// Pane is the position at which the map was drawn, and the selected cell.
type Pane struct {
	letters  []rune
	names    []string // algorithms of the letters
	selected bool     // the user selected a cell
	x, y     int      // the selected cell
	area     grid.Rect
	cellW    int
	cellH    int
	firstX   int // first column and last row that are shown if there is little room
	lastY    int
}

// Inputs returns the snapshot.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap} }

// Actions returns the actions that select a cell.
func (p *Pane) Actions() []pane.Action {
	hasMap := func(h *pane.Host) bool { return mapOf(h.Snap) != nil }
	move := func(dx, dy int) func(*pane.Host) {
		return func(h *pane.Host) {
			f := mapOf(h.Snap)
			if f == nil || len(f.Cells) == 0 {
				return
			}
			if !p.selected {
				p.x = max(f.NowX, 0)
				p.y = max(f.NowY, 0)
				p.selected = true
			}
			p.x, p.y = min(max(p.x+dx, 0), len(f.X)-1), min(max(p.y+dy, 0), len(f.Y)-1)
		}
	}
	return []pane.Action{
		{Name: "crosshair-left", Do: move(-1, 0), Ready: hasMap},
		{Name: "crosshair-right", Do: move(+1, 0), Ready: hasMap},
		{Name: "row-down", Do: move(0, -1), Ready: hasMap},
		{Name: "row-up", Do: move(0, +1), Ready: hasMap},
		{Name: "follow", Do: func(*pane.Host) { p.selected = false }, Ready: func(*pane.Host) bool { return p.selected }},
	}
}

// Click selects the cell under the mouse.
func (p *Pane) Click(h *pane.Host, x, y int) bool {
	f := mapOf(h.Snap)
	if f == nil || !p.area.Contains(x, y) {
		return false
	}
	p.x = p.firstX + (x-p.area.X)/p.cellW
	p.y = p.lastY - (y-p.area.Y)/p.cellH
	p.selected = true
	return true
}

// Draw draws the map, and below it the legend and the description of a cell.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	f := mapOf(h.Snap)
	p.area = grid.Rect{}
	if f == nil || len(f.Cells) == 0 {
		if h.Snap.Layout.Nodes == 0 {
			h.Empty(v)
		} else {
			h.WriteMessage(v, "This workload does not compare algorithms.",
				"Try a broadcast: type "+h.Typed("workload bcast")+".")
		}
		return pane.Border{Right: h.KindWords()}
	}
	p.assignLetters(f)
	if p.selected && (p.x >= len(f.X) || p.y >= len(f.Y)) {
		p.selected = false
	}
	b := pane.Border{Title: "Winners: " + f.Of, Right: kinds(f, h)}
	shown := p.winning(f)
	rest := v.Local()
	legendRows, signsRow := 0, grid.Rect{}
	if v.H() >= minSignsH && v.W() >= grid.Width(signsLegend) {
		signsRow, rest = rest.CutBottom(1)
		v.TextIn(0, signsRow.Y, v.W(), signsLegend, grid.Left, h.Theme.Dim)
	}
	if v.H() >= 8 {
		legendRows = 1 + p.drawLegend(grid.View{}, f, shown, h, v.W())
		legendRows = min(legendRows, v.H()/2)
	}
	low, rest := rest.CutBottom(legendRows)
	p.drawMap(v.Sub(rest), f, h)
	if legendRows > 0 {
		p.drawLegend(v.Sub(grid.Rect{X: low.X, Y: low.Y, W: low.W, H: low.H - 1}), f, shown, h, low.W)
		p.describe(v.Sub(grid.Rect{X: low.X, Y: low.Y + low.H - 1, W: low.W, H: 1}), f, h)
	}
	return b
}

// signsLegend explains the signs of cells. minSignsH is the minimum height for it.
const (
	signsLegend = "lower case: lead < 5 %, [ ] this run, │ ─ border between predicted winners"
	minSignsH   = 19
)

// kinds returns the kinds of number in the map, with their symbols.
func kinds(f *collective.Map, h *pane.Host) string {
	var words []string
	for _, k := range engine.Kinds {
		if slices.ContainsFunc(f.Cells, func(w collective.Winner) bool { return w.Kind == k && w.Best >= 0 }) {
			words = append(words, string(h.Theme.Kind(pane.KindOf(k)).Symbol)+" "+string(k))
		}
	}
	return strings.Join(words, ", ")
}

// assignLetters assigns a unique letter to each algorithm: the first letter of its name that is not
// taken, otherwise any other.
func (p *Pane) assignLetters(f *collective.Map) {
	if slices.Equal(p.names, f.Names) {
		return
	}
	p.names, p.letters = f.Names, p.letters[:0]
	for _, name := range f.Names {
		letter := rune(0)
		for _, r := range strings.ToUpper(name) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" {
			if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !slices.Contains(p.letters, r) {
				letter = r
				break
			}
		}
		p.letters = append(p.letters, letter)
	}
}

// winning returns the algorithms that win in at least one cell, in their order.
func (p *Pane) winning(f *collective.Map) []int {
	var all []int
	for i := range f.Names {
		if slices.ContainsFunc(f.Cells, func(w collective.Winner) bool { return w.Best == i }) {
			all = append(all, i)
		}
	}
	return all
}

// labelW is the width of the numbers of ranks, minCellW the minimum width of a cell, and maxCellW
// the maximum width of a cell with few rows.
const (
	labelW   = 6
	minCellW = 2
	maxCellW = 9
)

// drawMap draws the cells, with the sizes below and the numbers of ranks on the left.
func (p *Pane) drawMap(v grid.View, f *collective.Map, h *pane.Host) {
	th := h.Theme
	if v.W() < labelW+4 || v.H() < 3 {
		return
	}
	rows := v.H() - 1
	p.cellW, p.cellH = grid.Tile(v.W()-labelW, rows, len(f.X), len(f.Y), maxCellW)
	p.cellW = max(p.cellW, minCellW)
	nx, ny := min(len(f.X), (v.W()-labelW)/p.cellW), min(len(f.Y), rows/p.cellH)
	p.firstX = first(f.NowX, nx, len(f.X))
	firstY := first(f.NowY, ny, len(f.Y))
	p.lastY = firstY + ny - 1
	p.area = grid.Rect{X: labelW, W: nx * p.cellW, H: ny * p.cellH}
	for j := range ny {
		y := p.lastY - j
		v.TextIn(0, j*p.cellH+(p.cellH-1)/2, labelW-1, fmt.Sprintf("%.0f", f.Y[y]), grid.Right, th.Dim)
		for i := range nx {
			x := p.firstX + i
			p.drawCell(v.Sub(grid.Rect{X: labelW + i*p.cellW, Y: j * p.cellH, W: p.cellW, H: p.cellH}), f, x, y, h)
		}
	}
	at := labelW
	for i := range nx {
		text := short(f.X[p.firstX+i], h.Units)
		if x := labelW + i*p.cellW + max((p.cellW-grid.Width(text))/2, 0); x >= at && x+grid.Width(text) <= v.W() {
			at = x + v.Text(x, ny*p.cellH, text, th.Dim) + 1
		}
	}
	if f.YTitle != "" {
		v.TextIn(0, ny*p.cellH, labelW-1, f.YTitle, grid.Right, th.Dim)
	}
}

// first returns the first entry to show if only fit of n entries fit. The present entry is always
// shown.
func first(now, fit, n int) int { return min(max(now-fit/2, 0), n-fit) }

// short formats a size in a few columns, such as 4Ki.
func short(n float64, u grid.Units) string {
	if unit := u.Bytes(); unit.Kind != grid.Binary {
		return strings.Replace(strings.TrimSuffix(unit.Format(n, 8), unit.Symbol), " ", "", 1)
	}
	for i, unit := range []string{"", "Ki", "Mi", "Gi"} {
		if n < 1024 || i == 3 {
			return fmt.Sprintf("%.4g%s", n, unit)
		}
		n /= 1024
	}
	return ""
}

// drawCell draws a cell: the letter of the winner on its colour, and the symbol of the kind of
// number if it is not modelled. A line at the right or lower edge separates it from a cell with
// another predicted winner.
func (p *Pane) drawCell(v grid.View, f *collective.Map, x, y int, h *pane.Host) {
	th := h.Theme
	w := f.At(x, y)
	if w.Best < 0 {
		v.Rune(v.W()/2, v.H()/2, '·', th.Dim)
		p.highlight(v, f, x, y)
		return
	}
	text := th.Choice(w.Best).With(grid.Bold)
	v.Fill(v.Local(), grid.Cell{Bg: text.Bg})
	letter := p.letters[w.Best]
	if w.Lead > 0 && w.Lead < minLead {
		letter = unicode.ToLower(letter)
	}
	mid := (v.W() - 1) / 2
	v.Rune(mid, (v.H()-1)/2, letter, text)
	if w.Kind != engine.Modelled && v.W() > 2 {
		v.Rune(mid+1, (v.H()-1)/2, th.Kind(pane.KindOf(w.Kind)).Symbol, text)
	}
	line := text
	line.Attr = 0
	if x+1 < len(f.X) && areDifferent(w, f.At(x+1, y)) {
		for i := range v.H() {
			v.Rune(v.W()-1, i, '│', line)
		}
	}
	if y > 0 && areDifferent(w, f.At(x, y-1)) {
		for i := range v.W() {
			if v.H() > 1 {
				c := v.At(i, v.H()-1)
				if c.Rune == '│' {
					v.Rune(i, v.H()-1, '┘', line)
				} else if c.Rune == ' ' || c.Rune == 0 {
					v.Rune(i, v.H()-1, '─', line)
				}
			} else {
				v.Tint(grid.Rect{X: i, W: 1, H: 1}, grid.None, grid.Underline)
			}
		}
	}
	p.highlight(v, f, x, y)
}

// minLead is the lead below which the winner is hardly faster than the next algorithm. Its letter
// is then lower case.
const minLead = 1.05

// highlight marks the cell of the present run and the selected cell.
func (p *Pane) highlight(v grid.View, f *collective.Map, x, y int) {
	isNow, isSelected := x == f.NowX && y == f.NowY, p.selected && x == p.x && y == p.y
	if !isNow && !isSelected {
		return
	}
	left, right := '[', ']'
	if !isNow {
		left, right = '‹', '›'
	}
	mid, row := (v.W()-1)/2, (v.H()-1)/2
	c := v.At(mid, row)
	st := grid.Style{Fg: c.Fg, Bg: c.Bg, Attr: grid.Bold | grid.Reverse}
	if v.W() < 3 {
		v.Tint(grid.Rect{X: mid, Y: row, W: 1, H: 1}, grid.None, grid.Reverse|grid.Bold)
		return
	}
	v.Tint(grid.Rect{X: max(mid-1, 0), Y: row, W: 3, H: 1}, grid.None, grid.Reverse|grid.Bold)
	v.Rune(max(mid-1, 0), row, left, st)
	if e := v.At(mid+1, row); mid+1 < v.W() && (e.Rune == ' ' || e.Rune == 0 || e.Rune == '│') {
		v.Rune(mid+1, row, right, st)
	}

}

// areDifferent reports whether two cells have different predicted winners.
func areDifferent(a, b *collective.Winner) bool {
	m, n := predicted(a), predicted(b)
	return m >= 0 && n >= 0 && m != n
}

func predicted(w *collective.Winner) int {
	if w.Kind == engine.Modelled {
		return w.Best
	}
	return w.Model
}

// drawLegend writes the letters with their algorithms and returns the number of rows.
func (p *Pane) drawLegend(v grid.View, f *collective.Map, shown []int, h *pane.Host, cols int) int {
	x, y := 0, 0
	for _, i := range shown {
		n := grid.Width(f.Names[i]) + 2
		if x > 0 && x+n > cols {
			x, y = 0, y+1
		}
		v.Rune(x, y, p.letters[i], h.Theme.Choice(i).With(grid.Bold))
		v.Text(x+2, y, f.Names[i], h.Theme.Text)
		x += n + 2
	}
	return y + 1
}

// describe describes the selected cell, or the cell of the present run if none is selected.
func (p *Pane) describe(v grid.View, f *collective.Map, h *pane.Host) {
	x, y := f.NowX, f.NowY
	if p.selected {
		x, y = p.x, p.y
	}
	if x < 0 || y < 0 {
		v.TextIn(0, 0, v.W(), "│ ─ border between predicted winners", grid.Left, h.Theme.Dim)
		return
	}
	w := f.At(x, y)
	prefix := fmt.Sprintf("%s, %.0f ranks: ", h.Units.Text(cluster.SizeText(f.X[x])), f.Y[y])
	if w.Best < 0 {
		text := "unknown: no model of this host (sweep the algorithms)"
		if w.Kind == engine.Modelled {
			text = "computing the cost model"
		}
		v.TextIn(0, 0, v.W(), prefix+text, grid.Left, h.Theme.Dim)
		return
	}
	text := prefix + f.Names[w.Best]
	if w.Time > 0 {
		text += " " + grid.Seconds.String(w.Time)
	}
	if w.Lead > 0 {
		text += fmt.Sprintf(", next best %.2g×", w.Lead)
	}
	text += " (" + string(w.Kind) + ")"
	if w.Kind != engine.Modelled && w.Model >= 0 && w.Model != w.Best {
		text += "; model: " + f.Names[w.Model]
	}
	v.TextIn(0, 0, v.W(), text, grid.Left, h.Theme.Focus)
}
