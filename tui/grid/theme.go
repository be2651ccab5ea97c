package grid

// Kind is where a number comes from. The five are never mixed, and each has
// its own colour and mark everywhere.
type Kind uint8

// The five kinds of number.
const (
	Measured  Kind = iota // this host's own wall clock
	Emulated              // live, with a machine's delays
	Simulated             // virtual clock
	Modelled              // closed formula
	Published             // from a paper
	kinds
)

var kindNames = [kinds]string{"measured", "emulated", "simulated", "modelled", "published"}

// String returns the word for the kind.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// KindStyle is how a kind of number is shown.
type KindStyle struct {
	Style Style
	// Mark stands beside numbers of the kind and is its point in charts.
	Mark rune
	// Shape is how a curve of such numbers is drawn.
	Shape Shape
}

// State is how well something is, beyond its colour: its mark tells states
// apart without any.
type State uint8

// The states.
const (
	StateOK State = iota
	StateGood
	StateWarning
	StateError
)

// Theme gives every role on the screen its look. No two roles that a reader
// has to tell apart differ in red against green alone.
type Theme struct {
	Name string
	// Ground and Ink are the background and foreground that pictures use
	// where the terminal would use its own.
	Ground, Ink Color
	// Background fills the screen first; [None] keeps the terminal's own.
	Background Color

	// Styles are the roles in Lip Gloss's terms; the fields below are compiled of
	// them.
	Styles Styles

	Text, Dim, Border, Title, Accent, Focus Style
	Selected                                Style
	OK, Good, Warning, Error                Style

	// Series are the colours of the lines of a chart, Glyphs their points.
	Series [8]Color
	Glyphs [8]rune
	// Ramp holds the colours of a heat map from low to high; none in a theme
	// without colours.
	Ramp []Color
	// Kinds are the looks of the five kinds of number.
	Kinds [kinds]KindStyle
}

// Kind returns the look of a kind of number.
func (t *Theme) Kind(k Kind) KindStyle {
	if k < kinds {
		return t.Kinds[k]
	}
	return KindStyle{Style: t.Dim, Mark: '?'}
}

// State returns the look and the mark of a state.
func (t *Theme) State(s State) (Style, rune) {
	switch s {
	case StateOK:
		return t.OK, '✓'
	case StateGood:
		return t.Good, '★'
	case StateWarning:
		return t.Warning, '▲'
	}
	return t.Error, '✗'
}

// SeriesStyle returns the look of line i of a chart. The first eight differ.
func (t *Theme) SeriesStyle(i int) Style { return Fg(t.Series[i&7]) }

// Glyph returns the point of line i of a chart. The first eight differ.
func (t *Theme) Glyph(i int) rune { return t.Glyphs[i&7] }

// RampAt returns the colour of the heat map at f, 0 to 1.
func (t *Theme) RampAt(f float64) Color {
	if len(t.Ramp) == 0 {
		return None
	}
	i, _ := cell(clamp01(f), len(t.Ramp))
	return t.Ramp[i]
}

// InkOn returns the theme's choice of black or white text that can be read on
// a background.
func (t *Theme) InkOn(bg Color) Color {
	if bg == None {
		return t.Text.Fg
	}
	black, white := Hex(0x000000), Hex(0xffffff)
	if bg&paletteBit != 0 {
		black, white = Palette(0), Palette(15)
	}
	if Contrast(bg, black) >= Contrast(bg, white) {
		return black
	}
	return white
}

// themes are the built-in themes, the default first.
var themes = []*Theme{dark(), light(), highContrast(), sixteen(), mono()}

// Themes returns the built-in themes: dark, light, high-contrast, sixteen and
// mono. They are shared and must not be changed.
func Themes() []*Theme { return themes }

// ThemeByName returns a built-in theme, and false for an unknown name.
func ThemeByName(name string) (*Theme, bool) {
	for _, t := range themes {
		if t.Name == name {
			return t, true
		}
	}
	return themes[0], false
}
