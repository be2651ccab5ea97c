package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/tui"
)

func newExport() *cobra.Command {
	var names, docs []string
	for _, f := range recording.Formats {
		names = append(names, f.Name)
		docs = append(docs, f.Name+" ("+f.Doc+")")
	}
	for _, f := range shown {
		names = append(names, f.name)
		docs = append(docs, f.name+" ("+f.doc+")")
	}
	cmd := &cobra.Command{
		Use:               "export FILE --to FORMAT",
		Short:             "write a recording in a format that other programs read",
		Long:              "Write a run of a recording to standard output or a file: " + strings.Join(docs, "; ") + ".",
		Example:           "hybridtop export run.htr --to perfetto --from 1ms --until 2ms --out trace.json",
		Args:              oneRecording,
		ValidArgsFunction: recordingFiles,
	}
	to := cmd.Flags().String("to", "", "the format: "+strings.Join(names, ", "))
	must(cmd.RegisterFlagCompletionFunc("to", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}))
	out := cmd.Flags().String("out", "", "the file (standard output)")
	number := cmd.Flags().Int("run", 0, "which run of the file (the last)")
	var o recording.ExportOptions
	cmd.Flags().StringVar(&o.Table, "table", "", "of csv, which table (samples): "+strings.Join(recording.Tables, ", "))
	cmd.Flags().IntVar(&o.Launch, "launch", 0, "of perfetto, which launch of the run (the last that has a timeline)")
	from := cmd.Flags().Duration("from", 0, "of perfetto, from when on the fabric's clock; of cast, in the time of the run")
	until := cmd.Flags().Duration("until", 0, "of perfetto and cast, until when (the end)")
	size := cmd.Flags().String("size", "120x36", "of cast, columns and rows")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *to == "" {
			return errors.New("export wants a format: --to " + strings.Join(names, ", "))
		}
		if *from < 0 || *until < 0 || *until > 0 && *until <= *from || max(*from, *until) > longestUntil {
			return fmt.Errorf("--from %v --until %v: want a time and a later one", *from, *until)
		}
		o.From, o.To = picoseconds(*from), picoseconds(*until)
		cast := &tui.CastOf{From: *from, Until: *until}
		var err error
		if cast.W, cast.H, err = tui.PictureSize(*size); err != nil {
			return fmt.Errorf("--size %w", err)
		}
		f, err := recording.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		run, err := runOf(f, *number)
		if err != nil {
			return err
		}
		o.Run = run.ID
		write := func(w io.Writer) error { return f.Export(w, *to, o) }
		for _, s := range shown {
			if s.name == *to {
				write = func(w io.Writer) error { return s.write(w, f, run, cast) }
			}
		}
		if *out == "" {
			return write(cmd.OutOrStdout())
		}
		return exportTo(cmd, f, *out, write)
	}
	return cmd
}

// shown are the formats that are drawn, as recording.Formats are those of data.
var shown = []struct {
	name, doc string
	write     func(io.Writer, *recording.File, *recording.RunInfo, *tui.CastOf) error
}{
	{"html", "a report with charts, one file that a browser opens", writeRecordingPage},
	{"cast", "the screen over time as an asciicast, with a chapter at each mark", writeCast},
}

// writeRecordingPage writes a run as a report.
func writeRecordingPage(w io.Writer, f *recording.File, run *recording.RunInfo, _ *tui.CastOf) error {
	p, err := recordingPage(f, run)
	if err != nil {
		return err
	}
	return p.In(inUnits).HTML(w)
}

// writeCast writes the screens of a run.
func writeCast(w io.Writer, f *recording.File, run *recording.RunInfo, of *tui.CastOf) error {
	p, err := f.Player(run.ID)
	if err != nil {
		return err
	}
	launches, err := f.Launches(run.ID)
	if err != nil {
		return err
	}
	of.Title = runTitle(launches)
	b := bufio.NewWriterSize(w, 1<<16)
	return errors.Join(tui.Cast(b, p, *of), b.Flush())
}

func picoseconds(d time.Duration) cluster.Time { return cluster.Time(d) * cluster.Nanosecond }

// mostExport is how much of an export is kept in memory until it is whole.
const mostExport = 1 << 30

// exportTo writes a file, which is there wholly or not at all.
func exportTo(cmd *cobra.Command, f *recording.File, name string, write func(io.Writer) error) error {
	if oneFile(name, f.Name) {
		return fmt.Errorf("%s is the recording itself: give another name", name)
	}
	if err := atomicfile.Check(name); err != nil {
		return err
	}
	b := &bounded{}
	if err := write(b); err != nil {
		return err
	}
	ctx, done := interruptible(cmd.Context())
	defer done()
	return atomicfile.Write(ctx, name, b.Bytes())
}

// bounded is a buffer that does not take all memory.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > mostExport {
		return 0, fmt.Errorf("more than %d MiB: write it to standard output", mostExport>>20)
	}
	return b.Buffer.Write(p)
}

// oneFile says that two names are of one file.
func oneFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}
