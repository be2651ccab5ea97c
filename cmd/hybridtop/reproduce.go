package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
)

func newReproduce() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce [FIGURE...|all]",
		Short: "run the papers' figures in virtual time, and check them against what is published",
		Long: "Run the papers' figures in virtual time on the papers' machines, and print what is published, simulated and modelled, " +
			"with the relative error, its use (exact, fitted, predicted or verified), and whether it passes the stated tolerance. " +
			"Without a figure, list what is published. The exit status is 0 if every verdict is as recorded, refuted ones included, " +
			"1 if one changed, and 2 if something failed to run (docs/reproduce.md).",
		Example: "hybridtop reproduce fig6 fig7",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			figures, err := presets.Figures()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			names := []string{"all"}
			for _, f := range figures {
				names = append(names, cobra.CompletionWithDesc(f.Name, f.Title))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	out := addFormat(cmd)
	strict := cmd.Flags().Bool("strict", false, "exit with 1 unless everything passed, whatever is recorded")
	record := cmd.Flags().String("record", "", "write the verdicts into the figure files of this `DIRECTORY` (presets/figures)")
	var o reproduce.Options
	cmd.Flags().BoolVar(&o.Sense, "sensitivity", false, "run again with each assumed constant of the machines halved and doubled; --record keeps what that does to each verdict")
	cmd.Flags().BoolVar(&o.Long, "long", false, "run the long points, too, whose rows are otherwise as recorded")
	points := cmd.Flags().String("points", "", "where --sensitivity and --long keep the points that are done, until all are recorded (default: hybridtop/points in the cache `DIRECTORY` of the user)")
	page := cmd.Flags().String("html", "", "write a report with charts into this `FILE`, beside what is printed")
	must(cmd.MarkFlagFilename("html", "html"))
	file := cmd.Flags().String("out", "", "record the runs in this `FILE`, as hybridtop record does")
	must(cmd.MarkFlagFilename("out", "htr"))
	cmd.MarkFlagsMutuallyExclusive("strict", "record")
	for _, kept := range []string{"sensitivity", "long"} { // of what is kept there is no run
		cmd.MarkFlagsMutuallyExclusive("out", kept)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return listFigures(cmd.OutOrStdout(), out)
		}
		figures, err := presets.FindFigures(args...)
		if err != nil {
			return err
		}
		claims, missing, err := claimsOf(figures)
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
		kept := &keptRuns{file: *file}
		running, err := kept.begin(ctx, &o)
		if err != nil {
			return err
		}
		if o.Sense || o.Long {
			if o.Keep, err = openPoints(*points); err != nil {
				return err
			}
		}
		report, err := reproduce.Run(running, figures, o, newSweepLine(cmd.ErrOrStderr()))
		if e := kept.end(cmd.ErrOrStderr()); e != nil {
			return e
		}
		if code := interruption(ctx); code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		if err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", err)
			return status(2)
		}
		report.Missing = missing
		if *page != "" {
			var b bytes.Buffer
			if err := claimsPage(report, figures, claims).HTML(&b); err != nil {
				return err
			}
			if err := atomicfile.Write(ctx, *page, b.Bytes()); err != nil {
				return err
			}
		}
		if *record != "" {
			err := recordVerdicts(ctx, cmd.ErrOrStderr(), *record, figures, report)
			if err == nil && o.Keep != nil {
				err = o.Keep.Clear()
			}
			return errors.Join(err, writeReport(cmd.OutOrStdout(), report, out))
		}
		return concludeReport(cmd, report, out, *strict)
	}
	return cmd
}

// claimsOf gives all claims, and those that are missing where all figures are wanted.
func claimsOf(figures []presets.Figure) (claims, missing []presets.Claim, err error) {
	if claims, err = presets.Claims(); err != nil {
		return nil, nil, err
	}
	all, err := presets.Figures()
	if err == nil && len(figures) == len(all) {
		missing = presets.Missing(claims, figures)
	}
	return claims, missing, err
}

// keptRuns keeps what reproduce runs in a recording, if one is asked for.
type keptRuns struct {
	file   string
	writer *recording.Writer
	mu     sync.Mutex
	runs   []*recording.Run
	failed error
	stop   context.CancelCauseFunc
}

// begin opens the file, and gives a context that ends when it cannot be written any more.
func (k *keptRuns) begin(ctx context.Context, o *reproduce.Options) (context.Context, error) {
	if k.file == "" {
		return ctx, nil
	}
	var err error
	if k.writer, err = recording.Create(k.file); err != nil {
		return nil, err
	}
	ctx, k.stop = context.WithCancelCause(ctx)
	go func() {
		select {
		case <-k.writer.Failed():
			k.stop(errRecording)
		case <-ctx.Done():
		}
	}()
	o.Observers = func(row *session.Row) engine.Observer {
		r, err := k.writer.Begin(recording.Facts{Sweep: row.Name(), Began: time.Now()})
		k.mu.Lock()
		defer k.mu.Unlock()
		if err != nil {
			k.failed = cmp.Or(k.failed, err)
			return nil
		}
		k.runs = append(k.runs, r)
		return r
	}
	return ctx, nil
}

