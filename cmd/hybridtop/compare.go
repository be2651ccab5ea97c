package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	lanes "github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/models"
	"github.com/hybridtop/hybridtop/presets"
)

func newCompare() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare A B | WORKLOAD",
		Short: "compare two recordings, or two variants of a workload",
		Long: "Compare the last launches of two recordings, or run a workload with two values of a knob. The last line " +
			"has the conclusion: B is faster or slower than A, or no difference was seen. Variants run in alternating " +
			"rounds, so that a drift of the host changes both. With --seeds, variants are simulated in pairs with equal seeds, so " +
			"both draw the same noise. The conclusion is real, none seen or smaller than a value, from the median of the " +
			"differences and its exact interval. The exit status is 0 for every conclusion, and 1 if a " +
			"run fails or does not verify.\n\nRatios are B divided by A. In recordings, ratios of series, such as iterations, " +
			"have a 95 % interval; " +
			"if it contains 1, the difference is within noise. Numbers of simulations are exact. For simulations, compare " +
			"also shows different machine constants and thread times by activity.",
		Example: "hybridtop compare before.htr after.htr\nhybridtop compare randomaccess --machine this-host --group 4,16",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && strings.HasSuffix(args[0], ".htr") {
				return errors.New("compare: want two recordings, got 1 (or a workload with two values of a knob)")
			}
			if n := len(args); n != 2 && n != 1 && !(n == 0 && cmd.Flags().Changed("preset")) {
				return fmt.Errorf("compare: want two recordings, or one workload, got %d arguments", n)
			}
			return nil
		},
		ValidArgsFunction: recordingFiles,
	}
	of := [2]*int{cmd.Flags().Int("run-a", 0, "run of A; default: the last"),
		cmd.Flags().Int("run-b", 0, "run of B; default: the last")}
	rounds := cmd.Flags().Int("pairs", usualRounds, "alternating rounds of two variants; a simulation is exact, and runs once")
	seeds := cmd.Flags().Int("seeds", 0, "pairs of simulations with equal seeds; 0: none (noise: --with compute_noise=0.1)")
	page := cmd.Flags().String("html", "", "also write both distributions of --seeds into this `FILE`")
	limits := addLimits(cmd, roundTime, "a variant in a round")
	out := addFormat(cmd)
	knobs := addKnobs(cmd, true)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return compareVariants(cmd, args, knobs, limits, *rounds, *seeds, *page, out)
		}
		var sides [2]*side
		for i, name := range args {
			f, err := recording.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			sides[i], err = sideOf(f, *of[i])
			if err != nil {
				return err
			}
		}
		rows, err := compare(sides[0], sides[1])
		if err != nil {
			return err
		}
		l := listing{what: "differences", columns: []string{"of", "name", "a", "b", "ratio", "interval", "verdict"}}
		for _, r := range rows {
			l.entries = append(l.entries, r.entry(out))
		}
		l.conclusion = concludeSides(sides[0], sides[1])
		return l.write(cmd.OutOrStdout(), out)
	}
	return cmd
}

// Defaults of a comparison of variants: the number of rounds, and the time of one run.
const (
	usualRounds = 12
	mostRounds  = 1000
	roundTime   = 200 * time.Millisecond
)

// compareVariants runs two variants of a workload in alternating rounds, and prints the conclusion.
func compareVariants(cmd *cobra.Command, args []string, knobs *knobFlags, limits *limitFlags, rounds, seeds int,
	page string, out *format) error {
	if page != "" {
		if seeds == 0 {
			return errors.New("--html: want --seeds, whose pairs it draws")
		}
		if err := atomicfile.CheckTarget(page); err != nil {
			return err
		}
	}
	if rounds < 1 || rounds > mostRounds {
		return fmt.Errorf("--pairs %d: want 1 to %d", rounds, mostRounds)
	}
	sc, axes, options, err := knobs.request(cmd, args, limits)
	if err != nil {
		return err
	}
	v, err := variantsOf(sc, axes)
	if err != nil {
		return err
	}
	ctx, done := interruptible(cmd.Context())
	defer done()
	var all []round
	var seeded *pairs.Result
	if seeds != 0 {
		seeded, err = v.compareSeeds(ctx, options, seeds, cmd.ErrOrStderr())
	} else {
		all, err = v.compare(ctx, options, rounds, cmd.ErrOrStderr())
	}
	if code := interruption(ctx); code != 0 {
		code.say(cmd.ErrOrStderr())
		return code
	}
	if err != nil {
		return err
	}
	if seeds != 0 {
		all = roundsOf(seeded)
	}
	l := v.conclude(all, out)
	if seeds != 0 {
		l.what, l.columns[0] = "pairs", "pair"
		for i := range l.entries {
			l.entries[i][0].name = "pair"
		}
		l.conclusion = concludeSeeds(seeded)
		if page != "" {
			var b bytes.Buffer
			if err := v.seedsPage(seeded, l.conclusion).In(inUnits).HTML(&b); err != nil {
				return err
			}
			if err := atomicfile.Write(ctx, page, b.Bytes()); err != nil {
				return err
			}
		}
		if !out.json && !out.csv {
			if err := writeHistograms(cmd.OutOrStdout(), seeded); err != nil {
				return err
			}
		}
	}
	return l.write(cmd.OutOrStdout(), out)
}

