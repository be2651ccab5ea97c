package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/tui"
)

// pictureFlags are --picture and --picture-size.
type pictureFlags struct{ file, size string }

// mostCells is the longest side of a picture.
const mostCells = 1000

func addPicture(cmd *cobra.Command) *pictureFlags {
	p := &pictureFlags{}
	cmd.Flags().StringVar(&p.file, "picture", "", "file that the screen at the end is drawn into, as .svg or .png")
	cmd.Flags().StringVar(&p.size, "picture-size", "120x36", "columns and rows of the picture")
	must(cmd.MarkFlagFilename("picture", "svg", "png"))
	return p
}

// read refuses what cannot be drawn, before anything runs.
func (p *pictureFlags) read() (w, h int, err error) {
	var rest string
	if n, _ := fmt.Sscanf(p.size, "%dx%d%s", &w, &h, &rest); n != 2 || min(w, h) < 1 || max(w, h) > mostCells {
		return 0, 0, fmt.Errorf("--picture-size %s: want columns and rows from 1 to %d, such as 120x36", p.size, mostCells)
	}
	if p.file != "" {
		if err := tui.CheckPicture(p.file, w, h); err != nil {
			return 0, 0, err
		}
	}
	return w, h, nil
}

// lastPicture is how long a run that was interrupted may take to write its picture.
const lastPicture = 2 * time.Second

// lastWrite is how long a write that is interrupted is waited for: longer than it
// takes to remove what it has made.
const lastWrite = 500 * time.Millisecond

// write draws the snapshot, if a picture was asked for. The context ends drawing
// and writing; one that ended before, with the run, leaves some time for both.
func (p *pictureFlags) write(ctx context.Context, s *engine.Snapshot, w, h int) error {
	if p.file == "" {
		return nil
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lastPicture)
		defer cancel()
	}
	done := make(chan error, 1)
	go func() {
		b, err := tui.Picture(p.file, s, w, h)
		if err == nil {
			err = atomicfile.Write(ctx, p.file, b)
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
			err = fmt.Errorf("%s: %w", p.file, context.Cause(ctx))
		}
	}
	return err
}
