package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
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
	if p.file != "" {
		if err := tui.PictureName(p.file); err != nil {
			return 0, 0, err
		}
	}
	var rest string
	if n, _ := fmt.Sscanf(p.size, "%dx%d%s", &w, &h, &rest); n != 2 || min(w, h) < 1 || max(w, h) > mostCells {
		return 0, 0, fmt.Errorf("--picture-size %s: want columns and rows from 1 to %d, such as 120x36", p.size, mostCells)
	}
	return w, h, nil
}

// write draws the snapshot, if a picture was asked for.
func (p *pictureFlags) write(s *engine.Snapshot, w, h int) error {
	if p.file == "" {
		return nil
	}
	b, err := tui.Picture(p.file, s, w, h)
	if err != nil {
		return err
	}
	return os.WriteFile(p.file, b, 0o644)
}
