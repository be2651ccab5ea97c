package grid

import (
	"strings"
	"testing"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"
)

func TestTextIsClippedAndCounted(t *testing.T) {
	for _, tt := range []struct {
		x    int
		text string
		cols int
		want string
	}{
		{0, "abc", 3, "abc"},
		{3, "abcdef", 6, "   abc"},
		{-2, "abcdef", 6, "cdef"},
		{9, "abc", 3, ""},
		{0, "日本語x", 7, "日本語"},
		{1, "日本語", 6, " 日本"},
		{-1, "日本語", 6, " 本語"},
		{0, "e\u0301\u200bx", 2, "ex"},
		{0, "a\tb\nc", 5, "a b c"},
		{0, "\x1b[2J", 4, "\uFFFD[2J"},
		{0, "\u009b1m\x7f", 4, "\uFFFD1m\uFFFD"},
		{0, "\xff", 1, "\uFFFD"},
		{0, "\u202ea\u2066", 3, "\uFFFDa\uFFFD"},
		{0, "👍🏽ok", 4, "👍ok"},
		{0, "🇩🇪", 2, "DE"},
	} {
		g := New(6, 1)
		if got := g.Text(tt.x, 0, tt.text, Style{}); got != tt.cols {
			t.Errorf("Text(%q) took %d columns, want %d", tt.text, got, tt.cols)
		}
		if got := strings.TrimSuffix(g.PlainText(), "\n"); got != tt.want {
			t.Errorf("Text(%d, %q) shows %q, want %q", tt.x, tt.text, got, tt.want)
		}
	}
}

// Rows of text are wrapped and cut between words, but not between a number and its unit. A word
// that is too long is cut anywhere.
func TestRowsOfTextAreCutBetweenWords(t *testing.T) {
	const text = "a step takes 61.2 ms alone"
	for _, c := range []struct {
		cols, rows int
		text, want string
	}{
		{26, 1, text, text},
		{25, 1, text, "a step takes 61.2 ms …"},
		{22, 1, text, "a step takes 61.2 ms …"},
		{21, 1, text, "a step takes …"},
		{14, 1, text, "a step takes …"},
		{13, 1, text, "a step …"},
		{13, 2, text, "a step takes\n61.2 ms alone"},
		{12, 2, text, "a step takes\n61.2 ms …"},
		{8, 1, "unbreakable", "unbreak…"},
		{8, 1, "12345 GB/s", "12345 G…"},
	} {
		g := New(30, c.rows)
		n := g.All().TextRows(0, 0, c.cols, c.rows, c.text, Style{})
		got := strings.TrimRight(g.PlainText(), "\n")
		if got != c.want {
			t.Errorf("%d × %d: %q, want %q", c.cols, c.rows, got, c.want)
		}
		if last := got[strings.LastIndex(got, "\n")+1:]; n != Width(last) {
			t.Errorf("%d × %d: %d columns, want %d", c.cols, c.rows, n, Width(last))
		}
	}
}

