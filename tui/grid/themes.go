package grid

// glyphs are the points of the first eight lines of a chart.
var glyphs = [8]rune{'●', '○', '◆', '×', '▲', '□', '◇', '▼'}

// marks gives the five kinds of number their marks; the colours are those of
// the theme.
func marks(measured, emulated, simulated, modelled, published Style) [kinds]KindStyle {
	return [kinds]KindStyle{
		Measured:  {measured, '●', Solid},
		Emulated:  {emulated, '○', Solid},
		Simulated: {simulated, '◆', Solid},
		Modelled:  {modelled, '╌', Dashed},
		Published: {published, '×', Points},
	}
}

// hexes turns 0xRRGGBB numbers into colours.
func hexes(rgb ...uint32) []Color {
	out := make([]Color, len(rgb))
	for i, v := range rgb {
		out[i] = Hex(v)
	}
	return out
}

// viridis returns the ramp of that name, even to the eye and safe for
// colour-blind ones, in 64 steps.
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

// The series colours are those of Okabe and Ito, in an order that keeps
// neighbours apart; black becomes a light grey on a dark ground.
func dark() *Theme {
	return &Theme{
		Name: "dark", Ground: Hex(0x16181d), Ink: Hex(0xd8dce3),
		Text: Fg(Hex(0xd8dce3)), Dim: Fg(Hex(0x8a93a3)), Border: Fg(Hex(0x59616f)),
		Title: Fg(Hex(0xf2f4f8)).With(Bold), Accent: Fg(Hex(0x56b4e9)).With(Bold),
		Focus: Fg(Hex(0xf0e442)).With(Bold), Selected: Style{Hex(0xffffff), Hex(0x2f4a66), Bold},
		OK: Fg(Hex(0x00a878)), Good: Fg(Hex(0x56b4e9)).With(Bold),
		Warning: Fg(Hex(0xf0e442)), Error: Fg(Hex(0xe8702a)).With(Bold),
		Series: [8]Color(hexes(0x56b4e9, 0xe69f00, 0x009e73, 0xf0e442, 0xcc79a7, 0xd55e00, 0xbfc5d0, 0x2f8fd0)),
		Glyphs: glyphs, Ramp: viridis(),
		Kinds: marks(Fg(Hex(0x56b4e9)), Fg(Hex(0x00a878)), Fg(Hex(0xe69f00)), Fg(Hex(0xcc79a7)), Fg(Hex(0xf0e442))),
	}
}

// On a light ground the lighter colours of Okabe and Ito are darkened until
// they keep a contrast of three to one.
func light() *Theme {
	return &Theme{
		Name: "light", Ground: Hex(0xffffff), Ink: Hex(0x24292f),
		Text: Fg(Hex(0x24292f)), Dim: Fg(Hex(0x68707a)), Border: Fg(Hex(0x8b939c)),
		Title: Fg(Hex(0x0b0d10)).With(Bold), Accent: Fg(Hex(0x0072b2)).With(Bold),
		Focus: Fg(Hex(0x7a4a00)).With(Bold), Selected: Style{Hex(0x000000), Hex(0xcfe4f5), Bold},
		OK: Fg(Hex(0x00805d)), Good: Fg(Hex(0x0072b2)).With(Bold),
		Warning: Fg(Hex(0x9a6400)), Error: Fg(Hex(0x8a1c00)).With(Bold),
		Series: [8]Color(hexes(0x0072b2, 0xb87f00, 0x00825f, 0xb85a8c, 0xd55e00, 0x3a3f47, 0x3f94c8, 0x8c8400)),
		Glyphs: glyphs, Ramp: viridis(),
		Kinds: marks(Fg(Hex(0x0072b2)), Fg(Hex(0x00825f)), Fg(Hex(0xa85f00)), Fg(Hex(0xb04a80)), Fg(Hex(0x3a3f47))),
	}
}

func highContrast() *Theme {
	return &Theme{
		Name: "high-contrast", Ground: Hex(0x000000), Ink: Hex(0xffffff), Background: Hex(0x000000),
		Text: Fg(Hex(0xffffff)), Dim: Fg(Hex(0xc8c8c8)), Border: Fg(Hex(0xffffff)),
		Title: Fg(Hex(0xffffff)).With(Bold), Accent: Fg(Hex(0x66d9ff)).With(Bold),
		Focus: Fg(Hex(0xffff00)).With(Bold), Selected: Style{Hex(0x000000), Hex(0xffff00), Bold},
		OK: Fg(Hex(0x30d080)), Good: Fg(Hex(0x66d9ff)).With(Bold),
		Warning: Fg(Hex(0xffff00)), Error: Fg(Hex(0xff7033)).With(Bold | Underline),
		Series: [8]Color(hexes(0x66d9ff, 0xffb000, 0x30d080, 0xffff66, 0xff9fd2, 0xff8a4c, 0xffffff, 0x8ab8ff)),
		Glyphs: glyphs, Ramp: viridis(),
		Kinds: marks(Fg(Hex(0x66d9ff)), Fg(Hex(0x30d080)), Fg(Hex(0xffb000)), Fg(Hex(0xff9fd2)), Fg(Hex(0xffff66))),
	}
}

// sixteen leaves every colour to the palette of the terminal's owner.
func sixteen() *Theme {
	const (
		green, yellow, blue, cyan                                         = 2, 3, 4, 6
		bright, brightRed, brightGreen, brightYellow                      = 8, 9, 10, 11
		brightBlue, brightMagenta, brightCyan, brightWhite, black, silver = 12, 13, 14, 15, 0, 7
	)
	p := func(i int) Style { return Fg(Palette(i)) }
	t := &Theme{
		Name: "sixteen", Ground: Palette(black), Ink: Palette(silver),
		Dim: p(bright), Border: p(bright), Title: Style{Attr: Bold}, Accent: p(brightCyan).With(Bold),
		Focus: p(brightYellow).With(Bold), Selected: Style{Attr: Reverse | Bold},
		OK: p(green), Good: p(brightCyan).With(Bold), Warning: p(brightYellow), Error: p(brightRed).With(Bold | Underline),
		Glyphs: glyphs,
		Ramp:   []Color{Palette(blue), Palette(brightBlue), Palette(cyan), Palette(brightCyan), Palette(yellow), Palette(brightYellow)},
		Kinds:  marks(p(brightCyan), p(brightGreen), p(yellow), p(brightMagenta), p(brightYellow)),
	}
	for i, c := range [8]int{brightCyan, yellow, green, brightMagenta, brightBlue, brightRed, brightYellow, brightWhite} {
		t.Series[i] = Palette(c)
	}
	return t
}

// mono tells everything by shape, bold, reverse and underline.
func mono() *Theme {
	return &Theme{
		Name: "mono", Ground: Hex(0x000000), Ink: Hex(0xffffff),
		Title: Style{Attr: Bold}, Accent: Style{Attr: Bold}, Focus: Style{Attr: Bold | Underline},
		Selected: Style{Attr: Reverse}, Good: Style{Attr: Bold},
		Warning: Style{Attr: Underline}, Error: Style{Attr: Bold | Reverse},
		Glyphs: glyphs,
		Kinds:  marks(Style{}, Style{}, Style{}, Style{}, Style{}),
	}
}
