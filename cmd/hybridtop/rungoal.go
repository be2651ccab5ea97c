package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/goal"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/internal/inputfile"
)

func newRunGoal() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "goal",
		Short: "replay GOAL text on a simulated machine",
		Long: "Read GOAL text, and run it on sim. The machine has its network, eager limit and noise, " +
			"or only LogGOPS parameters, to compare the time with other simulators. Ranks are assigned to nodes in order. " +
			"A program that deadlocks is an error, with the waiting ranks. The file - is standard input. To price a file " +
			"without a run, use show goal.",
		Example: "hybridtop run goal --trace stencil.goal --machine ranger --ranks-per-node 16",
		Args:    cobra.NoArgs,
	}
	var trace, machine string
	var params loggops
	var perNode int
	var seed uint64
	f := cmd.Flags()
	f.StringVar(&trace, "trace", "", "GOAL file")
	f.StringVar(&machine, "machine", "", "machine name or file")
	f.DurationVar(&params.latency, "latency", 2500*time.Nanosecond, "L: latency")
	f.DurationVar(&params.overhead, "overhead", 1500*time.Nanosecond, "o: CPU time per message, at each end")
	f.DurationVar(&params.gap, "gap", 1000*time.Nanosecond, "g: minimum time between two messages of an adapter")
	f.DurationVar(&params.perByte, "per-byte", 6*time.Nanosecond, "G: time per byte")
	f.DurationVar(&params.overheadByte, "overhead-per-byte", 0, "O: CPU time per byte of an eager message, at each end")
	f.Int64Var(&params.eager, "eager", 65535, "S: size of the longest eager message in bytes")
	f.IntVar(&perNode, "ranks-per-node", 1, "ranks on each node")
	f.Uint64Var(&seed, "seed", 1, "seed of a machine with noise")
	for _, flag := range []string{"latency", "overhead", "gap", "per-byte", "overhead-per-byte", "eager"} {
		cmd.MarkFlagsMutuallyExclusive("machine", flag)
	}
	out := addFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if trace == "" {
			return errors.New("run goal: want a GOAL file: --trace FILE")
		}
		if perNode < 1 {
			return fmt.Errorf("--ranks-per-node %d: want at least 1", perNode)
		}
		m, err := params.machine()
		if machine != "" {
			m, err = machineOf(machine)
		}
		if err != nil {
			return err
		}
		in := cmd.InOrStdin()
		if trace != "-" {
			file, err := inputfile.Open(trace, inputfile.Unlimited)
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		}
		p, err := goal.Load(in, maxGoal)
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

// loggops holds the parameters of the LogGOPS model.
type loggops struct {
	latency, overhead, gap time.Duration
	perByte, overheadByte  time.Duration
	eager                  int64 // size of the longest eager message
}

// machine returns a machine with only these parameters: each rank is a node, links are not shared,
// and CPUs do one operation per picosecond, so that calculations are exact.
func (p *loggops) machine() (cluster.Machine, error) {
	for _, d := range []time.Duration{p.latency, p.overhead, p.gap, p.perByte, p.overheadByte} {
		if d < 0 || d > time.Second {
			return cluster.Machine{}, errors.New("times of a message: want 0 to 1 s")
		}
	}
	if p.eager < 0 {
		return cluster.Machine{}, fmt.Errorf("--eager %d: want at least 0", p.eager)
	}
	l := cluster.Link{Latency: span(p.latency), Overhead: span(p.overhead), Gap: span(p.gap), Adapters: 1}
	if p.perByte > 0 {
		l.Bandwidth = 1 / p.perByte.Seconds()
	}
	m := cluster.Machine{Name: "loggops", Progress: cluster.ProgressCall, EagerLimit: p.eager, Flops: 1e12}
	for i := range m.Classes {
		m.Classes[i] = l
	}
	if p.overheadByte > 0 {
		m.CopyRate = 1 / p.overheadByte.Seconds()
	}
	return m, nil
}

// goalRun is the result of a replay.
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
		return nil, fmt.Errorf("%d ranks: want a multiple of --ranks-per-node %d", p.Size(), perNode)
	}
	g, err := p.NewReplay(m.Flops)
	if err != nil {
		return nil, err
	}
	spec := cluster.Spec{Machine: m, EagerLimit: -1, Seed: seed,
		Layout: cluster.Layout{Nodes: p.Size() / perNode, RanksPerNode: perNode, ThreadsPerRank: 1,
			Ranking: cluster.Sequential, Model: cluster.Flat}}
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
	return &goalRun{
		program: p,
		machine: m.Name,
		nodes:   spec.Layout.Nodes,
		total:   v.Total(),
		events:  v.Events(),
		hash:    v.Hash(),
	}, nil
}

func (r *goalRun) write(w io.Writer, out *format) error {
	l := listing{what: "goal",
		columns: []string{"machine", "nodes", "ranks", "operations", "messages", "bytes", "time", "events", "hash"}}
	e := entry{{"machine", r.machine}, {"nodes", r.nodes}, {"ranks", r.program.Size()}, {"operations", r.program.Ops},
		{"messages", r.program.Messages},
		{"bytes", r.program.Bytes}, {"time", r.total.Seconds()}, {"events", int64(r.events)},
		{"hash", fmt.Sprintf("%016x", r.hash)}}
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
