package grid

import (
	"fmt"
	"strings"
)

// PlainText returns only the characters, one line per row, without trailing blanks. Golden files
// have this form.
func (g *Grid) PlainText() string {
	var b strings.Builder
	for y := range g.H {
		b.WriteString(g.rowText(y))
		b.WriteByte('\n')
	}
	return b.String()
}

func (g *Grid) rowText(y int) string {
	var b strings.Builder
	for x := range g.W {
		if c := g.At(x, y); c.Rune != Continued {
			b.WriteRune(c.Rune)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// StyledText returns [Grid.PlainText] with an additional line below each row that has colours or
// attributes. The line lists the runs of equal style by first and last column:
//
//	12 GB/s  ok
//	  ~ 0-1 #e69f00 bold, 9-10 #009e73 on #202020
func (g *Grid) StyledText() string {
	var b strings.Builder
	for y := range g.H {
		b.WriteString(g.rowText(y))
		b.WriteByte('\n')
		g.writeRuns(&b, y)
	}
	return b.String()
}

func (g *Grid) writeRuns(b *strings.Builder, y int) {
	sep := "  ~ "
	for x := 0; x < g.W; {
		st := g.shown(x, y)
		end := x + 1
		for end < g.W {
			if next := g.shown(end, y); next != st && next != (Style{Bg: st.Bg}) {
				break
			}
			end++
		}
		if st != (Style{}) {
			fmt.Fprintf(b, "%s%d-%d%s", sep, x, end-1, describe(st))
			sep = ", "
		}
		x = end
	}
	if sep == ", " {
		b.WriteByte('\n')
	}
}

// shown returns the visible part of the style of a cell.
func (g *Grid) shown(x, y int) Style {
	c := g.cells[y*g.W+x]
	if c.blank() {
		return Style{Bg: c.Bg}
	}
	return Style{Fg: c.Fg, Bg: c.Bg, Attr: c.Attr}
}

func describe(st Style) string {
	var b strings.Builder
	if st.Fg != None {
		b.WriteString(" " + st.Fg.String())
	}
	if st.Bg != None {
		b.WriteString(" on " + st.Bg.String())
	}
	for i, name := range attrNames {
		if st.Attr&(1<<i) != 0 {
			b.WriteString(" " + name)
		}
	}
	return b.String()
}
