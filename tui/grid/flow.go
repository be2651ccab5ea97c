package grid

import "strings"

// Flow writes text from top to bottom and wraps it between words. Rows above the view (Y below
// zero) are not written; this is how a flow scrolls. With a view without rows, a flow only
// measures: Y is then the number of rows of the text.
type Flow struct {
	V View
	Y int // the next row
}

// Text writes a paragraph. It keeps the line breaks of the text.
func (f *Flow) Text(s string, st Style) {
	for part := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		f.paragraph(part, st)
	}
}

// paragraph writes one line of text on as many rows as it needs. All rows have the indentation of
// the first one.
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

// breakAt returns the number of bytes of s that fit into cols columns, up to a blank. If the first
// word is longer than a row, it is cut.
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

// Item writes a paragraph after a mark, such as its number. All rows are indented by the mark.
func (f *Flow) Item(mark, s string, markStyle, st Style) {
	cols := Width(mark) + 1
	f.V.Text(0, f.Y, mark, markStyle)
	in := Flow{V: f.V.Sub(Rect{X: cols, W: f.V.W() - cols, H: f.V.H()}), Y: f.Y}
	in.Text(s, st)
	f.Y = in.Y
}

// Head writes a heading, after a blank row unless it is the first row.
func (f *Flow) Head(s string, st Style) {
	if f.Y > 0 {
		f.Y++
	}
	f.V.Text(0, f.Y, s, st)
	f.Y++
}

// Pair writes a name at the left and its value at the right. The value moves to the next row if
// both do not fit.
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
