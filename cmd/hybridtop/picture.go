package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/tui"
)

// pictureFlags are --picture, --picture-pane and --picture-size.
type pictureFlags struct{ file, pane, size string }

// addPicture gives a command the flags; of says whose screen it is.
func addPicture(cmd *cobra.Command, of string) *pictureFlags {
	p := &pictureFlags{}
	cmd.Flags().StringVar(&p.file, "picture", "", "file that the screen at the end"+of+" is drawn into, as .svg or .png")
	cmd.Flags().StringVar(&p.pane, "picture-pane", "", "the one pane that the picture shows (all of the screen): "+strings.Join(tui.PaneNames(), ", "))
	cmd.Flags().StringVar(&p.size, "picture-size", "120x36", "columns and rows of the picture")
	must(cmd.MarkFlagFilename("picture", "svg", "png"))
	must(cmd.RegisterFlagCompletionFunc("picture-pane", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return tui.PaneNames(), cobra.ShellCompDirectiveNoFileComp
	}))
	return p
}

// read gives the picture that is asked for; nil: none. It refuses what cannot be drawn,
// before anything runs.
func (p *pictureFlags) read() (*tui.PictureOf, error) {
	w, h, err := tui.PictureSize(p.size)
	if err != nil {
		return nil, fmt.Errorf("--picture-size %w", err)
	}
	if err := checkPane(p.pane); err != nil {
		return nil, fmt.Errorf("--picture-pane: %w", err)
	}
	if p.file == "" {
		if p.pane != "" {
			return nil, errors.New("--picture-pane: there is no picture without --picture FILE")
		}
		return nil, nil
	}
	of := &tui.PictureOf{File: p.file, Pane: p.pane, Units: inUnits, W: w, H: h}
	return of, of.Check()
}

// lastPicture is how long a run that was interrupted may take to write its picture.
const lastPicture = 2 * time.Second

// lastWrite is how long a write that is interrupted is waited for: longer than it
// takes to remove what it has made.
const lastWrite = 500 * time.Millisecond

// writePicture draws the snapshot, if a picture was asked for, and says on stderr what
// went wrong: what was computed is printed all the same. The context ends drawing and
// writing; one that ended before, with the run, leaves some time for both.
func writePicture(ctx context.Context, stderr io.Writer, of *tui.PictureOf, s *engine.Snapshot) error {
	if of == nil {
		return nil
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lastPicture)
		defer cancel()
	}
	done := make(chan error, 1)
	go func() {
		b, err := tui.Picture(of, s)
		if err == nil {
			err = atomicfile.Write(ctx, of.File, b)
		}
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(lastWrite):
			err = fmt.Errorf("%s: %w", of.File, context.Cause(ctx))
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "hybridtop:", err)
		return status(1)
	}
	return nil
}
