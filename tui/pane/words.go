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

// ClassSymbols are the symbols of the locality classes, for terminals without colours. They differ
// from the symbols of the kinds of number.
var ClassSymbols = [cluster.Classes]rune{cluster.InRank: '■', cluster.InNode: '▲', cluster.Remote: '▼'}

// ClassNames are the labels of the locality classes.
var ClassNames = [cluster.Classes]string{cluster.InRank: "self", cluster.InNode: "intra-node",
	cluster.Remote: "inter-node"}

// Integer is the unit of integers without a prefix.
var Integer = grid.Unit{Kind: grid.Plain}

// KindOf returns the grid's kind for a kind of number.
func KindOf(k engine.Kind) grid.Kind {
	return grid.Kind(max(0, slices.Index(engine.Kinds, k)))
}

// KindWords returns the symbol and the name of the kind of the run's numbers.
func (h *Host) KindWords() string {
	if h.Snap.Kind == "" {
		return ""
	}
	return string(h.Theme.Kind(KindOf(h.Snap.Kind)).Symbol) + " " + string(h.Snap.Kind)
}

// Or returns s, or other if s is empty.
func Or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Empty writes the reason why a chart has no data into the middle of a view.
func (h *Host) Empty(v grid.View) {
	text := "no data yet"
	switch h.Snap.Phase {
	case engine.Starting:
		text = "starting…"
	case engine.Paused:
		text = "paused, no data yet: space resume"
	case engine.Failed:
		text = "no data: the run failed"
	}
	v.TextIn(0, v.H()/2, v.W(), text, grid.Center, h.Theme.Dim)
}

// WriteMessage writes lines into the middle of a pane that has nothing else to show. The first line
// is emphasized.
func (h *Host) WriteMessage(v grid.View, lines ...string) {
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

// BaseLegend writes the legend of the baseline curves: their symbol, and the run that they come from.
func (h *Host) BaseLegend(v grid.View, symbol rune) {
	v.Rune(0, 0, symbol, h.Theme.Dim)
	v.TextIn(2, 0, v.W()-2, "baseline: "+h.Base.NameAndKind, grid.Left, h.Theme.Dim)
}

// RatioLegend returns the legend of the ratios on a heat map, or "" without a baseline.
func (h *Host) RatioLegend() string {
	if h.Base == nil {
		return ""
	}
	return "× baseline: " + h.Base.NameAndKind
}

// longIteration is the duration of an iteration from which its progress is shown.
const longIteration = 2 * time.Second

// Progress describes the progress of a long iteration: its elapsed time and, if known, the
// completed share and the remaining time. It returns "" for an iteration of less than
// longIteration.
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
		parts = append(parts,
			grid.Count.String(float64(p.Events))+" events, virtual time "+grid.Seconds.String(p.Clock.Seconds()))
	}
	return "iteration " + strconv.Itoa(s.Iteration+1) + ": " + strings.Join(parts, ", ")
}

// Roughly formats a duration with little precision: "20 s", "5 min", "1.5 h".
func Roughly(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 90:
		return strconv.Itoa(int(math.Round(max(s, 1)))) + " s"
	case s < 90*60:
		return strconv.Itoa(int(math.Round(s/60))) + " min"
	}
	return strconv.FormatFloat(d.Hours(), 'f', 1, 64) + " h"
}
