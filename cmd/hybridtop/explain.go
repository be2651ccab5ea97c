package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

func newExplain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain WORKLOAD | RECORDING | A B",
		Short: "explain the time of a simulation by constants of the machine",
		Long: "Run a simulation and follow its critical path. The output has the time by constant of the machine, by " +
			"part of the program and by reason for a change of the rank. All add up to the time that the program " +
			"reports.\n\nWith --set, with --with, or with two scenarios or recordings, the output is the difference: " +
			"the bars of B minus A add up to it. A run that is not simulated has waits by reason, but no path. " +
			"docs/explain.md has the details.",
		Example: "hybridtop explain --preset ft-fig18 --set exchange=packed\n" +
			"hybridtop explain --preset heat-500 --with remote.latency_s=2",
		Args: func(cmd *cobra.Command, args []string) error {
			if n := len(args); n > 2 || n == 0 && !cmd.Flags().Changed("preset") || n > 0 && cmd.Flags().Changed("preset") {
				return fmt.Errorf("explain: want one workload, --preset, or two scenarios or recordings, got %d arguments", n)
			}
			return nil
		},
		ValidArgsFunction: recordingFiles,
	}
	var set []string
	cmd.Flags().StringArrayVar(&set, "set", nil, "knob of B, as KNOB=VALUE; may be repeated")
	longest := cmd.Flags().Int("pieces", 8, "number of the longest pieces of the path to list")
	points := cmd.Flags().Int("points", 1, "number of simulations up to the changes of --with; each one narrows the interval of the next")
	tolerance := cmd.Flags().String("tolerance", "", "constants, as KEY,..., for which to find the increase that costs 1, 2 and 5 % of the time; "+
		"without keys: L, o, G and the flops")
	cmd.Flags().Lookup("tolerance").NoOptDefVal = usualKeys
	var mapped mapFlags
	cmd.Flags().StringVar(&mapped.x, "map-x", "", "columns of a decision map: KNOB=VALUE,..., or factors of a number as KEY=FROM..TO")
	cmd.Flags().StringVar(&mapped.y, "map-y", "", "rows of a decision map")
	cmd.Flags().StringVar(&mapped.between, "between", "", "variants of a decision map, such as threading=masteronly,funneled")
	out := addFormat(cmd)
	knobs := addKnobs(cmd, false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *longest < 0 || *longest > 1000 {
			return fmt.Errorf("--pieces %d: want 0 to 1000", *longest)
		}
		if *points < 1 || *points > maxExplainPoints {
			return fmt.Errorf("--points %d: want 1 to %d", *points, maxExplainPoints)
		}
		if *points > 1 && (knobs.with.text == "" || len(set) > 0) {
			return errors.New("--points: no changed machine to simulate (use --with KEY=FACTOR, without --set)")
		}
		if *tolerance != "" && (knobs.with.text != "" || len(set) > 0 || len(args) == 2) {
			return errors.New("--tolerance: want one scenario, got two (leave out --set, --with and the second one)")
		}
		if n := len(mapped.x) + len(mapped.y) + len(mapped.between); n > 0 {
			switch {
			case mapped.x == "" || mapped.y == "" || mapped.between == "":
				return errors.New("explain: a decision map wants all of --map-x, --map-y and --between")
			case knobs.with.text != "" || len(set) > 0 || len(args) == 2 || *tolerance != "":
				return errors.New("--map-x: want one scenario (leave out --set, --with, --tolerance and the second one)")
			case out.csv:
				return errors.New("--csv: not available for decision maps (use --json)")
			}
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		x := explanation{cmd: cmd, knobs: knobs, set: set, points: *points, tolerance: *tolerance, mapped: mapped}
		err := x.run(ctx, args)
		if code := interruption(ctx); code != 0 {
			code.say(cmd.ErrOrStderr())
			return code
		}
		if err != nil {
			return err
		}
		return x.write(cmd.OutOrStdout(), out, *longest)
	}
	return cmd
}

