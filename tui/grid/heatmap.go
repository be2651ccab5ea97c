package grid

import (
	"math"
	"strings"
)

// Heatmap draws a labelled matrix and a bar that explains its colours:
//
//	     0 1 2 3
//	n0   █▓▒░      0 B ░▒▓█ 8 KiB
//
// If the matrix is larger than the view, a cell shows the largest of several values, and the label
// of a row names its range. Without colours the cells are shades, or digits from 0 to 9 if Digits
// is set or the grid is ASCII only.
type Heatmap struct {
	// Values holds the rows of the matrix one after the other, Cols values
	// each. NaN is an empty cell.
	Values []float64
	Cols   int
	// RowLabels and ColLabels may be shorter than the matrix, or missing.
	RowLabels, ColLabels []string
	// Corner is the heading above the labels of the rows.
	Corner string
	// Axis has the unit and scale of the values, and the range if it is fixed.
	Axis Axis
	// Digits shows fractions of the range as digits, with or without colour.
	Digits bool
	// Blank leaves cells without a value blank.
	Blank bool
	// Bar shows the colour bar, in the last row.
	Bar bool
	// Wide is the maximum number of columns of a low cell; 0: 4. Cells with at least six columns
	// show their value.
	Wide int

	// Ratios, if there are any, replace the values in the cells. A ratio is the value divided by
	// the baseline value; 0: only the baseline has a value; NaN: the baseline has none. Against
	// names the baseline in the bar.
	Ratios  []float64
	Against string

	text      []byte
	fullRatio float64 // the ratio of full colour
	m         mapping
	area      Rect // area of the cells, in the coordinates of the view
	cellW     int
	cellH     int
	rows      int // matrix rows
	perY      int // matrix rows per cell
	perX      int // matrix columns per cell
}

// grey holds the cells of a heat map without colours, by increasing value.
var grey = [5]rune{'·', '░', '▒', '▓', '█'}

// Draw draws the matrix over v.
func (h *Heatmap) Draw(v View, th *Theme) {
	h.rows = 0
	if h.Cols > 0 {
		h.rows = len(h.Values) / h.Cols
	}
	s := emptySpan()
	for _, x := range h.Values {
		s.add(h.Axis.Scale, x)
	}
	h.m = h.Axis.mapSpan(s, false, 0)
	h.layout(v)
	if h.area.Empty() || h.rows == 0 {
		h.area = Rect{}
		v.TextIn(0, v.H()/2, v.W(), "no data yet", Center, th.Dim)
		return
	}
	h.drawLabels(v, th)
	compared := h.showsRatios()
	if compared {
		h.fullRatio = h.maxFactor()
	}
	for y := 0; y*h.perY < h.rows; y++ {
		for x := 0; x*h.perX < h.Cols; x++ {
			if compared {
				h.drawRatio(v, th, x, y)
			} else {
				h.drawCell(v, th, x, y)
			}
		}
	}
	if h.Bar && v.H() > 3 {
		bar := v.Sub(Rect{h.area.X, v.H() - 1, v.W() - h.area.X, 1})
		if compared {
			h.drawRatioBar(bar, th)
		} else {
			h.drawBar(bar, th)
		}
	}
}

// Locate returns the position in the view of an element of the matrix: its first column, the middle
// of its rows, and its number of columns.
func (h *Heatmap) Locate(row, col int) (x, y, wide int, ok bool) {
	if h.area.Empty() || row < 0 || row >= h.rows || col < 0 || col >= h.Cols {
		return 0, 0, 0, false
	}
	x, y = h.area.X+col/h.perX*h.cellW, h.area.Y+row/h.perY*h.cellH+h.middle()
	return x, y, h.cellW, h.area.Contains(x, y)
}

// CellAt returns the row and column of the matrix at the cell x, y of the view, for the mouse. If a
// cell shows several elements, it returns the first.
func (h *Heatmap) CellAt(x, y int) (row, col int, ok bool) {
	if !h.area.Contains(x, y) {
		return 0, 0, false
	}
	row, col = (y-h.area.Y)/h.cellH*h.perY, (x-h.area.X)/h.cellW*h.perX
	return row, col, row < h.rows && col < h.Cols
}

