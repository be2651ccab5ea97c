package tui

import (
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// TestPanesFillALargeScreen counts the rows that show something in the panes of text: cluster, knobs and reasons. On a large
// screen these are at least a third. Charts fill their panes.
func TestPanesFillALargeScreen(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for _, name := range runs.Workloads() {
		a := shownApp(runs.Last(name).On(t, "demo"))
		for _, size := range sizes(200, 60, 300, 90) {
			a.w, a.h = size[0], size[1]
			var s screen
			g := s.draw(a, a.w, a.h)
			at := arrange(a.w, a.h, a)
			for _, place := range []pane.Place{pane.Cluster, pane.Knobs, pane.Reasons} {
				p := at.of[place]
				r := at.at[place]
				in := grid.Rect{X: r.X + 1, Y: r.Y + 1, W: r.W - 2, H: r.H - 2}
				if used := usedRows(g, in); 3*used < in.H {
					t.Errorf("%s, %d×%d: %s uses %d of %d rows:\n%s", name, a.w, a.h, a.specs[p].Name, used, in.H, g.PlainText())
				}
			}
		}
	}
}

// usedRows returns the number of rows of a rectangle that have a character.
func usedRows(g *grid.Grid, r grid.Rect) (n int) {
	v := g.View(r)
	for y := range r.H {
		for x := range r.W {
			if c := v.At(x, y).Rune; c != 0 && c != ' ' {
				n++
				break
			}
		}
	}
	return n
}
