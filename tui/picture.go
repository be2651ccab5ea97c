package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
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

// PictureName refuses the name of a file that no picture can have.
func PictureName(file string) error {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".svg", ".png":
		return nil
	}
	return fmt.Errorf("picture %q: want a name that ends in .svg or .png", file)
}

// encode makes the picture that the file's name asks for.
func encode(file string, g *grid.Grid, th *grid.Theme) ([]byte, error) {
	if err := PictureName(file); err != nil {
		return nil, err
	}
	o := export.Themed("hybridtop", th)
	if strings.EqualFold(filepath.Ext(file), ".png") {
		return export.PNG(g, o, pngScale)
	}
	return export.SVG(g, o), nil
}

// takePicture writes the screen as it stands to the file that the person has
// asked for.
func (p *program) takePicture() {
	file := p.app.picture
	p.app.picture = ""
	p.draw()
	b, err := encode(file, &p.screen.g, p.app.Theme)
	if err == nil {
		err = os.WriteFile(file, b, 0o644)
	}
	p.app.notice, p.stale = "the screen is in "+file, true
	if err != nil {
		p.app.notice = err.Error()
	}
}

// TimelineText draws the end of a snapshot's timeline as text of w columns: so
// much of it, or with 0 the latest iterations.
func TimelineText(s *engine.Snapshot, w int, last cluster.Time) (string, error) {
	return timeline.Text(s, w, last)
}
