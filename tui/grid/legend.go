package grid

// LegendItem explains one symbol of a chart.
type LegendItem struct {
	Symbol rune
	Name   string
	Style  Style
}

// DrawLegend lists items in the upper right corner of v, one per row, over the existing content.
// Names are shortened if they would need more than half of the columns.
func DrawLegend(v View, th *Theme, items []LegendItem) {
	width := 0
	for i := range items {
		width = max(width, Width(items[i].Name))
	}
	width = min(width, v.W()/2-3)
	if width < 1 {
		return
	}
	for i := range items {
		if i >= v.H() || items[i].Name == "" {
			continue
		}
		x := v.W() - width - 3
		v.Fill(Rect{x, i, width + 3, 1}, Cell{Bg: th.Background})
		v.Rune(x+1, i, items[i].Symbol, items[i].Style)
		v.TextIn(x+3, i, width, items[i].Name, Left, th.Text)
	}
}

// DrawLegendRow writes items side by side from x, y, as many as fit completely, and returns the
// number of columns.
func DrawLegendRow(v View, x, y int, th *Theme, items []LegendItem) int {
	at := x
	for i := range items {
		n := Width(items[i].Name) + 2
		if at+n > v.W() {
			break
		}
		v.Rune(at, y, items[i].Symbol, items[i].Style)
		v.Text(at+2, y, items[i].Name, th.Text)
		at += n + 2
	}
	return max(0, at-x-2)
}
