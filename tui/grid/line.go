package grid

import "unicode"

// Line is an input line with a cursor.
type Line struct {
	text []rune
	at   int // runes before the cursor
}

// LongestLine is the maximum number of runes in a line.
const LongestLine = 400

// String returns the text.
func (l *Line) String() string { return string(l.text) }

// Cursor returns the number of runes before the cursor.
func (l *Line) Cursor() int { return l.at }

// Put replaces the text and moves the cursor to its end.
func (l *Line) Put(s string) { l.text = []rune(s); l.at = len(l.text) }

// Insert inserts s at the cursor. It drops control characters, because a paste may contain
// anything.
func (l *Line) Insert(s string) {
	for _, r := range s {
		if unicode.IsControl(r) || len(l.text) >= LongestLine {
			continue
		}
		l.text = append(l.text, 0)
		copy(l.text[l.at+1:], l.text[l.at:])
		l.text[l.at] = r
		l.at++
	}
}

// Erase removes n runes after the cursor, or −n runes before it if n is negative.
func (l *Line) Erase(n int) {
	from, to := min(max(l.at+min(n, 0), 0), l.at), min(l.at+max(n, 0), len(l.text))
	l.text = append(l.text[:from], l.text[to:]...)
	l.at = from
}

// Move moves the cursor by n runes.
func (l *Line) Move(n int) { l.at = min(max(l.at+n, 0), len(l.text)) }

// Clear empties the line.
func (l *Line) Clear() { l.text, l.at = l.text[:0], 0 }

// Draw draws the line with its cursor, scrolled so that the cursor is visible.
func (l *Line) Draw(v View, th *Theme) {
	if v.W() <= 0 {
		return
	}
	v.Fill(v.Local(), Cell{Rune: ' ', Bg: th.Background, Attr: Underline, Fg: th.Accent.Fg})
	from := max(0, l.at-v.W()+1)
	x := 0
	for i := from; i < len(l.text) && x < v.W(); i++ {
		st := th.Text.With(Underline)
		if i == l.at {
			st = st.With(Reverse)
		}
		x += max(1, v.Text(x, 0, string(l.text[i]), st))
	}
	if l.at >= len(l.text) {
		v.Rune(x, 0, ' ', th.Text.With(Reverse))
	}
}
