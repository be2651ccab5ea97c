package grid

import (
	"strings"
	"testing"
)

// Cells fill the area: another row would make them higher than wide, and another column would make
// them flat.
func TestTilesTakeTheRoom(t *testing.T) {
	const some = 8
	for _, c := range []struct{ w, h, nx, ny, wide, high int }{
		{198, 53, 4, 4, 49, 13}, {298, 83, 4, 4, 74, 20}, {78, 17, 4, 4, 16, 4}, {78, 17, 40, 4, 1, 1}, {78, 3, 4, 4, 8, 1},
		{10, 90, 2, 2, 5, 3}, {0, 0, 0, 0, 1, 1},
	} {
		if wide, high := Tile(c.w, c.h, c.nx, c.ny, some); wide != c.wide || high != c.high {
			t.Errorf("%d × %d cells on %d × %d: %d × %d, want %d × %d", c.nx, c.ny, c.w, c.h, wide, high, c.wide, c.high)
		}
	}
	for w := range 120 {
		for h := range 60 {
			for n := range 12 {
				wide, high := Tile(w, h, n+1, n+1, some)
				if w >= n+1 && h >= n+1 && (wide*(n+1) > w || high*(n+1) > h) {
					t.Fatalf("%d × %d cells of %d × %d on %d × %d", n+1, n+1, wide, high, w, h)
				}
				moreH, moreW := (high+1)*(n+1) <= h && high+1 <= (wide+1)/2, (wide+1)*(n+1) <= w && wide+1 <= max(some, 4*high)
				if w >= n+1 && h >= n+1 && (moreH || moreW) {
					t.Fatalf("%d × %d cells of %d × %d leave room on %d × %d", n+1, n+1, wide, high, w, h)
				}
			}
		}
	}
}

// Digits are complete and centred at every scale. Without space there are none.
func TestNumerals(t *testing.T) {
	g := New(20, 7)
	g.All().Numeral("40", Numerals(20, 7, 2), Style{})
	const want = `

   ██  ██  ██████
   ██  ██  ██  ██
   ██████  ██  ██
       ██  ██  ██
       ██  ██████`
	if got := strings.TrimRight(g.PlainText(), "\n "); got != strings.TrimPrefix(want, "\n") {
		t.Errorf("drawn\n%s", got)
	}
	for _, c := range []struct{ w, h, digits, scale int }{{0, 0, 0, 0}, {1, 1, 1, 0}, {15, 7, 2, 0}, {16, 5, 2, 1},
		{20, 4, 2, 0}, {60, 14, 2, 2}, {60, 14, 4, 1}, {29, 90, 2, 1}} {
		got := Numerals(c.w, c.h, c.digits)
		if got != c.scale {
			t.Errorf("%d digits on %d × %d are %d times their size, want %d", c.digits, c.w, c.h, got, c.scale)
		}
		g := New(c.w, c.h)
		g.All().Numeral("7", got, Style{})
		if n := strings.Count(g.PlainText(), "█"); n != 14*got*got {
			t.Errorf("%d cells of a seven on %d × %d at scale %d:\n%s", n, c.w, c.h, got, g.PlainText())
		}
	}
}

// A map with few cells fills its area, and every cell of the screen maps to its element.
func TestHeatmapGrows(t *testing.T) {
	h := Heatmap{Values: []float64{1, 2, 3, 4}, Cols: 2, RowLabels: []string{"a", "b"}}
	g := New(40, 16)
	h.Draw(g.All(), Themes()[0])
	for row := range 2 {
		for col := range 2 {
			x, y, wide, ok := h.Locate(row, col)
			if !ok || wide != 19 || g.At(x, y-3).Bg != g.At(x+18, y+4).Bg || g.At(x, y).Bg == None {
				t.Errorf("cell %d, %d is %d columns at %d, %d", row, col, wide, x, y)
			}
			if r, c, ok := h.CellAt(x+wide-1, y+4); !ok || r != row || c != col {
				t.Errorf("the corner of %d, %d leads to %d, %d", row, col, r, c)
			}
		}
	}
	if a, b := g.At(2, 0).Bg, g.At(2, 15).Bg; a == b || b == None {
		t.Errorf("the rows have colours %v and %v", a, b)
	}
}

// Bars are one row high in areas of a screen of 24 rows. In larger areas, the bars and the blank
// rows between them grow to the maximum height and stay inside the area.
func TestLanesTakeTheRoom(t *testing.T) {
	for _, c := range []struct{ h, n, highest, pitch, bar int }{
		{19, 2, 5, 1, 1}, {20, 2, 5, 8, 5}, {54, 4, 5, 8, 5}, {54, 8, 5, 6, 4}, {54, 12, 5, 4, 2}, {54, 20, 5, 2, 1},
		{54, 54, 5, 1, 1}, {54, 55, 5, 1, 1}, {54, 4, 0, 1, 1}, {54, 4, 3, 5, 3}, {54, 0, 5, 8, 5},
	} {
		if pitch, bar := BarRows(100, c.h, c.n, c.highest); pitch != c.pitch || bar != c.bar {
			t.Errorf("%d bars on %d rows, %d at most: %d of %d, want %d of %d", c.n, c.h, c.highest, bar, pitch, c.bar, c.pitch)
		}
	}
	for h := range 120 {
		for n := 1; n <= h; n++ {
			for highest := range 7 {
				if pitch, bar := BarRows(100, h, n, highest); pitch*n > h || bar < 1 || bar > max(highest, 1) ||
					bar == pitch && pitch > 1 {
					t.Fatalf("%d bars on %d rows, %d at most: %d of %d", n, h, highest, bar, pitch)
				}
			}
		}
	}
}

// Higher bars have the same length and the same baseline marker in each row, and their text once,
// in the middle.
func TestHighBars(t *testing.T) {
	g := New(30, 20)
	b := Bars{Highest: 3, Axis: Axis{Unit: Count},
		Items: []Bar{{Label: "one", Value: 50, Baseline: 25, Note: "n"}, {Label: "two", Value: 100}}}
	b.Draw(g.All(), Themes()[0])
	s := Stack{Highest: 3,
		Rows: []StackRow{{Label: "one", Parts: []float64{1, 1}, Baseline: []float64{3, 1}},
			{Label: "two", Parts: []float64{1, 0}}}}
	k := New(30, 20)
	s.Draw(k.All(), Themes()[0])
	const bars, stack = `
    ████╎████▌
one ████╎████▌           50  n
    ████╎████▌


    ███████████████████
two ███████████████████ 100
    ███████████████████
`, `
    █████████████▒▒▒▒▒▒▒╎▒▒▒▒▒
one █████████████▒▒▒▒▒▒▒╎▒▒▒▒▒
    █████████████▒▒▒▒▒▒▒╎▒▒▒▒▒


    ██████████████████████████
two ██████████████████████████
    ██████████████████████████
`
	for _, c := range []struct{ got, want string }{{g.PlainText(), bars}, {k.PlainText(), stack}} {
		if strings.TrimSpace(c.got) != strings.TrimSpace(c.want) {
			t.Errorf("drew\n%s\nwant\n%s", c.got, c.want)
		}
	}
}
