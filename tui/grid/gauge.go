package grid

// Gauge draws one value against its limit:
//
//	memory ███████████▌┆       1.4 GiB of 4 GiB
type Gauge struct {
	Label      string
	Value, Max float64
	Unit       Unit
	// Mark, above 0, is a value to mark with ┆: a limit or an aim.
	Mark float64
	// Style defaults to the theme's accent.
	Style Style

	text []byte
}

// Draw draws the gauge in the first row of v.
func (g *Gauge) Draw(v View, th *Theme) {
	if v.H() == 0 {
		return
	}
	g.text = g.Unit.Append(g.text[:0], g.Value, anyCols)
	if g.Unit.Kind != Percent {
		g.text = append(g.text, " of "...)
		g.text = g.Unit.Append(g.text, g.Max, anyCols)
	}
	label, value := Width(g.Label), runes(g.text)+1
	if label > 0 {
		label = min(label+1, v.W()/3)
	}
	if value > (v.W()-label)*2/3 {
		g.text = g.Unit.Append(g.text[:0], g.Value, max(0, (v.W()-label)/2-1))
		value = runes(g.text) + 1
	}
	v.TextIn(0, 0, label-1, g.Label, Left, th.Text)
	bar := v.Sub(Rect{label, 0, v.W() - label - value, 1})
	ax := Axis{Fixed: true, Max: g.Max}
	m := ax.settle(emptySpan(), false, 0)
	if f, ok := m.frac(g.Value); ok && g.Max > 0 {
		drawBar(bar, clamp01(f), orStyle(g.Style, th.Accent))
	}
	if f, ok := m.frac(g.Mark); ok && g.Mark > 0 {
		if x, ok := cell(f, bar.W()); ok {
			bar.Rune(x, 0, '┆', th.Focus)
		}
	}
	v.Bytes(v.W()-value+1, 0, g.text, th.Text)
}
