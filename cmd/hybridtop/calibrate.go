package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/calibrate"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/presets"
)

func newCalibrate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "fit a machine to this host, and check its predictions",
		Long: "Measure this host through the live fabric, and fit a machine to it. Then compare simulations of that " +
			"machine with live runs " +
			"that the fit did not use (docs/calibrate.md). These run a barrier, windows of messages, a halo exchange, a " +
			"dot product, random access, heat conduction and multigrid, with one rank per core. With --fabric mpi, also " +
			"measure the messages between the processes of a job. Their times determine the link between the machine's nodes.",
		Example: "hybridtop calibrate --out laptop.toml\n" +
			"hybridtop calibrate --fabric mpi --launcher \"mpirun -n 2\" --node laptop.toml --out cluster.toml",
		Args: cobra.NoArgs,
	}
	o := calibrate.Options{Live: live.New(), Sim: sim.New(), Cores: min(runtime.GOMAXPROCS(0), runtime.NumCPU())}
	var file, check string
	var quick bool
	out := addFormat(cmd)
	f := cmd.Flags()
	f.StringVar(&file, "out", "", "machine file to write; the machine is named after the file")
	f.StringVar(&check, "check", "", "machine file to check, without a fit")
	f.BoolVar(&quick, "quick", false,
		fmt.Sprintf("%d rounds instead of %d", calibrate.QuickRounds, calibrate.DefaultRounds))
	cmd.MarkFlagsMutuallyExclusive("out", "check")
	var link linkFlags
	link.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := link.check(check)
		if err != nil {
			return err
		}
		o.Host, err = presets.Machine("this-host")
		if err != nil {
			return err
		}
		o.Name = "calibrated"
		if file != "" {
			o.Name, err = machineNameOf(file)
			if err != nil {
				return err
			}
			err = atomicfile.Check(file)
			if err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
		o.Rounds = calibrate.DefaultRounds
		if quick {
			o.Rounds = calibrate.QuickRounds
		}
		line := newLine(cmd.ErrOrStderr())
		if line != nil {
			o.Progress = func(done, total int, name string) {
				line.show(fmt.Sprintf("%d %%  %s", 100*done/total, name))
			}
			defer line.show("")
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		var r *calibrate.Result
		var m cluster.Machine
		switch {
		case check != "":
			if m, err = presets.LoadMachine(check); err == nil {
				r, err = calibrate.CheckMachine(ctx, o, m)
			}
		case link.fabric == engine.MPI:
			rounds := calibrate.LinkRounds
			if quick {
				rounds = calibrate.QuickLinkRounds
			}
			r, err = link.calibrate(ctx, &o, rounds)
		default:
			r, err = calibrate.Calibrate(ctx, o)
		}
		if code := interruption(ctx); code != 0 {
			if line != nil {
				line.show("")
			}
			code.say(cmd.ErrOrStderr())
			return code
		}
		if err != nil {
			return err
		}
		if line != nil {
			line.show("")
		}
		if file != "" {
			err := saveMachine(ctx, file, r)
			if code := interruption(ctx); err != nil && code != 0 {
				code.say(cmd.ErrOrStderr())
				return code
			}
			if err != nil {
				return err
			}
		}
		switch {
		case out.json:
			return writeJSON(cmd.OutOrStdout(), calibrationJSON(r, link.fabric, o.Cores, o.Rounds))
		case out.csv:
			var rows [][]string
			for _, c := range r.Checks {
				rows = append(rows, []string{c.Program, c.At, plain(c.Live), plain(c.Simulated), plain(c.Error), plain(c.Noise),
					plain(c.LiveRange.Low), plain(c.LiveRange.High), plain(c.SimulatedRange.Low), plain(c.SimulatedRange.High),
					strconv.FormatBool(c.Noisy())})
			}
			return writeCSV(cmd.OutOrStdout(), []string{"program", "at", "live_s", "simulated_s", "error", "noise",
				"live_low_s", "live_high_s", "simulated_low_s", "simulated_high_s", "noisy"}, rows)
		}
		return writeCalibration(cmd, r, link.fabric)
	}
	return cmd
}

// machineNameOf returns the name of the machine for an output file. It fails early, before
// anything is measured.
func machineNameOf(file string) (string, error) {
	name, ok := strings.CutSuffix(filepath.Base(file), ".toml")
	probe, err := presets.Machine("demo")
	if err != nil {
		return "", err
	}
	probe.Name = name
	if !ok || presets.WriteMachine(&bytes.Buffer{}, probe) != nil {
		return "", fmt.Errorf("--out %s: want a machine's name and .toml: at most 40 lower-case letters, digits "+
			"and dashes", file)
	}
	return name, nil
}

func saveMachine(ctx context.Context, file string, r *calibrate.Result) error {
	var b bytes.Buffer
	if err := presets.WriteMachine(&b, r.Model.Machine); err != nil {
		return err
	}
	return atomicfile.Write(ctx, file, b.Bytes())
}

type numberView struct {
	Key      string        `json:"key"`
	Number   engine.Metric `json:"number"`
	Low      *float64      `json:"low"`
	High     *float64      `json:"high"`
	Residual *float64      `json:"residual"`
	Worst    *float64      `json:"worst"`
	Points   int           `json:"points"`
	To       string        `json:"to"`
}

type timeView struct {
	Trial string        `json:"trial"`
	X     float64       `json:"x"`
	Live  engine.Metric `json:"live"`
	Low   *float64      `json:"low"`
	High  *float64      `json:"high"`
	Noise *float64      `json:"noise"`
}

