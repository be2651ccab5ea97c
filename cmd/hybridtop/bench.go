package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/bench"
	"github.com/hybridtop/hybridtop/presets"
)

func newBench() *cobra.Command {
	benches := []string{"sim", "threads", "collectives", "applications", "multigrid"}
	cmd := &cobra.Command{
		Use:   "bench [" + strings.Join(benches, "|") + "]",
		Short: "measure the hot paths and their limits on this host",
		Long: "Measure the hot paths of the live fabric on this host, each with its limit, measured in the same " +
			"process. An argument selects other measurements:\n\n  sim: speed of the simulator\n  threads: concurrent " +
			"threads of two ranks, compared with one thread\n  collectives: calls among 2, 8 and 64 ranks, compared with " +
			"the barrier\n  applications: kernels and waits of workloads, compared with one process alone\n  multigrid: " +
			"its faces compared with a plain loop, and its simulation\n\n" + bench.Statement,
		Example:   "hybridtop bench --only put8,pingpong8 --json",
		ValidArgs: benches,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(benches, args[0]) {
				err := fmt.Errorf("bench %q: want at most one of %s", args, strings.Join(benches, ", "))
				return suggest(err, args[0], benches)
			}
			return nil
		},
	}
	out := addFormat(cmd)
	o := bench.Options{Fabric: live.New()}
	cmd.Flags().StringSliceVar(&o.Only, "only", nil, "rows to measure; default: all")
	cmd.Flags().IntVar(&o.Rounds, "rounds", bench.DefaultRounds, "measurements of each side")
	cmd.Flags().StringVar(&o.Peers, "peers", "", "folder with compiled MPI programs to compare with")
	must(cmd.RegisterFlagCompletionFunc("only",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return slices.Concat(bench.Names(), bench.SimNames(), bench.ThreadNames(), bench.CollectiveNames(),
				bench.ApplicationNames(), bench.MultigridNames()), cobra.ShellCompDirectiveNoFileComp
		}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.Rounds < 1 {
			return fmt.Errorf("--rounds %d: want at least 1", o.Rounds)
		}
		var err error
		o.Machine, err = presets.Machine("this-host")
		if err != nil {
			return err
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		e := cmd.ErrOrStderr()
		progress := newLine(e)
		show := func(name string) {
			if progress != nil {
				progress.show(name)
			}
		}
		var rows []bench.Row
		switch {
		case len(args) == 0:
			rows, err = bench.Rows(ctx, o, show)
		case args[0] == "sim":
			rows, err = bench.SimRows(ctx, o.Only, simRounds, show)
		case args[0] == "multigrid":
			rows, err = bench.MultigridRows(ctx, o, show)
		case args[0] == "collectives":
			rows, err = bench.CollectiveRows(ctx, o, show)
		case args[0] == "applications":
			rows, err = bench.ApplicationRows(ctx, o, show)
		default:
			rows, err = bench.ThreadRows(ctx, o, show)
		}
		show("")
		if err == nil || len(rows) > 0 {
			err = errors.Join(writeRows(cmd, rows, out), err)
		}
		if code := interruption(ctx); code != 0 {
			code.say(e)
			return code
		}
		return err
	}
	return cmd
}

// simRounds is the number of timed runs of each simulation.
const simRounds = 5

func writeRows(cmd *cobra.Command, rows []bench.Row, f *format) error {
	w := cmd.OutOrStdout()
	if f.json {
		return writeJSON(w, map[string]any{
			"schema": "hybridtop.bench.v1", "statement": bench.Statement, "host": thisHost(),
			"rows": append([]bench.Row{}, rows...),
		})
	}
	if f.csv {
		var lines [][]string
		for _, r := range rows {
			limit, ratio := plain(r.Limit), plain(r.Ratio)
			if r.LimitMissing != "" {
				limit, ratio = "", ""
			}
			lines = append(lines,
				[]string{r.Name, plain(r.Value), r.Unit, string(r.Kind), limit, r.LimitName, ratio, plain(r.Target),
					r.LimitMissing})
		}
		return writeCSV(w,
			[]string{"name", "value", "unit", "kind", "limit", "limit_name", "ratio", "target", "limit_missing"}, lines)
	}
	t := newTable(w)
	t.row(bench.Statement)
	t.row()
	t.head("name", "value", "limit", "ratio", "target", "met", "allocs", "limit is", "compare with")
	var peers bool
	var missing []string
	for _, r := range rows {
		kept := "-"
		if met, ok := r.Met(); ok {
			kept = map[bool]string{true: "yes", false: "no"}[met]
		}
		limit, ratio := text(engine.Metric{Value: r.Limit, Unit: r.Unit}), fmt.Sprintf("%.2f", r.Ratio)
		if r.LimitMissing != "" {
			limit = "-"
			ratio = "-"
			kept = "no limit"
			missing = append(missing, fmt.Sprintf("%s has no limit: %s", r.Name, r.LimitMissing))
		}
		t.row(r.Name, text(engine.Metric{Value: r.Value, Unit: r.Unit}), limit, ratio,
			r.Want, kept, strconv.FormatFloat(r.Allocs, 'g', 3, 64), r.LimitName, r.Compare)
	}
	for _, r := range rows {
		for _, p := range r.Peers {
			if !peers {
				t.row()
				t.head("row", "library", "value", "limit", "ratio", "what")
				peers = true
			}
			limit, ratio := "-", "-"
			if p.Limit > 0 {
				limit, ratio = text(engine.Metric{Value: p.Limit, Unit: p.Unit}), fmt.Sprintf("%.2f", p.Ratio)
			}
			t.row(r.Name, p.Name, text(engine.Metric{Value: p.Value, Unit: p.Unit}), limit, ratio, p.Line)
		}
		for _, s := range r.PeersSkipped {
			if !slices.Contains(missing, s) {
				missing = append(missing, s)
			}
		}
	}
	if len(missing) > 0 {
		t.row()
		t.list(missing...)
	}
	return t.close()
}