// maxExplainPoints is the maximum number of simulations of --points.
const maxExplainPoints = 32

// explanation is the work of one command.
type explanation struct {
	cmd    *cobra.Command
	knobs  *knobFlags
	set    []string
	points int

	mapped    mapFlags
	decisions *explain.DecisionMap

	waiting *explain.Waiting // of a run without a path; nil: there is one

	tolerance  string // keys; "": none
	tolerances []explain.Tolerance

	a, b    *explain.Run         // nil b: no comparison
	curve   []explain.CurvePoint // of --with, the changed machine last
	changes []presets.Change
}

// whatIf returns the point of the changed machine, or nil.
func (x *explanation) whatIf() *explain.CurvePoint {
	if len(x.curve) == 0 {
		return nil
	}
	return &x.curve[len(x.curve)-1]
}

// run makes the runs.
func (x *explanation) run(ctx context.Context, args []string) error {
	if len(args) == 2 {
		return x.runPair(ctx, args)
	}
	changes, err := x.knobs.with.changes()
	if err != nil {
		return err
	}
	x.changes, x.knobs.with = changes, changeFlag{} // applied to B
	sc, o, err := x.scenario(args)
	if err != nil {
		return err
	}
	if sc.Text("fabric") != engine.Sim && len(changes)+len(x.set) == 0 && x.mapped.x == "" && x.tolerance == "" {
		x.waiting, err = explain.Waits(ctx, sc, o)
		return err
	}
	if x.a, err = explain.Explain(ctx, sc, o); err != nil {
		return err
	}
	switch {
	case x.mapped.x != "":
		return x.decide(ctx, sc, o)
	case x.tolerance != "":
		return x.tolerate(ctx, sc, o)
	}
	if len(x.set) == 0 && len(changes) == 0 {
		return nil
	}
	if len(x.set) == 0 {
		if x.curve, err = explain.NewOutlook(x.a).Curve(ctx, sc, changes, x.points, o); err == nil {
			x.b = x.whatIf().Simulated
		}
		return err
	}
	next := sc.Clone()
	for _, s := range x.set {
		knob, value, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("--set %.80q: want KNOB=VALUE, such as group=4", s)
		}
		if err := next.Set(knob, value); err != nil {
			return err
		}
	}
	next, o.Machines, err = explain.WithChanges(next, changes, o.Machines)
	if err == nil {
		x.b, err = explain.Explain(ctx, next, o)
	}
	return err
}

// scenario returns the scenario of the flags, or of a recording.
func (x *explanation) scenario(args []string) (engine.Scenario, session.Options, error) {
	if len(args) == 1 && strings.HasSuffix(args[0], ".htr") {
		sc, machines, err := scenarioNamed(args[0])
		return sc, session.Options{Fabrics: session.Fabrics(), Machines: machines}, err
	}
	sc, _, o, err := x.knobs.request(x.cmd, args, &limitFlags{duration: 1})
	return sc, o, err
}

// runPair explains two scenarios or recordings.
func (x *explanation) runPair(ctx context.Context, args []string) error {
	if len(x.set) > 0 || x.knobs.with.text != "" {
		return errors.New("explain: --set and --with change one scenario, got two (use --preset for one)")
	}
	for i, name := range args {
		sc, machines, err := scenarioNamed(name)
		if err != nil {
			return err
		}
		r, err := explain.Explain(ctx, sc, session.Options{Fabrics: session.Fabrics(), Machines: machines})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i == 0 {
			x.a = r
		} else {
			x.b = r
		}
	}
	return nil
}