type checkView struct {
	Program   string        `json:"program"`
	At        string        `json:"at"`
	Live      engine.Metric `json:"live"`
	Simulated engine.Metric `json:"simulated"`
	Error     *float64      `json:"error"`
	Noise     *float64      `json:"noise"`
	LiveLow   *float64      `json:"live_low"`
	LiveHigh  *float64      `json:"live_high"`
	SimLow    *float64      `json:"simulated_low"`
	SimHigh   *float64      `json:"simulated_high"`
	Noisy     bool          `json:"noisy"`
}

func calibrationJSON(r *calibrate.Result, fabric string, ranks, rounds int) map[string]any {
	seconds := func(x float64, kind engine.Kind) engine.Metric {
		return engine.Metric{Value: x, Unit: "s", Kind: kind}
	}
	numbers := []numberView{}
	times := []timeView{}
	checks := []checkView{}
	limits := []string{}
	if r.Model != nil {
		for _, n := range r.Model.Numbers {
			numbers = append(numbers, numberView{
				Key:      n.Key,
				Number:   engine.Metric{Value: n.Value, Unit: n.Unit, Kind: engine.Measured},
				Low:      engine.Finite(n.Low),
				High:     engine.Finite(n.High),
				Residual: engine.Finite(n.Residual),
				Worst:    engine.Finite(n.Worst),
				Points:   n.Points,
				To:       n.To,
			})
		}
		limits = append(limits, r.Model.Limits...)
	}
	for _, t := range r.Times {
		times = append(times, timeView{
			Trial: t.Kind,
			X:     t.X,
			Live:  seconds(t.Seconds, engine.Measured),
			Low:   engine.Finite(t.Low),
			High:  engine.Finite(t.High),
			Noise: engine.Finite(t.Noise),
		})
	}
	for _, c := range r.Checks {
		checks = append(checks, checkView{
			Program:   c.Program,
			At:        c.At,
			Live:      seconds(c.Live, engine.Measured),
			Simulated: seconds(c.Simulated, engine.Simulated),
			Error:     engine.Finite(c.Error),
			Noise:     engine.Finite(c.Noise),
			LiveLow:   engine.Finite(c.LiveRange.Low),
			LiveHigh:  engine.Finite(c.LiveRange.High),
			SimLow:    engine.Finite(c.SimulatedRange.Low),
			SimHigh:   engine.Finite(c.SimulatedRange.High),
			Noisy:     c.Noisy(),
		})
	}
	programs, all := calibrate.Errors(r.Checks)
	byProgram := make(map[string]*float64)
	for _, p := range programs {
		byProgram[p.Program] = engine.Finite(p.Error)
	}
	judged := calibrate.Judge(r.Checks)
	return map[string]any{
		"judged_median": engine.Finite(judged.Median), "judged_worst": engine.Finite(judged.Worst), "noisy": judged.Noisy,
		"pass":   judged.Pass(),
		"schema": "hybridtop.calibrate.v1", "machine": r.Machine, "numbers": numbers, "limits": limits, "times": times,
		"checks": checks, "errors": byProgram, "median_error": engine.Finite(all), "noise": engine.Finite(r.Noise),
		"fabric": fabric, "ranks": ranks, "rounds": rounds, "host": thisHost(),
	}
}

func writeCalibration(cmd *cobra.Command, r *calibrate.Result, fabric string) error {
	t := newTable(cmd.OutOrStdout())
	share := func(x float64) string {
		if math.IsNaN(x) { // all checks are noisy
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*x)
	}
	if r.Model != nil {
		t.head("key", "value", "95 % from", "to", "residual", "worst", "points", "fitted to")
		for _, n := range r.Model.Numbers {
			t.row(n.Key, text(engine.Metric{Value: n.Value, Unit: n.Unit}), text(engine.Metric{Value: n.Low, Unit: n.Unit}),
				text(engine.Metric{Value: n.High, Unit: n.Unit}), share(n.Residual), share(n.Worst), strconv.Itoa(n.Points), n.To)
		}
		t.row()
		if len(r.Model.Limits) > 0 {
			t.title("not in the machine")
			t.list(r.Model.Limits...)
			t.row()
		}
	}
	t.head("program", "at", fabric+", measured", "95 % from", "to", "simulated", "95 % from", "to", "error", "noise", "")
	for _, c := range r.Checks {
		second := func(x float64) string { return text(engine.Metric{Value: x, Unit: "s"}) }
		note := ""
		if c.Noisy() {
			note = "noisy"
		}
		t.row(c.Program, c.At, second(c.Live), second(c.LiveRange.Low), second(c.LiveRange.High), second(c.Simulated),
			second(c.SimulatedRange.Low), second(c.SimulatedRange.High),
			fmt.Sprintf("%+.1f %%", 100*c.Error), share(c.Noise), note)
	}
	t.row()
	programs, all := calibrate.Errors(r.Checks)
	for _, p := range programs {
		t.row("median error, "+p.Program, share(p.Error))
	}
	t.row("median error, all", share(all))
	judged := calibrate.Judge(r.Checks)
	verdict := "not met"
	if judged.Pass() {
		verdict = "met"
	}
	t.row("without noisy ones", fmt.Sprintf("median error %s (at most %s), worst %s at %s (at most %s); noisy %d of "+
		"%d (at most a quarter): %s",
		share(judged.Median), share(calibrate.MaxMedian), share(judged.Worst), judged.At, share(calibrate.MaxError),
		judged.Noisy, judged.Checks, verdict))
	t.row("host noise", share(r.Noise)+": median time of a batch above a quiet batch")
	return t.close()
}
