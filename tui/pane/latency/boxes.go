package latency

import (
	"math/bits"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// minBoxesRows is the minimum height of the pane in rows for a box plot of iteration times,
// boxesShare the share of the height that the plot gets.
const (
	minBoxesRows = 20
	boxesShare   = 0.4
)

// maxBoxes is the maximum number of boxes, minIterations the minimum number of iterations in a box.
const (
	maxBoxes      = 8
	minIterations = 4
)

// boxes is the box plot of iteration times, with the times that it shows.
type boxes struct {
	chart  grid.BoxPlot
	sorted []float64
	labels []string
	last   []int // iteration numbers in the labels
}

// draw draws the boxes at the bottom of v and returns the remaining view.
func (b *boxes) draw(v grid.View, snap *engine.Snapshot, th *grid.Theme) grid.View {
	if v.H() < minBoxesRows || v.W() < 24 || len(snap.IterationTimes) < minIterations {
		return v
	}
	rows := int(float64(v.H()) * boxesShare)
	b.drawBoxes(v.Sub(grid.Rect{Y: v.H() - rows, W: v.W(), H: rows}), snap, th)
	return v.Sub(grid.Rect{W: v.W(), H: v.H() - rows})
}

// minAloneRows is the minimum number of rows for boxes without anything else.
const minAloneRows = 6

// drawAlone draws the boxes if no accesses were timed. It reports whether there are any.
func (b *boxes) drawAlone(v grid.View, snap *engine.Snapshot, th *grid.Theme) bool {
	if v.H() < minAloneRows || v.W() < 24 || len(snap.IterationTimes) < minIterations {
		return false
	}
	v.TextIn(0, 0, v.W(), "no individual accesses timed", grid.Left, th.Dim)
	rows := min(v.H()-1, maxAloneRows)
	b.drawBoxes(v.Sub(grid.Rect{Y: 1, W: v.W(), H: rows}), snap, th)
	return true
}

// maxAloneRows is the maximum number of rows; more do not make the boxes clearer.
const maxAloneRows = 24

// drawBoxes draws the boxes on the whole view.
func (b *boxes) drawBoxes(in grid.View, snap *engine.Snapshot, th *grid.Theme) {
	b.group(snap.IterationTimes, snap.Iteration)
	kind := th.Kind(pane.KindOf(snap.Kind))
	for i := range b.chart.Items {
		b.chart.Items[i].Style = kind.Style
	}
	in.Text(grid.DrawLegendRow(in, 0, 0, th,
		[]grid.LegendItem{{Symbol: kind.Symbol, Name: "iteration time", Style: kind.Style}})+2, 0,
		legend(in), th.Dim)
	b.chart.Y = grid.Axis{Unit: grid.Seconds, FromZero: true}
	b.chart.Draw(in.Sub(grid.Rect{Y: 1, W: in.W(), H: in.H() - 1}), th)
}

// legend returns the legend of a box. In ASCII a heavy line looks the same as a light one, so it
// uses other symbols.
func legend(v grid.View) string {
	if v.ASCII() {
		return "- median # middle half | all"
	}
	return "━ median ┃ middle half │ all"
}

// group makes boxes with the same number of iterations each, a power of two. A box begins at a
// multiple of this number, so it does not move when more iterations follow.
func (b *boxes) group(times []float64, iteration int) {
	size := max(minIterations, 1<<bits.Len(uint(max(len(times)-1, 0)/maxBoxes)))
	b.chart.Items = b.chart.Items[:0]
	first := max(iteration-len(times), 0) // number of iterations before the first time
	for len(times) > 0 {
		n := min(size-first%size, len(times))
		first += n
		var it grid.BoxItem
		var ok bool
		it.Spread, b.sorted, ok = grid.SpreadOf(times[:n], b.sorted)
		if ok && (n == size || len(times) > n || len(b.chart.Items) == 0) {
			it.Label = b.label(len(b.chart.Items), first)
			b.chart.Items = append(b.chart.Items, it)
		}
		times = times[n:]
	}
}

// label returns the label of box i, the number of its last iteration. It formats the text only when
// the number changes.
func (b *boxes) label(i, last int) string {
	if i == len(b.labels) {
		b.labels, b.last = append(b.labels, ""), append(b.last, -1)
	}
	if b.last[i] != last {
		b.labels[i], b.last[i] = strconv.Itoa(last), last
	}
	return b.labels[i]
}
