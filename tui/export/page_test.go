package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// hostile is text that would be markup, a script or an address without escaping.
const hostile = `</svg><script src="http://x.invalid/a.js">alert(1)</script>"'&<img src=x onerror=alert(1)>`

func page() *Page {
	nan, inf := math.NaN(), math.Inf(1)
	return &Page{Title: hostile, Lead: []string{hostile}, Facts: []Pair{{hostile, hostile}}, Foot: []string{hostile},
		Sections: []Section{
			{Title: hostile, Badges: []Badge{{hostile, Good}}, Text: []string{hostile}, Facts: []Pair{{hostile, hostile}},
				Tables: []Sheet{{Title: hostile, Head: []string{hostile}, Rows: [][]string{{hostile}, {"12 ms"}}}},
				Charts: []Chart{{
					Title: hostile, X: ChartAxis{Label: hostile, Unit: grid.Count, Scale: grid.Log2},
					Y: ChartAxis{Label: "time µs ε", Unit: grid.Seconds, Scale: grid.Log10},
					Curves: []Curve{
						{Label: hostile, Tint: Series(0), X: []float64{1, 2, 4, 8}, Y: []float64{1e-6, nan, 4e-6, inf}, Line: true},
						{Label: "zero has no place on a log axis", Tint: Kind(grid.Modelled), X: []float64{0, 1, 2},
							Y: []float64{1, 0, 2e-6}, Line: true, Dashed: true, Point: Cross},
					},
					Spans: []Span{{X: 1, Least: math.Inf(-1), Most: 2e-6}, {X: 2, Least: 1e-6, Most: inf}, {X: 4, Most: 1}},
					Rules: []float64{3, 1e9},
				}}},
			{Title: "bars", Inner: true,
				Charts: []Chart{{Names: []string{hostile, "b"},
					Bars: []Bars{{Label: "compute", Tint: Series(0), Values: []float64{0.5, nan}},
						{Label: "wait", Tint: Series(1), Values: []float64{0.5}}}}}},
			{Title: "nothing",
				Charts: []Chart{{},
					{Curves: []Curve{{X: []float64{nan}, Y: []float64{1}}, {X: []float64{1}, Y: []float64{1e300}, Line: true}}}}},
		}}
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPageIsTheSameEachTime(t *testing.T) {
	first := written(t, page())
	for range 3 {
		if written(t, page()) != first {
			t.Fatal("two pages of the same data differ")
		}
	}
}

// A page loads nothing: no script, style sheet, picture or font.
func TestAPageNeedsNothingElse(t *testing.T) {
	text := written(t, page())
	for _, bad := range []string{"<script", "<img", "<link rel=\"stylesheet", "url(", "@import", "<iframe", "<object"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "#") && m[1] != "data:," {
			t.Errorf("it refers to %s", m[1])
		}
	}
	if !strings.Contains(text, "default-src 'none'") {
		t.Error("no policy keeps the browser from asking for anything")
	}
}

// Any chart is well-formed, its letters exist, and all its numbers are valid.
func TestChartsAreWellFormed(t *testing.T) {
	text := written(t, page())
	charts := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(text, -1)
	if len(charts) != 5 { // the letters, and four charts
		t.Fatalf("%d pictures", len(charts))
	}
	for _, c := range charts {
		d := xml.NewDecoder(strings.NewReader(c))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in %.200s", err, c)
			}
		}
		if m := regexp.MustCompile(`NaN|Inf|e\+[0-9]{3}`).FindString(c); m != "" {
			t.Errorf("%s in a picture", m)
		}
		for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(c, -1) {
			if !strings.Contains(charts[0], `id="`+m[1]+`"`) {
				t.Errorf("letter %s has no shape", m[1])
			}
		}
	}
}

// Light and dark colours are variables of one page. A chart has no fixed colours.
func TestColoursFollowThePage(t *testing.T) {
	text := written(t, page())
	_, body, _ := strings.Cut(text, "</style>")
	if m := regexp.MustCompile(`(?:fill|stroke)="#[^"]*"`).FindString(body); m != "" {
		t.Errorf("a chart has %s", m)
	}
	for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(text, -1) {
		if strings.Count(text, m[1]+":") != 2 {
			t.Errorf("%s is set %d times: want once light, once dark", m[1], strings.Count(text, m[1]+":"))
		}
	}
}

// A page in other units has the sizes and rates of all its texts in these units. The original page
// is unchanged.
func TestTextsOfAPageAreInUnits(t *testing.T) {
	const said = "8 KiB at 1.2 GB/s"
	p := &Page{Lead: []string{said}, Facts: []Pair{{"size", said}},
		Sections: []Section{{Title: said, Text: []string{said}, Facts: []Pair{{"size", said}},
			Tables: []Sheet{{Rows: [][]string{{said}}}}}}}
	before := written(t, p)
	if n := strings.Count(written(t, p.In(grid.DecimalUnits)), "8.192 kB at 1.2 GB/s"); n < 6 {
		t.Errorf("%d texts are in decimal units: want 6", n)
	}
	if written(t, p) != before || strings.Count(before, said) < 6 {
		t.Error("the page has changed")
	}
}

func TestALabelIsCutToItsRoom(t *testing.T) {
	f := sansFace(labelSize, false)
	long := strings.Repeat("wide ", 100)
	if got := fitting(f, long, 50); f.Width(got).Points() > 50 || !strings.HasSuffix(got, "…") {
		t.Errorf("%q is %v wide", got, f.Width(got))
	}
	if got := fitting(f, "short", 50); got != "short" {
		t.Errorf("%q", got)
	}
}

func FuzzPage(f *testing.F) {
	f.Add("a", 1.0, 2.0, true)
	f.Add(hostile, math.Inf(1), -1e308, false)
	f.Fuzz(func(t *testing.T, label string, x, y float64, log bool) {
		a := ChartAxis{Label: label, Unit: grid.Bytes}
		if log {
			a.Scale = grid.Log2
		}
		c := Chart{Title: label, X: a, Y: a, Names: []string{label}, Rules: []float64{x, y},
			Spans:  []Span{{X: x, Least: y, Most: x}},
			Curves: []Curve{{Label: label, X: []float64{x, y}, Y: []float64{y, x}, Line: true, Point: Disc}},
			Bars:   []Bars{{Label: label, Tint: Ink, Values: []float64{x, y}}}}
		p := Page{Title: label, Sections: []Section{{Title: label, Charts: []Chart{c}}}}
		if err := p.HTML(io.Discard); err != nil {
			t.Error(err)
		}
	})
}