// A range has the common part of its ends only once.
func TestRange(t *testing.T) {
	for _, c := range [][3]string{
		{"depth 0", "depth 1", "depth 0–1"}, {"n8", "n15", "n8–15"}, {"0", "31", "0–31"},
		{"n0–3", "n4–7", "n0–7"}, {"n3", "n3", "n3"},
		{"8 B", "16 B", "8–16 B"}, {"512 B", "1 KiB", "512 B–1 KiB"}, {"2 KiB", "8 KiB", "2–8 KiB"},
		{"8–16 B", "32–64 B", "8–64 B"},
		{"bruck", "flat", "bruck–flat"}, {"", "x", "–x"},
	} {
		if got := Range(c[0], c[1]); got != c[2] {
			t.Errorf("from %q to %q is %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestHalfOfAWideRuneIsNeverLeft(t *testing.T) {
	for _, tt := range []struct {
		name string
		x    int
		over string
		want string
	}{
		{"left half", 0, "x", "x 本"},
		{"right half", 1, "x", " x本"},
		{"across two", 1, "語", " 語"},
		{"whole", 2, "語", "日語"},
	} {
		g := New(4, 1)
		g.Text(0, 0, "日本", Style{})
		g.Text(tt.x, 0, tt.over, Style{})
		if got := strings.TrimSuffix(g.PlainText(), "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestBox(t *testing.T) {
	for _, tt := range []struct {
		name  string
		w, h  int
		ascii bool
		box   Box
	}{
		{"titles", 28, 3, false, Box{Title: "Bandwidth, measured", Right: "GB/s"}},
		{"left title wins", 20, 3, false, Box{Title: "Bandwidth, measured", Right: "GB/s"}},
		{"right title only", 12, 2, false, Box{Right: "GB/s"}},
		{"ascii", 20, 4, true, Box{Title: "Why", Right: "µs"}},
		{"smallest", 2, 2, false, Box{Title: "Why"}},
		{"too small", 1, 5, false, Box{Title: "Why"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := New(tt.w, tt.h)
			g.ASCII = tt.ascii
			in := g.Box(g.Bounds(), tt.box)
			in.Fill(in.Local(), Cell{Rune: '#'})
			golden(t, "box-"+strings.ReplaceAll(tt.name, " ", "-"), g.PlainText())
		})
	}
}

func TestAppendANSI(t *testing.T) {
	red, blue := Hex(0xff0000), Palette(12)
	for _, tt := range []struct {
		name string
		draw func(*Grid)
		mono bool
		want string
	}{
		{"blank", func(*Grid) {}, false, "      \n      "},
		{"a run is one sequence", func(g *Grid) { g.Text(0, 0, "abc", Fg(red)) }, false,
			"\x1b[38;2;255;0;0mabc   \x1b[m\n      "},
		{"a blank does not end a run", func(g *Grid) { g.Text(0, 0, "ab cd", Fg(red)); g.Text(2, 0, " ", Fg(blue)) }, false,
			"\x1b[38;2;255;0;0mab cd \x1b[m\n      "},
		{"a background does", func(g *Grid) { g.Text(0, 0, "ab", Fg(red)); g.Set(1, 0, Cell{Bg: blue}) }, false,
			"\x1b[38;2;255;0;0ma\x1b[104m \x1b[49m    \x1b[m\n      "},
		{"attributes go off together", func(g *Grid) {
			g.Text(0, 0, "a", Style{Fg: red, Attr: Bold | Underline})
			g.Text(1, 0, "b", Style{Fg: red, Attr: Bold})
		}, false, "\x1b[1;4;38;2;255;0;0ma\x1b[0;1;38;2;255;0;0mb    \x1b[m\n      "},
		{"palette", func(g *Grid) { g.Text(0, 1, "x", Style{Fg: blue, Bg: Palette(1)}) }, false,
			"      \n\x1b[94;41mx\x1b[49m     \x1b[m"},
		{"mono", func(g *Grid) { g.Text(0, 0, "ab", Style{Fg: red, Bg: blue, Attr: Bold | Faint | Italic}) }, true,
			"\x1b[1mab    \x1b[m\n      "},
		{"wide", func(g *Grid) { g.Text(0, 0, "日本", Fg(red)) }, false,
			"\x1b[38;2;255;0;0m日本  \x1b[m\n      "},
	} {
		g := New(6, 2)
		g.Mono = tt.mono
		tt.draw(g)
		if got := string(g.AppendANSI(nil)); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// For any text, every row has the width of the grid and contains only the control characters of its
// own sequences.
func TestAnyTextKeepsRowsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := New(rapid.IntRange(0, 12).Draw(t, "w"), rapid.IntRange(0, 3).Draw(t, "h"))
		g.ASCII = rapid.Bool().Draw(t, "ascii")
		for range rapid.IntRange(1, 6).Draw(t, "texts") {
			v := g.View(anyRect(t))
			st := Style{Fg: Hex(1), Attr: Attr(rapid.IntRange(0, 31).Draw(t, "attr"))}
			s := anyText().Draw(t, "s")
			v.Text(rapid.IntRange(-3, 12).Draw(t, "x"), rapid.IntRange(-1, 3).Draw(t, "y"), s, st)
		}
		out := string(g.AppendANSI(nil))
		if g.H == 0 && out == "" {
			return
		}
		for y, row := range strings.Split(out, "\n") {
			row = stripSGR(row)
			if strings.ContainsFunc(row, unicode.IsControl) {
				t.Fatalf("row %d has a control character: %q", y, row)
			}
			if n := displaywidth.String(row); n != g.W {
				t.Fatalf("row %d is %d columns wide, want %d: %q", y, n, g.W, row)
			}
		}
	})
}

// Pairs of runes never combine into text of another width.
func TestEveryRuneKeepsItsWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("half a million texts")
	}
	g := New(8, 1)
	for _, before := range []rune{'a', '👍', 'ক', 'ᄀ', '👩'} {
		for r := rune(0); r < 0x20000; r++ {
			if r == 0x3400 {
				r = 0xa4d0 // all ideographs behave alike
			}
			g.Clear()
			g.Text(0, 0, string([]rune{before, r, r}), Style{})
			row := string(g.AppendANSI(nil))
			if n := displaywidth.String(row); n != 8 || strings.ContainsFunc(row, unicode.IsControl) {
				t.Fatalf("%q with %U gives %q, %d columns wide", before, r, row, n)
			}
		}
	}
}

func anyRect(t *rapid.T) Rect {
	n := rapid.IntRange(-3, 14)
	return Rect{n.Draw(t, "rx"), n.Draw(t, "ry"), n.Draw(t, "rw"), n.Draw(t, "rh")}
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(),
		rapid.StringOf(rapid.SampledFrom([]rune("ab 日本👍🏽\u200d\u0301\x1b\n\t🇩é…"))))
}

// stripSGR removes well-formed SGR sequences.
func stripSGR(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i])
		rest := strings.TrimLeft(s[i+2:], "0123456789;")
		if !strings.HasPrefix(rest, "m") {
			return b.String() + s[i:]
		}
		s = rest[1:]
	}
}

func TestCopyShowsAPaneAgain(t *testing.T) {
	pane := New(4, 2)
	pane.Text(0, 0, "日x", Fg(Hex(0xff0000)))
	pane.Text(0, 1, "done", Style{})
	g := New(5, 3)
	g.All().Copy(2, 1, pane)
	if got, want := g.PlainText(), "\n  日x\n  don\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		s    string
		cols int
		want string
	}{
		{"bandwidth", 9, "bandwidth"}, {"bandwidth", 5, "band…"}, {"bandwidth", 1, "…"}, {"bandwidth", 0, ""},
		{"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"", 0, ""},
	} {
		if got := Fit(tt.s, tt.cols); got != tt.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", tt.s, tt.cols, got, tt.want)
		}
	}
}

func TestAttributesAndColoursInWords(t *testing.T) {
	for c, want := range map[Color]string{None: "none", Hex(0x12abef): "#12abef", Palette(3): "ansi3",
		Palette(14): "ansi14"} {
		if got := c.String(); got != want {
			t.Errorf("%d is %q, want %q", c, got, want)
		}
	}
}