// concludeSides returns the conclusion about two recorded launches, from the times of their iterations.
func concludeSides(a, b *side) *conclusion {
	if a.Kind != b.Kind {
		return concludeNothing(fmt.Sprintf("A has %s numbers, B %s numbers", a.Kind, b.Kind))
	}
	exact := a.Kind == engine.Simulated
	r := models.RatioOf(a.iterations, b.iterations)
	c := concludeRatio(engine.Metric{Value: mean(a.iterations), Unit: "s", Kind: a.Kind},
		engine.Metric{Value: mean(b.iterations), Unit: "s", Kind: b.Kind}, r, exact, fmt.Sprintf("over all iterations (%s)", a.Kind))
	for i := range b.Scenario.Table {
		k := &b.Scenario.Table[i]
		if k.Role == engine.Problem && a.Scenario.Values[k.Name] != b.Scenario.Values[k.Name] {
			c.Text += "; the iterations do different work (" + k.Name + ")"
			return c
		}
	}
	return c
}

// side is one of two launches that are compared.
type side struct {
	*recording.LaunchInfo
	file       *recording.File
	program    string // that recorded it, with its cost rules
	iterations []float64
	samples    []engine.Sample
}

// sideOf returns the last launch of a run that has completed an iteration.
func sideOf(f *recording.File, number int) (*side, error) {
	run, err := runOf(f, number)
	if err != nil {
		return nil, err
	}
	all, err := f.Launches(run.ID)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(all) {
		if x := &all[i]; x.Iterations > 0 {
			s := &side{LaunchInfo: x, file: f, program: programText(run.Program(), run.Rules)}
			s.iterations, err = f.Iterations(x.ID)
			if err != nil {
				return nil, err
			}
			s.samples, err = f.LaunchSamples(x.ID)
			return s, err
		}
	}
	return nil, fmt.Errorf("%s: run %d has no completed iteration", f.Name, run.ID)
}

// difference is one line of a comparison.
type difference struct {
	of, name   string
	textA      string // of values that are not numbers
	textB      string
	a, b       float64
	unit       string
	low, high  float64 // of the ratio
	verdict    string
	isNumber   bool
	isInterval bool
}

func (d *difference) entry(out *format) entry {
	e := entry{{"of", d.of}, {"name", d.name}}
	number := func(x float64) any {
		if !d.isNumber || engine.Finite(x) == nil {
			return nil
		}
		return x
	}
	ratio := d.b / d.a
	switch {
	case out.json || out.csv:
		a, b := any(d.textA), any(d.textB)
		if d.isNumber {
			a, b = number(d.a), number(d.b)
		}
		return append(e, field{"a", a}, field{"b", b}, field{"unit", d.unit}, field{"ratio", number(ratio)},
			field{"low", number(d.low)}, field{"high", number(d.high)}, field{"verdict", d.verdict})
	case !d.isNumber:
		return entry{{"of", d.of}, {"name", d.name}, {"a", d.textA}, {"b", d.textB}, {"ratio", nil}, {"interval", nil},
			{"verdict", d.verdict}}
	}
	interval := any(nil)
	if d.isInterval {
		interval = fmt.Sprintf("%.3g–%.3g", d.low, d.high)
	}
	return append(e, field{"a", text(engine.Metric{Name: d.name, Value: d.a, Unit: d.unit})},
		field{"b", text(engine.Metric{Name: d.name, Value: d.b, Unit: d.unit})},
		field{"ratio", fmt.Sprintf("%.4g×", ratio)}, field{"interval", interval}, field{"verdict", d.verdict})
}

