package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/build"
	"github.com/hybridtop/hybridtop/internal/safetext"
	"github.com/hybridtop/hybridtop/presets"
)

func newVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "repeat recorded simulations, or check a scenario's expectations",
		Long: "Check a recording. Each simulated launch runs again with the same number of iterations. Its hash, " +
			"virtual time and verification must be the same. " +
			"If a launch differs and another version recorded it, verify reports both versions. " +
			"A launch that failed must fail with the same message. For a live run, whose times do not repeat, verify reads " +
			"the stored verification. If a launch cannot be checked, for example because it was stopped inside an " +
			"iteration, the verdict is \"cannot tell\", with the reason and what to do.\n\nThe exit status is 0 if at least one " +
			"launch was checked and none differs, and otherwise 1. With --preset, " +
			"verify runs a scenario instead, with each change that its expectations name, and compares the results with " +
			"their ranges.",
		Example: "hybridtop verify run.htr\nhybridtop verify --preset dot-models",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("preset") {
				if len(args) > 0 {
					return fmt.Errorf("verify: want a recording or --preset, got both (%s)", args[0])
				}
				return nil
			}
			return oneRecording(cmd, args)
		},
		ValidArgsFunction: recordingFiles,
	}
	out := addFormat(cmd)
	scenario := &knobFlags{}
	scenario.addPreset(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := scenario.findPreset(cmd, "")
		if err != nil {
			return err
		}
		if p != nil {
			return verifyPreset(cmd, p, out)
		}
		f, err := recording.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		ctx, done := interruptible(cmd.Context())
		defer done()
		l := listing{what: "launches",
			columns: []string{"run", "launch", "workload", "fabric", "iterations", "hash", "verdict", "because"}}
		held, broke, foreign := 0, 0, 0
		progress := newLine(cmd.ErrOrStderr())
		for _, run := range f.Runs {
			launches, err := f.Launches(run.ID)
			if err != nil {
				return err
			}
			for i := range launches {
				x := &launches[i]
				if progress != nil {
					progress.show(fmt.Sprintf("run %d, launch %d: %s, %s", run.ID, i+1, x.Scenario.Workload, iterations(x.Iterations)))
				}
				v := verify(ctx, x)
				if another := madeByAnother(&run); v.word == differs && x.Kind == engine.Simulated && another != "" {
					v = finding{otherVersion, another + ": " + v.why}
				}
				if ctx.Err() != nil {
					break
				}
				switch v.word {
				case same, failing, stored:
					held++
				case differs:
					broke++
				case otherVersion:
					foreign++
				}
				var hash any
				if x.Virtual != nil {
					hash = fmt.Sprintf("%016x", x.Virtual.Hash)
				}
				l.entries = append(l.entries,
					entry{{"run", run.ID}, {"launch", i + 1}, {"workload", x.Scenario.Workload}, {"fabric", x.Fabric},
						{"iterations", x.Iterations}, {"hash", hash}, {"verdict", v.word}, {"because", v.why}})
			}
		}
		if progress != nil {
			progress.show("")
		}
		l.conclusion = concludeLaunches(l.entries)
		if err := l.write(cmd.OutOrStdout(), out); err != nil {
			return err
		}
		switch code := interruption(ctx); {
		case code != 0:
			code.say(cmd.ErrOrStderr())
			return code
		case broke > 0:
			fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: %d launches differ from the recording\n", broke)
			return status(1)
		case foreign > 0:
			fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: %d launches were made by another version, and differ here (verify them with that "+
				"version)\n", foreign)
			return status(1)
		case held == 0:
			fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop: no launch can be verified (see because)")
			return status(1)
		}
		return nil
	}
	return cmd
}

// Verdicts on a launch.
const (
	same    = "the same"
	failing = "the same, failing as recorded"
	stored  = "as stored"
	differs = "differs"
	unknown = "cannot tell"

	otherVersion = "made by another version"
)

type finding struct{ word, why string }

