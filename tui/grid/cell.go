package grid

// Attr is a set of text attributes.
type Attr uint8

// The attributes. A monochrome grid emits Bold, Reverse and Underline only.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Underline
	Reverse
)

// attrNames holds the names of the attributes in golden files, in bit order.
var attrNames = [...]string{"bold", "faint", "italic", "underline", "reverse"}

// Cell is one character position of the screen.
type Cell struct {
	// Rune is the character; 0: nothing was drawn. The right half of a wide rune is [Continued].
	Rune rune
	// Fg and Bg are the colours of the character and the background.
	Fg, Bg Color
	Attr   Attr
}

// Continued is the rune of a cell that is the right half of the wide rune to
// its left.
const Continued rune = -1

// blank reports whether the cell shows only its background, so that its foreground does not matter.
func (c *Cell) blank() bool {
	return (c.Rune == 0 || c.Rune == ' ') && c.Attr&(Underline|Reverse) == 0
}

// Style is the look of text. A background of [None] keeps the existing background, so that text can
// be drawn over a selected row or a heat map.
type Style struct {
	Fg, Bg Color
	Attr   Attr
}

// Fg returns the style that only sets the foreground.
func Fg(c Color) Style { return Style{Fg: c} }

// With returns the style with the attributes added.
func (s Style) With(a Attr) Style {
	s.Attr |= a
	return s
}

// On returns the style with the given background.
func (s Style) On(bg Color) Style {
	s.Bg = bg
	return s
}
