package grid

// Column describes one column of a [Table].
type Column struct {
	Title string
	Align Align
	// Width is the columns of the screen it takes; 0 for as many as its
	// longest visible text, so far as there is room.
	Width int
}

// Table draws aligned text under a header:
//
//	link      p50     p99
//	in node   95 ns   210 ns
//	remote    4.1 µs  9.8 µs
//
// A table that is longer than its pane scrolls so that the selected row shows.
type Table struct {
	Columns []Column
	// Rows hold one text a column; missing ones are blank.
	Rows [][]string
	// Selected is the number of the row under the cursor, -1 for none.
	Selected int
	// Top is the number of the first row shown. Draw moves it only as far as
	// it must.
	Top int
	// NoHeader leaves the header out.
	NoHeader bool
	// Look, if set, gives the style of a cell; else it is the theme's text.
	Look func(row, col int) Style

	widths []int
	first  int // row of the view that held Top
	height int // rows of the view that showed rows
}

// columnGap is the blank columns between two columns of a table.
const columnGap = 2

// Draw draws the table over v.
func (t *Table) Draw(v View, th *Theme) {
	t.first, t.height = 0, v.H()
	if !t.NoHeader && v.H() > 1 {
		t.first, t.height = 1, v.H()-1
	}
	t.scroll()
	t.layout(v.W())
	if t.first == 1 {
		x := 0
		for i := range t.Columns {
			v.TextIn(x, 0, t.widths[i], t.Columns[i].Title, t.Columns[i].Align, th.Dim.With(Bold))
			x += t.widths[i] + columnGap
		}
	}
	for y := 0; y < t.height && t.Top+y < len(t.Rows); y++ {
		t.row(v.Sub(Rect{0, t.first + y, v.W(), 1}), th, t.Top+y)
	}
}

// RowAt returns the number of the row that row y of the view showed, for the
// mouse; false where there is none.
func (t *Table) RowAt(y int) (int, bool) {
	y -= t.first
	if y < 0 || y >= t.height || t.Top+y >= len(t.Rows) {
		return 0, false
	}
	return t.Top + y, true
}

func (t *Table) row(v View, th *Theme, n int) {
	selected := n == t.Selected
	if selected {
		v.Fill(v.Local(), Cell{Bg: th.Selected.Bg, Attr: th.Selected.Attr})
	}
	x := 0
	for i := range t.Columns {
		if i >= len(t.Rows[n]) || x >= v.W() {
			break
		}
		st := th.Text
		if t.Look != nil {
			st = orStyle(t.Look(n, i), th.Text)
		}
		if selected {
			st = th.Selected
		}
		v.TextIn(x, 0, min(t.widths[i], v.W()-x), t.Rows[n][i], t.Columns[i].Align, st)
		x += t.widths[i] + columnGap
	}
}

// scroll moves Top so that the selected row shows and no rows are wasted.
func (t *Table) scroll() {
	if t.Selected >= 0 && t.Selected < len(t.Rows) {
		t.Top = max(t.Top, t.Selected-t.height+1)
		t.Top = min(t.Top, t.Selected)
	}
	t.Top = clampInt(t.Top, 0, max(0, len(t.Rows)-t.height))
}

// layout settles the widths of the columns, and takes from the widest until
// all fit.
func (t *Table) layout(w int) {
	t.widths = grow(t.widths, len(t.Columns))
	total := -columnGap
	for i, c := range t.Columns {
		n := c.Width
		if n <= 0 {
			if n = 0; !t.NoHeader {
				n = Width(c.Title)
			}
			for k := t.Top; k < len(t.Rows) && k < t.Top+t.height; k++ {
				if i < len(t.Rows[k]) {
					n = max(n, Width(t.Rows[k][i]))
				}
			}
		}
		t.widths[i] = min(n, max(0, w))
		total += t.widths[i] + columnGap
	}
	for total > w {
		widest := 0
		for i := range t.widths {
			if t.widths[i] > t.widths[widest] {
				widest = i
			}
		}
		if len(t.widths) == 0 || t.widths[widest] <= 1 {
			return
		}
		t.widths[widest]--
		total--
	}
}
