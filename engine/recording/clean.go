package recording

import (
	"math"
	"strings"
	"unicode"
)

var nan = math.NaN()

// Clean makes a text from a file safe for a terminal. It replaces all characters that could move
// the cursor, change colours or hide text.
func Clean(s string) string {
	bad := func(r rune) bool {
		return r != '\n' && (r == unicode.ReplacementChar || unicode.IsControl(r) ||
			unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp))
	}
	if strings.IndexFunc(s, bad) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
