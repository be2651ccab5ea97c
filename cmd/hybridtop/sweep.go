package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
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