// end closes the file, and says what is in it.
func (k *keptRuns) end(w io.Writer) error {
	if k.writer == nil {
		return nil
	}
	k.stop(nil)
	if err := k.writer.Close(); err != nil {
		return err
	}
	if k.failed != nil {
		return k.failed
	}
	return tellRecorded(w, k.file, k.runs)
}

// openPoints opens the store of points that are done.
func openPoints(folder string) (*reproduce.Store, error) {
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no place for points that are done; name one by --points: %w", err)
		}
		folder = filepath.Join(cache, "hybridtop", "points")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return reproduce.NewStore(folder, program)
}

// listFigures lists what is published, an entry a check.
func listFigures(w io.Writer, f *format) error {
	figures, err := presets.Figures()
	if err != nil {
		return err
	}
	l := listing{what: "checks", columns: []string{"claim", "figure", "use", "rule", "says"}}
	for _, fig := range figures {
		for _, c := range fig.Checks {
			l.entries = append(l.entries, entry{
				{"claim", c.Claim}, {"figure", fig.Name}, {"check", c.Name}, {"title", fig.Title}, {"paper", fig.Paper}, {"place", c.Place},
				{"quantity", c.Quantity}, {"series", c.Series}, {"machine", fig.Machine}, {"use", c.Use}, {"reason", c.Reason}, {"rule", ruleText(c.Rule, c.Tolerance, c.Least, c.Most)},
				{"says", c.Says}, {"lost", fig.Lost}, {"leans", append([]string{}, c.Leans...)}, {"fits", append([]string{}, c.Fits...)},
				{"recorded", recorded(c.Record.Verdict)}, {"refuted", append([]string{}, c.Record.Refuted...)}, {"decided", append([]string{}, c.Record.Decided...)},
			})
		}
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int { return a[0].value.(int) - b[0].value.(int) })
	return l.write(w, f)
}

// ruleText says a rule for people.
func ruleText(r presets.Rule, tolerance, least, most float64) string {
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
		return rangeText(least, most)
	case presets.Peaks:
		return rangeText(least, most)
	}
	return "rises from point to point"
}

func rangeText(least, most float64) string {
	switch {
	case math.IsInf(most, 1):
		return fmt.Sprintf("at least %g", least)
	case math.IsInf(least, -1):
		return fmt.Sprintf("at most %g", most)
	}
	return fmt.Sprintf("from %g to %g", least, most)
}