// compare lists the differences.
func compare(a, b *side) ([]difference, error) {
	if a.Scenario.Workload != b.Scenario.Workload {
		return nil,
			fmt.Errorf("different workloads: %s has %s, %s has %s", a.file.Name, a.Scenario.Workload, b.file.Name,
				b.Scenario.Workload)
	}
	var all []difference
	for i := range b.Scenario.Table {
		name := b.Scenario.Table[i].Name
		if x, y := a.Scenario.Values[name], b.Scenario.Values[name]; x != y {
			all = append(all, difference{of: "knob", name: name, textA: x, textB: y})
		}
	}
	if a.program != b.program {
		all = append(all, difference{of: "program", name: "version", textA: a.program, textB: b.program})
	}
	exact := a.Kind == engine.Simulated && b.Kind == engine.Simulated
	if a.Kind != b.Kind {
		all = append(all, difference{of: "kind", name: "of the numbers", textA: string(a.Kind), textB: string(b.Kind)})
	}
	series := func(name, unit string, x, y []float64) {
		r := models.RatioOf(x, y)
		if math.IsNaN(r.Value) {
			return
		}
		d := difference{of: "series", name: name, a: mean(x), b: mean(y), unit: unit, isNumber: true, low: r.Low,
			high: r.High, isInterval: !math.IsNaN(r.Low)}
		switch {
		case exact:
			d.low = math.NaN()
			d.high = math.NaN()
			d.isInterval = false
			d.verdict = d.simulated()
		case !d.isInterval:
			d.verdict = "too few values"
		case r.Noise():
			d.verdict = "within noise"
		case r.Value > 1:
			d.verdict = "more"
		default:
			d.verdict = "less"
		}
		all = append(all, d)
	}
	series("iteration", "s", a.iterations, b.iterations)
	if !exact { // in a simulation, samples depend on the times at which the screen read them
		access := func(s *engine.Sample) float64 { return s.Access }
		series("access", "s", column(a.samples, access), column(b.samples, access))
		for c, key := range classKeys {
			rate := func(s *engine.Sample) float64 { return s.Rate[c] }
			series("rate "+key, "B/s", column(a.samples, rate), column(b.samples, rate))
		}
	}
	for _, y := range b.Metrics {
		at := slices.IndexFunc(a.Metrics, func(m engine.Metric) bool { return m.Name == y.Name && m.Unit == y.Unit })
		if at < 0 {
			continue
		}
		x := a.Metrics[at]
		d := difference{of: "metric", name: y.Name, a: x.Value, b: y.Value, unit: y.Unit, isNumber: true, low: math.NaN(),
			high: math.NaN()}
		switch {
		case x.Kind != y.Kind:
			d.verdict = string(x.Kind) + ", " + string(y.Kind)
		case x.Value == y.Value:
			d.verdict = "the same"
		case x.Kind == engine.Simulated:
			d.verdict = d.simulated()
		case x.Kind == engine.Modelled:
			d.verdict = "differs (" + string(x.Kind) + ")"
		default:
			d.verdict = "one value each: noise unknown"
		}
		all = append(all, d)
	}
	more, err := terms(a, b, exact)
	return append(all, more...), err
}

// looksEqual reports whether both values are equal in all printed digits.
func (d *difference) looksEqual() bool {
	return text(engine.Metric{Name: d.name, Value: d.a, Unit: d.unit}) == text(engine.Metric{Name: d.name, Value: d.b, Unit: d.unit})
}

// simulated returns the verdict on two simulated values. Times and rates that the screen calls equal do not differ.
func (d *difference) simulated() string {
	switch {
	case d.looksEqual():
		return "the same"
	case (d.unit == "s" || d.unit == "B/s") && session.AlikeSimulated(d.a, d.b):
		return "no difference seen (simulated)"
	}
	return "differs (simulated)"
}

// terms lists the internal differences of two simulations: the machines' constants, and the
// threads' time by activity.
func terms(a, b *side, exact bool) ([]difference, error) {
	if !exact {
		return nil, nil
	}
	var all []difference
	if a.MachineFile != b.MachineFile {
		x, errA := presets.ReadMachine(a.Machine, a.MachineFile)
		y, errB := presets.ReadMachine(b.Machine, b.MachineFile)
		if err := errors.Join(errA, errB); err != nil {
			return nil, err
		}
		for _, p := range presets.Pair(&x, &y) {
			if !reflect.DeepEqual(p[0].Value, p[1].Value) {
				all = append(all,
					difference{of: "constant", name: p[1].Key + p[0].Key[min(len(p[0].Key), len(p[1].Key)):], textA: factText(p[0]),
						textB: factText(p[1])})
			}
		}
	}
	x, hasA, err := a.file.Activities(a.ID)
	if err != nil {
		return nil, err
	}
	y, hasB, err := b.file.Activities(b.ID)
	if err != nil || !hasA || !hasB {
		return all, err
	}
	for k := range lanes.Activities {
		each := func(t cluster.Time, s *side) float64 { return t.Seconds() / float64(s.Iterations) }
		if d := (difference{of: "threads' time an iteration", name: lanes.Activity(k).String(), a: each(x[k], a),
			b: each(y[k], b), unit: "s", isNumber: true, low: math.NaN(), high: math.NaN()}); d.a != d.b {
			d.verdict = d.simulated()
			all = append(all, d)
		}
	}
	return all, nil
}

// column returns one number of each sample, or nil if all are 0.
func column(all []engine.Sample, of func(*engine.Sample) float64) []float64 {
	var values []float64
	for i := range all {
		if x := of(&all[i]); engine.Finite(x) != nil {
			values = append(values, x)
		}
	}
	if !slices.ContainsFunc(values, func(x float64) bool { return x != 0 }) {
		return nil
	}
	return values
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}
