package pane

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// ClassMarks tell the locality classes apart where colours do not; they are
// none of the marks of the kinds of number.
var ClassMarks = [cluster.Classes]rune{cluster.InRank: '■', cluster.InNode: '▲', cluster.Remote: '▼'}

// ClassNames are the words for the locality classes.
var ClassNames = [cluster.Classes]string{cluster.InRank.String(), cluster.InNode.String(), cluster.Remote.String()}

// Integer numbers are written out whole.
var Integer = grid.Unit{Kind: grid.Plain}

// KindOf is the grid's word for a kind of number.
func KindOf(k engine.Kind) grid.Kind {
	return grid.Kind(max(0, slices.Index(engine.Kinds, k)))
}

// KindWords is the mark and the name of the kind of the measured numbers.
func (h *Host) KindWords() string {
	if h.Snap.Kind == "" {
		return ""
	}
	return string(h.Theme.Kind(KindOf(h.Snap.Kind)).Mark) + " " + string(h.Snap.Kind)
}

// Or gives s, or other words where it is empty.
func Or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Empty says in the middle of a view why a chart has nothing to show.
func (h *Host) Empty(v grid.View) {
	text := "no data yet"
	switch h.Snap.Phase {
	case engine.Starting:
		text = "starting…"
	case engine.Paused:
		text = "paused before the first sample: space goes on"
	case engine.Failed:
		text = "no data: the run failed"
	}
	v.TextIn(0, v.H()/2, v.W(), text, grid.Center, h.Theme.Dim)
}

// Tell writes a few lines in the middle of a pane that has nothing else to show.
func (h *Host) Tell(v grid.View, lines ...string) {
	write := func(f *grid.Flow) {
		for i, text := range lines {
			st := h.Theme.Dim
			if i == 0 {
				st = h.Theme.Text
			}
			f.Text(text, st)
		}
	}
	wide := 0
	for _, text := range lines {
		wide = max(wide, grid.Width(text))
	}
	wide = min(wide, v.W())
	measure := grid.Flow{V: v.Sub(grid.Rect{W: wide})}
	write(&measure)
	top := max((v.H()-measure.Y)/2, 0)
	write(&grid.Flow{V: v.Sub(grid.Rect{X: (v.W() - wide) / 2, Y: top, W: wide, H: v.H() - top})})
}

// BaseLegend explains the ghosts of a chart: the run that they are of.
func (h *Host) BaseLegend(v grid.View) {
	v.Rune(0, 0, '╌', h.Theme.Dim)
	v.TextIn(2, 0, v.W()-2, "baseline: "+h.Base.Told, grid.Left, h.Theme.Dim)
}

// Versus says what ratios on a heat map compare.
func (h *Host) Versus() string {
	if h.Base == nil {
		return ""
	}
	return "× baseline: " + h.Base.Told
}

// longIteration is from when on an iteration's progress is told.
const longIteration = 2 * time.Second

// Progress tells how far an iteration is that takes long: how much of it is done and how
// long it may still take, as far as anything tells; "": it does not take long.
func Progress(s *engine.Snapshot) string {
	p := &s.Progress
	if p.Spent < longIteration {
		return ""
	}
	parts := []string{strconv.Itoa(int(p.Spent.Seconds())) + " s so far"}
	if !math.IsNaN(p.Share) {
		parts = append(parts, strconv.Itoa(int(100*p.Share))+" % done")
	}
	if p.Left > 0 {
		parts = append(parts, "about "+Roughly(p.Left)+" left")
	}
	if p.Events > 0 {
		parts = append(parts, grid.Count.String(float64(p.Events))+" events, virtual "+grid.Seconds.String(p.Clock.Seconds()))
	}
	return "iteration " + strconv.Itoa(s.Iteration+1) + ": " + strings.Join(parts, ", ")
}

// Roughly writes a span as one would say it.
func Roughly(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 90:
		return strconv.Itoa(int(math.Round(max(s, 1)))) + " s"
	case s < 90*60:
		return strconv.Itoa(int(math.Round(s/60))) + " min"
	}
	return strconv.FormatFloat(d.Hours(), 'f', 1, 64) + " h"
}
