package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// adviceRow is a row of advice: columns of a candidate, or a text.
type adviceRow struct {
	cells [4]string // place, time, ratio and memory per node
	text  string
	style grid.Style
}

// Widths of the columns before a candidate's name.
var adviceCols = [4]int{6, 10, 8, 17}

// adviceW is the least width of a pane with all columns.
const adviceW = 70

// drawAdvice draws the conclusion, the ranking, the changes of the order, and the candidates that did not run.
func (p *Pane) drawAdvice(v grid.View, a *advise.Advice, h *pane.Host, b *pane.Border) {
	all := adviceRows(a, h)
	high := drawAdviceRows(v.Sub(grid.Rect{W: v.W()}), 0, all)
	p.top = min(p.top, max(0, high-v.H()))
	drawAdviceRows(v, p.top, all)
	b.Above, b.Below = p.top > 0, high-p.top > v.H()
}

// drawAdviceRows draws rows from the row top on. It returns the number of all rows, also for a view without rows.
func drawAdviceRows(v grid.View, top int, all []adviceRow) int {
	y := -top
	for i := range all {
		r, x := &all[i], 0
		if r.cells[0] != "" {
			for k, cell := range r.cells {
				if k >= 2 && v.W() < adviceW { // the choice needs the room
					break
				}
				v.TextIn(x, y, adviceCols[k]-1, cell, grid.Right, r.style)
				x += adviceCols[k]
			}
		}
		f := grid.Flow{V: v.Sub(grid.Rect{X: x, W: v.W() - x, H: v.H()}), Y: y}
		f.Text(r.text, r.style)
		y = max(f.Y, y+1)
	}
	return y + top
}

// adviceRows returns the conclusion and the rows below it.
func adviceRows(a *advise.Advice, h *pane.Host) (all []adviceRow) {
	th := h.Theme
	text := func(style grid.Style, format string, values ...any) {
		all = append(all, adviceRow{text: fmt.Sprintf(format, values...), style: style})
	}
	title := func(s string) {
		text(th.Text, " ")
		text(th.Accent, "%s", s)
	}
	if a.Winner() == nil {
		text(th.Title, "No candidate could run.")
	} else {
		text(th.Title, "%s", a.Conclusion(seconds))
	}
	all = append(all, adviceRow{cells: [4]string{"place", "time", "ratio", "memory per node"}, text: "choice", style: th.Dim})
	bytes := h.Units.Of("B")
	knobs := a.Knobs()
	for _, c := range a.Candidates {
		if c.Run == nil {
			continue
		}
		place := strconv.Itoa(c.Place)
		if a.Tied(c) > 0 {
			place += "="
		}
		st := th.Text
		if c.Place == 1 {
			st = th.Good
		}
		all = append(all, adviceRow{[4]string{place, seconds(c.Time), fmt.Sprintf("%.3f", a.Ratio(c)),
			bytes.Format(float64(c.MemoryPerNode), adviceCols[3]-1)}, choice(c, knobs), st})
	}
	for _, axis := range a.Late {
		text(th.Dim, "%s was varied only at the winners of the other knobs.", axis.Knob)
	}
	switch {
	case a.Winner() == nil:
	case a.NoSearch != "":
		title("No search for a change of the order: " + a.NoSearch)
	case len(a.Flips) > 0:
		title("The runner-up overtakes the winner (simulated 2 % before and after)")
		for i := range a.Flips {
			f := &a.Flips[i]
			text(th.Text, "%s ×%.3g: %s, %s", f.Key, f.Factor, h.Units.Of(f.Unit).String(f.Value), f.Source)
		}
	case a.Searched && len(a.Unproven) == 0:
		title("The paths predict no change of the order by a factor of up to 64 of one constant.")
	}
	for i := range a.Unproven {
		f := &a.Unproven[i]
		text(th.Dim, "%s: predicted at ×%.3g, but not confirmed: %s", f.Key, f.Predicted, f.Reason)
	}
	pruned := 0
	for _, c := range a.Candidates {
		if !c.Pruned {
			continue
		}
		if pruned++; pruned == 1 {
			title("Not simulated: the cost model puts them beyond 3× (modelled)")
		}
		text(th.Dim, "%s %s", grid.Seconds.Format(c.Modelled, 9), choice(c, knobs))
	}
	for i, r := range a.Refusals() {
		if i == 0 {
			title("Could not run")
		}
		text(th.Dim, "%s: %s", r.Name, r.Why)
	}
	return all
}

// choice returns the settings of a candidate that differ between candidates.
func choice(c *advise.Candidate, knobs []string) string {
	var words []string
	for _, k := range knobs {
		if value := c.Setting(k); value != "" {
			words = append(words, k+" "+value)
		}
	}
	text := strings.Join(words, ", ")
	if c.Own {
		text += " (the scenario)"
	}
	return text
}
