package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/tui/grid"
)

func newSweep() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep [WORKLOAD]",
		Short: "run a workload at every combination of knob values",
		Long: "Run a workload once at every combination of knob values. Each knob accepts a list with commas. The range " +
			"1..64 doubles from 1 to 64, and 1..64..3 has steps of 3. " +
			"Knobs that change together have one list: --ranks-per-node,threads 1x8,2x4. " +
			"Simulations run in parallel on all cores. Live points run one after another, so that they do not disturb " +
			"each other. " +
			"In a sweep over group sizes, l_l and l_r of the locality law are fitted to the smallest and largest share, " +
			"and the law predicts the others.",
		Example: "hybridtop sweep randomaccess --group 1,2,4,8,16",
	}
	workloadArgument(cmd)
	limits := addLimits(cmd, 2*time.Second, "each point")
	out := addFormat(cmd)
	chart := cmd.Flags().String("chart", "",
		"metric of the chart; default: from the workload's study, or the first metric")
	picture := addPicture(cmd, " of the last point that ran")
	page := cmd.Flags().String("html", "", "also write a report with charts into this `FILE`")
	must(cmd.MarkFlagFilename("html", "html"))
	knobs := addKnobs(cmd, true)
	knobs.addLauncher(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		sc, axes, options, err := knobs.request(cmd, args, limits)
		if err != nil {
			return err
		}
		metric, err := chartMetric(sc.Workload, *chart)
		if err != nil {
			return err
		}
		of, err := picture.read()
		if err != nil {
			return err
		}
		if *page != "" {
			if err := atomicfile.Check(*page); err != nil {
				return err
			}
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		rows, err := session.Sweep(ctx, sc, axes, options, newSweepLine(cmd.ErrOrStderr()))
		if err != nil && !errors.Is(err, context.Cause(ctx)) {
			return err
		}
		sw := newSweepResult(sc, rows)
		for i := range sw.Rows {
			sw.Rows[i].Repeat = repeats(cmd, rows[i].Snapshot, rows[i].Knobs)
		}
		var drawing error
		if len(rows) > 0 {
			drawing = writePicture(ctx, cmd.ErrOrStderr(), of, lastRun(rows))
		}
		if err := sw.write(cmd.OutOrStdout(), out, metric); err != nil {
			return err
		}
		if *page != "" {
			if err := writeSweepPage(ctx, *page, sc, rows, metric, options.Machines); err != nil {
				return err
			}
		}
		if code := interruption(ctx); code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		return cmp.Or(sw.status(cmd.ErrOrStderr()), drawing)
	}
	return cmd
}

// lastRun returns the last point that did not fail, or the last point if all failed.
func lastRun(rows []session.Row) *engine.Snapshot {
	for i := range slices.Backward(rows) {
		if s := rows[i].Snapshot; s.Failure == "" {
			return s
		}
	}
	return rows[len(rows)-1].Snapshot
}

