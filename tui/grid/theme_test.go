package grid

import (
	"fmt"
	"math"
	"testing"
)

// roles returns the styles of a theme for text.
func roles(th *Theme) map[string]Style {
	m := map[string]Style{
		"text": th.Text, "dim": th.Dim, "title": th.Title, "accent": th.Accent, "focus": th.Focus,
		"ok": th.OK, "good": th.Good, "warning": th.Warning, "error": th.Error,
	}
	for k := range kinds {
		m[k.String()] = th.Kind(k).Style
	}
	return m
}

func TestTextCanBeReadInEveryTheme(t *testing.T) {
	for _, th := range Themes() {
		if th.Name == "sixteen" || th.Name == "mono" {
			continue // the user chose these colours
		}
		for name, st := range roles(th) {
			if c := Contrast(st.Fg, th.Ground); c < 4.5 {
				t.Errorf("%s: %s has a contrast of %.2f, want 4.5", th.Name, name, c)
			}
		}
		for i, c := range th.Series {
			if c := Contrast(c, th.Ground); c < 3 {
				t.Errorf("%s: series %d has a contrast of %.2f, want 3", th.Name, i, c)
			}
		}
		for i, c := range th.Roles {
			if c := Contrast(c, th.Ground); c < 3 {
				t.Errorf("%s: role %d has a contrast of %.2f, want 3", th.Name, i, c)
			}
		}
		if c := Contrast(th.Selected.Fg, th.Selected.Bg); c < 4.5 {
			t.Errorf("%s: the selection has a contrast of %.2f, want 4.5", th.Name, c)
		}
	}
}

// sights holds the colour vision of dichromats, as matrices on linear RGB (Machado, Oliveira and
// Fernandes 2009, full severity).
var sights = map[string][3][3]float64{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	"all colours":  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
}

// difference is the distance of two colours in CIELAB for an eye.
func difference(eye [3][3]float64, a, b Color) float64 {
	la, lb := lab(eye, a), lab(eye, b)
	return math.Sqrt((la[0]-lb[0])*(la[0]-lb[0]) + (la[1]-lb[1])*(la[1]-lb[1]) + (la[2]-lb[2])*(la[2]-lb[2]))
}

func lab(eye [3][3]float64, c Color) [3]float64 {
	r, g, b, _ := c.Components()
	in := [3]float64{linear(r), linear(g), linear(b)}
	var v [3]float64
	for i := range v {
		v[i] = clamp01(eye[i][0]*in[0] + eye[i][1]*in[1] + eye[i][2]*in[2])
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.9505)
	y := f(0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2])
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestColourBlindEyesTellRolesApart(t *testing.T) {
	for _, th := range Themes() {
		if th.Name == "sixteen" || th.Name == "mono" {
			continue
		}
		var kindColors [kinds]Color
		for k := range kinds {
			kindColors[k] = th.Kind(k).Style.Fg
		}
		for eye, m := range sights {
			checkDistance(t, th.Name+", states, "+eye, m, []Color{th.OK.Fg, th.Warning.Fg, th.Error.Fg}, 15)
			checkDistance(t, th.Name+", classes, "+eye, m, th.Roles[:RoleCompute], 11)
			checkDistance(t, th.Name+", kinds, "+eye, m, kindColors[:], 11)
			checkDistance(t, th.Name+", first four series, "+eye, m, th.Series[:4], 11)
		}
	}
}

func checkDistance(t *testing.T, what string, eye [3][3]float64, colors []Color, least float64) {
	t.Helper()
	for i, a := range colors {
		for _, b := range colors[:i] {
			if d := difference(eye, a, b); d < least {
				t.Errorf("%s: %v and %v differ by %.1f, want %.0f", what, a, b, d, least)
			}
		}
	}
}

