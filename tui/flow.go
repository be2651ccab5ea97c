package tui

import (
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// flow writes text from top to bottom, wrapped between words. Rows above the
// view (y below zero) are written nowhere, which is how a flow scrolls.
type flow struct {
	v grid.View
	y int
}

// text writes a paragraph; every line break in it is one on the screen.
func (f *flow) text(s string, st grid.Style) {
	for part := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		f.paragraph(part, st)
	}
}

// paragraph writes one line of text on as many rows as it takes. Rows after
// the first are indented as the first one is.
func (f *flow) paragraph(s string, st grid.Style) {
	body := strings.TrimLeft(s, " ")
	indent := min(len(s)-len(body), f.v.W()/3)
	cols := f.v.W() - indent
	if cols <= 0 {
		return
	}
	for first := true; first || body != ""; first = false {
		n := breakAt(body, cols)
		f.v.Text(indent, f.y, body[:n], st)
		body = strings.TrimLeft(body[n:], " ")
		f.y++
	}
}

// breakAt gives the bytes of s that go on a row of cols columns: up to the last
// blank that fits, or as much as fits of a word that is longer than a row.
func breakAt(s string, cols int) int {
	if grid.Width(s) <= cols {
		return len(s)
	}
	last, used := 0, 0
	for i, r := range s {
		if r == ' ' {
			last = i
		}
		used += grid.Width(string(r))
		if used > cols {
			if last > 0 {
				return last
			}
			return max(i, 1)
		}
	}
	return len(s)
}

// head writes a heading, after a blank row unless it is the first.
func (f *flow) head(s string, st grid.Style) {
	if f.y > 0 {
		f.y++
	}
	f.v.Text(0, f.y, s, st)
	f.y++
}
