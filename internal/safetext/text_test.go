package safetext

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
)

// A text becomes safe, and safe text does not change.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain, µs\nand more": "plain, µs\nand more",
		"a\x1b]52;c;xyz\x07b": "a�]52;c;xyz�b",
		"\u202eevil\u200b":    "�evil�",
		"\x9b31m":             "�31m",
		"\u009b31m\x7f":       "�31m�",
		"r\rn\tt":             "r�n�t",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q becomes %q: want %q", text, got, want)
		}
	}
}

// A Writer replaces unsafe characters wherever its input is cut, and writes all other text as it is.
func TestWriter(t *testing.T) {
	const text = "µs\t1\n\u202e\x1b[2J\x9b\u009b\x7f→\xe2\x82"
	const want = "µs\t1\n��[2J���→"
	for step := 1; step <= len(text); step++ {
		var out bytes.Buffer
		w := NewWriter(&out)
		for left := []byte(text); len(left) > 0; {
			n := min(step, len(left))
			if got, err := w.Write(left[:n]); got != n || err != nil {
				t.Fatal(got, err)
			}
			left = left[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.TrimRight(got, "�") != want || got == want {
			t.Errorf("in pieces of %d bytes: %q, want %q and U+FFFD", step, got, want)
		}
	}
}

// Every control character and every bidirectional control is replaced.
func TestEveryControlCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			var out bytes.Buffer
			if _, err := NewWriter(&out).Write([]byte(string(r))); err != nil || out.String() != "�" {
				t.Errorf("%U is written as %q, %v", r, out.String(), err)
			}
		}
	}
}

// A formula becomes a text, and a number remains a number.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "group": "group", "-3.5": "-3.5", "+1e-9": "+1e-9", "-": "'-", "=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)",
		"-1+cmd": "'-1+cmd", "+x": "'+x", "\t=1": "'\t=1", "a=1": "a=1",
	} {
		if got := Cell(text); got != want {
			t.Errorf("%q becomes %q: want %q", text, got, want)
		}
	}
}
