package recording

import (
	"math"
	"strings"
	"unicode"
)

var nan = math.NaN()

// Clean is a text of a file as a terminal may get it: what could move the cursor, change
// colours or hide text becomes a replacement character.
func Clean(s string) string {
	bad := func(r rune) bool {
		return r != '\n' && (r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp))
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
