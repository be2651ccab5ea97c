package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/presets"
)

func newReproduce() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce [FIGURE...|all]",
		Short: "simulate the papers' figures, and compare with published values",
		Long: "Run the papers' figures in virtual time on the papers' machines. Print published, simulated and " +
			"modelled values, " +
			"the relative error, its use (exact, fitted, predicted or verified), and whether it is within the stated " +
			"tolerance. " +
			"Without a figure, list the published values. The exit status is 0 if every verdict is as recorded, even a " +
			"refuted one. " +
			"It is 1 if a verdict changed, and 2 if something failed to run (docs/reproduce.md).",
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
	strict := cmd.Flags().Bool("strict", false, "exit with 1 unless everything passes, regardless of recorded verdicts")
	record := cmd.Flags().String("record", "",
		"write the verdicts into the figure files of this `DIRECTORY` (usually presets/figures)")
	var o reproduce.Options
	cmd.Flags().BoolVar(&o.Sense, "sensitivity", false,
		"also run with each assumed machine constant halved and doubled; --record stores the effect on each verdict")
	cmd.Flags().BoolVar(&o.Long, "long", false, "also run the long points; otherwise their rows are taken from the record")
	points := cmd.Flags().String("points", "",
		"`DIRECTORY` for finished points of --sensitivity and --long; default: hybridtop/points in the user's cache")
	page := cmd.Flags().String("html", "", "also write a report with charts into this `FILE`")
	must(cmd.MarkFlagFilename("html", "html"))
	file := cmd.Flags().String("out", "", "record the runs in this `FILE`, as hybridtop record does")
	must(cmd.MarkFlagFilename("out", "htr"))
	cmd.MarkFlagsMutuallyExclusive("strict", "record")
	for _, kept := range []string{"sensitivity", "long"} { // stored points do not run again
		cmd.MarkFlagsMutuallyExclusive("out", kept)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return listFigures(cmd.OutOrStdout(), out)
		}
		figures, err := findFigures(args)
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
			o.Keep, err = openPoints(*points)
			if err != nil {
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
			if err := claimsPage(report, figures, claims).In(inUnits).HTML(&b); err != nil {
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

// findFigures returns the figures with these names.
func findFigures(names []string) ([]presets.Figure, error) {
	figures, err := presets.FindFigures(names...)
	if err == nil {
		return figures, nil
	}
	valid := []string{"all"}
	all, _ := presets.Figures() // an error is the one of FindFigures
	for i := range all {
		paper, short, _ := strings.Cut(all[i].Name, "-")
		valid = append(valid, all[i].Name, paper, short)
	}
	for _, name := range names {
		if !slices.Contains(valid, name) {
			return nil, suggest(err, name, valid)
		}
	}
	return nil, err
}

// claimsOf returns all claims. If all figures are requested, it also returns the missing claims.
func claimsOf(figures []presets.Figure) (claims, missing []presets.Claim, err error) {
	claims, err = presets.Claims()
	if err != nil {
		return nil, nil, err
	}
	all, err := presets.Figures()
	if err == nil && len(figures) == len(all) {
		missing = presets.Missing(claims, figures)
	}
	return claims, missing, err
}

// keptRuns records the runs of reproduce, if requested.
type keptRuns struct {
	file   string
	writer *recording.Writer
	mu     sync.Mutex
	runs   []*recording.Run
	failed error
	stop   context.CancelCauseFunc
}

// begin opens the file. It returns a context that ends when writing fails.
func (k *keptRuns) begin(ctx context.Context, o *reproduce.Options) (context.Context, error) {
	if k.file == "" {
		return ctx, nil
	}
	var err error
	k.writer, err = recording.Create(k.file)
	if err != nil {
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

// end closes the file, and reports its content.
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
	return reportRecorded(w, k.file, k.runs)
}

// openPoints opens the store of finished points.
func openPoints(folder string) (*reproduce.Store, error) {
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no directory for finished points (use --points): %w", err)
		}
		folder = filepath.Join(cache, "hybridtop", "points")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return reproduce.NewStore(folder, program)
}

// listFigures lists the published values, one entry per check.
func listFigures(w io.Writer, f *format) error {
	figures, err := presets.Figures()
	if err != nil {
		return err
	}
	l := listing{what: "checks", columns: []string{"claim", "figure", "use", "rule", "says"}}
	for _, fig := range figures {
		for _, c := range fig.Checks {
			l.entries = append(l.entries, entry{
				{"claim", c.Claim}, {"figure", fig.Name}, {"check", c.Name}, {"title", fig.Title}, {"paper", fig.Paper},
				{"place", c.Place},
				{"quantity", c.Quantity}, {"series", c.Series}, {"machine", fig.Machine}, {"use", c.Use}, {"reason", c.Reason},
				{"rule", ruleText(c.Rule, c.Tolerance, c.Least, c.Most)},
				{"says", c.Says}, {"lost", fig.Lost}, {"leans", append([]string{}, c.DependsOn...)},
				{"fits", append([]string{}, c.Fits...)},
				{"recorded", recorded(c.Record.Verdict)}, {"refuted", append([]string{}, c.Record.RefutedRows()...)},
				{"decided", append([]string{}, c.Record.Decided...)},
			})
		}
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int { return a[0].value.(int) - b[0].value.(int) })
	return l.write(w, f)
}

// concludeReport writes the results of the figures, and returns the exit status.
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
			what = "failed"
		case row.Changed():
			what = "is " + verdict(row)
		case strict && !row.Pass:
			what = "is refuted"
		default:
			continue
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: claim %d, %s: %s %s: %s\n", row.Claim, where(row), row.Check, what,
			row.Note)
	}
	if code == 0 {
		return nil
	}
	return code
}

// recordVerdicts writes the verdicts into the figures' files, and reports each file that changed.
// It does not change a figure of which something failed to run.
func recordVerdicts(ctx context.Context, w io.Writer, directory string, figures []presets.Figure,
	r *reproduce.Report) error {
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
		before, err := inputfile.Read(file, presets.MaxFile)
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
		fmt.Fprintf(w, "hybridtop: not recorded, because something failed to run: %s\n", strings.Join(failed, ", "))
		return status(2)
	}
	return nil
}
