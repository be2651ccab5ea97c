package export

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Animation writes screens as an SVG that repeats. It divides each row of the screen into parts of partW columns. If
// the content of a part changes, the part gets a new group, which is visible from one time to another. A program
// without animations shows the first screen.
type Animation struct {
	to      io.Writer
	o       Options
	g       *grid.Grid // of the last screen, for its size
	parts   []shown    // row by row
	classes classes
	out     []byte
	last    time.Duration
	err     error
}

// partW is the number of columns of a part of a row. Shorter parts repeat fewer cells that have not changed, and
// longer ones need fewer groups.
const partW = 20

// shown is the content of a part since a time.
type shown struct {
	svg   string
	since time.Duration
}

// NewAnimation starts an animation.
func NewAnimation(to io.Writer, o Options) *Animation {
	return &Animation{to: to, o: o, classes: classes{names: map[string]string{}}}
}

// Screen shows a grid at a time that is not before the last one. All grids have one size.
func (a *Animation) Screen(at time.Duration, g *grid.Grid) {
	if at < a.last && a.err == nil {
		a.err = fmt.Errorf("screen out of order: %v before %v", at, a.last)
	}
	a.last = at
	perRow := (g.W + partW - 1) / partW
	if a.parts == nil {
		a.parts = make([]shown, perRow*g.H)
	}
	a.g = g
	for i := range a.parts {
		y, from := i/perRow, i%perRow*partW
		to := min(from+partW, g.W)
		w := svgWriter{o: a.o, classes: &a.classes}
		w.backgrounds(g, y, from, to)
		w.row(g, y, from, to)
		if text := string(w.out); text != a.parts[i].svg {
			a.put(&a.parts[i], at)
			a.parts[i] = shown{text, at}
		}
	}
}

// Chapter does nothing: the screen shows the markers.
func (a *Animation) Chapter(time.Duration, string) {}

// put writes a content that was visible until a time. Contents of the first screen are visible unless the
// animation hides them.
func (a *Animation) put(s *shown, until time.Duration) {
	if s.svg == "" {
		return
	}
	first, to, from, end := ` visibility="hidden"`, "visible", s.since, until
	if s.since == 0 {
		first, to, from, end = "", "hidden", until, 0
	}
	a.out = append(a.out, "<g"+first+">"...)
	a.out = append(a.out, s.svg...)
	a.out = append(a.out, `<set attributeName="visibility" to="`+to+`" begin="t.begin+`+seconds(from)...)
	if end > 0 {
		a.out = append(a.out, `" end="t.begin+`+seconds(end)...)
	} else {
		a.out = append(a.out, `" end="t.end`...)
	}
	a.out = append(a.out, "\"/></g>\n"...)
}

// seconds formats a time of SVG, to milliseconds.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(time.Millisecond).Seconds(), 'f', -1, 64) + "s"
}

// End ends the animation at a time, writes it, and returns the first error.
func (a *Animation) End(at time.Duration) error {
	if a.err != nil || a.g == nil {
		return a.err
	}
	for i := range a.parts {
		if a.parts[i].since > 0 {
			a.put(&a.parts[i], at)
		} else { // never changed
			a.out = append(a.out, a.parts[i].svg...)
		}
	}
	w := svgWriter{o: a.o, classes: &a.classes}
	w.head(a.g)
	w.add(rowFont, `<animate id="t" attributeName="visibility" from="visible" to="visible" begin="0s;t.end" dur="`, seconds(at), `"/>`, "\n")
	w.out = append(w.out, a.out...)
	w.add("</g>\n</svg>\n")
	_, err := a.to.Write(w.out)
	return err
}
