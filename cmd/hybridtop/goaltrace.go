package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster/goal"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
)

// goalFlags holds --to and --out of a run, which write its operations as GOAL text.
type goalFlags struct {
	to, out string
	trace   *goal.Recorder // nil: not requested
}

func addGoal(cmd *cobra.Command) *goalFlags {
	g := &goalFlags{}
	cmd.Flags().StringVar(&g.to, "to", "", "also write the simulated operations, as: goal (GOAL text)")
	cmd.Flags().StringVar(&g.out, "out", "", "file for --to")
	must(cmd.RegisterFlagCompletionFunc("to",
		cobra.FixedCompletions([]string{"goal"}, cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.MarkFlagFilename("out", "goal"))
	cmd.MarkFlagsRequiredTogether("to", "out")
	return g
}

// read wraps the simulator in a recorder if --to is set.
func (g *goalFlags) read(sc *engine.Scenario, o *session.Options) error {
	switch {
	case g.to == "" && g.out == "":
		return nil
	case g.to != "goal":
		return fmt.Errorf("--to %s: want goal", g.to)
	case sc.Text("fabric") != engine.Sim:
		return errors.New("--to goal: needs a simulation (use --fabric sim)")
	}
	if err := atomicfile.Check(g.out); err != nil {
		return err
	}
	var err error
	g.trace, err = goal.NewRecorder()
	if err != nil {
		return err
	}
	o.Fabrics[engine.Sim] = g.trace.On(o.Fabrics[engine.Sim])
	return nil
}

// write writes the file of a completed run.
func (g *goalFlags) write(ctx context.Context, stderr io.Writer, s *engine.Snapshot) error {
	switch {
	case g.trace == nil || s.Failure != "":
		return nil
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "hybridtop: %s: not written, because the run was interrupted\n", g.out)
		return nil
	}
	if err := atomicfile.Stream(ctx, g.out, g.trace.Write); err != nil {
		fmt.Fprintln(stderr, "hybridtop:", err)
		return status(1)
	}
	fmt.Fprintf(stderr, "wrote %s: %d operations, %s\n", g.out, g.trace.Ops, count(g.trace.Messages, "message"))
	if note := g.trace.Note(); note != "" {
		fmt.Fprintln(stderr, "note:", note)
	}
	return nil
}

// close removes the temporary files of the recorder.
func (g *goalFlags) close() {
	if g.trace != nil {
		_ = g.trace.Close() // a temporary file
	}
}
