package grid

import "math"

// Color is a packed colour. The zero value, [None], is the terminal's default colour.
type Color uint32

const (
	// None is the terminal's default foreground or background.
	None Color = 0

	rgbBit     Color = 1 << 24
	paletteBit Color = 1 << 25
)

// RGB returns the colour with the given components, 0 to 255 each.
func RGB(r, g, b uint8) Color {
	return rgbBit | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// Hex returns the colour written as 0xRRGGBB.
func Hex(rgb uint32) Color { return rgbBit | Color(rgb&0xffffff) }

// Palette returns entry i, 0 to 15, of the terminal's palette, as the user has configured it.
// Higher numbers wrap around.
func Palette(i int) Color { return paletteBit | Color(i&15) }

// ansi16 holds xterm's values of the sixteen palette colours. Pictures use them because they have
// no terminal.
var ansi16 = [16]uint32{
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
}

// Components returns the red, green and blue parts of c, 0 to 255 each, and
// false for [None]. A palette colour has xterm's components.
func (c Color) Components() (r, g, b uint8, ok bool) {
	switch {
	case c&rgbBit != 0:
	case c&paletteBit != 0:
		c = Color(ansi16[c&15])
	default:
		return 0, 0, 0, false
	}
	return uint8(c >> 16), uint8(c >> 8), uint8(c), true
}

// String returns "none", "ansi3" or "#rrggbb".
func (c Color) String() string {
	const digits = "0123456789abcdef"
	switch {
	case c&rgbBit != 0:
		b := [7]byte{0: '#'}
		for i := range 6 {
			b[6-i] = digits[c>>(4*i)&15]
		}
		return string(b[:])
	case c&paletteBit != 0:
		if c&15 > 9 {
			return "ansi1" + digits[c&15-10:][:1]
		}
		return "ansi" + digits[c&15:][:1]
	}
	return "none"
}

// Luminance returns the relative luminance of c as defined by WCAG, 0 (black)
// to 1 (white). [None] counts as black.
func (c Color) Luminance() float64 {
	r, g, b, _ := c.Components()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// linear undoes the sRGB transfer curve of one component.
func linear(v uint8) float64 {
	f := float64(v) / 255
	if f <= 0.04045 {
		return f / 12.92
	}
	return math.Pow((f+0.055)/1.055, 2.4)
}

// Contrast returns the WCAG contrast ratio of two colours, 1 to 21.
func Contrast(a, b Color) float64 {
	la, lb := a.Luminance(), b.Luminance()
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// Blend mixes two colours: it returns a for t = 0 and b for t = 1. If either is not an RGB colour,
// it returns the nearer one.
func Blend(a, b Color, t float64) Color {
	t = clamp01(t)
	if a&b&rgbBit == 0 {
		if t < 0.5 {
			return a
		}
		return b
	}
	mix := func(shift uint) Color {
		x, y := float64(a>>shift&255), float64(b>>shift&255)
		return Color(x+(y-x)*t+0.5) << shift
	}
	return rgbBit | mix(16) | mix(8) | mix(0)
}

// clamp01 limits f to 0 to 1; NaN becomes 0.
func clamp01(f float64) float64 {
	switch {
	case f >= 1:
		return 1
	case f > 0:
		return f
	}
	return 0
}
