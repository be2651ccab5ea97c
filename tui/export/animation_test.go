package export

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// TestAnimation checks the times of three rows on three screens. The first row never changes, the second changes
// once, and the third returns to its first content. The animation repeats after its end.
func TestAnimation(t *testing.T) {
	screen := func(rows ...string) *grid.Grid {
		g := grid.New(8, len(rows))
		for y, text := range rows {
			g.View(grid.Rect{Y: y, W: 8, H: 1}).Text(0, 0, text, grid.Style{})
		}
		return g
	}
	var out bytes.Buffer
	a := NewAnimation(&out, Options{Title: "a <film>"})
	a.Screen(0, screen("same", "one", "on"))
	a.Screen(1500*time.Millisecond, screen("same", "two", "off"))
	a.Screen(2*time.Second, screen("same", "two", "on"))
	if err := a.End(4 * time.Second); err != nil {
		t.Fatal(err)
	}
	type group struct {
		Visibility string `xml:"visibility,attr"`
		Text       string `xml:"text"`
		Set        []struct {
			To    string `xml:"to,attr"`
			Begin string `xml:"begin,attr"`
			End   string `xml:"end,attr"`
		} `xml:"set"`
	}
	var doc struct {
		All struct {
			Animate struct {
				Begin string `xml:"begin,attr"`
				Dur   string `xml:"dur,attr"`
			} `xml:"animate"`
			Always []string `xml:"text"`
			Groups []group  `xml:"g"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range doc.All.Groups {
		for _, s := range g.Set {
			got = append(got, strings.TrimSpace(g.Visibility+" "+g.Text+" "+s.To+" "+s.Begin+" "+s.End))
		}
	}
	want := []string{
		"one hidden t.begin+1.5s t.end",
		"on hidden t.begin+1.5s t.end",
		"hidden off visible t.begin+1.5s t.begin+2s",
		"hidden two visible t.begin+1.5s t.begin+4s",
		"hidden on visible t.begin+2s t.begin+4s",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if m := doc.All.Animate; m.Begin != "0s;t.end" || m.Dur != "4s" || strings.Join(doc.All.Always, "") != "same" {
		t.Errorf("it repeats at %s, lasts %s, and always shows %q", m.Begin, m.Dur, doc.All.Always)
	}
	a.Screen(time.Second, screen("", "", ""))
	if err := a.End(5 * time.Second); err == nil {
		t.Error("a screen before the last one is accepted")
	}
}
