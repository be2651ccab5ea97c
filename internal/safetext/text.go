package safetext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isUnsafe reports whether a character could move the cursor, change colours, hide text or change
// its order. An invalid byte is unsafe, because some terminals read it as a control character.
func isUnsafe(r rune) bool {
	if r >= ' ' && r < 0x7f || r == '\n' {
		return false
	}
	return r == utf8.RuneError || unicode.IsControl(r) ||
		unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
}

// Clean returns s with U+FFFD for each unsafe character. Line feeds remain.
func Clean(s string) string { return clean(s, isUnsafe) }

func clean(s string, bad func(rune) bool) string {
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Cell returns a cell of a CSV file. A text that a spreadsheet would run as a formula gets an
// apostrophe in front. Numbers remain.
func Cell(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