// concludeReport writes what the figures came to, and gives the exit status.
func concludeReport(cmd *cobra.Command, r *reproduce.Report, f *format, strict bool) error {
	if err := writeReport(cmd.OutOrStdout(), r, f); err != nil {
		return err
	}
	code := status(0)
	switch {
	case strict && !r.Pass():
		code = 1
	case strict:
	case r.Any(func(row *reproduce.Row) bool { return row.Failed }):
		code = 2
	case r.Any((*reproduce.Row).Changed):
		code = 1
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		what := ""
		switch {
		case row.Failed:
			what = "has failed"
		case row.Changed():
			what = "is " + verdict(row)
		case strict && !row.Pass:
			what = "is refuted"
		default:
			continue
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: claim %d, %s: %s %s: %s\n", row.Claim, where(row), row.Check, what, row.Note)
	}
	if code == 0 {
		return nil
	}
	return code
}

// writeReport writes what the figures came to.
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

// missingClaims lists the claims that nothing runs.
func missingClaims(w io.Writer, missing []presets.Claim) error {
	t := newTable(w)
	t.row()
	t.title("claims that nothing runs yet")
	t.head("claim", "paper", "place", "says")
	for _, c := range missing {
		t.row(strconv.Itoa(c.Number), strconv.Itoa(c.Paper), c.Place, c.Says)
	}
	return t.close()
}

// verdict is a row's, and where that has changed what is recorded.
func verdict(row *reproduce.Row) string {
	v := string(row.Verdict())
	if !row.Changed() {
		return v
	}
	switch was := row.Recorded.Of(row.Name); was {
	case "":
		return v + ", not recorded"
	case row.Verdict():
		return v + ", recorded as decided by " + strings.Join(row.Recorded.Decided, " or ")
	default:
		return v + ", recorded as " + string(was)
	}
}

// recordVerdicts writes the verdicts into the figures' files, and tells of each that
// changed. A figure of which something failed to run stays as it is.
func recordVerdicts(ctx context.Context, w io.Writer, directory string, figures []presets.Figure, r *reproduce.Report) error {
	records := r.Records()
	var failed []string
	for i := range figures {
		f := &figures[i]
		checks, ran := records[f.Name]
		if !ran {
			failed = append(failed, f.Name)
			continue
		}
		file := filepath.Join(directory, f.Name+".toml")
		before, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		after, err := presets.WriteRecords(f, file, before, checks)
		if err != nil {
			return err
		}
		if bytes.Equal(before, after) {
			continue
		}
		if err := atomicfile.Write(ctx, file, after); err != nil {
			return err
		}
		fmt.Fprintln(w, "hybridtop: recorded", file)
	}
	if len(failed) > 0 {
		fmt.Fprintf(w, "hybridtop: not recorded, since something failed to run: %s\n", strings.Join(failed, ", "))
		return status(2)
	}
	return nil
}

// where says at which series and place a row is.
func where(r *reproduce.Row) string {
	if math.IsNaN(r.X) {
		return r.Series
	}
	return fmt.Sprintf("%s at %v", r.Series, r.X)
}

// claims writes a block a check.
func claims(w io.Writer, r *reproduce.Report) error {
	t := newTable(w)
	for i := range r.Rows {
		row := &r.Rows[i]
		if i == 0 || row.Check != r.Rows[i-1].Check || row.Figure != r.Rows[i-1].Figure {
			if i > 0 {
				t.row()
			}
			t.title(fmt.Sprintf("claim %d, %s, paper %d, %s: %s", row.Claim, reproduce.UseWord(row.Use), row.Paper, row.Place, row.Says))
			if row.Reason != "" {
				t.row("cannot fail: " + row.Reason)
			}
			t.row(fmt.Sprintf("%s, %s", row.Quantity, ruleText(row.Rule, row.Tolerance, row.Least, row.Most)))
			if row.Reach != "" {
				t.row("reachable, seen from the outcome: " + row.Reach)
			}
			if row.Measure != "" {
				t.row("what would decide: " + row.Measure)
			}
			if s := row.Sensitivity(); s != "" {
				t.row("assumptions: " + s)
			}
			t.head("series", "at", "published", "simulated", "modelled", "error", "verdict", "what decides")
		}
		c := newRowCells(row)
		t.row(row.Series, c.at, c.published, c.simulated, c.modelled, c.miss, verdict(row), c.note)
	}
	return t.close()
}

// rowCells are the numbers of a row for people.
type rowCells struct{ at, published, simulated, modelled, miss, note string }

func newRowCells(row *reproduce.Row) rowCells {
	c := rowCells{at: "all", published: "in words", simulated: value(row, row.Simulated), modelled: value(row, row.Modelled), miss: "-", note: row.Note}
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

// value is a number of a row for people; of a series as a whole it is relative.
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

// charts draws each figure: as a table of its points, and as curves.
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

// figureTable writes the points, simulated and modelled side by side.
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

// figureChart draws simulated points, and the model as dashes.
func figureChart(w io.Writer, curves []reproduce.Curve) error {
	f, theme := curves[0].Figure, grid.Themes()[0]
	unit, known := units[curves[0].Unit]
	if !known && strings.HasSuffix(f.Y, "_share") {
		unit = grid.Share
	}
	chart := grid.LineChart{X: grid.Axis{Scale: grid.Log2}, Y: grid.Axis{Unit: unit, FromZero: true}}
	legend := []string{}
	for i, c := range curves {
		chart.Series = append(chart.Series, grid.Series{X: c.Series.X, Y: c.Modelled, Shape: grid.Dashed})
		legend = append(legend, string(theme.Glyph(i))+" "+c.Series.Label)
	}
	for i, c := range curves {
		chart.Series = append(chart.Series, grid.Series{X: c.Series.X, Y: c.Simulated, Shape: grid.Points, Glyph: theme.Glyph(i)})
	}
	g := grid.New(figureWidth, figureHeight)
	chart.Draw(g.All(), theme)
	_, err := fmt.Fprintf(w, "\n%s over %s: %s, simulated; ╌ modelled\n%s", f.Y, f.X, strings.Join(legend, "  "), g.PlainText())
	return err
}

// constants writes what the claims lean on.
func constants(w io.Writer, r *reproduce.Report) error {
	if len(r.Constants) == 0 {
		return nil
	}
	t := newTable(w)
	t.row()
	t.title("constants, and the claims that lean on each")
	t.head("machine", "constant", "value", "claims", "fitted to", "source")
	for _, c := range r.Constants {
		fitted := "-"
		if len(c.Sets) > 0 {
			fitted = "claim " + numbers(c.Sets)
		}
		t.row(c.Machine, c.Key, factText(c.Fact), numbers(c.Leans), fitted, c.Source)
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