// Folded returns the numbers of matrix rows and columns per cell in the last drawing.
func (h *Heatmap) Folded() (rows, cols int) { return max(h.perY, 1), max(h.perX, 1) }

// layout reserves space for the labels and the bar, and chooses the size of the cells.
func (h *Heatmap) layout(v View) {
	h.area = v.Local()
	if len(h.ColLabels) > 0 && v.H() > 2 {
		_, h.area = h.area.CutTop(1)
	}
	if h.Bar && v.H() > 3 {
		_, h.area = h.area.CutBottom(1)
	}
	h.cellW = 1
	h.cellH = 1
	h.perX = 1
	h.perY = 1
	if h.area.H > 0 {
		h.perY = max(1, (h.rows+h.area.H-1)/h.area.H)
	}
	label := Width(h.Corner)
	for row := 0; row < len(h.RowLabels); row += h.perY {
		label = max(label, Width(h.rowLabel(row)))
	}
	if label > 0 {
		label = min(label+1, v.W()/3)
	}
	_, h.area = h.area.CutLeft(label)
	if h.area.Empty() || h.rows == 0 {
		return
	}
	wide := h.Wide
	if wide == 0 {
		wide = 4
	}
	h.perX = max(1, (h.Cols+h.area.W-1)/h.area.W)
	nx, ny := (h.Cols+h.perX-1)/h.perX, (h.rows+h.perY-1)/h.perY
	h.cellW, h.cellH = Tile(h.area.W, h.area.H, nx, ny, wide)
	h.area.W = min(h.area.W, h.cellW*nx)
	h.area.H = min(h.area.H, h.cellH*ny)
}

// middle returns the row of a cell that contains its text.
func (h *Heatmap) middle() int { return (h.cellH - 1) / 2 }

// at returns the position of cell x, y.
func (h *Heatmap) at(x, y int) Rect {
	return Rect{h.area.X + x*h.cellW, h.area.Y + y*h.cellH, h.cellW, h.cellH}
}

// symbolColumn returns the column of the symbol for a missing value: the column where numbers end,
// if cells show numbers.
func (h *Heatmap) symbolColumn(at Rect) int {
	if h.cellW >= valueCols {
		return at.X + at.W - 2
	}
	return at.X
}

// rowLabel returns the label of a row of cells, which may cover several matrix rows.
func (h *Heatmap) rowLabel(row int) string {
	return Range(h.RowLabels[row], h.RowLabels[min(row+h.perY, len(h.RowLabels), max(h.rows, row+1))-1])
}

