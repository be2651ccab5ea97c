package grid

import (
	"math"
	"strings"
	"testing"
)

// Ratios replace the values. Their bar has both ends, symbols show the direction without colour,
// and any ratio has a position.
func TestHeatmapOfRatios(t *testing.T) {
	nan := math.NaN()
	h := Heatmap{
		Values: []float64{1, 2, 3, nan, 5, 6}, Cols: 3, Bar: true, Against: "× baseline: group 4",
		Ratios: []float64{1, 1.8, 0.5, 0, nan, 1.01},
	}
	g := New(60, 4)
	h.Draw(g.All(), Themes()[0])
	text := g.PlainText()
	for _, want := range []string{"=   +   -", "0   *   =", "0.5× ", "2×  × baseline: group 4  * only now"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	above, below := g.At(4, 0).Bg, g.At(8, 0).Bg
	if above == None || below == None || above == below || g.At(0, 0).Bg == above {
		t.Errorf("colours %v, %v and %v", g.At(0, 0).Bg, above, below)
	}
	for _, q := range []float64{math.Inf(1), math.Inf(-1), -1, 1e300, 1e-300, 0, nan} {
		h.Ratios = []float64{q, q, q, 1.5, q, q}
		for _, size := range [][2]int{{0, 0}, {1, 1}, {3, 2}, {7, 5}, {80, 24}} {
			for _, th := range Themes() {
				v := New(size[0], size[1])
				v.Mono = th.Name == "mono"
				h.Draw(v.All(), th)
			}
		}
	}
	h.Ratios = []float64{nan, nan, nan, nan, nan, nan}
	if h.Draw(g.All(), Themes()[0]); strings.Contains(g.PlainText(), "baseline") {
		t.Error("nothing is compared, and is explained")
	}
}
