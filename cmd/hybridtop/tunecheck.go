package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine/tuner"
)

func newTuneCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "check a table against performance guidelines",
		Long: "Time the choices of a table, and list violations of performance guidelines. No collective should be " +
			"slower than others that do the same " +
			"(allreduce and reduce with broadcast, gather and allgather, and more), or than itself with more bytes or ranks. " +
			"One more element or rank should not cost a multiple. The exit status is 1 if a guideline is violated.",
		Example: "hybridtop tune check ranger.table.toml --fabric sim --machine ranger",
	}
	tableArgument(cmd)
	where := addSiteFlags(cmd)
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := tuner.Load(args[0])
		if err != nil {
			return err
		}
		if !cmd.Flags().Changed("fabric") && f.Fabric == "live" {
			where.fabric = "live"
		}
		if where.machine == "" && f.Machine != "unknown" {
			where.machine = f.Machine
		}
		o, err := where.options(nil)
		if err != nil {
			return err
		}
		c := tuner.CheckOptions{Site: o.Site, Table: f.Table, Ranks: o.Ranks, PerNode: o.PerNode, Sizes: o.Sizes,
			Modes: o.Modes}
		line := newLine(cmd.ErrOrStderr())
		if line != nil {
			c.Progress = func(done, total int) { line.show(fmt.Sprintf("[%d/%d]", done, total)) }
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		bad, looked, err := tuner.Check(ctx, c)
		if line != nil {
			line.show("")
		}
		if code := interruption(ctx); code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		if err != nil {
			return err
		}
		if err := writeViolations(cmd, bad, looked, out); err != nil {
			return err
		}
		if len(bad) > 0 {
			return status(1)
		}
		return nil
	}
	return cmd
}

func writeViolations(cmd *cobra.Command, bad []tuner.Violation, looked int, out *format) error {
	w := cmd.OutOrStdout()
	side := func(s tuner.Side) map[string]any {
		return map[string]any{"collective": s.At.Collective.String(), "ranks": s.At.Ranks, "ranks_per_node": s.At.PerNode,
			"size":   s.At.Bytes,
			"choice": choiceJSON(s.Choice), "time": s.Took.Seconds()}
	}
	l := listing{what: "violations", columns: []string{"guideline", "call", "choice", "time", "others", "bound", "factor"}}
	list := []map[string]any{}
	for i := range bad {
		v := &bad[i]
		var others []map[string]any
		words := ""
		for j, o := range v.Others {
			others = append(others, side(o))
			if j > 0 {
				words += " + "
			}
			words += fmt.Sprintf("%s by %s: %s", o.At, o.Choice, o.Took)
		}
		list = append(list,
			map[string]any{"guideline": v.Guideline, "call": side(v.Call), "others": others, "bound": v.Bound.Seconds(),
				"factor": v.Factor()})
		e := entry{{"guideline", v.Guideline}, {"call", v.Call.At.String()}, {"choice", v.Call.Choice.String()},
			{"time", v.Call.Took.Seconds()},
			{"others", words}, {"bound", v.Bound.Seconds()}, {"factor", v.Factor()}}
		if !out.csv {
			e[3].value = v.Call.Took.String()
			e[5].value = v.Bound.String()
			e[6].value = fmt.Sprintf("%.2f", v.Factor())
		}
		l.entries = append(l.entries, e)
	}
	if out.json {
		return writeJSON(w, map[string]any{"schema": "hybridtop.guidelines.v1", "looked_at": looked, "violations": list})
	}
	if !out.csv {
		if _, err := fmt.Fprintf(w, "guidelines checked: %d, violated: %d\n", looked, len(bad)); err != nil || len(bad) == 0 {
			return err
		}
	}
	return l.write(w, out)
}
