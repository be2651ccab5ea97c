package grid

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// glyphs holds the points of the first eight lines of a chart.
var glyphs = [8]rune{'●', '○', '◆', '×', '▲', '□', '◇', '▼'}

// kindShapes holds the shapes of curves of the five kinds of number.
var kindShapes = [kinds]Shape{Modelled: Dashed, Published: Points}

// kindSymbols holds the symbols of the five kinds of number.
var kindSymbols = [kinds]rune{Measured: '●', Emulated: '○', Simulated: '◆', Modelled: '╌', Published: '×'}

// Styles holds the roles of a theme as Lip Gloss styles. The command line uses them directly; the
// styles of cells are compiled from them.
type Styles struct {
	Text, Dim, Border, Title, Accent, Focus lipgloss.Style
	// Selected is the row or item under the cursor.
	Selected lipgloss.Style
	// OK and Good, Warning and Error are states; see [Theme.State].
	OK, Good, Warning, Error lipgloss.Style
	// Kinds holds the colours of the five kinds of number.
	Kinds [kinds]lipgloss.Style
}

// compile computes the styles of cells from the theme's Styles.
func compile(t Theme) *Theme {
	s := &t.Styles
	t.Text = cellStyle(s.Text)
	t.Dim = cellStyle(s.Dim)
	t.Border = cellStyle(s.Border)
	t.Title = cellStyle(s.Title)
	t.Accent = cellStyle(s.Accent)
	t.Focus = cellStyle(s.Focus)
	t.Selected = cellStyle(s.Selected)
	t.OK = cellStyle(s.OK)
	t.Good = cellStyle(s.Good)
	t.Warning = cellStyle(s.Warning)
	t.Error = cellStyle(s.Error)
	for k := range kinds {
		t.Kinds[k] = KindStyle{Style: cellStyle(s.Kinds[k]), Symbol: kindSymbols[k], Shape: kindShapes[k]}
	}
	t.Glyphs = glyphs
	return &t
}

// cellStyle returns the colours and attributes of a style for cells.
func cellStyle(s lipgloss.Style) Style {
	st := Style{Fg: colorOf(s.GetForeground()), Bg: colorOf(s.GetBackground())}
	for attr, has := range map[Attr]bool{
		Bold: s.GetBold(), Faint: s.GetFaint(), Italic: s.GetItalic(), Underline: s.GetUnderline(), Reverse: s.GetReverse(),
	} {
		if has {
			st.Attr |= attr
		}
	}
	return st
}

// colorOf converts a Lip Gloss colour.
func colorOf(c color.Color) Color {
	switch c := c.(type) {
	case nil, lipgloss.NoColor:
		return None
	case ansi.BasicColor:
		return Palette(int(c))
	}
	r, g, b, _ := c.RGBA()
	return RGB(uint8(r>>8), uint8(g>>8), uint8(b>>8))
}

// fg returns the style with a foreground 0xRRGGBB.
func fg(rgb uint32) lipgloss.Style { return lipgloss.NewStyle().Foreground(rgba(rgb)) }

func fgOn(rgb, ground uint32) lipgloss.Style { return fg(rgb).Background(rgba(ground)) }

func rgba(rgb uint32) color.Color {
	return color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}
}

// hexes turns 0xRRGGBB numbers into colours.
func hexes(rgb ...uint32) []Color {
	out := make([]Color, len(rgb))
	for i, v := range rgb {
		out[i] = Hex(v)
	}
	return out
}

// viridis returns the viridis ramp in 64 steps. It is perceptually uniform and safe for
// colour-blind readers.
func viridis() []Color {
	anchors := hexes(0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
		0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725)
	out := make([]Color, 64)
	for i := range out {
		at := float64(i) / 63 * float64(len(anchors)-1)
		k := min(int(at), len(anchors)-2)
		out[i] = Blend(anchors[k], anchors[k+1], at-float64(k))
	}
	return out
}

// dark is the theme for dark terminals. Its colours started as Okabe and Ito's. They were moved apart until each pair
// of roles differed by 14 in CIELAB; see [Theme.Roles].
func dark() *Theme {
	return compile(Theme{
		Name: "dark", Ground: Hex(0x16181d), Ink: Hex(0xd8dce3),
		Series: [8]Color(hexes(0x258dce, 0xbb8a10, 0x3eb9aa, 0xf1a6cf, 0x9ab133, 0xb27374, 0x91a1cd, 0xa562c1)),
		Roles:  [roleCount]Color(hexes(0x71d5ff, 0xe59d00, 0x1e9067, 0xbfc3cd, 0xaa8cf9, 0xd6b4ff, 0x737fa0, 0xd55e0a, 0x6e717c)),
		Ramp:   viridis(),
		Styles: Styles{
			Text: fg(0xd8dce3), Dim: fg(0x8a93a3), Border: fg(0x59616f),
			Title: fg(0xf2f4f8).Bold(true), Accent: fg(0x54b2e7).Bold(true),
			Focus: fg(0xf1e74b).Bold(true), Selected: fgOn(0xffffff, 0x2f4a66).Bold(true),
			OK: fg(0x06ae79), Good: fg(0x06ae79).Bold(true),
			Warning: fg(0xfab249), Error: fg(0xff6a48).Bold(true),
			Kinds: [kinds]lipgloss.Style{fg(0x82a8ff), fg(0x5fd561), fg(0xc98544), fg(0xc879a6), fg(0xd6d68f)},
		},
	})
}

