package all

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	_ "github.com/hybridtop/hybridtop/internal/golden" // the flag -update of go test ./tui/...
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

func TestEveryPaneSaysWhatItIs(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Panes {
		if s.Name == "" || s.Title == "" || s.Doc == "" || strings.HasSuffix(s.Doc, ".") || s.New == nil || s.Place >= pane.Places {
			t.Errorf("%+v: a pane has a name, a title, words without a full stop, a place, and New", s)
		}
		if seen[s.Name] {
			t.Errorf("%s stands twice", s.Name)
		}
		seen[s.Name] = true
	}
}

// A pane's action is either generic, and has the key and the words of that one,
// or has its own of both.
func TestActionsAreGenericOrTellTheirKeys(t *testing.T) {
	for _, s := range Panes {
		seen := map[string]bool{}
		for _, a := range s.New().Actions() {
			generic := slices.ContainsFunc(pane.Generic, func(g pane.Action) bool { return g.Name == a.Name })
			switch {
			case a.Do == nil || seen[a.Name]:
				t.Errorf("%s: %s does nothing, or stands twice", s.Name, a.Name)
			case generic && (len(a.Keys) > 0 || a.Doc != "" || a.Hint != ""):
				t.Errorf("%s: %s is generic: its key and words stand in the list of those", s.Name, a.Name)
			case !generic && (a.Doc == "" || strings.HasSuffix(a.Doc, ".")):
				t.Errorf("%s: %s needs a line of help without a full stop", s.Name, a.Name)
			}
			seen[a.Name] = true
		}
	}
}

// Every pane draws what there is before the first snapshot, at any size.
func TestPanesDrawNothing(t *testing.T) {
	for _, s := range Panes {
		h := &pane.Host{
			Snap: &engine.Snapshot{Phase: engine.Starting}, Theme: grid.Themes()[0],
			Panel: pane.Panel{Say: func(string) {}, Send: func(engine.Command) {}},
			Say:   func(string) {}, Keys: func(a string) string { return a },
		}
		p := s.New()
		for _, size := range [][2]int{{0, 0}, {1, 1}, {3, 40}, {200, 2}, {120, 40}} {
			g := grid.New(size[0], size[1])
			p.Draw(g.All(), h)
			for _, a := range p.Actions() {
				if a.Ready == nil || a.Ready(h) {
					a.Do(h)
				}
			}
		}
		if in, again := p.Inputs(h), p.Inputs(h); in != again {
			t.Errorf("%s: its inputs differ from themselves", s.Name)
		}
	}
}
