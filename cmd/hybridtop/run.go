package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

func newRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [WORKLOAD]",
		Short: "run a workload without a screen, and verify it",
		Long: "Run a workload without a screen. Progress goes to the terminal, the result to standard output. " +
			"The exit status is 0 only if the run verified its result. To list all flags of a workload: hybridtop run " +
			"WORKLOAD --help.",
		Example: "hybridtop run randomaccess --nodes 4 --ranks-per-node 4 --group 4 --for 5s",
	}
	workloadArgument(cmd)
	limits := addLimits(cmd, 3*time.Second, "the run")
	out := addFormat(cmd)
	lanes := addTimeline(cmd)
	picture := addPicture(cmd, "")
	base := addBaseline(cmd)
	text := addGoal(cmd)
	lines := cmd.Flags().Bool("json-stream", false, "write a line of JSON per sample, then the result (docs/json.md)")
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "json-stream")
	knobs := addKnobs(cmd, false)
	knobs.addLauncher(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		sc, _, options, err := knobs.request(cmd, args, limits)
		if err != nil {
			return err
		}
		if err := lanes.read(); err != nil {
			return err
		}
		of, err := picture.read()
		if err != nil {
			return err
		}
		before, err := base.read(&sc)
		if err != nil {
			return err
		}
		if err := text.read(&sc, &options); err != nil {
			return err
		}
		defer text.close()
		s, err := session.New(sc, options)
		if err != nil {
			return err
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		s.Start(ctx)
		if *lines {
			out.lines = true
			if err := stream(cmd.OutOrStdout(), s); err != nil { // the reader has gone
				return errors.Join(err, s.Stop())
			}
		} else {
			follow(cmd.ErrOrStderr(), s)
		}
		_ = s.Wait() // the snapshot has the failure
		drawing := errors.Join(writePicture(ctx, cmd.ErrOrStderr(), of, s.Load()),
			text.write(ctx, cmd.ErrOrStderr(), s.Load()))
		if err := conclude(cmd, s, interruption(ctx), out, lanes, options.Machines, before); err != nil {
			return err
		}
		return drawing
	}
	cmd.AddCommand(newRunGoal())
	return cmd
}

// conclude writes the result and returns the exit status.
func conclude(cmd *cobra.Command, s *session.Session, signal status, out *format, lanes *timelineFlag,
	userMachines []cluster.Machine, before *earlier) error {
	snap := s.Load()
	if snap.Failure == "" || out.json || out.lines || snap.Iteration > 0 {
		r := newResult(snap, signal != 0)
		r.Late = append(r.Late, s.Late()...)
		r.Repeat = repeats(cmd, snap, nil)
		r.Baseline = before.compare(snap)
		r.assumed = presets.AssumedBySketch(snap.Machine, userMachines)
		if out.json {
			r.Timeline = lanes.view(snap)
		}
		if err := r.write(cmd.OutOrStdout(), out); err != nil {
			return err
		}
		if !out.json && !out.csv && !out.lines {
			if err := lanes.write(cmd.OutOrStdout(), snap); err != nil {
				return err
			}
		}
	}
	switch {
	case snap.Failure != "":
		fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", snap.Failure)
		return status(1)
	case signal != 0:
		signal.say(cmd.ErrOrStderr())
		return signal
	case !verified(snap):
		fmt.Fprintln(cmd.ErrOrStderr(), "hybridtop:", unverified(snap))
		return status(1)
	}
	return nil
}

// limitFlags holds --for, --iterations and --until.
type limitFlags struct {
	duration   time.Duration
	iterations int
	until      time.Duration
}

func addLimits(cmd *cobra.Command, usual time.Duration, what string) *limitFlags {
	l := &limitFlags{}
	cmd.Flags().DurationVar(&l.duration, "for", usual,
		"time in which "+what+" starts iterations; on sim: the workload's number")
	cmd.Flags().IntVar(&l.iterations, "iterations", 0, "number of iterations of "+what+", however long they take")
	addUntil(cmd, &l.until, what+" starts no further iteration")
	cmd.MarkFlagsMutuallyExclusive("for", "iterations")
	cmd.MarkFlagsMutuallyExclusive("for", "until")
	return l
}

// addUntil adds --until to a command: a time on the fabric's clock.
func addUntil(cmd *cobra.Command, at *time.Duration, then string) {
	cmd.Flags().DurationVar(at, "until", 0, "fabric time (virtual on sim) at which "+then)
}

// readUntil returns the time of --until, or 0 without the flag.
func readUntil(cmd *cobra.Command, at time.Duration) (cluster.Time, error) {
	switch {
	case !cmd.Flags().Changed("until"):
		return 0, nil
	case at <= 0 || at > longestUntil:
		return 0, fmt.Errorf("--until %v: want a time above zero and up to %v, such as 1ms", at, longestUntil)
	}
	return cluster.Time(at) * cluster.Nanosecond, nil
}

// longestUntil fits into a cluster.Time.
const longestUntil = 100 * 24 * time.Hour

func (l *limitFlags) read(cmd *cobra.Command) (session.Limits, error) {
	until, err := readUntil(cmd, l.until)
	if err != nil {
		return session.Limits{}, err
	}
	limits := session.Limits{Until: until}
	switch {
	case cmd.Flags().Changed("iterations"):
		if l.iterations < 1 {
			return session.Limits{}, fmt.Errorf("--iterations %d: want at least 1", l.iterations)
		}
		limits.Iterations = l.iterations
	case l.duration <= 0:
		return session.Limits{}, fmt.Errorf("--for %v: want a time above zero, such as 5s", l.duration)
	case cmd.Flags().Changed("for"):
		limits.For = l.duration
	default:
		limits.Usual = l.duration
	}
	return limits, nil
}
