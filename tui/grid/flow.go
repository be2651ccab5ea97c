package grid

import "strings"

// Flow writes text from top to bottom, wrapped between words. Rows above the
// view (Y below zero) are written nowhere, which is how a flow scrolls; a view
// without rows measures: Y is then the rows that the text takes.
type Flow struct {
	V View
	Y int // the next row
}

// Text writes a paragraph; every line break in it is one on the screen.
func (f *Flow) Text(s string, st Style) {
	for part := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		f.paragraph(part, st)
	}
}

// paragraph writes one line of text on as many rows as it takes. Rows after
// the first are indented as the first one is.
func (f *Flow) paragraph(s string, st Style) {
	body := strings.TrimLeft(s, " ")
	indent := min(len(s)-len(body), f.V.W()/3)
	cols := f.V.W() - indent
	if cols <= 0 {
		return
	}
	for first := true; first || body != ""; first = false {
		n := breakAt(body, cols)
		f.V.Text(indent, f.Y, body[:n], st)
		body = strings.TrimLeft(body[n:], " ")
		f.Y++
	}
}

// breakAt gives the bytes of s that go on a row of cols columns: up to the last
// blank that fits, or as much as fits of a word that is longer than a row.
func breakAt(s string, cols int) int {
	if Width(s) <= cols {
		return len(s)
	}
	last, used := 0, 0
	for i, r := range s {
		if r == ' ' {
			last = i
		}
		used += Width(string(r))
		if used > cols {
			if last > 0 {
				return last
			}
			return max(i, 1)
		}
	}
	return len(s)
}

// Head writes a heading, after a blank row unless it is the first.
func (f *Flow) Head(s string, st Style) {
	if f.Y > 0 {
		f.Y++
	}
	f.V.Text(0, f.Y, s, st)
	f.Y++
}

// Pair writes a name at the left and its value at the right of a row, or of the next row
// if one has no room for both.
func (f *Flow) Pair(name, value string, nameStyle, valueStyle Style) {
	f.V.Text(0, f.Y, name, nameStyle)
	least := Width(name) + 1
	if least+Width(value) > f.V.W() {
		f.Y++
		least = 0
	}
	f.V.Text(max(f.V.W()-Width(value)-1, least), f.Y, value, valueStyle)
	f.Y++
}
