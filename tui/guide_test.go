package tui

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// guided returns an app that runs a scenario, as it is after loading it.
func guided(t *testing.T, p *presets.Scenario) *app {
	t.Helper()
	a := shownApp(demo(4, 4, 4))
	if err := a.loadScenario(p.Name); err != nil {
		t.Fatal(err)
	}
	sc, err := session.FromPreset(p)
	if err != nil {
		t.Fatal(err)
	}
	s := demo(4, 4, 4)
	s.Scenario = sc
	a.load(s)
	return a
}

// words returns the words in a rectangle of the grid, row by row.
func words(g *grid.Grid, r grid.Rect) (all []string) {
	for y := range r.H {
		row := ""
		for x := range r.W {
			if c := g.At(r.X+x, r.Y+y).Rune; c != grid.Continued {
				row += string(max(c, ' '))
			}
		}
		all = append(all, strings.Fields(row)...)
	}
	return all
}

// The text of every scenario is complete on the screen, with numbered steps, until it is hidden.
func TestTheWholeTextOfAScenarioIsShown(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	all, _ := session.Presets()
	for _, p := range all {
		a := guided(t, &p)
		want := strings.Fields(p.Watch)
		for i, step := range p.Steps {
			want = append(append(want, strconv.Itoa(i+1)), strings.Fields(step)...)
		}
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
			var s screen
			for _, press := range []string{"right", "down", "z", "p", "space", "f"} { // it stays
				keys(a, press)
				g := s.draw(a, size[0], size[1])
				if got := words(g, s.at.guide.Inset(1, 1)); !slices.Equal(got, want) {
					t.Errorf("%s at %v after %s: the screen shows %q, want %q", p.Name, size, press, got, want)
				}
				if s.at.shown == 0 {
					t.Errorf("%s at %v after %s: no pane is visible", p.Name, size, press)
				}
			}
			for _, shown := range []bool{false, true} {
				keys(a, "W")
				if s.draw(a, size[0], size[1]); s.at.guide.Empty() == shown {
					t.Errorf("%s at %v: after W, the text is at %v", p.Name, size, s.at.guide)
				}
			}
		}
	}
}

// The text belongs to the scenario's workload, and every size of the screen can be drawn with it.
func TestTheTextEndsWithItsWorkload(t *testing.T) {
	p, err := presets.FindScenario("multigrid-ladder")
	if err != nil {
		t.Fatal(err)
	}
	a := guided(t, &p)
	var s screen
	for w := 1; w < 130; w += 3 {
		for h := 1; h < 50; h++ {
			s.draw(a, w, h)
			if !s.at.lines.Empty() {
				continue
			}
			if r := s.at.guide; r.W != w || r.H < 1 {
				t.Fatalf("at %d×%d the text is at %v", w, h, r)
			}
		}
	}
	if a.load(demo(4, 4, 4)); a.guide.shown {
		t.Error("another workload shows the text")
	}
	if keys(a, "W"); a.guide.shown || !strings.HasPrefix(a.notice, "no scenario with a text") {
		t.Errorf("W shows %v, says %q", a.guide, a.notice)
	}
}
