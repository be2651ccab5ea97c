package grid

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyValue returns a random number, often a difficult one.
func anyValue() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64(),
		rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
			-math.MaxFloat64, 1e300, math.SmallestNonzeroFloat64, 2.2e-308, 1e15, 1e15 + 1}),
	)
}

func anyValues() *rapid.Generator[[]float64] { return rapid.SliceOfN(anyValue(), 0, 40) }

func anyUnit() *rapid.Generator[Unit] {
	return rapid.SampledFrom([]Unit{Count, Seconds, BytesPerSecond, Bytes, Share, Factor, {Kind: Plain, Div: 1e9}})
}

func anyAxis() *rapid.Generator[Axis] {
	return rapid.Custom(func(t *rapid.T) Axis {
		return Axis{
			Scale: rapid.SampledFrom([]Scale{Linear, Log2, Log10}).Draw(t, "scale"),
			Unit:  anyUnit().Draw(t, "unit"),
			Fixed: rapid.Bool().Draw(t, "fixed"),
			Min:   anyValue().Draw(t, "min"), Max: anyValue().Draw(t, "max"),
			FromZero: rapid.Bool().Draw(t, "fromzero"),
		}
	})
}

func anyLabels() *rapid.Generator[[]string] { return rapid.SliceOfN(anyText(), 0, 6) }

// widgets returns one of every widget, with random content.
var widgets = map[string]func(*rapid.T) widget{
	"LineChart": func(t *rapid.T) widget {
		c := &LineChart{
			X: anyAxis().Draw(t, "x"), Y: anyAxis().Draw(t, "y"),
			Markers: Markers(rapid.IntRange(0, 3).Draw(t, "markers")),
			Cross:   rapid.Bool().Draw(t, "cross"), CrossX: anyValue().Draw(t, "crossx"),
			Legend: rapid.Bool().Draw(t, "legend"),
			VLines: []VLine{{X: anyValue().Draw(t, "v"), Label: anyText().Draw(t, "vl")}, {X: 1, Label: "one"}},
			HLines: []HLine{{Y: anyValue().Draw(t, "h"), Label: anyText().Draw(t, "hl")}},
		}
		for range rapid.IntRange(0, 3).Draw(t, "series") {
			s := Series{Name: anyText().Draw(t, "name"), Y: anyValues().Draw(t, "ys"),
				Shape: Shape(rapid.IntRange(0, 2).Draw(t, "shape"))}
			if rapid.Bool().Draw(t, "hasx") {
				s.X = anyValues().Draw(t, "xs")
			}
			c.Series = append(c.Series, s)
		}
		return c
	},
	"Bars": func(t *rapid.T) widget {
		b := &Bars{Axis: anyAxis().Draw(t, "axis"), LabelW: rapid.IntRange(-1, 30).Draw(t, "labelw")}
		for _, x := range anyValues().Draw(t, "values") {
			b.Items = append(b.Items,
				Bar{Label: anyText().Draw(t, "label"), Value: x, Baseline: anyValue().Draw(t, "ghost"), Note: "note",
					Symbol: '●'})
		}
		return b
	},
	"Stack": func(t *rapid.T) widget {
		s := &Stack{Whole: anyValue().Draw(t, "whole"), LabelW: rapid.IntRange(-1, 30).Draw(t, "labelw")}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			s.Rows = append(s.Rows,
				StackRow{Label: anyText().Draw(t, "label"), Parts: anyValues().Draw(t, "parts"),
					Baseline: anyValues().Draw(t, "ghost")})
		}
		return s
	},
	"Heatmap": func(t *rapid.T) widget {
		return &Heatmap{
			Values: anyValues().Draw(t, "values"), Cols: rapid.IntRange(-1, 9).Draw(t, "cols"),
			RowLabels: anyLabels().Draw(t, "rows"), ColLabels: anyLabels().Draw(t, "cols"),
			Axis: anyAxis().Draw(t, "axis"), Digits: rapid.Bool().Draw(t, "digits"), Bar: rapid.Bool().Draw(t, "bar"),
		}
	},
	"BoxPlot": func(t *rapid.T) widget {
		b := &BoxPlot{Y: anyAxis().Draw(t, "y")}
		for range rapid.IntRange(0, 9).Draw(t, "boxes") {
			it := BoxItem{Label: anyText().Draw(t, "label")}
			it.Spread, _, _ = SpreadOf(anyValues().Draw(t, "values"), nil)
			if rapid.Bool().Draw(t, "odd") {
				it.Q1, it.High = anyValue().Draw(t, "q1"), anyValue().Draw(t, "high")
			}
			b.Items = append(b.Items, it)
		}
		return b
	},
	"Sparkline": func(t *rapid.T) widget {
		return &Sparkline{Values: anyValues().Draw(t, "values"), Fixed: rapid.Bool().Draw(t, "fixed"),
			Min: anyValue().Draw(t, "min"), Max: anyValue().Draw(t, "max")}
	},
}

// Any widget in any pane with any content draws without a panic and only inside its pane.
func TestAnyWidgetStaysInItsPane(t *testing.T) {
	for name, make := range widgets {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkPane(t, make(t)) })
		})
	}
}

// FuzzAnyWidget checks the same for more inputs.
func FuzzAnyWidget(f *testing.F) {
	names := slices.Sorted(maps.Keys(widgets))
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		checkPane(t, widgets[rapid.SampledFrom(names).Draw(t, "widget")](t))
	}))
}

func checkPane(t *rapid.T, draw widget) {
	r := Rect{
		rapid.IntRange(-2, 3).Draw(t, "x"), rapid.IntRange(-2, 3).Draw(t, "y"),
		rapid.OneOf(rapid.IntRange(0, 4), rapid.IntRange(0, 90)).Draw(t, "w"),
		rapid.OneOf(rapid.IntRange(0, 4), rapid.IntRange(0, 30)).Draw(t, "h"),
	}
	th := rapid.SampledFrom(themes).Draw(t, "theme")
	outside := Cell{Rune: '#', Fg: Hex(0x123456)}
	g := New(r.W+4, r.H+4)
	g.ASCII, g.Mono = rapid.Bool().Draw(t, "ascii"), th.Name == "mono"
	g.Fill(g.Bounds(), outside)
	draw.Draw(g.View(r), th)
	for y := range g.H {
		for x := range g.W {
			if c := g.At(x, y); !r.Contains(x, y) && c != outside {
				t.Fatalf("cell %d, %d outside %v became %v", x, y, r, c)
			}
		}
	}
}

func TestDrawingTwiceGivesTheSame(t *testing.T) {
	for name, draw := range map[string]widget{
		"line": sampleLines(Braille), "locality": sampleLocality(), "sizes": sampleSizes(),
		"bars": sampleBars(), "stack": sampleStack(), "heatmap": sampleHeatmap(), "boxes": sampleBoxes(),
	} {
		a, b := New(60, 12), New(60, 12)
		draw.Draw(a.All(), themes[0])
		draw.Draw(New(7, 3).All(), themes[0])
		draw.Draw(b.All(), themes[0])
		if a.StyledText() != b.StyledText() {
			t.Errorf("%s differs when it is drawn again:\n%s\n%s", name, a.PlainText(), b.PlainText())
		}
	}
}
