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
	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// writeReport writes the results of the figures.
func writeReport(w io.Writer, r *reproduce.Report, f *format) error {
	switch {
	case f.json:
		return writeJSON(w, newReproduceResult(r))
	case f.csv:
		return reproduceCSV(w, r)
	}
	err := errors.Join(claims(w, r), charts(w, r), constants(w, r))
	_, last := fmt.Fprintf(w, "\n%s\n", r.Summary())
	if len(r.Missing) > 0 {
		last = errors.Join(last, missingClaims(w, r.Missing))
	}
	return errors.Join(err, last)
}

// missingClaims lists the claims without a run.
func missingClaims(w io.Writer, missing []presets.Claim) error {
	t := newTable(w)
	t.row()
	t.title("claims without a run so far")
	t.head("claim", "paper", "place", "statement")
	for _, c := range missing {
		t.row(strconv.Itoa(c.Number), strconv.Itoa(c.Paper), c.Place, c.Says)
	}
	return t.close()
}

// verdict returns a row's verdict and, if it has changed, the recorded one.
func verdict(row *reproduce.Row) string {
	v := string(row.Verdict())
	if !row.Changed() {
		return v
	}
	switch was := row.Recorded.VerdictOf(row.Name); was {
	case "":
		return v + ", not recorded"
	case row.Verdict():
		return v + ", recorded as decided by " + strings.Join(row.Recorded.Decided, " or ")
	default:
		return v + ", recorded as " + string(was)
	}
}

// where returns the series and x value of a row.
func where(r *reproduce.Row) string {
	if math.IsNaN(r.X) {
		return r.Series
	}
	return fmt.Sprintf("%s at %v", r.Series, r.X)
}

// claims writes one block per check.
func claims(w io.Writer, r *reproduce.Report) error {
	t := newTable(w)
	for i := range r.Rows {
		row := &r.Rows[i]
		if i == 0 || row.Check != r.Rows[i-1].Check || row.Figure != r.Rows[i-1].Figure {
			if i > 0 {
				t.row()
			}
			t.title(fmt.Sprintf("claim %d, %s, paper %d, %s: %s", row.Claim, reproduce.UseWord(row.Use), row.Paper, row.Place,
				row.Says))
			if row.Reason != "" {
				t.row("cannot fail: " + row.Reason)
			}
			t.row(fmt.Sprintf("%s, %s", row.Quantity, ruleText(row.Rule, row.Tolerance, row.Least, row.Most)))
			if row.Reach != "" {
				t.row("reachable, known from the outcome: " + row.Reach)
			}
			if row.Measure != "" {
				t.row("decisive measurement: " + row.Measure)
			}
			if s := row.Sensitivity(); s != "" {
				t.row("assumptions: " + s)
			}
			t.head("series", "at", "published", "simulated", "modelled", "error", "verdict", "decisive term")
		}
		c := newRowCells(row)
		t.row(row.Series, c.at, c.published, c.simulated, c.modelled, c.miss, verdict(row), c.note)
	}
	return t.close()
}

// rowCells holds the numbers of a row as text.
type rowCells struct{ at, published, simulated, modelled, miss, note string }

func newRowCells(row *reproduce.Row) rowCells {
	c := rowCells{at: "all", published: "in words", simulated: value(row, row.Simulated),
		modelled: value(row, row.Modelled), miss: "-", note: row.Note}
	if !math.IsNaN(row.X) {
		c.at, c.published = plain(row.X), "by formula"
	}
	if row.Rule == presets.Range || row.Rule == presets.Peaks {
		c.published = "a range"
	}
	if !math.IsNaN(row.Published) {
		c.published = value(row, row.Published)
	}
	if !math.IsNaN(row.Error) {
		c.miss = fmt.Sprintf("%+.2f %%", 100*row.Error)
	}
	if !math.IsNaN(row.Null) {
		c.note = fmt.Sprintf("null %+.2f %%; %s", 100*row.Null, row.Note)
	}
	return c
}

// value formats a number of a row. For a whole series it is relative, in percent.
func value(r *reproduce.Row, x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case r.Rule == presets.Crosses || r.Rule == presets.Peaks:
		return fmt.Sprintf("%.3g", x)
	case math.IsNaN(r.X):
		return fmt.Sprintf("%.3g %%", 100*x)
	}
	return text(engine.Metric{Name: r.Quantity, Value: x, Unit: r.Unit})
}

// Size of a figure's chart, in cells.
const (
	figureWidth  = 76
	figureHeight = 18
)

// charts writes each figure as a table of its points and as curves.
func charts(w io.Writer, r *reproduce.Report) error {
	var errs []error
	for i := 0; i < len(r.Curves); {
		last := i + 1
		for last < len(r.Curves) && r.Curves[last].Figure == r.Curves[i].Figure {
			last++
		}
		errs = append(errs, figureTable(w, r.Curves[i:last]), figureChart(w, r.Curves[i:last]))
		i = last
	}
	return errors.Join(errs...)
}

