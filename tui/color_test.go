package tui

import (
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
	"github.com/hybridtop/hybridtop/tui/pane/study"
)

// TestColoursOfLinesAreOnStudiesAlone draws all workloads. Only studies have the colours of the first, the second, … line
// of a chart, because another pane would mean other things by them.
func TestColoursOfLinesAreOnStudiesAlone(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	seen := false
	for _, name := range runs.Workloads() {
		a := shownApp(runs.Last(name).On(t, "demo"))
		series := map[grid.Color]bool{}
		for _, c := range a.Theme.Series {
			series[c] = true
		}
		for _, size := range sizes(80, 24, 120, 40, 200, 60, 300, 90) {
			a.w, a.h = size[0], size[1]
			var s screen
			g := s.draw(a, a.w, a.h)
			at := arrange(a.w, a.h, a)
			for p := range a.specs {
				_, isStudy := a.panes[p].(*study.Pane)
				if has := hasColour(g.View(at.pane(p, a.specs)), series); has && !isStudy {
					t.Errorf("%s, %d×%d: %s has colours of lines", name, a.w, a.h, a.specs[p].Name)
				} else if has {
					seen = true
				}
			}
		}
	}
	if !seen {
		t.Error("no study has colours of lines")
	}
}

// hasColour reports whether a cell has one of the colours.
func hasColour(v grid.View, colours map[grid.Color]bool) bool {
	for y := range v.H() {
		for x := range v.W() {
			if c := v.At(x, y); colours[c.Fg] && c.Rune != ' ' && c.Rune != 0 || colours[c.Bg] {
				return true
			}
		}
	}
	return false
}
