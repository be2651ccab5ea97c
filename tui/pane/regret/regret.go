package regret

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "regret", Title: "Regret", Doc: "the slowdown of an MPI library's own choices versus the fastest algorithm", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return isSimulated(s) && isCollective(s) },
	Now:     func(*engine.Snapshot) bool { return false },
	New:     func() pane.Pane { return &Pane{} },
}

func isSimulated(s *engine.Snapshot) bool { return s.Scenario.Values["fabric"] == engine.Sim }

// isCollective reports whether the workload is a single collective.
func isCollective(s *engine.Snapshot) bool { return s.Scenario.Values["collective"] != "" }

// Pane is the map, drawn for an answer.
type Pane struct{ heat grid.Heatmap }

// Inputs returns the snapshot and the question.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Inquiry: h.InquiryOf(Spec.Name)}
}

// Actions returns no actions: the keys of the question belong to the screen.
func (p *Pane) Actions() []pane.Action { return nil }

// Draw draws the map, or the way to make it.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	b := pane.Border{Right: h.KindWords()}
	q := h.InquiryOf(Spec.Name)
	switch {
	case q != nil && q.Regret != nil:
		p.draw(v, q.Regret, h)
	case q != nil:
		h.WriteProgress(v, q, "regret")
	case h.Snap.Layout.Nodes == 0:
		h.Empty(v)
	case !isCollective(h.Snap):
		h.WriteMessage(v, "This workload is not a single collective.", "Try "+h.Typed("workload allreduce")+".")
	case !isSimulated(h.Snap):
		h.WriteMessage(v, "Only simulations compare algorithms.", "Press "+h.Keys("simulate")+" to simulate this run.")
	default:
		h.WriteMessage(v, "Which algorithms do MPI libraries choose?", "Press "+h.Keys("regret")+" to compare them.")
	}
	return b
}

// Limits of the text: the number of slowdowns below the map, and the rows of the smallest map.
const (
	worst = 5
	mapH  = 6
)

// draw draws a heading, the map, and the largest slowdowns.
func (p *Pane) draw(v grid.View, l *tuner.LibraryMap, h *pane.Host) {
	head := []string{fmt.Sprintf("%s, %s on %s, %d ranks per node: time of its choice / fastest time, by ranks and bytes.", l.Library.Title,
		l.Collective, l.Machine, l.PerNode)}
	if rowsOf(v, head) > v.H()/3 {
		head[0] = l.Library.Name + ": its time / fastest"
	}
	top, rest := v.Local().CutTop(min(rowsOf(v, head), max(v.H()-mapH, 0)))
	write(v.Sub(top), head, h.Theme.Title)
	low := lowLines(l, h)
	for len(low) > 0 && rowsOf(v, low) > rest.H-mapH-len(l.Ranks) {
		low = low[:len(low)-1]
	}
	rest, below := rest.CutTop(rest.H - rowsOf(v, low))
	write(v.Sub(below), low, h.Theme.Dim)
	p.load(l, h)
	p.heat.Draw(v.Sub(rest), h.Theme)
}

// rowsOf returns the number of rows that lines need.
func rowsOf(v grid.View, lines []string) int {
	return write(v.Sub(grid.Rect{W: v.W()}), lines, grid.Style{})
}

// write writes lines, and returns the number of rows that they need.
func write(v grid.View, lines []string, style grid.Style) int {
	f := grid.Flow{V: v}
	for _, line := range lines {
		f.Text(line, style)
	}
	return f.Y
}

// lowLines returns the largest slowdowns.
func lowLines(l *tuner.LibraryMap, h *pane.Host) (all []string) {
	for _, m := range l.Worst(worst) {
		all = append(all, h.Units.Text(m.Words()))
	}
	if len(all) == 0 {
		all = append(all, "The library chooses the fastest algorithm everywhere.")
	}
	return all
}

// load sets the values of the map.
func (p *Pane) load(l *tuner.LibraryMap, h *pane.Host) {
	m := &p.heat
	*m = grid.Heatmap{Cols: len(l.Sizes), Digits: true, Bar: true, Wide: 9, Corner: "ranks",
		Axis: grid.Axis{Scale: grid.Log10, Unit: grid.Unit{Kind: grid.Plain, Symbol: "×"}}}
	for _, n := range l.Sizes {
		m.ColLabels = append(m.ColLabels, short(h.Units.Text(cluster.SizeText(float64(n)))))
	}
	for _, ranks := range l.Ranks {
		m.RowLabels = append(m.RowLabels, strconv.Itoa(ranks))
		for _, n := range l.Sizes {
			x := math.NaN()
			if at := l.At(ranks, n); at != nil {
				x = 1 + at.Regret()
			}
			m.Values = append(m.Values, x)
		}
	}
}

// short returns a size without its blank and the symbol of bytes: 4Ki.
func short(size string) string { return strings.TrimSuffix(strings.Replace(size, " ", "", 1), "B") }
