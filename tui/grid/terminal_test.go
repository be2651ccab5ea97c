package grid

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// A terminal shows what the grid holds, cell by cell.
func TestATerminalShowsTheGrid(t *testing.T) {
	const w, h = 120, 36
	d := newDashboard(w, h)
	d.frame()
	d.g.Text(3, 2, "日本 wide 👍", Style{Fg: Palette(3), Attr: Underline})
	term := vt.NewEmulator(w, h)
	out := strings.ReplaceAll(string(d.g.AppendANSI(nil)), "\n", "\r\n")
	if _, err := term.WriteString(out); err != nil {
		t.Fatal(err)
	}
	for y := range h {
		for x := range w {
			want := d.g.At(x, y)
			if want.Rune == Continued {
				continue
			}
			got := term.CellAt(x, y)
			if got == nil || got.Content != string(want.Rune) {
				t.Fatalf("cell %d, %d shows %v, want %q", x, y, got, want.Rune)
			}
			if want.blank() {
				continue
			}
			if r, g, b, ok := want.Fg.Components(); ok && want.Fg&rgbBit != 0 {
				tr, tg, tb, _ := got.Style.Fg.RGBA()
				if RGB(uint8(tr>>8), uint8(tg>>8), uint8(tb>>8)) != RGB(r, g, b) {
					t.Fatalf("cell %d, %d is %v, want %v", x, y, got.Style.Fg, want.Fg)
				}
			}
		}
	}
}
