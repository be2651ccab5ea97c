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

// goalFlags are --to and --out of a run: what its ranks post, as GOAL text.
type goalFlags struct {
	to, out string
	trace   *goal.Recorder // nil: not requested
}

func addGoal(cmd *cobra.Command) *goalFlags {
	g := &goalFlags{}
	cmd.Flags().StringVar(&g.to, "to", "", "write what the ranks of a simulation do, too: goal (GOAL text, which simulators of LogGOPS and run goal read)")
	cmd.Flags().StringVar(&g.out, "out", "", "the file for --to")
	must(cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions([]string{"goal"}, cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.MarkFlagFilename("out", "goal"))
	cmd.MarkFlagsRequiredTogether("to", "out")
	return g
}

// read puts the trace around the simulator, if it is asked for.
func (g *goalFlags) read(sc *engine.Scenario, o *session.Options) error {
	switch {
	case g.to == "" && g.out == "":
		return nil
	case g.to != "goal":
		return fmt.Errorf("--to %s: there is goal", g.to)
	case sc.Text("fabric") != engine.Sim:
		return errors.New("--to goal: GOAL text is written of simulations: use --fabric sim")
	}
	if err := atomicfile.Check(g.out); err != nil {
		return err
	}
	var err error
	if g.trace, err = goal.NewRecorder(); err != nil {
		return err
	}
	o.Fabrics[engine.Sim] = g.trace.On(o.Fabrics[engine.Sim])
	return nil
}

// write writes the file of a run that has come to its end.
func (g *goalFlags) write(ctx context.Context, stderr io.Writer, s *engine.Snapshot) error {
	switch {
	case g.trace == nil || s.Failure != "":
		return nil
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "hybridtop: %s: not written, as the run was interrupted\n", g.out)
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

// close removes what is left of the trace.
func (g *goalFlags) close() {
	if g.trace != nil {
		_ = g.trace.Close() // a temporary file
	}
}
