package grid

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// unprintable replaces a control character or an invalid rune.
const unprintable = '\uFFFD'

// printable checks a rune before it enters a cell. It returns the rune to show and its width: 1, 2,
// or 0 for a rune that is dropped because it would combine with its neighbour.
func printable(r rune) (rune, int) {
	switch {
	case r >= ' ' && r < 0x7f:
		return r, 1
	case r == '\t', r == '\n', r == '\r', r == '\u2028', r == '\u2029', r == 0:
		return ' ', 1
	case r < 0xa0: // C0, DEL and C1, and negative runes
		return unprintable, 1
	case r >= 0x2500 && r < 0x25fd, r >= 0x2800 && r < 0x2900, plainly(r):
		return r, 1 // box drawing, blocks, shapes and braille
	case !utf8.ValidRune(r):
		return unprintable, 1
	case unicode.Is(unicode.Bidi_Control, r):
		return unprintable, 1
	case r >= 0x1f1e6 && r <= 0x1f1ff:
		return 'A' + r - 0x1f1e6, 1 // pairs of regional indicators would become flags
	case r >= 0x1f3fb && r <= 0x1f3ff, unicode.In(r, unicode.M, unicode.Cf):
		return 0, 0 // skin tones, marks and invisible formats
	}
	return joined(r)
}

// plainly reports whether r is a common one-column rune outside ASCII: a Latin or Greek letter, a
// dash or quote, an arrow or a mathematical sign.
func plainly(r rune) bool {
	return r >= 0xa1 && r < 0x250 && r != 0xad || r >= 0x3b1 && r <= 0x3c9 ||
		r >= 0x2010 && r <= 0x2027 || r >= 0x2190 && r < 0x2300
}

// joined returns r and its width, or 0, 0 if r would combine with a neighbour.
func joined(r rune) (rune, int) {
	w := displaywidth.Rune(r)
	if displaywidth.String(string([]rune{'a', r, r, 'a'})) != 2*w+2 {
		return 0, 0
	}
	return r, w
}

// Width returns the number of columns of s on a grid.
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return n + wideWidth(s[i:])
		}
		n++
	}
	return n
}

func wideWidth(s string) int {
	n := 0
	for _, r := range s {
		_, w := printable(r)
		n += w
	}
	return n
}

// Fit shortens s to at most cols columns. If it cuts s, the last column is an ellipsis.
func Fit(s string, cols int) string {
	if len(s) <= cols || Width(s) <= cols {
		return s
	}
	if cols <= 0 {
		return ""
	}
	n := 0
	for i, r := range s {
		_, w := printable(r)
		if n+w > cols-1 {
			return s[:i] + "…"
		}
		n += w
	}
	return s
}

// ASCIIRune returns an ASCII character that looks like r, for terminals and fonts that have no
// other characters.
func ASCIIRune(r rune) rune {
	switch {
	case r < 0x7f:
		return r
	case r >= 0x2500 && r < 0x2580:
		return asciiBox(r)
	case r >= 0x2580 && r < 0x25a0:
		return asciiBlock(r)
	case r > 0x2800 && r < 0x2900:
		return asciiBraille(r)
	}
	if a, ok := lookalikes[r]; ok {
		return a
	}
	return '?'
}

func asciiBox(r rune) rune {
	switch r {
	case '─', '━', '┄', '┅', '┈', '┉', '╌', '╍', '═', '╴', '╶', '╸', '╺', '╼', '╾':
		return '-'
	case '│', '┃', '║', '┤', '├', '╵', '╷', '╹', '╻', '╽', '╿':
		return '|'
	case '┆', '┇', '┊', '┋', '╎', '╏':
		return ':'
	case '╱':
		return '/'
	case '╲':
		return '\\'
	case '╳':
		return 'X'
	}
	return '+'
}

func asciiBlock(r rune) rune {
	switch r {
	case '▁', '▂', '▔':
		return '_'
	case '▃', '▄', '▖', '▗':
		return '.'
	case '▏', '▎', '▍':
		return '|'
	case '░':
		return '.'
	case '▒':
		return ':'
	case '▓':
		return '%'
	case '▀', '▘', '▝':
		return '\''
	}
	return '#'
}

func asciiBraille(r rune) rune {
	const upper, lower = 0x1b, 0xe4 // dots 1 2 4 5 and 3 6 7 8
	switch bits := r - 0x2800; {
	case bits&upper == 0:
		return '.'
	case bits&lower == 0:
		return '\''
	}
	return ':'
}

var lookalikes = map[rune]rune{
	0x2800: ' ', '\u00a0': ' ', '\u2009': ' ', '\u202f': ' ',
	'µ': 'u', 'μ': 'u', 'ε': 'e', 'α': 'a', 'β': 'b', 'γ': 'g', 'δ': 'd', 'Δ': 'D', 'λ': 'l',
	'π': 'p', 'σ': 's', 'Σ': 'S', 'τ': 't', 'ω': 'w', 'Ω': 'O', 'φ': 'f', 'θ': 'q', 'ρ': 'r',
	'→': '>', '←': '<', '↑': '^', '↓': 'v', '↔': '-', '↕': '|', '⇒': '>', '⇐': '<', '↻': '@',
	'…': '~', '–': '-', '—': '-', '−': '-', '·': '.', '•': '*', '×': 'x', '÷': '/', '±': '~',
	'≤': '<', '≥': '>', '≈': '~', '≠': '#', '∞': '8', '√': 'V', '∑': 'S', '∂': 'd', '∥': '|',
	'°': 'o', '²': '2', '³': '3', '¹': '1', '⁰': '0', 'ⁿ': 'n', '½': 'h', '₁': '1', '₂': '2',
	'‘': '\'', '’': '\'', '“': '"', '”': '"', '«': '<', '»': '>', '⟨': '<', '⟩': '>',
	'■': '#', '□': 'o', '▢': 'o', '▣': '#', '▪': '#', '▫': 'o', '▬': '-', '▮': '|', '▯': '|',
	'●': '*', '○': 'o', '◉': '@', '◎': '@', '◌': 'o', '◍': '@', '◐': 'c', '◑': 'c', '⬤': '*',
	'◆': '#', '◇': 'o', '◈': '@', '⬢': '#', '⬡': 'o', '★': '*', '☆': '*', '✦': '*', '◦': 'o',
	'▲': '^', '△': '^', '▼': 'v', '▽': 'v', '◀': '<', '◁': '<', '▶': '>', '▷': '>', '▸': '>',
	'◂': '<', '▴': '^', '▾': 'v', '‣': '>', '✓': 'v', '✔': 'v', '✗': 'x', '✘': 'x', '⚠': '!',
	'⏸': '|', '⏵': '>', '⏺': '*', '⏎': '<', '⌫': '<', '⇥': '>', '⚑': 'P', unprintable: '?',
	'ä': 'a', 'ö': 'o', 'ü': 'u', 'Ä': 'A', 'Ö': 'O', 'Ü': 'U', 'ß': 's', 'é': 'e', 'è': 'e',
	'à': 'a', 'ç': 'c', 'ñ': 'n', 'ø': 'o', 'å': 'a', 'á': 'a', 'í': 'i', 'ó': 'o', 'ú': 'u',
}
