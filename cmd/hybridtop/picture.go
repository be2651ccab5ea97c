package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/tui"
)

// pictureFlags holds --picture, --picture-pane and --picture-size.
type pictureFlags struct{ file, pane, size string }

// addPicture adds the flags to a command. The text of follows "the end" in the help.
func addPicture(cmd *cobra.Command, of string) *pictureFlags {
	p := &pictureFlags{}
	cmd.Flags().StringVar(&p.file, "picture", "", "file for a picture of the screen at the end"+of+": .svg or .png")
	cmd.Flags().StringVar(&p.pane, "picture-pane", "", "single pane in the picture; default: all")
	cmd.Flags().StringVar(&p.size, "picture-size", "120x36", "columns and rows of the picture")
	must(cmd.MarkFlagFilename("picture", "svg", "png"))
	must(cmd.RegisterFlagCompletionFunc("picture-pane",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return tui.PaneNames(), cobra.ShellCompDirectiveNoFileComp
		}))
	return p
}

// read returns the requested picture, or nil. It fails before the run if the picture cannot be
// drawn.
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
			return nil, errors.New("--picture-pane: needs --picture FILE")
		}
		return nil, nil
	}
	of := &tui.PictureOf{File: p.file, Pane: p.pane, Units: inUnits, W: w, H: h}
	return of, of.Check()
}

// lastPicture is the time limit for the picture of an interrupted run.
const lastPicture = 2 * time.Second

// lastWrite is the time limit for an interrupted write. It is longer than the write needs to remove
// its temporary file.
const lastWrite = 500 * time.Millisecond

// writePicture draws the snapshot if a picture is requested. It prints an error to stderr, so that
// the result of the run is still printed. The context ends drawing and writing. If it has ended
// with the run, there is still some time for both.
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
