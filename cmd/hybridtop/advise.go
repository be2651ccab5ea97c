package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/presets"
)

// Limits of advise.
const (
	mostCombined = 64
	usualFlips   = 3
	maxFlips     = 32
)

func newAdvise() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "advise [WORKLOAD]",
		Short: "rank the choices of a scenario, and find what changes the order",
		Long: "Simulate a scenario with all combinations of the knobs that may change, and rank them. A knob with a list of " +
			"values may change, as in sweep. --vary names more knobs. Without either, the knobs that keep the problem may " +
			"change: the variant, threading, reserved threads, threads × ranks, model, group and algorithm, if the workload " +
			"has them.\n\nThe output also has the factors of constants at which the runner-up overtakes the winner, confirmed " +
			"by simulation. docs/advise.md has the details.",
		Example: "hybridtop advise --preset overlap-sr8000\n" +
			"hybridtop advise collective --machine ranger --size 4096 --check check.toml",
	}
	workloadArgument(cmd)
	vary := cmd.Flags().StringSlice("vary", nil, "knobs that may change, each with all its choices: KNOB,...")
	most := cmd.Flags().Int("combinations", mostCombined, "largest number of combinations of the default knobs; the last knobs beyond it vary at the winner, "+
		"one at a time")
	flips := cmd.Flags().Int("flips", usualFlips, "number of constants for which to confirm a change of the order; 0: none")
	check := cmd.Flags().String("check", "", "`FILE` for a scenario that runs the winner and the runner-up live, at a size for this host")
	must(cmd.MarkFlagFilename("check", "toml"))
	out := addFormat(cmd)
	knobs := addKnobs(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *flips < 0 || *flips > maxFlips {
			return fmt.Errorf("--flips %d: want 0 to %d", *flips, maxFlips)
		}
		if *most < 1 {
			return fmt.Errorf("--combinations %d: want at least 1", *most)
		}
		if *check != "" {
			if err := presets.CheckFile(*check); err != nil {
				return fmt.Errorf("--check: %w", err)
			}
			if err := atomicfile.Check(*check); err != nil {
				return err
			}
		}
		sc, axes, options, err := knobs.request(cmd, args, &limitFlags{duration: 1})
		if err != nil {
			return err
		}
		q := advise.Request{Scenario: sc, Axes: axes, Flips: *flips, Options: options, Progress: newSweepLine(cmd.ErrOrStderr())}
		if len(axes) == 0 || len(*vary) > 0 {
			more, late, err := advise.Axes(&sc, *vary, options)
			if err != nil {
				return err
			}
			q.Axes, q.Late = append(axes, more...), late
		}
		if len(axes)+len(*vary) == 0 {
			q.Most = *most
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		a, err := advise.Advise(ctx, q)
		code := interruption(ctx)
		if err != nil && code == 0 {
			return err
		}
		x := &adviceText{Advice: a, kind: engine.Simulated, paper: paperOf(knobs.preset)}
		if *check != "" && code == 0 && a.RunnerUp() != nil {
			x.check, err = writeCheck(ctx, a, *check, options)
		}
		if a != nil {
			if failed := x.write(cmd.OutOrStdout(), out); failed != nil {
				return failed
			}
		}
		if code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		if err != nil {
			return err
		}
		if a.Winner() == nil {
			return errors.New("advise: no candidate could run: " + a.Candidates[0].Refusal)
		}
		return nil
	}
	return cmd
}

// paperOf returns the place in a paper that a preset is about, or "".
func paperOf(preset string) string {
	p, err := presets.FindScenario(preset)
	if preset == "" || err != nil {
		return ""
	}
	return p.Paper
}

// adviceText is advice with its output.
type adviceText struct {
	*advise.Advice
	kind  engine.Kind
	paper string
	check *checkFile // nil: none
}

// write writes the advice.
func (x *adviceText) write(w io.Writer, out *format) error {
	switch {
	case out.json:
		return writeJSON(w, x.document())
	case out.csv:
		return x.writeCSV(w)
	}
	t := newTable(w)
	x.writeRanking(t)
	if x.Winner() != nil {
		x.writeFlips(t)
	}
	x.writeRest(t)
	return t.close()
}

