package grid

import "math"

// Kind is the provenance of a number. The five kinds are never mixed. Each has its own colour and
// symbol everywhere.
type Kind uint8

// The five kinds of number.
const (
	Measured  Kind = iota // this host's wall clock
	Emulated              // live, with a machine's delays
	Simulated             // virtual clock
	Modelled              // closed formula
	Published             // from a paper
	kinds
)

var kindNames = [kinds]string{"measured", "emulated", "simulated", "modelled", "published"}

// String returns the name of the kind.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// KindStyle is the look of a kind of number.
type KindStyle struct {
	Style Style
	// Symbol is the symbol next to numbers of the kind, and their point in charts.
	Symbol rune
	// Shape is the shape of a curve of such numbers.
	Shape Shape
}

// State is a state such as OK or error. Each state has a symbol, so that states differ without
// colour.
type State uint8

// The states.
const (
	StateOK State = iota
	StateGood
	StateWarning
	StateError
)

// Theme defines the look of every role on the screen. Roles that a reader must distinguish never
// differ only in red and green.
type Theme struct {
	Name string
	// Ground and Ink are the background and foreground of pictures, which have no terminal
	// defaults.
	Ground, Ink Color
	// Background fills the screen first; [None] keeps the terminal's own.
	Background Color

	// Styles holds the roles as Lip Gloss styles. The fields below are compiled from them.
	Styles Styles

	Text, Dim, Border, Title, Accent, Focus Style
	Selected                                Style
	OK, Good, Warning, Error                Style

	// Roles holds the colours of locality classes and activities; see [Role].
	Roles [roleCount]Color
	// Series holds the colours of the first, the second, … line or row of a study, and Glyphs their points.
	// No other pane has these colours.
	Series [8]Color
	Glyphs [8]rune
	// Ramp holds the colours of a heat map from low to high. Cells of choices have them, too. It is empty in a theme
	// without colours.
	Ramp []Color
	// Kinds holds the looks of the five kinds of number.
	Kinds [kinds]KindStyle
}

// Role is a locality class or an activity. It has the same colour on all panes. No other role, kind of number, line of a
// chart or state has this colour. Colours of a scale, such as [Theme.Ramp], only fill cells, and a bar explains them.
type Role uint8

// The roles: locality classes of bytes and accesses, and activities of threads.
const (
	RoleSelf Role = iota
	RoleIntraNode
	RoleInterNode
	RoleCompute
	RoleCommunicate
	RoleCopy
	RoleWait
	RoleLock
	RoleSleep
	roleCount
)

// Role returns the style of a role.
func (t *Theme) Role(r Role) Style {
	if r >= roleCount {
		return t.Dim
	}
	return Fg(t.Roles[r])
}

// Kind returns the look of a kind of number.
func (t *Theme) Kind(k Kind) KindStyle {
	if k < kinds {
		return t.Kinds[k]
	}
	return KindStyle{Style: t.Dim, Symbol: '?'}
}

// State returns the style and the symbol of a state.
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

// SeriesStyle returns the style of line i of a chart. The first eight differ, except in the theme sixteen.
func (t *Theme) SeriesStyle(i int) Style { return Fg(t.Series[i&7]) }

// Glyph returns the point of line i of a chart. The first eight differ.
func (t *Theme) Glyph(i int) rune { return t.Glyphs[i&7] }

// Group returns the style of group i of ranks, which does not need a colour. Four groups in a row differ.
func (t *Theme) Group(i int) Style {
	st := t.Text
	if i&1 != 0 {
		st = t.Dim
	}
	if i&2 != 0 {
		st = st.With(Underline)
	}
	return st
}

// Choice returns the style of a cell for choice i: text on a colour of the ramp. The colours of choices next to each other
// are far apart. A theme without colours returns the style of text.
func (t *Theme) Choice(i int) Style {
	if len(t.Ramp) == 0 {
		return t.Text
	}
	const first, golden = 0.3, 0.618034 // the golden ratio spreads any number of positions evenly
	_, at := math.Modf(first + golden*float64(i))
	bg := t.RampAt(at)
	return Style{Fg: t.InkOn(bg), Bg: bg}
}

// RampAt returns the colour of the heat map at f, 0 to 1.
func (t *Theme) RampAt(f float64) Color {
	if len(t.Ramp) == 0 {
		return None
	}
	i, _ := cell(clamp01(f), len(t.Ramp))
	return t.Ramp[i]
}

// InkOn returns black or white, whichever is more readable on a background.
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

// themes lists the built-in themes, the default first.
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
