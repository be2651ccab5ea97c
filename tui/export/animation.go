package export

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Animation writes screens as an SVG that repeats. Each row of the screen is a group for each of its contents,
// which is visible from one time to another. A program without animations shows the first screen.
type Animation struct {
	to   io.Writer
	o    Options
	g    *grid.Grid // of the last screen, for its size
	rows []shown
	out  []byte
	last time.Duration
	err  error
}

// shown is the content of a row since a time.
type shown struct {
	svg   string
	since time.Duration
}

// NewAnimation starts an animation.
func NewAnimation(to io.Writer, o Options) *Animation { return &Animation{to: to, o: o} }

// Screen shows a grid at a time that is not before the last one. All grids have one size.
func (a *Animation) Screen(at time.Duration, g *grid.Grid) {
	if at < a.last && a.err == nil {
		a.err = fmt.Errorf("screen out of order: %v before %v", at, a.last)
	}
	a.last = at
	if a.rows == nil {
		a.rows = make([]shown, g.H)
	}
	a.g = g
	for y := range a.rows {
		w := svgWriter{o: a.o}
		w.backgrounds(g, y)
		w.row(g, y)
		if text := string(w.out); text != a.rows[y].svg {
			a.put(&a.rows[y], at)
			a.rows[y] = shown{text, at}
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

// seconds formats a time of SVG.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s" }

// End ends the animation at a time, writes it, and returns the first error.
func (a *Animation) End(at time.Duration) error {
	if a.err != nil || a.g == nil {
		return a.err
	}
	for y := range a.rows {
		if a.rows[y].since > 0 {
			a.put(&a.rows[y], at)
		} else { // never changed
			a.out = append(a.out, a.rows[y].svg...)
		}
	}
	w := svgWriter{o: a.o}
	w.head(a.g)
	w.add(rowFont, `<animate id="t" attributeName="visibility" from="visible" to="visible" begin="0s;t.end" dur="`, seconds(at), `"/>`, "\n")
	w.out = append(w.out, a.out...)
	w.add("</g>\n</svg>\n")
	_, err := a.to.Write(w.out)
	return err
}
