package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
)

func newRecord() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record [WORKLOAD] --out FILE",
		Short: "run a workload or a sweep, and record everything in a file",
		Long: "Run a workload without a screen, and record it in a file (docs/recordings.md) for replay, verify, " +
			"compare and export. " +
			"If a knob has several values, the run is a sweep, and the file gets one run per point. Runs are appended to " +
			"an existing file. " +
			"With --timeline on or arrows, the file contains what every thread did. After an interruption the file " +
			"contains the run so far.",
		Example: "hybridtop record randomaccess --fabric sim --machine demo --iterations 20 --out run.htr",
	}
	workloadArgument(cmd)
	file := cmd.Flags().String("out", "", "file to write or extend")
	must(cmd.MarkFlagFilename("out", "htr"))
	limits := addLimits(cmd, 3*time.Second, "each run")
	out := addFormat(cmd)
	knobs := addKnobs(cmd, true)
	knobs.addLauncher(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *file == "" {
			return errors.New("record: want a file: --out run.htr")
		}
		sc, axes, options, err := knobs.request(cmd, args, limits)
		if err != nil {
			return err
		}
		if _, err := session.New(sc, options); err != nil && len(axes) == 0 { // before the file is created
			return err
		}
		w, err := recording.Create(*file)
		if err != nil {
			return err
		}
		ctx, done := interruptible(cmd.Context())
		defer done()
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		go func() {
			select {
			case <-w.Failed():
				stop(errRecording)
			case <-ctx.Done():
			}
		}()
		var runs []*recording.Run
		begin := func(sweep string) (engine.Observer, error) {
			r, err := w.Begin(recording.Facts{Sweep: sweep, Began: time.Now()})
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
			return r, nil
		}
		var result error
		if len(axes) == 0 {
			options.Observer, err = begin("")
			if err == nil {
				result, err = recordOne(ctx, cmd, sc, options, out)
			}
		} else {
			result, err = recordSweep(ctx, cmd, sc, axes, options, begin, out)
		}
		if closed := w.Close(); closed != nil {
			err = closed
		}
		if err != nil {
			return err
		}
		return errors.Join(reportRecorded(cmd.ErrOrStderr(), *file, runs), result)
	}
	return cmd
}

// errRecording ends a run whose recording has failed.
var errRecording = errors.New("the recording failed")

// recordOne runs a scenario and returns its exit status as result.
func recordOne(ctx context.Context, cmd *cobra.Command, sc engine.Scenario, o session.Options,
	out *format) (result, err error) {
	s, err := session.New(sc, o)
	if err != nil {
		return nil, err
	}
	s.Start(ctx)
	follow(cmd.ErrOrStderr(), s)
	_ = s.Wait() // the snapshot has the failure
	return conclude(cmd, s, interruption(ctx), out, &timelineFlag{}, o.Machines, nil), nil
}

// recordSweep runs all points of a sweep and returns its exit status as result.
func recordSweep(ctx context.Context, cmd *cobra.Command, sc engine.Scenario, axes []session.Axis, o session.Options,
	begin func(string) (engine.Observer, error), out *format) (result, err error) {
	var failed error
	o.Observers = func(r *session.Row) engine.Observer {
		observer, err := begin(r.Name())
		if err != nil {
			failed = err
			return nil
		}
		return observer
	}
	rows, err := session.Sweep(ctx, sc, axes, o, newSweepLine(cmd.ErrOrStderr()))
	if failed != nil {
		return nil, failed
	}
	if err != nil && !errors.Is(err, context.Cause(ctx)) {
		return nil, err
	}
	metric, err := chartMetric(sc.Workload, "")
	if err != nil {
		return nil, err
	}
	sw := newSweepResult(sc, rows)
	if err := sw.write(cmd.OutOrStdout(), out, metric); err != nil {
		return err, nil
	}
	if code := interruption(ctx); code != 0 {
		code.say(cmd.ErrOrStderr())
		return code, nil
	}
	return sw.status(cmd.ErrOrStderr()), nil
}

// reportRecorded reports the recorded runs and their losses.
func reportRecorded(w io.Writer, file string, runs []*recording.Run) error {
	f, err := recording.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	size := 0.0
	if info, err := os.Stat(file); err == nil {
		size = float64(info.Size())
	}
	which := "run"
	for _, r := range runs {
		intervals, messages, err := f.Dropped(r.ID)
		if err != nil {
			return err
		}
		if intervals > 0 || messages > 0 {
			fmt.Fprintf(w, "run %d: %d intervals and %d messages not recorded, because they came too fast\n", r.ID, intervals,
				messages)
		}
		if n := r.Lost(); n > 0 {
			fmt.Fprintf(w, "run %d: %d snapshots not recorded, because they came too fast\n", r.ID, n)
		}
	}
	switch n := len(runs); {
	case n == 1:
		which = fmt.Sprintf("run %d", runs[0].ID)
	case n > 1:
		which = fmt.Sprintf("runs %d to %d", runs[0].ID, runs[n-1].ID)
	}
	_, err = fmt.Fprintf(w, "recorded as %s of %s (%s)\n", which, file, inUnits.Bytes().String(size))
	return err
}
