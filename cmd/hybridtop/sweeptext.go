package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// table writes the knobs and metrics of each point. If the kinds differ, a column has the kind of each point.
func (sw *sweepResult) table(w io.Writer) error {
	t := newTable(w)
	first := &sw.Rows[0]
	where := sw.machines()
	if len(where) > maxNamed {
		where = []string{fmt.Sprintf("%d machines", len(where))}
	}
	t.title(fmt.Sprintf("%s on %s: %s (%s)", sw.Scenario.Workload, strings.Join(where, " and "), points(len(sw.Rows)),
		sw.kindsText()))
	t.row()
	var head, names []string
	for _, k := range first.row.Knobs {
		head = append(head, k.Knob)
	}
	mixed := len(sw.kinds()) > 1
	if mixed {
		head = append(head, "kind")
	}
	for i := range sw.Rows {
		for _, name := range sw.Rows[i].order {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for part := range slices.Chunk(names, metricsAcross) {
		t.head(append(append(slices.Clone(head), part...), "verified")...)
		for i := range sw.Rows {
			r := &sw.Rows[i]
			var cells []string
			for _, k := range r.row.Knobs {
				cells = append(cells, k.Value)
			}
			if mixed {
				cells = append(cells, string(r.Kind))
			}
			for _, name := range part {
				cell := "-"
				if m, ok := r.Metrics[name]; ok {
					cell = text(m)
				}
				cells = append(cells, cell)
			}
			verdict := "no"
			switch {
			case r.failed():
				verdict = "failed"
			case r.Verified:
				verdict = "yes"
			}
			t.row(append(cells, verdict)...)
		}
		if err := t.close(); err != nil {
			return err
		}
		fmt.Fprintln(w)
		t = newTable(w)
	}
	return t.close()
}

// machines returns the machines of the points.
func (sw *sweepResult) machines() []string {
	var all []string
	for i := range sw.Rows {
		if m := sw.Rows[i].row.Snapshot.Machine; m != "" && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// kinds returns the kinds of the numbers of the points that ran.
func (sw *sweepResult) kinds() []engine.Kind {
	var all []engine.Kind
	for i := range sw.Rows {
		if k := sw.Rows[i].Kind; k != "" && !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

func (sw *sweepResult) kindsText() string {
	var words []string
	for _, k := range sw.kinds() {
		words = append(words, string(k))
	}
	return strings.Join(words, " and ")
}

// failures writes the first line of the reason of each failed point. Standard error has the
// complete text.
func (sw *sweepResult) failures(w io.Writer) error {
	t := newTable(w)
	head := false
	for i := range sw.Rows {
		r := &sw.Rows[i]
		if !r.failed() {
			continue
		}
		if !head {
			t.title("points that failed")
			head = true
		}
		why, _, _ := strings.Cut(r.Failure, "\n")
		t.row("  "+r.row.Name(), why)
	}
	return t.close()
}

// lates lists the points for which the host fell behind, with their restarts.
func (sw *sweepResult) lates(w io.Writer) error {
	t := newTable(w)
	head := false
	for i := range sw.Rows {
		r := &sw.Rows[i]
		words := latePhrase(r.Late)
		if r.row.Snapshot.Late() {
			words = strings.Join(append(r.Warnings, "its times are invalid"), "; ")
		}
		if words == "" {
			continue
		}
		if !head {
			t.row()
			t.title("points for which the host fell behind")
			head = true
		}
		t.row("  "+r.row.Name(), words, fmt.Sprintf("dilation %.4g", r.Dilation))
	}
	return t.close()
}

// maxNamed is the maximum number of machines that the title names.
const maxNamed = 3

// metricsAcross is the number of metrics in the columns of one table. Further metrics go into
// another table, so that lines fit on a screen.
const metricsAcross = 5

func points(n int) string {
	if n == 1 {
		return "1 point"
	}
	return strconv.Itoa(n) + " points"
}

// barCells is the width of a chart's longest bar.
const barCells = 40

// chart draws one bar per row, with ╌ at the law's prediction.
func (sw *sweepResult) chart(w io.Writer, metric string) error {
	longest := 0.0
	predicted := make(map[int]float64)
	if sw.Fit != nil && metric == sw.Fit.Metric {
		for _, p := range sw.Fit.Predictions {
			predicted[p.Row] = p.Predicted
			longest = max(longest, p.Predicted)
		}
	}
	shown := false
	for i := range sw.Rows {
		if v := engine.Finite(sw.Rows[i].Metrics[metric].Value); v != nil && *v > 0 {
			longest, shown = max(longest, *v), true
		}
	}
	if !shown || len(sw.Rows) < 2 {
		return nil
	}
	t := newTable(w)
	t.row()
	var kinds []string
	for i := range sw.Rows {
		if m, ok := sw.Rows[i].Metrics[metric]; ok && !slices.Contains(kinds, string(m.Kind)) {
			kinds = append(kinds, string(m.Kind))
		}
	}
	title := metric + ", " + strings.Join(kinds, " and ")
	if len(predicted) > 0 {
		title += "; ╌ the law, modelled"
	}
	t.title(title)
	for i := range sw.Rows {
		r := &sw.Rows[i]
		m, ok := r.Metrics[metric]
		if !ok {
			continue
		}
		marker := -1
		if p, ok := predicted[i]; ok {
			marker = cell(p, longest) - 1
		}
		cells := []string{r.row.Name(), bar(cell(m.Value, longest), marker), text(m)}
		if len(kinds) > 1 {
			cells = append(cells, string(m.Kind))
		}
		t.row(cells...)
	}
	return t.close()
}

// Limits for boxes of iteration times: number of points, and iterations per point.
const (
	minBoxes, maxBoxes = 2, 12
	minInBox           = 5
)

// boxes draws the distribution of iteration times at each point.
func (sw *sweepResult) boxes(w io.Writer) error {
	if len(sw.Rows) > maxBoxes {
		return nil
	}
	plot := grid.BoxPlot{Y: grid.Axis{Unit: grid.Seconds, FromZero: true}}
	for i := range sw.Rows {
		row := sw.Rows[i].row
		if row.Snapshot == nil || len(row.Snapshot.IterationTimes) < minInBox {
			continue
		}
		if spread, _, ok := grid.SpreadOf(row.Snapshot.IterationTimes, nil); ok {
			label := row.Name()
			if len(sw.kinds()) > 1 {
				label += ", " + string(sw.Rows[i].Kind)
			}
			plot.Items = append(plot.Items, grid.BoxItem{Label: label, Spread: spread})
		}
	}
	if len(plot.Items) < minBoxes {
		return nil
	}
	g := grid.New(figureWidth, figureHeight)
	plot.Draw(g.All(), grid.Themes()[0])
	_, err := fmt.Fprintf(w, "\niteration time, %s: ━ median, ┃ middle half, │ minimum to maximum\n%s",
		sw.kindsText(), g.PlainText())
	return err
}

func cell(v, longest float64) int {
	if engine.Finite(v) == nil || v <= 0 {
		return 0
	}
	return int(math.Round(v / longest * barCells))
}

// bar draws n of barCells cells, with a marker at one of them; −1: no marker.
func bar(n, marker int) string {
	var b strings.Builder
	for i := range barCells {
		switch {
		case i == marker:
			b.WriteString("╌")
		case i < n:
			b.WriteString("█")
		default:
			b.WriteString("·")
		}
	}
	return b.String()
}

// studies writes the rows of listed studies, if there are few points.
func (sw *sweepResult) studies(w io.Writer) error {
	if len(sw.Rows) > maxChanges {
		return nil
	}
	var all []error
	for i := range sw.Rows {
		all = append(all, writeStudies(w, sw.Rows[i].row.Name(), sw.Rows[i].row.Snapshot))
	}
	return errors.Join(all...)
}

// maxChanges is the maximum number of points whose changes are written.
const maxChanges = 24

// changes writes the effect of each point's knobs on the iteration time.
func (sw *sweepResult) changes(w io.Writer) error {
	if len(sw.Rows) > maxChanges {
		return nil
	}
	t := newTable(w)
	head := false
	for i := range sw.Rows {
		if c := sw.Rows[i].Change; c != "" {
			if !head {
				t.row()
				t.title("compared with the first point of the same work")
				head = true
			}
			t.row("  "+sw.Rows[i].row.Name(), c)
		}
	}
	return t.close()
}

// repeats writes the command that repeats the result bit for bit, for each point that the wall
// clock has ended.
func (sw *sweepResult) repeats(w io.Writer) error {
	t := newTable(w)
	head := false
	for i := range sw.Rows {
		r := &sw.Rows[i]
		if r.Repeat == nil {
			continue
		}
		if !head {
			t.row()
			t.title("ended by the wall clock; to repeat exactly these iterations")
			head = true
		}
		t.row("  "+r.row.Name(), iterations(r.Iterations), *r.Repeat)
	}
	return t.close()
}

// law writes the fit and its predictions.
func (sw *sweepResult) law(w io.Writer) error {
	f := sw.Fit
	if f == nil {
		return nil
	}
	t := newTable(w)
	t.row()
	var constants []string
	for _, m := range f.Constants {
		constants = append(constants, m.Name+" = "+text(m))
	}
	t.title(fmt.Sprintf("%s: %s (%s: share inside the %s)", f.Formula, strings.Join(constants, ", "), f.Share, f.Within))
	t.head("point", f.Share, "modelled", sw.kindsText(), "relative error")
	for _, p := range f.predictions {
		miss := "fitted"
		if !p.Fitted && p.Error != nil {
			miss = fmt.Sprintf("%+.1f %%", 100**p.Error)
		}
		name := sw.Rows[p.Row].row.Name()
		if name == "" {
			name = "-"
		}
		t.row(name, fmt.Sprintf("%.4g", p.Share), text(p.Predicted), text(p.Measured), miss)
	}
	return t.close()
}
