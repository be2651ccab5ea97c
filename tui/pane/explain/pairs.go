package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// drawInquiry draws the answer to a question, or the progress of its simulations.
func (p *Pane) drawInquiry(v grid.View, h *pane.Host) pane.Border {
	q := h.InquiryOf(Spec.Name)
	b := pane.Border{Title: q.Title, Right: h.KindWords()}
	switch {
	case q.Map != nil:
		p.drawMap(v, q.Map, h, &b)
	case q.Pairs != nil:
		drawPairs(v, q.Pairs, h)
	case q.Advice != nil:
		p.drawAdvice(v, q.Advice, h, &b)
	default:
		h.WriteProgress(v, q, q.Action)
	}
	return b
}

// Rows and columns of histograms: the heading, the widths of a bin's lower end and of its counts.
const (
	fromCols  = 11
	countCols = 5
)

// drawPairs draws the verdict on pairs of runs, the median of their differences with its interval, and both histograms.
func drawPairs(v grid.View, r *pairs.Result, h *pane.Host) {
	th, c, m := h.Theme, r.Conclude(), r.Metric()
	unit := h.Units.Of(m.Unit)
	shown := unit.String
	words := grid.Flow{V: v}
	words.Text(capital(c.Sentence(shown))+".", th.Title)
	if c.Verdict != "" {
		d := &c.Difference
		words.Text(fmt.Sprintf("Median of B − A: %s (%.3g %%: %s to %s), %d pairs of equal seeds.", difference(shown, d.Median),
			100*d.Level, difference(shown, d.Low), difference(shown, d.High), d.Pairs), th.Text)
	}
	median := ""
	if c.Verdict != "" {
		median = ", median " + shown(c.Middle)
	}
	words.Text("A █ "+r.Names[0]+median, th.Dim)
	words.Text("B ▒ "+r.Names[1], th.Dim)
	x := r.Histograms()
	if x == nil {
		words.Text("All values of "+name(&m)+" are equal: no histogram.", th.Dim)
		return
	}
	_, rest := v.Local().CutTop(words.Y)
	drawHistograms(v.Sub(rest), x, name(&m), shown, th)
}

// name returns the name of a metric in words.
func name(m *engine.Metric) string {
	if m.Name == "" {
		return "the metric"
	}
	return strings.ReplaceAll(m.Name, "_", " ")
}

// capital returns a text with an upper-case first letter.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// drawHistograms draws two distributions next to each other. If there are fewer rows than bins, a row has several bins.
func drawHistograms(v grid.View, x *pairs.Histograms, metric string, shown func(float64) string, th *grid.Theme) {
	if v.H() < 2 || v.W() < 2*countCols+fromCols {
		return
	}
	v.TextIn(0, 0, v.W(), "number of runs by "+metric, grid.Left, th.Dim)
	per := (pairs.Bins + v.H() - 2) / (v.H() - 1) // bins of a row
	rows := (pairs.Bins + per - 1) / per
	pitch := max(min((v.H()-1)/rows, maxPitch), 1)
	var counts [2][pairs.Bins]int
	most := 1
	for side := range counts {
		for i, n := range x.Counts[side] {
			counts[side][i/per] += n
			most = max(most, counts[side][i/per])
		}
	}
	wide := (v.W() - fromCols - 1) / 2
	for row := range rows {
		y := 1 + row*pitch
		v.TextIn(0, y, fromCols-1, shown(x.From[row*per]), grid.Right, th.Text)
		for side, fill := range [2]rune{'█', '▒'} {
			n, left := counts[side][row], fromCols+1+side*wide
			bar := n * (wide - countCols) / most
			for i := range max(pitch-1, 1) {
				for at := range bar {
					v.Rune(left+at, y+i, fill, th.Text)
				}
			}
			if n > 0 {
				v.TextIn(left+bar+1, y, countCols-1, strconv.Itoa(n), grid.Left, th.Dim)
			}
		}
	}
}

// maxPitch is the maximum number of rows of a bin.
const maxPitch = 4

// difference formats a difference with its sign.
func difference(shown func(float64) string, x float64) string {
	switch {
	case x > 0:
		return "+" + shown(x)
	case x < 0:
		return "−" + shown(-x)
	}
	return shown(0)
}