// Range returns the name of an inclusive range: "depth 0" and "depth 1" become "depth 0–1", and "8
// B" and "16 B" become "8–16 B". Both names may be ranges.
func Range(first, last string) string {
	if first == last {
		return first
	}
	const to = "–"
	begin, end, ranged := strings.Cut(first, to)
	if _, unit, some := strings.Cut(end, " "); ranged && some && !strings.Contains(begin, " ") {
		begin += " " + unit // a range has its unit only once
	}
	first = begin
	if i := strings.LastIndex(last, to); i >= 0 {
		last = last[i+len(to):]
	}
	if i := strings.LastIndexFunc(first, notDigit) + 1; i < len(first) {
		if number, same := strings.CutPrefix(last, first[:i]); same && number != "" && strings.IndexFunc(number, notDigit) <
			0 {
			last = number
		}
	}
	if number, unit, some := strings.Cut(first, " "); some && unit != "" && strings.IndexFunc(unit, notDigit) == 0 &&
		strings.HasSuffix(last, " "+unit) {
		first = number
	}
	return first + to + last
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

func (h *Heatmap) drawLabels(v View, th *Theme) {
	for y := range h.area.H / h.cellH {
		if k := y * h.perY; k < len(h.RowLabels) {
			label := h.rowLabel(k)
			if Width(label) > h.area.X-1 && strings.Contains(label, "–") { // remove blanks instead of cutting it
				label = strings.ReplaceAll(label, " ", "")
			}
			v.TextIn(0, h.area.Y+y*h.cellH+h.middle(), h.area.X-1, label, Left, th.Dim)
		}
	}
	if h.area.Y == 0 {
		return
	}
	v.TextIn(0, 0, h.area.X-1, h.Corner, Left, th.Dim)
	free := h.area.X
	for x := 0; x*h.cellW < h.area.W; x++ {
		k, at := x*h.perX, h.area.X+x*h.cellW
		if k < len(h.ColLabels) && h.cellW >= valueCols { // above the values
			v.TextIn(at, 0, h.cellW-1, h.ColLabels[k], Right, th.Dim)
			continue
		}
		if k < len(h.ColLabels) && at >= free && at+Width(h.ColLabels[k]) <= v.W() {
			free = at + v.Text(at, 0, h.ColLabels[k], th.Dim) + 1
		}
	}
}

// maxIn returns the largest of the values in cell x, y.
func (h *Heatmap) maxIn(x, y int) float64 {
	best := math.NaN()
	for r := y * h.perY; r < min((y+1)*h.perY, h.rows); r++ {
		for c := x * h.perX; c < min((x+1)*h.perX, h.Cols); c++ {
			if val := h.Values[r*h.Cols+c]; !(val <= best) && val == val {
				best = val
			}
		}
	}
	return best
}

func (h *Heatmap) drawCell(v View, th *Theme, x, y int) {
	value := h.maxIn(x, y)
	f, ok := h.m.frac(value)
	if ok && h.cellW >= valueCols {
		h.drawValue(v, th, x, y, clamp01(f), value)
		return
	}
	at := h.at(x, y)
	if !ok {
		if !h.Blank {
			v.Rune(h.symbolColumn(at), at.Y+h.middle(), '·', th.Dim)
		}
		return
	}
	for j := range at.H {
		for i := range at.W {
			h.swatch(v, th, at.X+i, at.Y+j, clamp01(f), i == 0 && j == h.middle())
		}
	}
}

// valueCols is the minimum number of columns of a cell that shows its value.
const valueCols = 6

// drawValue draws a wide cell: its value, on the colour of f.
func (h *Heatmap) drawValue(v View, th *Theme, x, y int, f, value float64) {
	at, ink := h.at(x, y), th.Text
	if len(th.Ramp) > 0 && !v.Mono() {
		bg := th.RampAt(f)
		v.Fill(at, Cell{Bg: bg})
		ink = Style{Fg: th.InkOn(bg), Bg: bg}
	}
	h.text = h.Axis.Unit.Append(h.text[:0], value, h.cellW-1)
	v.Bytes(at.X+at.W-1-runes(h.text), at.Y+h.middle(), h.text, ink)
}

// swatch draws one cell of the screen in the colour of f. The first cell of each value has the
// digit.
func (h *Heatmap) swatch(v View, th *Theme, x, y int, f float64, first bool) {
	digit := rune('0' + min(int(f*10), 9))
	switch colour := len(th.Ramp) > 0 && !v.Mono(); {
	case colour:
		bg := th.RampAt(f)
		c := Cell{Bg: bg}
		if h.Digits && first {
			c.Rune, c.Fg = digit, th.InkOn(bg)
		}
		v.Set(x, y, c)
	case h.Digits || v.ASCII():
		if first {
			v.Rune(x, y, digit, th.Text)
		}
	default:
		k, _ := cell(f, len(grey))
		v.Rune(x, y, grey[k], th.Text)
	}
}

// endCols returns the number of columns of a number at the end of a narrow colour bar. It includes
// the unit if a few cells remain between both ends.
func endCols(w int) int { return max(min(9, (w-4)/2), 0) }

// drawBar draws the colour bar: both ends of the range and the ramp between them.
func (h *Heatmap) drawBar(v View, th *Theme) {
	cols := max(v.W()/3, endCols(v.W()))
	h.text = h.Axis.Unit.Append(h.text[:0], h.m.lo, cols)
	x := v.Bytes(0, 0, h.text, th.Dim) + 1
	h.text = h.Axis.Unit.Append(h.text[:0], h.m.hi, cols)
	n := min(24, v.W()-x-runes(h.text)-1)
	for i := range n {
		h.swatch(v, th, x+i, 0, float64(i)/float64(max(1, n-1)), true)
	}
	if n > 0 {
		v.Bytes(x+n+1, 0, h.text, th.Dim)
	}
}