// concludeLaunches counts the verdicts on launches, and explains the launches without a verdict.
func concludeLaunches(entries []entry) *conclusion {
	launchCount := func(n int) string {
		if n == 1 {
			return "1 launch"
		}
		return fmt.Sprintf("%d launches", n)
	}
	counts := make(map[string]int)
	for _, e := range entries {
		for _, f := range e {
			if word, ok := f.value.(string); ok && f.name == "verdict" {
				counts[word]++
			}
		}
	}
	c := &conclusion{Verdict: unknown}
	var parts []string
	for _, word := range []string{same, failing, stored, unknown, otherVersion, differs} {
		if n := counts[word]; n > 0 {
			c.Verdict = word
			parts = append(parts, fmt.Sprintf("%s: %s", word, launchCount(n)))
		}
	}
	if n := counts[unknown]; n > 0 && n < len(entries) && counts[differs]+counts[otherVersion] == 0 {
		c.Verdict = same
	}
	c.Text = strings.Join(parts, ", ")
	if counts[unknown] > 0 {
		c.Text += `. "Cannot tell" means that a launch was not checked, for the reason in the last column. It does not mean that ` +
			"the launch differs"
	}
	return c
}

// madeByAnother returns the recorded version and this one, or "" if this program recorded the run.
func madeByAnother(run *recording.RunInfo) string {
	if run.Rules == sim.Revision && run.Program() == build.This() {
		return ""
	}
	return programText(run.Program(), run.Rules) + "; this is " + programText(build.This(), sim.Revision)
}

// programText names a program and its revision of the simulator's cost rules.
func programText(p build.Program, rules string) string {
	return p.String() + ", cost rules " + cmp.Or(rules, "unknown")
}

// hintSim is advice for live runs.
const hintSim = " (a simulation repeats bit by bit: record it with --fabric sim)"

// verify runs a launch again and compares, or returns why it cannot. A failed launch must fail again
// with the same message and hash: some recordings exist to show a failure.
func verify(ctx context.Context, x *recording.LaunchInfo) finding {
	wrong := x.Verification.Done && !x.Verification.OK
	switch {
	case x.Kind != engine.Simulated && x.Failure != "":
		return finding{unknown, "the run failed, and live runs do not repeat: " + firstLine(x.Failure) + hintSim}
	case x.Kind != engine.Simulated && wrong:
		return finding{differs, "its own verification failed: " + x.Verification.Detail}
	case x.Kind != engine.Simulated && x.Verified():
		return finding{stored, fmt.Sprintf("%d checks passed; %s times do not repeat", x.Verification.Checks, x.Kind)}
	case x.Kind != engine.Simulated:
		return finding{unknown, "the run made no check, and live runs do not repeat" + hintSim}
	case !x.Ended:
		return finding{unknown, "the recording ends before the launch did (let the program end by itself, and record again)"}
	case x.Failure != "" && x.Virtual == nil:
		return finding{unknown, "the run failed before the simulation started: " + firstLine(x.Failure)}
	case x.Failure == "" && (x.Cut || x.Virtual == nil || !x.Virtual.Whole):
		return finding{unknown, "it was stopped inside an iteration, at an event that cannot be repeated (record it with --iterations N)"}
	case x.Failure == "" && x.Iterations == 0:
		return finding{unknown, "no iteration ended (record it with --iterations 1 or more)"}
	}
	again, err := repeat(ctx, x)
	switch {
	case err != nil:
		return finding{unknown, "it cannot run here: " + err.Error()}
	case ctx.Err() != nil || again.Virtual == nil && again.Failure == "":
		return finding{unknown, "this verification was interrupted"}
	}
	fails := safetext.Clean(again.Failure)
	switch {
	case x.Failure == "" && fails != "":
		return finding{differs, "it fails now: " + firstLine(fails)}
	case x.Failure != "" && fails == "":
		return finding{differs, "it does not fail now; recorded: " + firstLine(x.Failure)}
	case x.Failure != fails || again.Virtual == nil:
		return finding{differs, "it fails differently: " + firstLine(fails) + "; recorded: " + firstLine(x.Failure)}
	}
	v, w := x.Virtual, again.Virtual
	switch {
	case v.Hash != w.Hash:
		return finding{differs, fmt.Sprintf("hash %016x, now %016x", v.Hash, w.Hash)}
	case v.Time != w.Time || v.Events != w.Events:
		return finding{differs, fmt.Sprintf("%v and %d events, now %v and %d", v.Time, v.Events, w.Time, w.Events)}
	}
	now := again.Verification
	now.Detail = safetext.Clean(now.Detail)
	if x.Verification != now {
		return finding{differs,
			fmt.Sprintf("%d checks, %s; now %d, %s", x.Verification.Checks, x.Verification.Detail, now.Checks, now.Detail)}
	}
	what := fmt.Sprintf("hash, virtual time, %d events and %d checks", v.Events, x.Verification.Checks)
	switch {
	case x.Failure != "":
		return finding{failing, what + ", and the failure: " + firstLine(x.Failure)}
	case wrong:
		return finding{failing, what + ", of which some fail: " + firstLine(x.Verification.Detail)}
	}
	return finding{same, what}
}

