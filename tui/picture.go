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

// pngScale is the number of pixels a unit: a cell is 16 pixels wide and 32 high.
const pngScale = 2

// PictureOf says what is drawn into which file, SVG or PNG by its name.
type PictureOf struct {
	File string
	Pane string // alone, as when zoomed; "": the screen as it stands
	W, H int    // columns and rows; of a picture asked for on the screen 0: as the screen has
	// Units are those of the picture; one that is asked for on the screen has its own.
	Units grid.Units
}

// mostCells is the longest side of a picture.
const mostCells = 1000

// PictureSize reads columns and rows, such as 120x36.
func PictureSize(text string) (w, h int, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text, "%dx%d%s", &w, &h, &rest); n != 2 || min(w, h) < 1 || max(w, h) > mostCells {
		return 0, 0, fmt.Errorf("%s: want columns and rows from 1 to %d, such as 120x36", text, mostCells)
	}
	return w, h, nil
}

// Picture draws a snapshot as the screen shows it, with all there is of its series.
func Picture(of *PictureOf, s *engine.Snapshot) ([]byte, error) {
	if err := of.check(of.W, of.H); err != nil {
		return nil, err
	}
	a := newApp()
	a.Picture, a.Units = true, of.Units
	a.load(s)
	return a.drawn(of, of.W, of.H)
}

// drawn draws the screen, or a pane without what stands around it, with all that the
// panes would leave for later frames.
func (a *app) drawn(of *PictureOf, w, h int) ([]byte, error) {
	if of.Pane != "" {
		a.zoomed = true
		if err := a.openPane(of.Pane); err != nil {
			return nil, err
		}
	}
	var sc screen
	for range latestFrame {
		if of.Pane != "" {
			sc.only(a, a.focus, w, h)
		} else {
			sc.draw(a, w, h)
		}
		if !sc.late() {
			break
		}
	}
	return encode(of.File, &sc.g, a.Theme)
}

// latestFrame is the one in which all of a picture has to stand.
const latestFrame = 10_000

// Check refuses what Picture or the file system would refuse, before there is
// anything to draw.
func (of *PictureOf) Check() error {
	if err := of.check(of.W, of.H); err != nil {
		return err
	}
	return atomicfile.Check(of.File)
}

// check refuses a picture that cannot be drawn at a size, before memory is taken.
func (of *PictureOf) check(w, h int) error {
	if err := pictureName(of.File); err != nil {
		return err
	}
	if of.Pane != "" {
		if err := CheckPane(of.Pane); err != nil {
			return err
		}
		if w < oneW || h < oneH {
			return fmt.Errorf("a picture of %d×%d cells is too small for a pane: want at least %d×%d", w, h, oneW, oneH)
		}
	}
	if isPNG(of.File) {
		return export.CheckPNG(w, h, pngScale)
	}
	return nil
}

// readPicture reads what a user types for a picture: FILE [PANE] [WxH]. A name may have
// blanks: it ends where its ending does.
func readPicture(text string) (*PictureOf, error) {
	of := &PictureOf{File: strings.TrimSpace(text)}
	words := strings.Split(of.File, " ")
	for n := len(words) - 1; n > 0 && pictureName(of.File) != nil; n-- {
		if file := strings.TrimSpace(strings.Join(words[:n], " ")); pictureName(file) == nil {
			of.File, words = file, words[n:]
			for _, word := range words {
				switch {
				case word == "":
				case word[0] >= '0' && word[0] <= '9' && of.W == 0:
					var err error
					if of.W, of.H, err = PictureSize(word); err != nil {
						return nil, fmt.Errorf("size %w", err)
					}
				case of.Pane == "":
					if err := CheckPane(word); err != nil {
						return nil, err
					}
					of.Pane = word
				default:
					return nil, fmt.Errorf("%q: want a file, and after it a pane and a size at most", word)
				}
			}
		}
	}
	return of, pictureName(of.File)
}

func isPNG(file string) bool { return strings.EqualFold(filepath.Ext(file), ".png") }

// pictureName refuses the name of a file that no picture can have.
func pictureName(file string) error {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".svg", ".png":
		return nil
	}
	return fmt.Errorf("picture %q: want a name that ends in .svg or .png", file)
}

// encode makes the picture that the file's name asks for.
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

// pictured is what became of a picture of the screen.
type pictured struct {
	file string
	err  error
}

// takePicture draws what the user has asked for as it stands, and gives the command
// that writes it to the file: the screen does not wait for a file.
func (p *program) takePicture() tea.Cmd {
	of := p.app.picture
	p.app.picture = nil
	b, err := p.app.take(of, p.w, p.h)
	p.screen.whole = whole{} // panes may stand elsewhere since
	p.stale = true
	return func() tea.Msg {
		if err == nil {
			err = atomicfile.Write(p.ctx, of.File, b)
		}
		return pictured{of.File, err}
	}
}

// take draws a picture, of a screen of w columns and h rows unless another size was
// asked for, and leaves the screen as it was.
func (a *app) take(of *PictureOf, w, h int) ([]byte, error) {
	if of.W > 0 {
		w, h = of.W, of.H
	}
	if err := of.check(w, h); err != nil {
		return nil, err
	}
	was := *a
	defer func() {
		a.focus, a.last, a.zoomed, a.Alone, a.w, a.h = was.focus, was.last, was.zoomed, was.Alone, was.w, was.h
		a.over, a.overSpec = was.over, was.overSpec
	}()
	if of.Pane != "" {
		a.over, a.overSpec = nil, nil
	}
	return a.drawn(of, w, h)
}

// TimelineText draws the end of a snapshot's timeline as text of w columns: so
// much of it, or with 0 the latest iterations.
func TimelineText(s *engine.Snapshot, w int, last cluster.Time) (string, error) {
	return timeline.Text(s, w, last)
}
