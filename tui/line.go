package tui

import "unicode"

// line is one line of text that is typed, with a cursor.
type line struct {
	text []rune
	at   int // runes before the cursor
}

func (l *line) String() string { return string(l.text) }

// put replaces the text; the cursor goes behind it.
func (l *line) put(s string) { l.text = []rune(s); l.at = len(l.text) }

// insert types s at the cursor. Control characters are dropped: a paste may
// hold anything.
func (l *line) insert(s string) {
	for _, r := range s {
		if unicode.IsControl(r) || len(l.text) >= maxLine {
			continue
		}
		l.text = append(l.text, 0)
		copy(l.text[l.at+1:], l.text[l.at:])
		l.text[l.at] = r
		l.at++
	}
}

const maxLine = 400

// erase takes n runes away: before the cursor if n is negative, else behind it.
func (l *line) erase(n int) {
	from, to := min(max(l.at+min(n, 0), 0), l.at), min(l.at+max(n, 0), len(l.text))
	l.text = append(l.text[:from], l.text[to:]...)
	l.at = from
}

// move moves the cursor by n runes.
func (l *line) move(n int) { l.at = min(max(l.at+n, 0), len(l.text)) }

// clear empties the line.
func (l *line) clear() { l.text, l.at = l.text[:0], 0 }
