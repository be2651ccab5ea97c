package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/tui/export"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane/timeline"
)

// pngScale is the number of pixels per unit: a cell is 16 pixels wide and 32 high.
const pngScale = 2

// PictureOf describes a picture: its file, content and size. The name of the file selects SVG or
// PNG.
type PictureOf struct {
	File string
	Pane string // a pane to draw alone; "": the whole screen
	W, H int    // columns and rows; 0, on the screen only: the size of the screen
	// Units are the units of sizes and rates. A picture requested on the screen uses the screen's.
	Units grid.Units
}

// maxCells is the longest side of a picture.
const maxCells = 1000

// PictureSize parses columns and rows, such as 120x36.
func PictureSize(text string) (w, h int, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text, "%dx%d%s", &w, &h, &rest); n != 2 || min(w, h) < 1 || max(w, h) > maxCells {
		return 0, 0, fmt.Errorf("%s: want columns and rows from 1 to %d, such as 120x36", text, maxCells)
	}
	return w, h, nil
}

// Picture draws a snapshot as the screen shows it, with its complete series.
func Picture(of *PictureOf, s *engine.Snapshot) ([]byte, error) {
	if err := of.check(of.W, of.H); err != nil {
		return nil, err
	}
	a := newApp()
	a.Picture, a.Units = true, of.Units
	a.load(s)
	a.Forecasts = forecastsOf(&s.Scenario, a.Panel.Selected, nil)
	return a.renderPicture(of, of.W, of.H)
}

// renderPicture draws the screen, or one pane alone, including everything that the panes leave for
// later frames.
func (a *app) renderPicture(of *PictureOf, w, h int) ([]byte, error) {
	if of.Pane != "" {
		a.zoomed = true
		if err := a.openPane(of.Pane); err != nil {
			return nil, err
		}
	}
	var sc screen
	for range latestFrame {
		if of.Pane != "" {
			sc.drawOnly(a, a.focus, w, h)
		} else {
			sc.draw(a, w, h)
		}
		if !sc.incomplete() {
			break
		}
	}
	return encode(of.File, &sc.g, a.Theme)
}

// latestFrame is the maximum number of frames that a picture may need until it is complete.
const latestFrame = 10_000

// Check returns an error if Picture or the file system would refuse the picture. It draws nothing.
func (of *PictureOf) Check() error {
	if err := of.check(of.W, of.H); err != nil {
		return err
	}
	return atomicfile.Check(of.File)
}

// check returns an error if the picture cannot be drawn at a size. It allocates no memory for it.
func (of *PictureOf) check(w, h int) error {
	if err := pictureName(of.File); err != nil {
		return err
	}
	if of.Pane != "" {
		if err := CheckPane(of.Pane); err != nil {
			return err
		}
		if w < oneW || h < oneH {
			return fmt.Errorf("picture of %d×%d cells is too small for a pane: want at least %d×%d", w, h, oneW, oneH)
		}
	}
	if isPNG(of.File) {
		return export.CheckPNG(w, h, pngScale)
	}
	return nil
}

// readPicture parses what a user types for a picture: FILE [PANE] [WxH]. The name may contain
// blanks; it ends with .svg or .png.
func readPicture(text string) (*PictureOf, error) {
	of := &PictureOf{File: strings.TrimSpace(text)}
	words := strings.Split(of.File, " ")
	for n := len(words) - 1; n > 0 && pictureName(of.File) != nil; n-- {
		file := strings.TrimSpace(strings.Join(words[:n], " "))
		if pictureName(file) != nil {
			continue
		}
		of.File = file
		for _, word := range words[n:] {
			if err := of.readOption(word); err != nil {
				return nil, err
			}
		}
	}
	return of, pictureName(of.File)
}

// readOption parses a word after the name of the file: a size or a pane.
func (of *PictureOf) readOption(word string) error {
	switch {
	case word == "":
		return nil
	case word[0] >= '0' && word[0] <= '9' && of.W == 0:
		w, h, err := PictureSize(word)
		if err != nil {
			return fmt.Errorf("size %w", err)
		}
		of.W, of.H = w, h
		return nil
	case of.Pane == "":
		of.Pane = word
		return CheckPane(word)
	}
	return fmt.Errorf("%q: want FILE [PANE] [WxH]", word)
}

func isPNG(file string) bool { return strings.EqualFold(filepath.Ext(file), ".png") }

// pictureName returns an error if the name of a file does not end in .svg or .png.
func pictureName(file string) error {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".svg", ".png":
		return nil
	}
	return fmt.Errorf("picture %q: want a .svg or .png file", file)
}

// encode encodes the grid in the format of the file's name.
func encode(file string, g *grid.Grid, th *grid.Theme) ([]byte, error) {
	if err := pictureName(file); err != nil {
		return nil, err
	}
	o := export.Themed("hybridtop", th)
	if isPNG(file) {
		return export.PNG(g, o, pngScale)
	}
	return export.SVG(g, o), nil
}

// pictured is the result of writing a picture of the screen.
type pictured struct {
	file string
	err  error
}

// takePicture draws the requested picture and returns the command that writes it to the file, so
// that the screen does not wait for the file.
func (p *program) takePicture() tea.Cmd {
	of := p.app.picture
	p.app.picture = nil
	b, err := p.app.capturePicture(of, p.w, p.h)
	p.screen.shared = sharedInputs{} // the panes may have moved
	p.stale = true
	return func() tea.Msg {
		if err == nil {
			err = atomicfile.Write(p.ctx, of.File, b)
		}
		return pictured{of.File, err}
	}
}

// capturePicture draws a picture and leaves the screen as it was. The size is w columns and h rows
// unless the user asked for another one.
func (a *app) capturePicture(of *PictureOf, w, h int) ([]byte, error) {
	if of.W > 0 {
		w, h = of.W, of.H
	}
	if err := of.check(w, h); err != nil {
		return nil, err
	}
	was := *a
	defer func() {
		a.focus = was.focus
		a.last = was.last
		a.zoomed = was.zoomed
		a.Alone = was.Alone
		a.w = was.w
		a.h = was.h
		a.over, a.overSpec = was.over, was.overSpec
	}()
	if of.Pane != "" {
		a.over, a.overSpec = nil, nil
	}
	return a.renderPicture(of, w, h)
}

// TimelineText draws the end of a snapshot's timeline as text of w columns. It covers the given
// last part of the time, or the latest iterations if last is 0.
func TimelineText(s *engine.Snapshot, w int, last cluster.Time) (string, error) {
	return timeline.Text(s, w, last)
}
