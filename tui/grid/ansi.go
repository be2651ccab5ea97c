package grid

import (
	"strconv"
	"unicode/utf8"
)

// AppendANSI appends the screen to dst as text with SGR sequences and returns dst. Rows are joined
// by "\n", without one after the last row. Every row ends in the terminal's own colours, so a row
// can be printed alone. Equal-looking cells share one sequence; a blank has no foreground, so it
// does not end a run. If dst is large enough, AppendANSI does not allocate.
func (g *Grid) AppendANSI(dst []byte) []byte {
	for y := range g.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		dst = appendRow(dst, g.cells[y*g.W:(y+1)*g.W], g.Mono)
	}
	return dst
}

// monoAttrs are the attributes that a monochrome grid emits.
const monoAttrs = Bold | Reverse | Underline

func appendRow(dst []byte, row []Cell, mono bool) []byte {
	var cur Style
	for i := range row {
		c := &row[i]
		if c.Rune == Continued {
			continue
		}
		if mono || c.Fg != cur.Fg || c.Bg != cur.Bg || c.Attr != cur.Attr {
			want := Style{Fg: c.Fg, Bg: c.Bg, Attr: c.Attr}
			if mono {
				want = Style{Attr: want.Attr & monoAttrs}
			}
			if c.blank() {
				want.Fg = cur.Fg
				want.Attr = cur.Attr &^ (Underline | Reverse)
			}
			if want != cur {
				dst = appendSGR(dst, cur, want)
				cur = want
			}
		}
		switch r := c.Rune; {
		case r == 0:
			dst = append(dst, ' ')
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		case r >= 0x800 && r < 0xd800: // most runes of screens
			dst = append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	if cur != (Style{}) {
		dst = append(dst, "\x1b[m"...)
	}
	return dst
}

// appendSGR appends the sequence that changes the style cur to want.
func appendSGR(dst []byte, cur, want Style) []byte {
	if want == (Style{}) {
		return append(dst, "\x1b[m"...)
	}
	dst = append(dst, "\x1b["...)
	if cur.Attr&^want.Attr != 0 { // attributes can only be switched off together
		dst = append(dst, "0;"...)
		cur = Style{}
	}
	if on := want.Attr &^ cur.Attr; on != 0 {
		const codes = "12347" // bold, faint, italic, underline, reverse
		for i := range codes {
			if on&(1<<i) != 0 {
				dst = append(dst, codes[i], ';')
			}
		}
	}
	if want.Fg != cur.Fg {
		dst = appendColor(dst, want.Fg, 30)
	}
	if want.Bg != cur.Bg {
		dst = appendColor(dst, want.Bg, 40)
	}
	dst[len(dst)-1] = 'm' // replaces the last semicolon
	return dst
}

// decimals holds the numbers in sequences as text.
var decimals = func() (all [256]string) {
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	return all
}()

// appendColor appends the parameters of a colour, each followed by a semicolon. base is 30 for the
// foreground and 40 for the background.
func appendColor(dst []byte, c Color, base int) []byte {
	switch {
	case c&rgbBit != 0:
		dst = append(append(dst, decimals[base+8]...), ";2;"...)
		dst = append(append(dst, decimals[c>>16&255]...), ';')
		dst = append(append(dst, decimals[c>>8&255]...), ';')
		dst = append(dst, decimals[c&255]...)
	case c&paletteBit != 0:
		n := int(c & 15)
		if n >= 8 {
			n += 52 // the bright ones are 90 to 97 and 100 to 107
		}
		dst = append(dst, decimals[base+n]...)
	default:
		dst = append(dst, decimals[base+9]...)
	}
	return append(dst, ';')
}