// firstLine returns the first line of a text.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// repeat runs a simulated launch again with the same number of iterations. For a failed launch it
// adds the iteration that failed.
func repeat(ctx context.Context, x *recording.LaunchInfo) (*engine.Snapshot, error) {
	sc, machines, err := scenarioOf(x)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"pace": "max", "timeline": "off"} { // these only affect the display
		if err := sc.Set(name, value); err != nil {
			return nil, err
		}
	}
	limits := session.Limits{Iterations: x.Iterations}
	if x.Failure != "" {
		limits.Iterations++
	}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Machines: machines, Limits: limits})
	if err != nil {
		return nil, err
	}
	s.Start(ctx)
	_ = s.Wait() // the snapshot has the failure
	return s.Load(), nil
}

// scenarioOf returns the scenario of a launch for this program. If this program has no equal
// machine, it also returns the machine of the recording.
func scenarioOf(x *recording.LaunchInfo) (engine.Scenario, []cluster.Machine, error) {
	fail := func(err error) (engine.Scenario, []cluster.Machine, error) { return engine.Scenario{}, nil, err }
	m, err := presets.ReadMachine(x.Machine, x.MachineFile)
	if err != nil {
		return fail(err)
	}
	var machines []cluster.Machine
	if builtIn, err := presets.Machine(x.Machine); err != nil || !reflect.DeepEqual(builtIn, m) {
		if err == nil {
			m.Name = "recorded"
		}
		machines = append(machines, m)
	}
	sc, err := session.Scenario(x.Scenario.Workload, machines...)
	if err != nil {
		return fail(err)
	}
	for _, name := range sc.Names(x.Scenario.Values) {
		value := x.Scenario.Values[name]
		if name == "machine" {
			value = m.Name
		}
		if err := sc.Set(name, value); err != nil {
			return fail(err)
		}
	}
	return sc, machines, nil
}

// oneRecording requires one file name.
func oneRecording(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s: want one recording, got %d (hybridtop record writes one)", cmd.Name(), len(args))
	}
	return nil
}

// recordingFiles completes recordings.
func recordingFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"htr"}, cobra.ShellCompDirectiveFilterFileExt
}

// runOf returns a run of a file by its number; 0: the last run.
func runOf(f *recording.File, number int) (*recording.RunInfo, error) {
	if len(f.Runs) == 0 {
		return nil, fmt.Errorf("%s: no run in it", f.Name)
	}
	want := cmp.Or(int64(number), f.Runs[len(f.Runs)-1].ID)
	for i := range f.Runs {
		if f.Runs[i].ID == want {
			return &f.Runs[i], nil
		}
	}
	return nil,
		errors.New(f.Name + fmt.Sprintf(" has no run %d: want %d to %d", want, f.Runs[0].ID, f.Runs[len(f.Runs)-1].ID))
}