// scenarioNamed returns the scenario of a preset, or of the last launch of a recording, with the
// machine of the recording.
func scenarioNamed(name string) (engine.Scenario, []cluster.Machine, error) {
	if !strings.HasSuffix(name, ".htr") {
		p, err := presets.FindScenario(name)
		if err != nil {
			return engine.Scenario{}, nil, suggest(err, name, presetNames())
		}
		sc, err := session.FromPreset(&p)
		return sc, nil, err
	}
	f, err := recording.Open(name)
	if err != nil {
		return engine.Scenario{}, nil, err
	}
	defer f.Close()
	s, err := sideOf(f, 0)
	if err != nil {
		return engine.Scenario{}, nil, err
	}
	var machines []cluster.Machine
	used := s.Scenario.Text("machine")
	if s.MachineFile != "" && !slices.Contains(presets.Machines(), used) {
		m, err := presets.ReadMachine(used, s.MachineFile)
		if err != nil {
			return engine.Scenario{}, nil, fmt.Errorf("%s: %w", name, err)
		}
		machines = append(machines, m)
	}
	sc, err := session.Scenario(s.Scenario.Workload, machines...)
	if err != nil {
		return sc, nil, err
	}
	for _, knob := range sc.Names(s.Scenario.Values) {
		if err := sc.Set(knob, s.Scenario.Values[knob]); err != nil {
			return sc, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return sc, machines, nil
}

// changeFlag is the value of --with.
type changeFlag struct{ text string }

func (c *changeFlag) String() string { return c.text }
func (c *changeFlag) Type() string   { return "KEY=FACTOR,..." }
func (c *changeFlag) Set(s string) error {
	c.text = strings.TrimPrefix(c.text+","+s, ",")
	_, err := c.changes()
	return err
}

// changes returns the changes of the machine.
func (c *changeFlag) changes() ([]presets.Change, error) { return presets.ParseChanges(c.text) }

// timeText returns a time with its unit.
func timeText(t cluster.Time) string {
	if t < 0 {
		return "−" + timeText(-t)
	}
	return text(engine.Metric{Value: t.Seconds(), Unit: "s"})
}

// signedText is timeText with a sign.
func signedText(t cluster.Time) string {
	if t < 0 {
		return timeText(t)
	}
	return "+" + timeText(t)
}

// countText returns a count with its unit.
func countText(t *explain.Term) string {
	switch {
	case t.Count == 0:
		return ""
	case t.Unit == "":
		return strconv.FormatFloat(t.Count, 'g', 6, 64) + " ×"
	}
	return text(engine.Metric{Value: t.Count, Unit: t.Unit})
}

// share returns a part of a time in percent, without the sign of a zero.
func share(part, all cluster.Time) string {
	s := fmt.Sprintf("%.1f %%", 100*float64(max(part, -part))/float64(max(all, 1)))
	if part < 0 && s != "0.0 %" {
		return "−" + s
	}
	return s
}

// write writes the explanation.
func (x *explanation) write(w io.Writer, out *format, longest int) error {
	switch {
	case out.json:
		return writeJSON(w, x.document(longest))
	case out.csv:
		return x.writeCSV(w)
	}
	t := newTable(w)
	if x.waiting != nil {
		x.writeWaits(t)
	} else if x.decisions != nil {
		x.writeMap(t)
	} else if x.b == nil {
		x.writeRun(t, x.a, longest)
		if len(x.tolerances) > 0 {
			x.writeTolerances(t)
		}
	} else {
		x.writeWaterfall(t)
	}
	return t.close()
}

// writeRun writes the terms of one run.
func (x *explanation) writeRun(t *table, r *explain.Run, longest int) {
	t.title(fmt.Sprintf("%s on %s: %s (simulated)", r.Scenario.Workload, r.Machine.Name, timeText(r.Total)))
	block := func(name string, all []explain.Term) {
		t.row()
		t.head(name, "time", "share")
		for i := range all {
			t.row(termName(&all[i]), timeText(all[i].Span), share(all[i].Span, r.Total))
		}
	}
	block("rank "+strconv.Itoa(r.Path.Rank)+", the last one", r.Spent)
	t.row()
	t.head("critical path", "time", "share", "count", "mostly on", "leaves by")
	for i := range r.Terms {
		m := &r.Terms[i]
		t.row(termName(m), timeText(m.Span), share(m.Span, r.Total), countText(m), m.Where, m.Why)
	}
	if len(r.Phases) > 1 {
		block("part of the program", r.Phases)
	}
	block("reason", r.Reasons)
	if longest > 0 {
		t.row()
		t.head("longest pieces", "time", "rank", "begin", "reached by")
		for _, s := range r.Longest(longest) {
			t.row(s.Constant.Name(&r.Machine), timeText(s.Span), strconv.Itoa(s.Rank), timeText(s.Start-r.Path.Segments[0].Start), s.Reason.String())
		}
	}
}

// termName returns the name of a term with its note.
func termName(m *explain.Term) string {
	if m.Note != "" {
		return m.Name + " (" + m.Note + ")"
	}
	return m.Name
}

// writeWaterfall writes the bars from A to B.
func (x *explanation) writeWaterfall(t *table) {
	f := explain.Compare(x.a, x.b)
	t.title(fmt.Sprintf("A %s → B %s: %s (simulated)", timeText(f.A), timeText(f.B), signedText(f.B-f.A)))
	for _, side := range []*explain.Run{x.a, x.b} {
		name := "A"
		if side == x.b {
			name = "B"
		}
		t.row(name + ": " + side.Scenario.Workload + " on " + side.Machine.Name)
	}
	block := func(name string, all []explain.Bar, places bool) {
		t.row()
		cells := []string{name, "A", "B", "B − A"}
		if places {
			cells = append(cells, "mostly on", "leaves by")
		}
		t.head(cells...)
		for i := range all {
			b := &all[i]
			if b.A == 0 && b.B == 0 {
				continue
			}
			cells := []string{termName(&explain.Term{Name: b.Name, Note: b.Note}), timeText(b.A), timeText(b.B), signedText(b.Span())}
			if places {
				cells = append(cells, b.Where, b.Why)
			}
			t.row(cells...)
		}
	}
	block("last rank", f.Spent, false)
	block("critical path", f.Constants, true)
	if len(f.Phases) > 1 {
		block("part of the program", f.Phases, false)
	}
	block("reason", f.Reasons, false)
	t.row()
	t.row(f.Sentence(timeText))
	if x.whatIf() != nil {
		t.row(x.forecastText())
	}
	if len(x.curve) > 1 {
		x.writeCurve(t)
	}
}

// forecastText compares the forecast of a change with its simulation.
func (x *explanation) forecastText() string {
	w := x.whatIf()
	if !w.Known {
		return "The path of A has no derivative for the change: no forecast."
	}
	s := fmt.Sprintf("From A alone: at least %s, between %s and %s. Simulated: %s.", timeText(w.Line), timeText(w.Low),
		timeText(w.High), timeText(w.Simulated.Total))
	if !w.SameChoices {
		s += " The order of events changes, so the forecast is not a bound."
	}
	return s
}

// writeCurve writes the simulated parts of the changes.
func (x *explanation) writeCurve(t *table) {
	t.row()
	cells := []string{}
	for _, c := range x.changes {
		cells = append(cells, c.Key)
	}
	t.head(append(cells, "at least", "from", "to", "simulated", "choices")...)
	for i := range x.curve {
		p := &x.curve[i]
		cells = cells[:0]
		for _, c := range x.changes {
			cells = append(cells, "×"+strconv.FormatFloat(math.Pow(c.Factor, p.Part), 'g', 4, 64))
		}
		bounds := []string{"", "", ""}
		if p.Known {
			bounds = []string{timeText(p.Line), timeText(p.Low), timeText(p.High)}
		}
		choices := "same"
		if !p.SameChoices {
			choices = "changed: no bound"
		}
		t.row(append(append(cells, bounds...), timeText(p.Simulated.Total), choices)...)
	}
}
