package explain

import (
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// mapRows is the number of rows above the cells of a map: variants, note, name of the horizontal axis, and its values.
const mapRows = 4

// ratioW is the minimum width of a cell with a ratio: "A 1.234".
const ratioW = 8

// drawMap draws the fastest variant over two axes. Each cell has a letter, in lower case if it was not simulated.
func (p *Pane) drawMap(v grid.View, m *explain.DecisionMap, h *pane.Host, b *pane.Border) {
	th := h.Theme
	x := v.TextIn(0, 0, v.W(), "fastest "+m.Variants.Name+":", grid.Left, th.Title) + 1
	for k, name := range m.Variants.Values {
		x += v.TextIn(x, 0, v.W()-x, letter(k, true)+" "+name, grid.Left, th.Choice(k)) + 2
	}
	note := strconv.Itoa(m.Simulations) + " simulations; lower case: from neighbours"
	two := len(m.Variants.Values) == 2
	label := grid.Width(m.Y.Name) + 2
	for _, y := range m.Y.Values {
		label = max(label, grid.Width(y)+1)
	}
	label = min(label, v.W()/3)
	wide := max((v.W()-label)/max(len(m.X.Values), 1), 1)
	if two && wide >= ratioW {
		note += "; numbers: time of A / time of B"
	}
	v.TextIn(0, 1, v.W(), note, grid.Left, th.Dim)
	wide = min(wide, 14)
	v.TextIn(label, 2, v.W()-label, m.X.Name+" →", grid.Left, th.Accent)
	v.TextIn(0, 3, label-1, m.Y.Name+" ↓", grid.Left, th.Accent)
	for i, value := range m.X.Values {
		if grid.Width(value) < wide || i == 0 {
			v.TextIn(label+i*wide, 3, max(wide-1, 1), value, grid.Left, th.Dim)
		}
	}
	shown := max(v.H()-mapRows, 0)
	p.top = min(p.top, max(0, len(m.Y.Values)-shown))
	for row := range min(shown, len(m.Y.Values)-p.top) {
		j := p.top + row
		v.TextIn(0, mapRows+row, label-1, m.Y.Values[j], grid.Left, th.Dim)
		for i := range m.Cells[j] {
			c := &m.Cells[j][i]
			if c.Winner < 0 {
				v.TextIn(label+i*wide, mapRows+row, wide, "–", grid.Left, th.Dim)
				continue
			}
			text, st := letter(c.Winner, c.Simulated), th.Choice(c.Winner)
			if r := c.Ratio(0, 1); two && r > 0 && wide >= ratioW {
				text += " " + strconv.FormatFloat(r, 'f', 3, 64)
			}
			v.TextIn(label+i*wide, mapRows+row, wide, text, grid.Left, st)
		}
	}
	b.Above, b.Below = p.top > 0, len(m.Y.Values)-p.top > shown
}

// letter returns the letter of a variant.
func letter(k int, upper bool) string {
	text := string(rune('A' + k))
	if !upper {
		text = strings.ToLower(text)
	}
	return text
}
