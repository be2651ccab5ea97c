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

// Picture draws a snapshot as the screen shows it, on w columns and h rows with
// all there is of its series, for a file of this name: SVG or PNG.
func Picture(file string, s *engine.Snapshot, w, h int) ([]byte, error) {
	a := newApp()
	a.Whole = true
	a.load(s)
	var sc screen
	return encode(file, sc.draw(a, w, h), a.Theme)
}

// CheckPicture refuses what Picture or the file system would refuse, before there
// is anything to draw.
func CheckPicture(file string, w, h int) error {
	if err := pictureName(file); err != nil {
		return err
	}
	if isPNG(file) {
		if err := export.CheckPNG(w, h, pngScale); err != nil {
			return err
		}
	}
	return atomicfile.Check(file)
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

// takePicture draws the screen as it stands, and gives the command that writes it
// to the file that the user has asked for: the screen does not wait for a file.
func (p *program) takePicture() tea.Cmd {
	file := p.app.picture
	p.app.picture = ""
	p.draw()
	b, err := encode(file, &p.screen.g, p.app.Theme)
	return func() tea.Msg {
		if err == nil {
			err = atomicfile.Write(p.ctx, file, b)
		}
		return pictured{file, err}
	}
}

// TimelineText draws the end of a snapshot's timeline as text of w columns: so
// much of it, or with 0 the latest iterations.
func TimelineText(s *engine.Snapshot, w int, last cluster.Time) (string, error) {
	return timeline.Text(s, w, last)
}
