package all

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	_ "github.com/hybridtop/hybridtop/internal/golden" // the flag -update of go test ./tui/...
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

func TestEveryPaneIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Panes {
		if s.Name == "" || s.Title == "" || s.Doc == "" || strings.HasSuffix(s.Doc, ".") || s.New == nil ||
			s.Place >= pane.Places {
			t.Errorf("%+v: want a name, a title, a Doc without a full stop, a place and New", s)
		}
		if seen[s.Name] {
			t.Errorf("%s is listed twice", s.Name)
		}
		seen[s.Name] = true
	}
}

// A pane's action is either generic, with the keys and texts of the generic action, or has keys and
// texts itself.
func TestActionsAreGenericOrHaveKeys(t *testing.T) {
	for _, s := range Panes {
		seen := map[string]bool{}
		for _, a := range s.New().Actions() {
			generic := slices.ContainsFunc(pane.Generic, func(g pane.Action) bool { return g.Name == a.Name })
			switch {
			case a.Do == nil || seen[a.Name]:
				t.Errorf("%s: action %s has no Do, or is listed twice", s.Name, a.Name)
			case generic && (len(a.Keys) > 0 || a.Doc != "" || a.Hint != ""):
				t.Errorf("%s: %s is generic: its keys and texts belong in pane.Generic", s.Name, a.Name)
			case !generic && (a.Doc == "" || strings.HasSuffix(a.Doc, ".")):
				t.Errorf("%s: %s needs a Doc without a full stop", s.Name, a.Name)
			}
			seen[a.Name] = true
		}
	}
}

// Every pane can be drawn at any size before the first snapshot.
func TestPanesDrawAnEmptySnapshot(t *testing.T) {
	for _, s := range Panes {
		h := &pane.Host{
			Snap: &engine.Snapshot{Phase: engine.Starting}, Theme: grid.Themes()[0],
			Panel: pane.Panel{Say: func(string) {}, Send: func(engine.Command) {}},
			Say:   func(string) {}, Keys: func(a string) string { return a },
			WhatIf: func([]presets.Change) {},
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
			t.Errorf("%s: two calls of Inputs differ", s.Name)
		}
	}
}
