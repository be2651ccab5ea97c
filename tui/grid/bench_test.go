package grid

import (
	"fmt"
	"testing"
)

// dashboard is a screen of six panes and a table, as the program draws it.
type dashboard struct {
	g     *Grid
	th    *Theme
	boxes []Box
	rects []Rect
	panes []widget
	out   []byte
}

func newDashboard(w, h int) *dashboard {
	th := themes[0]
	d := &dashboard{g: New(w, h), th: th}
	_, rest := d.g.Bounds().CutTop(1)
	upper, lower := rest.CutTop(rest.H / 2)
	for _, cut := range []struct {
		row           Rect
		first, second int
	}{{upper, 25, 50}, {lower, 40, 40}} {
		left, rest := cut.row.CutLeft(cut.row.W * cut.first / 100)
		middle, right := rest.CutLeft(cut.row.W * cut.second / 100)
		d.rects = append(d.rects, left, middle, right)
	}
	d.panes = []widget{sampleHeatmap(), sampleLines(Braille), sampleStack(), sampleLocality(), sampleBoxes(), sampleBars()}
	for _, s := range []string{"Traffic", "Bandwidth, measured", "Latency", "Locality", "Latency of puts", "Algorithms"} {
		d.boxes = append(d.boxes, Box{Title: s, Right: "GB/s", Border: th.Border, TitleStyle: th.Title, RightStyle: th.Dim})
	}
	return d
}

func (d *dashboard) frame() {
	d.g.Clear()
	d.g.Text(1, 0, "hybridtop  randomaccess   [m]odel nested-multiple  [g]roup 4", d.th.Text)
	for i, p := range d.panes {
		p.Draw(d.g.Box(d.rects[i], d.boxes[i]), d.th)
	}
	d.out = d.g.AppendANSI(d.out[:0])
}

// TestAFrameAllocatesNothing draws a dashboard again and again.
func TestAFrameAllocatesNothing(t *testing.T) {
	d := newDashboard(200, 60)
	d.frame()
	if n := testing.AllocsPerRun(20, d.frame); n > 0 {
		t.Errorf("a frame makes %v allocations, want none", n)
	}
}

func TestDashboardLooksLikeThis(t *testing.T) {
	d := newDashboard(120, 36)
	d.frame()
	golden(t, "dashboard", d.g.PlainText())
}

var sizes = []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}, {300, 90}}

// BenchmarkFrame draws and writes a whole dashboard.
func BenchmarkFrame(b *testing.B) {
	for _, s := range sizes {
		b.Run(fmt.Sprintf("size=%dx%d", s.w, s.h), func(b *testing.B) {
			d := newDashboard(s.w, s.h)
			d.frame()
			b.ReportAllocs()
			for b.Loop() {
				d.frame()
			}
			b.SetBytes(int64(len(d.out)))
		})
	}
}

// BenchmarkGrid writes the worst case: a screen on which every cell has its own colour.
func BenchmarkGrid(b *testing.B) {
	for _, s := range sizes {
		b.Run(fmt.Sprintf("size=%dx%d", s.w, s.h), func(b *testing.B) {
			g := New(s.w, s.h)
			for y := range s.h {
				for x := range s.w {
					g.Set(x, y, Cell{Rune: '▄', Fg: RGB(uint8(x), uint8(y), 0), Bg: RGB(0, uint8(x), uint8(y))})
				}
			}
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				out = g.AppendANSI(out[:0])
			}
			b.SetBytes(int64(len(out)))
		})
	}
}

// BenchmarkLineChart draws one chart of many points.
func BenchmarkLineChart(b *testing.B) {
	for _, n := range []int{100, 2000, 20000} {
		b.Run(fmt.Sprintf("points=%d", n), func(b *testing.B) {
			x, y := sine(n, 0)
			c := &LineChart{X: Axis{Unit: Seconds}, Y: Axis{Unit: BytesPerSecond}, Series: []Series{{X: x, Y: y}}}
			g := New(100, 30)
			b.ReportAllocs()
			for b.Loop() {
				c.Draw(g.All(), themes[0])
			}
		})
	}
}
