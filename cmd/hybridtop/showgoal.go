package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/goal"
	"github.com/hybridtop/hybridtop/internal/inputfile"
)

// maxGoal is the maximum number of operations and requirements of a GOAL file in memory, about
// 100 bytes each.
const maxGoal = 1 << 23

func newShowGoal() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "goal FILE",
		Short: "summarize a GOAL file, and predict its time",
		Long: "Read GOAL text (for LogGOPS simulators; show schedule --to goal writes it), and compute its time message " +
			"by message: " +
			"sends are eager, and links are not shared. A program that deadlocks is an error, with the waiting ranks. FILE " +
			"may be - for standard input.",
		Example: "hybridtop show goal binomial.goal --machine demo",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("show goal: want one file")
			}
			return nil
		},
	}
	var machine string
	var latency, overhead, gap, perByte time.Duration
	f := cmd.Flags()
	f.StringVar(&machine, "machine", "", "machine for the times of messages between nodes: a name or a file")
	f.DurationVar(&latency, "latency", 2500*time.Nanosecond, "L: latency")
	f.DurationVar(&overhead, "overhead", 1500*time.Nanosecond, "o: CPU time per message, at each end")
	f.DurationVar(&gap, "gap", 1000*time.Nanosecond, "g: minimum time between two messages of an adapter")
	f.DurationVar(&perByte, "per-byte", 6*time.Nanosecond, "G: time per byte")
	for _, flag := range []string{"latency", "overhead", "gap", "per-byte"} {
		cmd.MarkFlagsMutuallyExclusive("machine", flag)
	}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c := coll.Cost{L: span(latency), O: span(overhead), Gap: span(gap), G: span(perByte)}
		if c.L < 0 || c.O < 0 || c.Gap < 0 || c.G < 0 {
			return errors.New("times of a message: want at least 0")
		}
		if machine != "" {
			m, err := machineOf(machine)
			if err != nil {
				return err
			}
			c, err = coll.CostOf(&m)
			if err != nil {
				return err
			}
		}
		in := cmd.InOrStdin()
		if args[0] != "-" {
			file, err := inputfile.Open(args[0], inputfile.Unlimited)
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		}
		g, err := goal.Load(in, maxGoal)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		t, err := g.Price(c)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return showGoal(cmd.OutOrStdout(), out, g, t)
	}
	return cmd
}

func span(d time.Duration) cluster.Time { return cluster.Time(d) * cluster.Nanosecond }

func showGoal(w io.Writer, out *format, g *goal.Program, t *coll.Trace) error {
	l := listing{what: "goal",
		columns: []string{"ranks", "operations", "messages", "receives", "bytes", "unreceived", "time"}}
	e := entry{
		{"ranks", g.Size()}, {"operations", g.Ops}, {"messages", g.Messages}, {"receives", g.Receives},
		{"bytes", g.Bytes}, {"unreceived", t.Unreceived}, {"time", t.Last().Seconds()},
	}
	if out.json {
		all := map[string]any{"schema": "hybridtop.goal.v1"}
		for _, x := range e {
			all[x.name] = x.value
		}
		return writeJSON(w, all)
	}
	if !out.csv {
		e[6].value = t.Last().String()
	}
	l.entries = []entry{e}
	return l.write(w, out)
}
