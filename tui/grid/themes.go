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
	copy(t.Roles[:], t.Series[:RoleCompute])
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

// dark is the theme for dark terminals. Its series colours are Okabe and Ito's, ordered so that
// neighbours differ clearly. Black is replaced with a light grey.
func dark() *Theme {
	return compile(Theme{
		Name: "dark", Ground: Hex(0x16181d), Ink: Hex(0xd8dce3),
		Series: [8]Color(hexes(0x56b4e9, 0xe69f00, 0x009e73, 0xf0e442, 0xcc79a7, 0xd55e00, 0xbfc5d0, 0x2f8fd0)),
		Roles: [roleCount]Color{RoleCompute: Hex(0xbfc5d0), RoleCommunicate: Hex(0xa78bfa), RoleCopy: Hex(0xd9b3ff), RoleWait: Hex(0x8796b0),
			RoleLock: Hex(0xd55e00), RoleSleep: Hex(0x7a828f)},
		Ramp: viridis(),
		Styles: Styles{
			Text: fg(0xd8dce3), Dim: fg(0x8a93a3), Border: fg(0x59616f),
			Title: fg(0xf2f4f8).Bold(true), Accent: fg(0x56b4e9).Bold(true),
			Focus: fg(0xf0e442).Bold(true), Selected: fgOn(0xffffff, 0x2f4a66).Bold(true),
			OK: fg(0x00a878), Good: fg(0x56b4e9).Bold(true),
			Warning: fg(0xf0e442), Error: fg(0xe8702a).Bold(true),
			Kinds: [kinds]lipgloss.Style{fg(0x56b4e9), fg(0x00a878), fg(0xe69f00), fg(0xcc79a7), fg(0xf0e442)},
		},
	})
}

// light is the theme for light terminals. The lighter colours of Okabe and Ito are darkened to a
// contrast of at least three to one.
func light() *Theme {
	return compile(Theme{
		Name: "light", Ground: Hex(0xffffff), Ink: Hex(0x24292f),
		Series: [8]Color(hexes(0x0072b2, 0xb87f00, 0x00825f, 0xb85a8c, 0xd55e00, 0x3a3f47, 0x3f94c8, 0x8c8400)),
		Roles: [roleCount]Color{RoleCompute: Hex(0x3a3f47), RoleCommunicate: Hex(0x7c3aed), RoleCopy: Hex(0xa77bf0), RoleWait: Hex(0x9aa3ad),
			RoleLock: Hex(0xd55e00), RoleSleep: Hex(0x68707b)},
		Ramp: viridis(),
		Styles: Styles{
			Text: fg(0x24292f), Dim: fg(0x68707a), Border: fg(0x8b939c),
			Title: fg(0x0b0d10).Bold(true), Accent: fg(0x0072b2).Bold(true),
			Focus: fg(0x7a4a00).Bold(true), Selected: fgOn(0x000000, 0xcfe4f5).Bold(true),
			OK: fg(0x00805d), Good: fg(0x0072b2).Bold(true),
			Warning: fg(0x9a6400), Error: fg(0x8a1c00).Bold(true),
			Kinds: [kinds]lipgloss.Style{fg(0x0072b2), fg(0x00825f), fg(0xa85f00), fg(0xb04a80), fg(0x3a3f47)},
		},
	})
}

func highContrast() *Theme {
	return compile(Theme{
		Name: "high-contrast", Ground: Hex(0x000000), Ink: Hex(0xffffff), Background: Hex(0x000000),
		Series: [8]Color(hexes(0x66d9ff, 0xffb000, 0x30d080, 0xffff66, 0xff9fd2, 0xff8a4c, 0xffffff, 0x8ab8ff)),
		Roles: [roleCount]Color{RoleCompute: Hex(0xffffff), RoleCommunicate: Hex(0xc4a5ff), RoleCopy: Hex(0xe6d6ff), RoleWait: Hex(0x8c8c8c),
			RoleLock: Hex(0xff8a4c), RoleSleep: Hex(0xc8c8c9)},
		Ramp: viridis(),
		Styles: Styles{
			Text: fg(0xffffff), Dim: fg(0xc8c8c8), Border: fg(0xffffff),
			Title: fg(0xffffff).Bold(true), Accent: fg(0x66d9ff).Bold(true),
			Focus: fg(0xffff00).Bold(true), Selected: fgOn(0x000000, 0xffff00).Bold(true),
			OK: fg(0x30d080), Good: fg(0x66d9ff).Bold(true),
			Warning: fg(0xffff00), Error: fg(0xff7033).Bold(true).Underline(true),
			Kinds: [kinds]lipgloss.Style{fg(0x66d9ff), fg(0x30d080), fg(0xffb000), fg(0xff9fd2), fg(0xffff66)},
		},
	})
}

// sixteen uses only colours of the terminal's palette.
func sixteen() *Theme {
	const (
		red, green, yellow, blue, magenta, cyan                           = 1, 2, 3, 4, 5, 6
		bright, brightRed, brightGreen, brightYellow                      = 8, 9, 10, 11
		brightBlue, brightMagenta, brightCyan, brightWhite, black, silver = 12, 13, 14, 15, 0, 7
	)
	p := func(i ansi.BasicColor) lipgloss.Style { return lipgloss.NewStyle().Foreground(i) }
	t := compile(Theme{
		Name: "sixteen", Ground: Palette(black), Ink: Palette(silver),
		Ramp: []Color{Palette(blue), Palette(brightBlue), Palette(cyan), Palette(brightCyan), Palette(yellow),
			Palette(brightYellow)},
		Styles: Styles{
			Dim: p(bright), Border: p(bright), Title: lipgloss.NewStyle().Bold(true), Accent: p(brightCyan).Bold(true),
			Focus: p(brightYellow).Bold(true), Selected: lipgloss.NewStyle().Reverse(true).Bold(true),
			OK: p(green), Good: p(brightCyan).Bold(true), Warning: p(brightYellow),
			Error: p(brightRed).Bold(true).Underline(true),
			Kinds: [kinds]lipgloss.Style{p(brightCyan), p(brightGreen), p(yellow), p(brightMagenta), p(brightYellow)},
		},
	})
	for i, c := range [8]int{brightCyan, yellow, green, brightMagenta, brightBlue, brightRed, brightYellow, brightWhite} {
		t.Series[i] = Palette(c)
	}
	for i, c := range [roleCount]int{brightCyan, yellow, green, silver, magenta, blue, bright, red, brightWhite} {
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
