package grid

import (
	"strings"
	"testing"
)

// TestLineTyping checks that keys edit the line by characters and by words, and that a paste loses its control
// characters.
func TestLineTyping(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"gröup", "", "gröup|"},
		{"gr\x1b[2Jou\tp\n", "", "gr[2Jou p |"},
		{"gröup", "left left backspace delete", "gr|p"},
		{"set group", "ctrl+w", "set |"},
		{"set group 8", "home alt+d", "| group 8"},
		{"set group 8", "alt+left ctrl+u", "|8"},
		{"set group 8", "ctrl+a ctrl+right ctrl+k", "set|"},
		{"", "left backspace delete ctrl+w alt+d ctrl+u ctrl+k", "|"},
		{strings.Repeat("x", LongestLine+9), "end", strings.Repeat("x", LongestLine) + "|"},
	} {
		var l Line
		l.Insert(c.text)
		for _, k := range strings.Fields(c.keys) {
			l.Press(k)
		}
		text := []rune(l.String())
		if got := string(text[:l.Cursor()]) + "|" + string(text[l.Cursor():]); got != c.want {
			t.Errorf("%q and %s: %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}

// TestLineHasNoOtherKeys checks that each key of a line changes it or moves its cursor.
func TestLineHasNoOtherKeys(t *testing.T) {
	for _, e := range Edits() {
		for _, k := range e.Keys {
			var l Line
			l.Insert("one two three")
			for range len(" three") {
				l.Press("left")
			}
			text, at := l.String(), l.Cursor()
			if l.Press(k); l.String() == text && l.Cursor() == at {
				t.Errorf("%s: %s does nothing", e.Name, k)
			}
		}
	}
}
