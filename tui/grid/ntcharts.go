package grid

import (
	"charm.land/lipgloss/v2"
	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"
	nt "github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
)

// This file is the only user of ntcharts. The primitives of ntcharts draw on a sheet, which is reused.
// The changed cells are then copied to the grid with our own styles. Its chart models, View and Clear
// are not used: they cost three to eight times as much, and panic on NaN, ±1e300 and empty sizes.
// Dots of curves are in raster, because ntcharts allocates when they are read.

// sheetCols is the number of columns of a sheet. A cell of ntcharts has 656 bytes.
const sheetCols = 16

// sheet is an ntcharts canvas, which is blank between two drawings.
type sheet struct{ m canvas.Model }

// bare is the style of every cell on a sheet. The style is set when a cell is copied to the grid.
var bare = lipgloss.NewStyle()

// sheet returns the grid's sheet with at least as many rows as v.
func (v View) sheet() *sheet {
	s := &v.g.sheet
	if h := v.H(); s.m.Height() < h {
		s.m = canvas.New(sheetCols, h) // Resize would copy blank cells
		s.m.Fill(canvas.NewCell(nt.Null))
	}
	return s
}

// linePen is the look of a line.
type linePen struct {
	style  Style
	dashed bool
}

// blit moves rows top to bottom of a column of the sheet to column x of v, and blanks them on the
// sheet.
func (v View) blit(x, col, top, bottom int, pen linePen) {
	s := &v.g.sheet
	for y := top; y <= bottom; y++ {
		p := canvas.Point{X: col, Y: y}
		r := s.m.Cell(p).Rune
		if r == nt.Null {
			continue
		}
		s.m.SetCell(p, canvas.Cell{})
		if pen.dashed { // ntcharts has only solid lines
			switch r {
			case nt.LineHorizontal:
				r = '╌'
			case nt.LineVertical:
				r = '╎'
			}
		}
		v.Rune(x, y, r, pen.style)
	}
}

// line draws a curve with one row per column in box-drawing characters: solid as ─╮│╰ or dashed as
// ╌╮╎╰. It leaves gaps blank.
func (v View) line(rows []int, pen linePen) {
	if v.clip.Empty() {
		return
	}
	for from := 0; from < len(rows); from++ {
		to := from
		for to < len(rows) && rows[to] != gap {
			to++
		}
		// A sheet starts with the last column of the previous sheet, so that the curve continues.
		for first := from; first < to; first += sheetCols - 1 {
			v.lineSheet(first, rows[first:min(first+sheetCols, to)], first == from, pen)
		}
		from = to
	}
}

// lineSheet draws the columns from x on of a curve without gaps. It draws the first column only if
// isNew is set.
func (v View) lineSheet(x int, rows []int, isNew bool, pen linePen) {
	s := v.sheet()
	graph.DrawLineSequence(&s.m, false, 0, rows, nt.ArcLineStyle, bare)
	for i, row := range rows {
		before := rows[max(i-1, 0)]
		if i == 0 && !isNew {
			s.m.SetCell(canvas.Point{Y: row}, canvas.Cell{})
			continue
		}
		v.blit(x+i, i, min(before, row), max(before, row), pen)
	}
}

// columns fills fractions of the columns from x on, starting at the bottom. A fraction above zero
// is always visible.
func (v View) columns(x int, fractions []float64, pen Style) {
	if v.clip.Empty() {
		return
	}
	s, bottom := v.sheet(), v.H()-1
	var heights [sheetCols]float64
	for len(fractions) > 0 {
		n := min(len(fractions), sheetCols)
		for i, f := range fractions[:n] {
			f = clamp01(f)
			if f > 0 {
				f = max(f*float64(v.H()), 1.0/8) // ntcharts rounds to eighths of a cell
			}
			heights[i] = f
		}
		graph.DrawColumns(&s.m, canvas.Point{Y: bottom}, heights[:n], bare)
		for i := range n {
			v.blit(x+i, i, bottom-int(heights[i]), bottom, linePen{style: pen})
		}
		x, fractions = x+n, fractions[n:]
	}
}

// candlestick draws a light line between two fractions of column x, and a heavy line between two
// fractions inside it.
func (v View) candlestick(x int, low, bodyLow, bodyHigh, high float64, pen Style) {
	if v.clip.Empty() {
		return
	}
	s, bottom := v.sheet(), v.H()-1
	// The full height would be one row above the top row.
	at := func(f float64) float64 { return min(clamp01(f)*float64(v.H()), float64(v.H())-0.01) }
	graph.DrawCandlestickBottomToTop(&s.m, canvas.Point{Y: bottom}, at(low), at(bodyLow), at(bodyHigh), at(high), bare)
	v.blit(x, 0, 0, bottom, linePen{style: pen})
}
