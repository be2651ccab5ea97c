package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/goal"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

func newRunGoal() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "goal",
		Short: "replay a schedule that others made, on a simulated machine",
		Long: "Read GOAL text, and run it on sim: on any machine, with its network, its eager limit and its noise, " +
			"or on one of LogGOPS parameters alone, to hold the time against other simulators. Ranks are dealt to nodes in their order. " +
			"A program that cannot end is refused with the ranks that wait. The file - is standard input. show goal prices a file by the model, without a run.",
		Example: "hybridtop run goal --trace stencil.goal --machine ranger --ranks-per-node 16",
		Args:    cobra.NoArgs,
	}
	var trace, machine string
	var latency, overhead, gap, perByte, overheadByte time.Duration
	var eager int64
	var perNode int
	var seed uint64
	f := cmd.Flags()
	f.StringVar(&trace, "trace", "", "the GOAL file")
	f.StringVar(&machine, "machine", "", "a name or a file")
	f.DurationVar(&latency, "latency", 2500*time.Nanosecond, "L, the latency")
	f.DurationVar(&overhead, "overhead", 1500*time.Nanosecond, "o, a processor's time for a message, at each end")
	f.DurationVar(&gap, "gap", 1000*time.Nanosecond, "g, the least time from one message of an adapter to the next")
	f.DurationVar(&perByte, "per-byte", 6*time.Nanosecond, "G, the time of a byte")
	f.DurationVar(&overheadByte, "overhead-per-byte", 0, "O, a processor's time for a byte of an eager message, at each end")
	f.Int64Var(&eager, "eager", 65535, "S, the bytes up to which a message is eager")
	f.IntVar(&perNode, "ranks-per-node", 1, "ranks on each node")
	f.Uint64Var(&seed, "seed", 1, "of a machine whose times vary")
	for _, flag := range []string{"latency", "overhead", "gap", "per-byte", "overhead-per-byte", "eager"} {
		cmd.MarkFlagsMutuallyExclusive("machine", flag)
	}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if trace == "" {
			return errors.New("--trace: the GOAL file")
		}
		if perNode < 1 {
			return fmt.Errorf("--ranks-per-node %d: at least 1", perNode)
		}
		m, err := loggops(latency, overhead, gap, perByte, overheadByte, eager)
		if machine != "" {
			m, err = machineOf(machine)
		}
		if err != nil {
			return err
		}
		in := cmd.InOrStdin()
		if trace != "-" {
			file, err := os.Open(trace)
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		}
		p, err := goal.Load(in, mostGoal)
		if err != nil {
			return fmt.Errorf("%s: %w", trace, err)
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		r, err := replayGoal(ctx, p, m, perNode, seed)
		if code := interruption(ctx); code != 0 && err != nil {
			code.say(cmd.ErrOrStderr())
			return code
		}
		if err != nil {
			return fmt.Errorf("%s: %w", trace, err)
		}
		return r.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

// loggops is a machine of these parameters alone: each rank a node, no shared links, and
// processors that do an operation a picosecond, so that calculations are exact.
func loggops(latency, overhead, gap, perByte, overheadByte time.Duration, eager int64) (cluster.Machine, error) {
	for _, d := range []time.Duration{latency, overhead, gap, perByte, overheadByte} {
		if d < 0 || d > time.Second {
			return cluster.Machine{}, errors.New("a time of a message is from 0 to 1 s")
		}
	}
	if eager < 0 {
		return cluster.Machine{}, fmt.Errorf("--eager %d: at least 0", eager)
	}
	l := cluster.Link{Latency: span(latency), Overhead: span(overhead), Gap: span(gap), Adapters: 1}
	if perByte > 0 {
		l.Bandwidth = 1 / perByte.Seconds()
	}
	m := cluster.Machine{Name: "loggops", Progress: cluster.ProgressCall, EagerLimit: eager, Flops: 1e12}
	for i := range m.Classes {
		m.Classes[i] = l
	}
	if overheadByte > 0 {
		m.CopyRate = 1 / overheadByte.Seconds()
	}
	return m, nil
}

// goalRun is what a replay came to.
type goalRun struct {
	program *goal.Program
	machine string
	nodes   int
	total   cluster.Time
	events  uint64
	hash    uint64
}

// replayGoal runs a program on sim.
func replayGoal(ctx context.Context, p *goal.Program, m cluster.Machine, perNode int, seed uint64) (*goalRun, error) {
	if p.Size()%perNode != 0 {
		return nil, fmt.Errorf("%d ranks do not fill nodes of %d", p.Size(), perNode)
	}
	g, err := p.NewReplay(m.Flops)
	if err != nil {
		return nil, err
	}
	spec := cluster.Spec{Machine: m, EagerLimit: -1, Seed: seed,
		Layout: cluster.Layout{Nodes: p.Size() / perNode, RanksPerNode: perNode, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat}}
	run, err := cluster.Start(ctx, sim.New(), spec, g.Rank)
	if err != nil {
		return nil, err
	}
	if err := run.Wait(); err != nil {
		var a *cluster.Abort
		if errors.As(err, &a) && a.Reason == cluster.ReasonDeadlock {
			return nil, g.Deadlock(a.Waits)
		}
		return nil, err
	}
	v := run.(cluster.Virtual)
	return &goalRun{p, m.Name, spec.Layout.Nodes, v.Total(), v.Events(), v.Hash()}, nil
}

func (r *goalRun) write(w io.Writer, out *format) error {
	l := listing{what: "goal", columns: []string{"machine", "nodes", "ranks", "operations", "messages", "bytes", "time", "events", "hash"}}
	e := entry{{"machine", r.machine}, {"nodes", r.nodes}, {"ranks", r.program.Size()}, {"operations", r.program.Ops}, {"messages", r.program.Messages},
		{"bytes", r.program.Bytes}, {"time", r.total.Seconds()}, {"events", int64(r.events)}, {"hash", fmt.Sprintf("%016x", r.hash)}}
	if out.json {
		all := map[string]any{"schema": "hybridtop.rungoal.v1", "kind": "simulated"}
		for _, x := range e {
			all[x.name] = x.value
		}
		return writeJSON(w, all)
	}
	if !out.csv {
		e[6].value = r.total.String()
	}
	l.entries = []entry{e}
	return l.write(w, out)
}