// figureTable writes the points: simulated and modelled values in adjacent columns.
func figureTable(w io.Writer, curves []reproduce.Curve) error {
	f := curves[0].Figure
	t := newTable(w)
	t.row()
	t.title(fmt.Sprintf("%s on %s: %s of paper %d", f.Name, f.Machine, f.Place, f.Paper))
	t.row(f.Title)
	if f.Lost != "" {
		t.row("lost: " + f.Lost)
	}
	head := []string{f.X}
	var xs []float64
	for _, c := range curves {
		head = append(head, c.Series.Label, "modelled")
		xs = append(xs, c.Series.X...)
	}
	t.head(head...)
	slices.Sort(xs)
	for _, x := range slices.Compact(xs) {
		cells := []string{plain(x)}
		for _, c := range curves {
			number := func(values []float64) string {
				i := slices.Index(c.Series.X, x)
				if i < 0 || math.IsNaN(values[i]) {
					return "-"
				}
				return text(engine.Metric{Name: f.Y, Value: values[i], Unit: c.Unit})
			}
			cells = append(cells, number(c.Simulated), number(c.Modelled))
		}
		t.row(cells...)
	}
	return t.close()
}

// figureChart draws simulated values as points, and modelled values as dashes.
func figureChart(w io.Writer, curves []reproduce.Curve) error {
	f, theme := curves[0].Figure, grid.Themes()[0]
	unit := grid.Count
	switch {
	case siUnits[curves[0].Unit]:
		unit = inUnits.Of(curves[0].Unit)
	case isShare(f.Y):
		unit = grid.Share
	}
	var values []float64
	for _, c := range curves {
		values = append(append(values, c.Simulated...), c.Modelled...)
	}
	scale, fromZero := spread(slices.DeleteFunc(values, math.IsNaN))
	chart := grid.LineChart{X: grid.Axis{Scale: grid.Log2}, Y: grid.Axis{Unit: unit, Scale: scale, FromZero: fromZero}}
	legend := []string{}
	for i, c := range curves {
		chart.Series = append(chart.Series, grid.Series{X: c.Series.X, Y: c.Modelled, Shape: grid.Dashed})
		legend = append(legend, string(theme.Glyph(i))+" "+c.Series.Label)
	}
	for i, c := range curves {
		chart.Series = append(chart.Series,
			grid.Series{X: c.Series.X, Y: c.Simulated, Shape: grid.Points, Glyph: theme.Glyph(i)})
	}
	g := grid.New(figureWidth, figureHeight)
	chart.Draw(g.All(), theme)
	_, err := fmt.Fprintf(w, "\n%s over %s: %s, simulated; ╌ modelled\n%s", f.Y, f.X, strings.Join(legend, "  "),
		g.PlainText())
	return err
}

// constants writes the constants that the claims depend on.
func constants(w io.Writer, r *reproduce.Report) error {
	if len(r.Constants) == 0 {
		return nil
	}
	t := newTable(w)
	t.row()
	t.title("constants, with the claims that depend on each")
	t.head("machine", "constant", "value", "claims", "fitted to", "source")
	for _, c := range r.Constants {
		fitted := "-"
		if len(c.FittedClaims) > 0 {
			fitted = "claim " + numbers(c.FittedClaims)
		}
		t.row(c.Machine, c.Key, factText(c.Fact), numbers(c.Claims), fitted, c.Source)
	}
	return t.close()
}

func numbers(all []int) string {
	var texts []string
	for _, n := range all {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(texts, " ")
}

// ruleText describes a rule.
func ruleText(r presets.Rule, tolerance, lo, hi float64) string {
	switch r {
	case presets.Within:
		return fmt.Sprintf("within %.4g %%", 100*tolerance)
	case presets.Sampling:
		return fmt.Sprintf("within %g standard errors of sampling", tolerance)
	case presets.Flat:
		return fmt.Sprintf("within %.4g %% of its mean", 100*tolerance)
	case presets.Direction:
		return "on the same side of 1"
	case presets.Crosses:
		return fmt.Sprintf("passes 1 within a factor of %g", tolerance)
	case presets.Range:
		return rangeText(lo, hi)
	case presets.Peaks:
		return rangeText(lo, hi)
	}
	return "rises from point to point"
}

func rangeText(lo, hi float64) string {
	switch {
	case math.IsInf(hi, 1):
		return fmt.Sprintf("at least %g", lo)
	case math.IsInf(lo, -1):
		return fmt.Sprintf("at most %g", hi)
	}
	return fmt.Sprintf("from %g to %g", lo, hi)
}