// writeRanking writes the candidates that ran.
func (x *adviceText) writeRanking(t *table) {
	n := 0
	for _, c := range x.Candidates {
		if c.Run != nil {
			n++
		}
	}
	t.title(fmt.Sprintf("%s on %s: %d candidates, %d simulations (%s)", x.Scenario.Workload, x.Scenario.Text("machine"), n,
		x.Simulations, x.kind))
	if n == 0 {
		return
	}
	t.row()
	knobs := x.Knobs()
	t.head(append(append([]string{"place"}, knobs...), "time", "ratio", "memory per node", "")...)
	for _, c := range x.Candidates {
		if c.Run == nil {
			continue
		}
		cells := []string{strconv.Itoa(c.Place)}
		for _, k := range knobs {
			cells = append(cells, c.Setting(k))
		}
		note := ""
		if c.Own {
			note = "the scenario"
		}
		t.row(append(cells, timeText(c.Time), strconv.FormatFloat(x.Ratio(c), 'f', 3, 64),
			text(engine.Metric{Value: float64(c.MemoryPerNode), Unit: "B"}), note)...)
	}
	t.row()
	t.row(x.Conclusion(timeText))
	if x.paper != "" {
		t.row(x.paperText())
	}
	for _, a := range x.Late {
		t.row(a.Knob + " was varied only at the winners of the other knobs (--vary combines it)")
	}
}

// paperText compares the scenario's own choice with the winner.
func (x *adviceText) paperText() string {
	own := x.OwnChoice()
	switch {
	case own == nil || own.Run == nil:
		return "The scenario of " + x.paper + " did not run."
	case own.Place == 1:
		return "The choice of the scenario (" + x.paper + ") has the first place."
	}
	return fmt.Sprintf("The choice of the scenario (%s) has place %d: %s more time than the winner.", x.paper, own.Place,
		advise.Percent(x.Ratio(own)-1))
}

// writeFlips writes the factors at which the runner-up overtakes the winner.
func (x *adviceText) writeFlips(t *table) {
	t.row()
	if x.NoSearch != "" {
		t.row("No search for a change of the order: " + x.NoSearch + ".")
		return
	}
	if len(x.Flips) > 0 {
		t.title("the runner-up overtakes the winner (simulated 2 % before and after)")
		t.head("constant", "factor", "value then", "source", "before: winner", "runner-up", "after: winner", "runner-up")
		for i := range x.Flips {
			f := &x.Flips[i]
			value := engine.Metric{Value: f.Value, Unit: f.Unit}
			t.row(f.Key, "×"+factorText(f.Factor), text(value), f.Source, timeText(f.Near.Winner), timeText(f.Near.RunnerUp),
				timeText(f.Far.Winner), timeText(f.Far.RunnerUp))
		}
	} else if x.Searched && len(x.Unproven) == 0 {
		t.row("The paths predict no change of the order by a factor of up to 64 of one constant.")
	}
	for i := range x.Unproven {
		f := &x.Unproven[i]
		t.row(fmt.Sprintf("%s: predicted at ×%s, but not confirmed: %s", f.Key, factorText(f.Predicted), f.Reason))
	}
	if !x.Searched {
		t.row("The search for changes of the order did not end.")
	}
}

// factorText returns a factor with three digits.
func factorText(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// writeRest writes the candidates without a time, and the file of --check.
func (x *adviceText) writeRest(t *table) {
	pruned := 0
	for _, c := range x.Candidates {
		if c.Pruned {
			pruned++
		}
	}
	if pruned > 0 {
		t.row()
		t.title("not simulated: the cost model puts them beyond 3× (modelled)")
		for _, c := range x.Candidates {
			if c.Pruned {
				t.row("  "+c.Name(), timeText(modelTime(c)))
			}
		}
	}
	if reasons := x.Refusals(); len(reasons) > 0 {
		t.row()
		t.title("could not run")
		for _, r := range reasons {
			t.row("  "+r.Name, r.Why)
		}
	}
	if x.check != nil {
		t.row()
		t.row(x.check.text())
	}
}

// writeCheck writes the live scenario of winner and runner-up.
func writeCheck(ctx context.Context, a *advise.Advice, file string, o session.Options) (*checkFile, error) {
	c, err := a.Check(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("--check: %w", err)
	}
	if err := presets.WriteScenario(ctx, file, c.Scenario); err != nil {
		return nil, fmt.Errorf("--check: %w", err)
	}
	return &checkFile{file: file, Check: c}, nil
}

// checkFile is a written scenario.
type checkFile struct {
	file string
	*advise.Check
}

// text describes the file.
func (c *checkFile) text() string {
	s := fmt.Sprintf("%s checks winner and runner-up live, with %d ranks; simulated at this size, the runner-up takes %.3g times as long. "+
		"To run it: hybridtop verify --preset %s", c.file, c.Ranks, c.Ratio, session.ShellWord(c.file))
	if c.Ratio <= 1 {
		s += ". The order differs at this size."
	}
	return s
}