// chartMetric finds the metric to draw.
func chartMetric(name, requested string) (string, error) {
	w, err := workload.Find(name)
	if err != nil {
		return "", err
	}
	var all []string
	for _, m := range slices.Concat(w.Metrics, w.Derived) {
		all = append(all, m.Name)
	}
	switch {
	case requested != "" && !slices.Contains(all, requested):
		return "",
			suggest(fmt.Errorf("--chart %s: for %s, want one of %s", requested, name, strings.Join(all, ", ")), requested, all)
	case requested != "":
		return requested, nil
	}
	for _, st := range w.Studies {
		if st.Metric != "" {
			return st.Metric, nil
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	return all[0], nil
}

// sweepResult is the result of a sweep, as docs/json.md describes it.
type sweepResult struct {
	Schema   string          `json:"schema"`
	Scenario engine.Scenario `json:"scenario"`
	Verified bool            `json:"verified"`
	Rows     []sweepRow      `json:"rows"`
	Fit      *fitResult      `json:"fit"`
	NoFit    string          `json:"no_fit"`
	Host     host            `json:"host"`
}

type sweepRow struct {
	Knobs        map[string]any           `json:"knobs"`
	Metrics      map[string]engine.Metric `json:"metrics"`
	Verified     bool                     `json:"verified"`
	Verification engine.Verification      `json:"verification"`
	Iterations   int                      `json:"iterations"`
	Kind         engine.Kind              `json:"kind"`
	Dilation     float64                  `json:"dilation"`
	Late         []float64                `json:"dilations_late"`
	virtual
	Warnings []string              `json:"warnings"`
	Failure  string                `json:"failure"`
	Change   string                `json:"change"`
	Studies  map[string][]studyRow `json:"studies"`

	row   *session.Row
	order []string
}

// fitResult is a fitted law: its constants by name, the meaning of local, and its predictions.
type fitResult struct {
	*engine.Fit
	predictions []prediction
}

// MarshalJSON writes the keys sorted by name.
func (f *fitResult) MarshalJSON() ([]byte, error) {
	all := map[string]any{"local_within": f.Within, "predictions": f.predictions}
	for _, m := range f.Constants {
		all[m.Name] = m
	}
	return json.Marshal(all)
}

type prediction struct {
	Row       int           `json:"row"`
	Share     float64       `json:"share"`
	Predicted engine.Metric `json:"predicted"`
	Measured  engine.Metric `json:"measured"`
	Error     *float64      `json:"relative_error"`
	Fitted    bool          `json:"fitted"`
}

func newSweepResult(sc engine.Scenario, rows []session.Row) *sweepResult {
	sw := &sweepResult{Schema: "hybridtop.sweep.v1", Scenario: sc, Verified: len(rows) > 0, Rows: []sweepRow{},
		Host: thisHost()}
	changes := session.Changes(rows)
	for i := range rows {
		snap := rows[i].Snapshot
		r := newResult(snap, false)
		row := sweepRow{
			Knobs: make(map[string]any), Metrics: r.Metrics, Verified: r.Verified, Verification: r.Verification,
			Iterations: r.Iterations, Kind: r.Kind, Dilation: r.Dilation, Late: append(r.Late, rows[i].Late...),
			virtual: r.virtual, Warnings: r.Warnings, Failure: r.Failure, Change: changes[i], Studies: r.Studies,
			row: &rows[i], order: r.order,
		}
		for _, k := range rows[i].Knobs {
			if n, err := strconv.ParseInt(k.Value, 10, 64); err == nil {
				row.Knobs[k.Knob] = n
			} else {
				row.Knobs[k.Knob] = k.Value
			}
		}
		sw.Verified = sw.Verified && r.Verified
		sw.Rows = append(sw.Rows, row)
	}
	fit, err := session.FitRows(rows)
	if err != nil {
		sw.NoFit = err.Error()
		return sw
	}
	kind := rows[0].Snapshot.Kind
	f := &fitResult{Fit: fit}
	for _, p := range fit.Predictions {
		f.predictions = append(f.predictions, prediction{
			Row: p.Row, Share: p.Share, Error: engine.Finite(p.Error), Fitted: p.Fitted,
			Predicted: engine.Metric{Value: p.Predicted, Unit: "s", Kind: engine.Modelled},
			Measured:  engine.Metric{Value: p.Measured, Unit: "s", Kind: kind},
		})
	}
	sw.Fit = f
	return sw
}

// status reports the failed and unverified rows on w, and returns the exit status.
func (sw *sweepResult) status(w io.Writer) error {
	if sw.Verified {
		return nil
	}
	for i := range sw.Rows {
		r := &sw.Rows[i]
		name := ""
		if n := r.row.Name(); n != "" {
			name = n + ": "
		}
		switch {
		case r.Failure != "":
			fmt.Fprintf(w, "hybridtop: %s%s\n", name, r.Failure)
		case !r.Verified:
			fmt.Fprintf(w, "hybridtop: %s%s\n", name, unverified(r.row.Snapshot))
		}
	}
	return status(1)
}

func (sw *sweepResult) write(w io.Writer, f *format, metric string) error {
	switch {
	case f.json:
		return writeJSON(w, sw)
	case f.csv:
		return sw.csv(w)
	}
	if len(sw.Rows) == 0 {
		return nil
	}
	return errors.Join(sw.table(w), sw.failures(w), sw.lates(w), sw.chart(w, metric), sw.boxes(w), sw.changes(w),
		sw.repeats(w), sw.law(w), sw.studies(w))
}

// failed reports whether a point was refused or failed.
func (r *sweepRow) failed() bool { return r.Failure != "" }

// csv writes tidy data: one line per point and metric. If a point failed, there is a column with
// the reason, and the point has a line even without a metric.
func (sw *sweepResult) csv(w io.Writer) error {
	anyFailed := slices.ContainsFunc(sw.Rows, func(r sweepRow) bool { return r.failed() })
	var head []string
	var lines [][]string
	for i := range sw.Rows {
		r := &sw.Rows[i]
		var knobs []string
		head = head[:0]
		for _, k := range r.row.Knobs {
			head, knobs = append(head, k.Knob), append(knobs, k.Value)
		}
		line := func(cells ...string) {
			cells = append(append(slices.Clone(knobs), cells...), strconv.FormatBool(r.Verified))
			if anyFailed {
				cells = append(cells, r.Failure)
			}
			lines = append(lines, cells)
		}
		for _, name := range r.order {
			m := r.Metrics[name]
			line(name, plain(m.Value), m.Unit, string(m.Kind))
		}
		if r.failed() && len(r.order) == 0 {
			line("", "", "", string(r.Kind))
		}
	}
	head = append(head, "metric", "value", "unit", "kind", "verified")
	if anyFailed {
		head = append(head, "failure")
	}
	return writeCSV(w, head, lines)
}

func (sw *sweepResult) table(w io.Writer) error {
	t := newTable(w)
	first := &sw.Rows[0]
	t.title(fmt.Sprintf("%s on %s: %s (%s)", sw.Scenario.Workload, first.row.Snapshot.Machine, points(len(sw.Rows)),
		first.Kind))
	t.row()
	var head, names []string
	for _, k := range first.row.Knobs {
		head = append(head, k.Knob)
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
	has := slices.IndexFunc(sw.Rows, func(r sweepRow) bool { _, ok := r.Metrics[metric]; return ok })
	title := fmt.Sprintf("%s, %s", metric, sw.Rows[has].Metrics[metric].Kind)
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
		t.row(r.row.Name(), bar(cell(m.Value, longest), marker), text(m))
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
			plot.Items = append(plot.Items, grid.BoxItem{Label: row.Name(), Spread: spread})
		}
	}
	if len(plot.Items) < minBoxes {
		return nil
	}
	g := grid.New(figureWidth, figureHeight)
	plot.Draw(g.All(), grid.Themes()[0])
	_, err := fmt.Fprintf(w, "\niteration time, %s: ━ median, ┃ middle half, │ minimum to maximum\n%s",
		sw.Rows[0].Kind, g.PlainText())
	return err
}

func cell(v, longest float64) int {
	if engine.Finite(v) == nil || v <= 0 {
		return 0
	}
	return int(math.Round(v / longest * barCells))
}

// bar draws n of barCells cells, with a mark at one of them; −1: no mark.
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
	t.head("point", f.Share, "modelled", string(sw.Rows[0].Kind), "relative error")
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
