package shapes

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/shapes"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "shapes", Title: "Shapes", Doc: "time and memory of ranks × threads on the cores of a node", Place: pane.Workload,
	Offered: isSimulated,
	Now:     func(*engine.Snapshot) bool { return false },
	New:     func() pane.Pane { return &Pane{} },
}

// isSimulated reports whether a run can be compared.
func isSimulated(s *engine.Snapshot) bool { return s.Scenario.Values["fabric"] == engine.Sim }

// Pane is the first row that is shown.
type Pane struct{ top int }

// Inputs returns the snapshot and the question.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Inquiry: h.InquiryOf(Spec.Name)}
}

// Actions returns the actions that scroll.
func (p *Pane) Actions() []pane.Action {
	isLong := func(h *pane.Host) bool { return h.InquiryOf(Spec.Name) != nil }
	scroll := func(by int) func(*pane.Host) { return func(*pane.Host) { p.top = max(0, p.top+by) } }
	return []pane.Action{
		{Name: "row-down", Do: scroll(+1), Ready: isLong},
		{Name: "row-up", Do: scroll(-1), Ready: isLong},
		{Name: "scroll-down", Do: scroll(+4), Ready: isLong},
		{Name: "scroll-up", Do: scroll(-4), Ready: isLong},
	}
}

// Draw draws the shapes, or the way to compare them.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	b := pane.Border{Right: h.KindWords()}
	q := h.InquiryOf(Spec.Name)
	name := h.Snap.Scenario.Workload
	switch {
	case q != nil && q.Shapes != nil:
		p.draw(v, q.Shapes, h, &b)
	case q != nil:
		h.WriteProgress(v, q, "shapes")
	case name == "":
		h.Empty(v)
	case !shapes.Has(name):
		h.WriteMessage(v, name+" does not use threads.", "Use "+or(shapes.Workloads())+".")
	case !isSimulated(h.Snap):
		h.WriteMessage(v, "Only simulations compare shapes.", "Press "+h.Keys("simulate")+" to simulate this run.")
	default:
		h.WriteMessage(v, "How many ranks, how many threads?", "Press "+h.Keys("shapes")+" to compare them.")
	}
	return b
}

// or returns a list of names.
func or(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// row is a shape, or a text.
type row struct {
	shape *shapes.Shape // nil: a text
	text  string
	style grid.Style
}

// column is a column of the table: its heading, and the width on a wide and on a narrow pane.
type column struct {
	heading, short string
	cols, fewer    int
}

// columns are the columns before the bars.
var columns = [...]column{{"", "", 3, 3}, {"ranks × threads", "shape", 16, 10}, {"time", "time", 9, 9},
	{"ratio", "", 7, 0}, {"memory per node", "per node", 16, 10}}

// Limits of the table: the least width of a pane with wide columns, the widths of bars, and the maximum number of rows
// of a shape.
const (
	wideW     = 70
	leastBar  = 4
	widestBar = 200
	maxPitch  = 4
)

// draw draws the conclusion, one bar per shape, and the problem. The bars fill a high pane.
func (p *Pane) draw(v grid.View, r *shapes.Report, h *pane.Host, b *pane.Border) {
	t := table{r: r, h: h, all: rows(r, h), pitch: 1}
	high, bars := t.draw(v.Sub(grid.Rect{W: v.W()}), 0), t.bars()
	if bars > 0 && v.H() > high {
		t.pitch = min(1+(v.H()-high)/bars, maxPitch)
		high += (t.pitch - 1) * bars
	}
	p.top = min(p.top, max(0, high-v.H()))
	t.draw(v, p.top)
	b.Above, b.Below = p.top > 0, high-p.top > v.H()
}

// rows returns the contents of the pane.
func rows(r *shapes.Report, h *pane.Host) (all []row) {
	th := h.Theme
	text := func(style grid.Style, s string) { all = append(all, row{text: h.Units.Text(s), style: style}) }
	text(th.Title, r.Conclusion())
	all = append(all, row{style: th.Dim}) // the headings
	for _, s := range r.Shapes {
		if s.Time > 0 {
			style := th.Text
			if s.Place == 1 {
				style = th.Good
			}
			all = append(all, row{shape: s, style: style})
		}
	}
	if why := r.Reason(seconds); why != "" {
		text(th.Text, why)
	}
	sc := &r.Scenario
	text(th.Dim, fmt.Sprintf("%s on %s, %s nodes × %d cores, %s: %s.", sc.Workload, sc.Text("machine"), sc.Text("nodes"), r.Cores,
		r.Kind, shapes.Text(r.Problem)))
	if r.Best() != nil {
		text(th.Dim, r.Results())
	}
	for _, s := range r.Shapes {
		if s.Time == 0 && s.Missing() != "" {
			text(th.Warning, s.Name()+" has no result: "+s.Missing())
		}
	}
	return all
}

func seconds(t cluster.Time) string { return grid.Seconds.String(t.Seconds()) }

// table is a comparison with the rows of the pane.
type table struct {
	r     *shapes.Report
	h     *pane.Host
	all   []row
	pitch int // rows of a shape
}

// bars returns the number of shapes with a time.
func (t *table) bars() (n int) {
	for i := range t.all {
		if t.all[i].shape != nil {
			n++
		}
	}
	return n
}

// draw draws rows from the row top on. It returns the number of all rows, also for a view without rows.
func (t *table) draw(v grid.View, top int) int {
	y := -top
	for i := range t.all {
		switch x := &t.all[i]; {
		case x.shape != nil:
			t.drawShape(v, y, x)
			y += t.pitch
		case x.text == "":
			drawCells(v, y, x.style, func(i int, wide bool) string {
				if wide {
					return columns[i].heading
				}
				return columns[i].short
			})
			y++
		default:
			f := grid.Flow{V: v, Y: y}
			f.Text(x.text, x.style)
			y = f.Y
		}
	}
	return y + top
}

// drawCells draws a row of the table, and returns the width of its columns.
func drawCells(v grid.View, y int, style grid.Style, text func(i int, wide bool) string) (at int) {
	for i := range columns {
		c := &columns[i]
		cols, wide := c.cols, v.W() >= wideW
		if !wide {
			cols = c.fewer
		}
		if cols > 0 {
			v.TextIn(at, y, cols-1, text(i, wide), grid.Right, style)
		}
		at += cols
	}
	return at
}

// drawShape draws a shape with its bar. The best one has a mark.
func (t *table) drawShape(v grid.View, y int, x *row) {
	s := x.shape
	cells := [len(columns)]string{strconv.Itoa(s.Place), s.Name(), seconds(s.Time), strconv.FormatFloat(t.r.Ratio(s), 'f', 3, 64),
		t.h.Units.Of("B").String(float64(s.MemoryPerNode))}
	if s.Place == 1 {
		v.Rune(0, y, '▸', x.style)
	}
	at := drawCells(v, y, x.style, func(i int, _ bool) string { return cells[i] })
	room := min(v.W()-at, widestBar)
	if room < leastBar {
		return
	}
	n := max(int(float64(room)*float64(s.Time)/float64(slowest(t.r))+0.5), 1)
	for down := range max(t.pitch-1, 1) {
		for c := range n {
			v.Rune(at+c, y+down, '█', x.style)
		}
	}
}

// slowest returns the longest time of a shape.
func slowest(r *shapes.Report) (most cluster.Time) {
	for _, s := range r.Shapes {
		most = max(most, s.Time)
	}
	return most
}