// Without colour, symbols distinguish everything.
func TestMarksDiffer(t *testing.T) {
	for _, th := range Themes() {
		seen := map[rune]bool{}
		for k := range kinds {
			seen[th.Kind(k).Symbol] = true
		}
		if len(seen) != int(kinds) {
			t.Errorf("%s: the five kinds have %d marks", th.Name, len(seen))
		}
		seen = map[rune]bool{}
		for i := range th.Glyphs {
			seen[th.Glyph(i)] = true
		}
		if len(seen) != len(th.Glyphs) {
			t.Errorf("%s: %d glyphs differ of %d", th.Name, len(seen), len(th.Glyphs))
		}
		seen = map[rune]bool{}
		for s := StateOK; s <= StateError; s++ {
			_, symbol := th.State(s)
			seen[symbol] = true
		}
		if len(seen) != 4 {
			t.Errorf("%s: the four states have %d marks", th.Name, len(seen))
		}
	}
}

func TestViridisRises(t *testing.T) {
	ramp := themes[0].Ramp
	for i := 1; i < len(ramp); i++ {
		if ramp[i].Luminance() <= ramp[i-1].Luminance() {
			t.Errorf("step %d of the ramp is not brighter than the one before", i)
		}
	}
}

func TestThemesByName(t *testing.T) {
	for _, name := range []string{"dark", "light", "high-contrast", "sixteen", "mono"} {
		if th, ok := ThemeByName(name); !ok || th.Name != name {
			t.Errorf("no theme %q", name)
		}
	}
	if th, ok := ThemeByName("neon"); ok || th.Name != "dark" {
		t.Errorf("an unknown theme is %q, %v", th.Name, ok)
	}
}

func TestEveryGlyphHasAnASCIILookalike(t *testing.T) {
	for r := rune(0x2500); r < 0x25a0; r++ {
		if ASCIIRune(r) > '~' || ASCIIRune(r) == '?' {
			t.Errorf("%c has no lookalike", r)
		}
	}
	for _, r := range "µε→●○◆×▣■╌▲▼★✓✗…–∞" + string(glyphs[:]) {
		if a := ASCIIRune(r); a > '~' || a == '?' {
			t.Errorf("%c has no lookalike", r)
		}
	}
	if ASCIIRune('日') != '?' {
		t.Error("an unknown rune is not a question mark")
	}
}

// TestARoleHasItsOwnColour compares all coloured roles of a theme with each other: highlights, states, locality classes,
// activities, kinds of number, and lines of a chart. The state good is a bold OK. Text, dim text, borders and titles are
// greys without a meaning.
func TestARoleHasItsOwnColour(t *testing.T) {
	for _, th := range Themes() {
		if len(th.Ramp) == 0 { // without colours, symbols differ
			continue
		}
		if th.Good.Fg != th.OK.Fg || th.Good.Attr&Bold == 0 {
			t.Errorf("%s: good is not a bold OK", th.Name)
		}
		type role struct {
			name string
			fg   Color
		}
		all := []role{{"accent", th.Accent.Fg}, {"focus", th.Focus.Fg}, {"ok", th.OK.Fg}, {"warning", th.Warning.Fg}, {"error", th.Error.Fg}}
		for r := range roleCount {
			all = append(all, role{fmt.Sprintf("role %d", r), th.Role(r).Fg})
		}
		for k := range kinds {
			all = append(all, role{k.String(), th.Kind(k).Style.Fg})
		}
		for i := range th.Series {
			all = append(all, role{fmt.Sprintf("line %d", i), th.SeriesStyle(i).Fg})
		}
		if th.Name == "sixteen" { // kinds have the colour of text, and three lines have the colours of all
			all = all[:len(all)-len(th.Series)+3]
		}
		for i, a := range all {
			for _, b := range all[:i] {
				switch {
				case th.Name == "sixteen":
					if a.fg == b.fg && a.fg != None {
						t.Errorf("%s: %s and %s have the colour %v", th.Name, a.name, b.name, a.fg)
					}
				case difference(sights["all colours"], a.fg, b.fg) < 13:
					t.Errorf("%s: %s %v and %s %v look alike", th.Name, a.name, a.fg, b.name, b.fg)
				}
			}
		}
	}
}
