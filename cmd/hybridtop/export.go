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
	"github.com/hybridtop/hybridtop/tui/export"
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
		Short:             "write a recording in a format for other programs",
		Long:              "Write a run of a recording to standard output or a file: " + strings.Join(docs, "; ") + ".",
		Example:           "hybridtop export run.htr --to perfetto --from 1ms --until 2ms --out trace.json",
		Args:              oneRecording,
		ValidArgsFunction: recordingFiles,
	}
	to := cmd.Flags().String("to", "", "format: "+strings.Join(names, ", "))
	must(cmd.RegisterFlagCompletionFunc("to", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}))
	out := cmd.Flags().String("out", "", "file to write; default: standard output")
	number := cmd.Flags().Int("run", 0, "run of the file; default: the last")
	var o recording.ExportOptions
	cmd.Flags().StringVar(&o.Table, "table", "", "csv: table (default samples): "+strings.Join(recording.Tables, ", "))
	cmd.Flags().IntVar(&o.Launch, "launch", 0, "perfetto: launch of the run; default: the last with a timeline")
	from := cmd.Flags().Duration("from", 0, "perfetto: start on the fabric's clock; cast and svg: start in the time of the run")
	until := cmd.Flags().Duration("until", 0, "perfetto, cast and svg: end; default: the end of the run")
	size := cmd.Flags().String("size", "120x36", "cast and svg: columns and rows")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *to == "" {
			return errors.New("export: want a format: --to " + strings.Join(names, ", "))
		}
		if *from < 0 || *until < 0 || *until > 0 && *until <= *from || max(*from, *until) > longestUntil {
			return fmt.Errorf("--from %v --until %v: want --until after --from", *from, *until)
		}
		o.From, o.To = picoseconds(*from), picoseconds(*until)
		cast := &tui.CastOf{From: *from, Until: *until}
		alone := *number != 0
		var err error
		cast.W, cast.H, err = tui.PictureSize(*size)
		if err != nil {
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
				write = func(w io.Writer) error { return s.write(w, f, run, drawnOptions{cast, alone}) }
			}
		}
		if *out == "" {
			return write(cmd.OutOrStdout())
		}
		return exportTo(cmd, f, *out, write)
	}
	return cmd
}

// shown lists the drawn formats; recording.Formats has the data formats.
var shown = []struct {
	name, doc string
	write     func(io.Writer, *recording.File, *recording.RunInfo, drawnOptions) error
}{
	{"html", "report with charts, one file for a browser", writeRecordingPage},
	{"cast", "the screen over time as an asciicast, with a chapter at each mark", writeCast},
	{"svg", "the screen over time as an animated picture", writeAnimation},
}

// drawnOptions are the options of the drawn formats.
type drawnOptions struct {
	cast  *tui.CastOf
	alone bool // of a sweep, only the run
}

// writeRecordingPage writes a report of a run, or of the sweep that it is a point of.
func writeRecordingPage(w io.Writer, f *recording.File, run *recording.RunInfo, o drawnOptions) error {
	var p *export.Page
	var err error
	if !o.alone {
		p, err = recordedSweepPage(f, run)
	}
	if err == nil && p == nil {
		p, err = recordingPage(f, run)
	}
	if err != nil {
		return err
	}
	return p.In(inUnits).HTML(w)
}

// writeCast writes the screens of a run as an asciicast.
func writeCast(w io.Writer, f *recording.File, run *recording.RunInfo, o drawnOptions) error {
	return writeFilm(tui.Cast, w, f, run, o)
}

// writeAnimation writes the screens of a run as an animated SVG.
func writeAnimation(w io.Writer, f *recording.File, run *recording.RunInfo, o drawnOptions) error {
	return writeFilm(tui.Animation, w, f, run, o)
}

func writeFilm(write func(io.Writer, *recording.Player, tui.CastOf) error, w io.Writer, f *recording.File,
	run *recording.RunInfo, o drawnOptions) error {
	of := o.cast
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
	return errors.Join(write(b, p, *of), b.Flush())
}

func picoseconds(d time.Duration) cluster.Time { return cluster.Time(d) * cluster.Nanosecond }

// maxExport is the maximum size of an export to a file, which is buffered in memory.
const maxExport = 1 << 30

// exportTo writes a file atomically.
func exportTo(cmd *cobra.Command, f *recording.File, name string, write func(io.Writer) error) error {
	if oneFile(name, f.Name) {
		return fmt.Errorf("--out %s: this is the recording itself (use another name)", name)
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

// bounded is a buffer with a maximum size.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExport {
		return 0, fmt.Errorf("more than %d MiB (write to standard output)", maxExport>>20)
	}
	return b.Buffer.Write(p)
}

// oneFile reports whether two names are of the same file.
func oneFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}