// light is the theme for light terminals. Its colours have a contrast of at least three to one.
func light() *Theme {
	return compile(Theme{
		Name: "light", Ground: Hex(0xffffff), Ink: Hex(0x24292f),
		Series: [8]Color(hexes(0x518fb9, 0x8e8700, 0x097679, 0xca729c, 0x71901f, 0x8e5051, 0x5f6f9e, 0x82409f)),
		Roles:  [roleCount]Color(hexes(0x1e95e9, 0xbe8608, 0x13a485, 0x363e46, 0x7c39eb, 0xa97bef, 0x9492a2, 0xd8610f, 0x676c7c)),
		Ramp:   viridis(),
		Styles: Styles{
			Text: fg(0x24292f), Dim: fg(0x68707a), Border: fg(0x8b939c),
			Title: fg(0x0b0d10).Bold(true), Accent: fg(0x1875b3).Bold(true),
			Focus: fg(0x7a4b02).Bold(true), Selected: fgOn(0x000000, 0xcfe4f5).Bold(true),
			OK: fg(0x12805c), Good: fg(0x12805c).Bold(true),
			Warning: fg(0xa06903), Error: fg(0xad071c).Bold(true),
			Kinds: [kinds]lipgloss.Style{fg(0x1c4dcd), fg(0x408327), fg(0xa35d49), fg(0xae467d), fg(0x595921)},
		},
	})
}

func highContrast() *Theme {
	return compile(Theme{
		Name: "high-contrast", Ground: Hex(0x000000), Ink: Hex(0xffffff), Background: Hex(0x000000),
		Series: [8]Color(hexes(0x2095d6, 0xc8a323, 0x50decf, 0xef6faf, 0xafcd40, 0xcd7f7f, 0x9eaede, 0xd270f0)),
		Roles:  [roleCount]Color(hexes(0x43bbff, 0xff9e00, 0x04c18f, 0xfdffff, 0xae90ff, 0xead0fe, 0x8a8d8b, 0xff8b4a, 0xc2c3c7)),
		Ramp:   viridis(),
		Styles: Styles{
			Text: fg(0xffffff), Dim: fg(0xc8c8c8), Border: fg(0xffffff),
			Title: fg(0xffffff).Bold(true), Accent: fg(0x62d7ff).Bold(true),
			Focus: fg(0xffff00).Bold(true), Selected: fgOn(0x000000, 0xffff00).Bold(true),
			OK: fg(0x2ece7d), Good: fg(0x2ece7d).Bold(true),
			Warning: fg(0xffbe3b), Error: fg(0xfe6033).Bold(true).Underline(true),
			Kinds: [kinds]lipgloss.Style{fg(0x90b2ff), fg(0x6cff71), fg(0xcd8f4f), fg(0xff9fd2), fg(0xeceaa2)},
		},
	})
}

// sixteen uses only colours of the terminal's palette, which do not suffice for all roles. Kinds of number have the colour
// of text and differ by their symbols. The lines of a chart have three colours, the first of them that of text.
func sixteen() *Theme {
	const (
		red, green, yellow, blue, magenta, cyan                           = 1, 2, 3, 4, 5, 6
		bright, brightRed, brightGreen, brightYellow                      = 8, 9, 10, 11
		brightBlue, brightMagenta, brightCyan, brightWhite, black, silver = 12, 13, 14, 15, 0, 7
	)
	p := func(i ansi.BasicColor) lipgloss.Style { return lipgloss.NewStyle().Foreground(i) }
	t := compile(Theme{
		Name: "sixteen", Ground: Palette(black), Ink: Palette(silver),
		Series: [8]Color{None, Palette(cyan), Palette(blue), None, Palette(cyan), Palette(blue), None, Palette(cyan)},
		Ramp: []Color{Palette(blue), Palette(brightBlue), Palette(cyan), Palette(brightCyan), Palette(yellow),
			Palette(brightYellow)},
		Styles: Styles{
			Dim: p(bright), Border: p(bright), Title: lipgloss.NewStyle().Bold(true), Accent: lipgloss.NewStyle().Bold(true),
			Focus: p(brightYellow).Bold(true), Selected: lipgloss.NewStyle().Reverse(true).Bold(true),
			OK: p(green), Good: p(green).Bold(true), Warning: p(yellow),
			Error: p(brightRed).Bold(true).Underline(true),
		},
	})
	for i, c := range [roleCount]int{brightCyan, brightGreen, brightBlue, silver, magenta, brightMagenta, bright, red, brightWhite} {
		t.Roles[i] = Palette(c)
	}
	return t
}

// mono uses no colours, only shapes, bold, reverse and underline.
func mono() *Theme {
	return compile(Theme{
		Name: "mono", Ground: Hex(0x000000), Ink: Hex(0xffffff),
		Styles: Styles{
			Title: lipgloss.NewStyle().Bold(true), Accent: lipgloss.NewStyle().Bold(true),
			Focus:    lipgloss.NewStyle().Bold(true).Underline(true),
			Selected: lipgloss.NewStyle().Reverse(true), Good: lipgloss.NewStyle().Bold(true),
			Warning: lipgloss.NewStyle().Underline(true), Error: lipgloss.NewStyle().Bold(true).Reverse(true),
		},
	})
}
