package grid

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name.txt.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// widget is anything that draws itself.
type widget interface{ Draw(View, *Theme) }

// sine returns n points of a curve between 2e9 and 12e9.
func sine(n int, phase float64) (x, y []float64) {
	for i := range n {
		f := float64(i) / float64(n-1)
		x = append(x, f*10)
		y = append(y, 7e9+5e9*math.Sin(f*9+phase))
	}
	return x, y
}

// sampleLines is a chart with three measured curves, a change and a bound.
func sampleLines(m Markers) *LineChart {
	x, a := sine(120, 0)
	_, b := sine(120, 2)
	return &LineChart{
		X: Axis{Unit: Seconds}, Y: Axis{Unit: BytesPerSecond, FromZero: true},
		Series:  []Series{{Name: "in rank", X: x, Y: a}, {Name: "remote", X: x, Y: b}},
		Markers: m,
		VLines:  []VLine{{X: 4, Label: "group 2→4"}},
		HLines:  []HLine{{Y: 3e9, Label: "adapter limit"}},
	}
}

// sampleLocality is the locality law and its measurement.
func sampleLocality() *LineChart {
	c := &LineChart{
		X: Axis{Scale: Log2}, Y: Axis{Unit: Share, Fixed: true, Max: 1}, Legend: true,
		Series: []Series{
			{Name: "modelled 1/G", Shape: Dashed},
			{Name: "measured", Shape: Points, Glyph: '●', X: []float64{1, 2, 4, 8, 16},
				Y: []float64{1, 0.52, 0.24, 0.12, 0.07}},
		},
	}
	for g := 1.0; g <= 16; g *= 1.2 {
		c.Series[0].X = append(c.Series[0].X, g)
		c.Series[0].Y = append(c.Series[0].Y, 1/g)
	}
	return c
}

func sampleSizes() *LineChart {
	c := &LineChart{
		X: Axis{Scale: Log2, Unit: Bytes}, Y: Axis{Scale: Log10, Unit: Seconds},
		Cross: true, CrossX: 9000,
		Series: []Series{{Name: "eager"}, {Name: "rendezvous"}},
	}
	for s := 8.0; s <= 4<<20; s *= 2 {
		c.Series[0].X = append(c.Series[0].X, s)
		c.Series[0].Y = append(c.Series[0].Y, 1e-6+s/2e9)
		c.Series[1].X = append(c.Series[1].X, s)
		c.Series[1].Y = append(c.Series[1].Y, 4e-6+s/8e9)
	}
	return c
}

func sampleBars() *Bars {
	return &Bars{Axis: Axis{Unit: Seconds}, Items: []Bar{
		{Label: "binomial", Value: 1.9e-3, Symbol: '●'},
		{Label: "ring", Value: 3.3e-3, Symbol: '●', Note: "slowest"},
		{Label: "dissemination", Value: 1.24e-3, Symbol: '◆'},
		{Label: "unknown", Value: math.NaN()},
	}}
}

func sampleHeatmap() *Heatmap {
	h := &Heatmap{Cols: 8, Axis: Axis{Unit: Bytes, FromZero: true}, Bar: true}
	for r := range 8 {
		h.RowLabels = append(h.RowLabels, "n"+string(rune('0'+r)))
		h.ColLabels = append(h.ColLabels, string(rune('0'+r)))
		for c := range 8 {
			h.Values = append(h.Values, 8192/float64(1+abs(r-c)))
		}
	}
	h.Values[7] = math.NaN()
	return h
}

func sampleStack() *Stack {
	return &Stack{Rows: []StackRow{
		{Label: "rank 0", Parts: []float64{5, 2, 1}}, {Label: "rank 1", Parts: []float64{6, 1, 1}},
		{Label: "rank 2", Parts: []float64{2, 6, 0}},
	}}
}

func TestWidgetsLookLikeThis(t *testing.T) {
	digits, wave := sampleHeatmap(), &Sparkline{}
	digits.Digits = true
	_, wave.Values = sine(60, 0)
	wave.Values[50] = math.NaN()
	for _, tt := range []struct {
		name  string
		w, h  int
		theme string
		ascii bool
		draw  widget
	}{
		{"line-braille", 60, 14, "dark", false, sampleLines(Braille)},
		{"line-blocks", 60, 14, "dark", false, sampleLines(Blocks)},
		{"line-lines", 60, 14, "dark", false, sampleLines(Lines)},
		{"line-ascii", 60, 14, "dark", true, sampleLines(Braille)},
		{"line-mono", 60, 14, "mono", false, sampleLines(Braille)},
		{"line-tiny", 14, 4, "dark", false, sampleLines(Braille)},
		{"line-empty", 40, 8, "dark", false, &LineChart{Y: Axis{Unit: Seconds}}},
		{"locality", 44, 10, "dark", false, sampleLocality()},
		{"sizes-crosshair", 64, 14, "dark", false, sampleSizes()},
		{"bars", 44, 4, "dark", false, sampleBars()},
		{"bars-ascii", 44, 3, "dark", true, sampleBars()},
		{"stack", 30, 3, "dark", false, sampleStack()},
		{"heatmap-mono", 40, 10, "mono", false, sampleHeatmap()},
		{"heatmap-digits", 24, 6, "mono", false, digits},
		{"sparkline", 40, 2, "dark", false, wave},
		{"boxes", 60, 14, "dark", false, sampleBoxes()},
		{"boxes-ascii", 60, 14, "dark", true, sampleBoxes()},
		{"boxes-narrow", 18, 7, "dark", false, sampleBoxes()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := New(tt.w, tt.h)
			th, _ := ThemeByName(tt.theme)
			g.ASCII, g.Mono = tt.ascii, tt.theme == "mono"
			tt.draw.Draw(g.All(), th)
			golden(t, tt.name, g.PlainText())
		})
	}
}

func TestColoursOfWidgets(t *testing.T) {
	for _, tt := range []struct {
		name string
		w, h int
		draw widget
	}{
		{"styled-heatmap", 20, 5, sampleHeatmap()},
		{"styled-locality", 30, 7, sampleLocality()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := New(tt.w, tt.h)
			tt.draw.Draw(g.All(), themes[0])
			golden(t, tt.name, g.StyledText())
		})
	}
}
