package grid

import (
	"strings"
	"testing"
)

// TestCrosshairShowsWholeValues checks that a crosshair at any position shows the value of each series completely,
// on wide and on narrow charts. Only names are shortened.
func TestCrosshairShowsWholeValues(t *testing.T) {
	x := []float64{0, 25, 50, 75, 100}
	c := &LineChart{X: Axis{Unit: Unit{Kind: Plain}}, Y: Axis{Unit: Units(0).Rate()}, Cross: true, Series: []Series{
		{Name: "a name that is longer than the chart", X: x, Y: []float64{12.3e9, 12.3e9, 12.3e9, 12.3e9, 12.3e9}},
		{Name: "in node", X: x, Y: []float64{4.56e9, 4.56e9, 4.56e9, 4.56e9, 4.56e9}},
	}}
	for _, w := range []int{24, 30, 40, 80} {
		for _, at := range []float64{0, 10, 49, 51, 90, 100} {
			c.CrossX = at
			g := New(w, 10)
			c.Draw(g.All(), Themes()[0])
			text := g.PlainText()
			for _, want := range []string{"12.3 GB/s", "4.56 GB/s"} {
				if !strings.Contains(text, want) {
					t.Errorf("%d columns, at %v: no %s\n%s", w, at, want, text)
				}
			}
		}
	}
}
