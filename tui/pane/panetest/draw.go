package panetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Host returns a host of a screen that shows a snapshot. The keys of an action are its name.
// Commands have no effect.
func Host(s *engine.Snapshot) *pane.Host {
	h := &pane.Host{Snap: s, Theme: grid.Themes()[0], Say: func(string) {}, Keys: func(action string) string {
		return action
	}, WhatIf: func([]presets.Change) {}}
	h.Idle = func(knob string) string { return workload.Idle(&h.Snap.Scenario, h.Snap.Kind, knob) }
	h.Panel = pane.Panel{Send: func(engine.Command) {}, Say: func(string) {},
		Selected: workload.First(&s.Scenario, s.Kind)}
	h.Panel.Load(s.Scenario)
	return h
}

// NextTo returns a host of a run that is compared with a baseline.
func NextTo(base, s *engine.Snapshot) *pane.Host {
	h := Host(s)
	h.Base = engine.NewBaseline(base).Against(s)
	return h
}

// A Look describes how a pane is drawn: its size inside the border, and the terminal.
type Look struct {
	W, H   int
	Alone  bool // no other pane is on the screen
	ASCII  bool
	Theme  string // "": the first one
	Styles bool   // the text includes colours and attributes
}

// Draw draws a pane completely and returns its text. The first line is the pane's border. Blank
// rows at the end are left out.
func Draw(p pane.Pane, h *pane.Host, l Look) string {
	if l.Theme != "" {
		h.Theme, _ = grid.ThemeByName(l.Theme)
	}
	h.Alone = l.Alone
	g := grid.New(l.W, l.H)
	g.ASCII, g.Mono = l.ASCII, h.Theme.Name == "mono"
	b := pane.Border{Incomplete: true}
	for b.Incomplete {
		g.Fill(g.Bounds(), grid.Cell{Bg: h.Theme.Background})
		b = p.Draw(g.All(), h)
	}
	border := b.Title + " · " + b.Right
	if b.Banner != "" {
		border += " · " + b.Banner
	}
	if b.Above {
		border += " ▴"
	}
	if b.Below {
		border += " ▾"
	}
	text := g.PlainText()
	if l.Styles {
		text = g.StyledText()
	}
	return border + "\n" + strings.TrimRight(text, "\n") + "\n"
}

// looks lists the drawings of every pane for its golden file.
var looks = []struct {
	name string
	Look
}{
	{"32×8", Look{W: 32, H: 8}}, // on a screen of 80×24
	{"49×15", Look{W: 49, H: 15}},
	{"76×19", Look{W: 76, H: 19, Alone: true}},
	{"116×35", Look{W: 116, H: 35, Alone: true}},
	{"196×55", Look{W: 196, H: 55, Alone: true}},
	{"ascii", Look{W: 76, H: 19, Alone: true, ASCII: true}},
	{"mono", Look{W: 76, H: 19, Alone: true, Theme: "mono", Styles: true}},
	{"light", Look{W: 49, H: 15, Theme: "light", Styles: true}},
}

// Looks compares drawings of a run by a new pane with the golden file. The pane is drawn in the
// sizes that it has on screens, in ASCII, in monochrome and in light colours. Unless base is nil,
// it is also drawn with a baseline.
func Looks(t *testing.T, spec *pane.Spec, of string, base, s *engine.Snapshot) {
	t.Helper()
	for _, l := range looks {
		text := Draw(spec.New(), Host(s), l.Look)
		golden.Text(t, fmt.Sprintf("%s: %s, %s", spec.Name, of, l.name), text)
		if i := strings.IndexFunc(strings.SplitN(text, "\n", 2)[1], func(r rune) bool { return r > '~' }); l.ASCII && i >= 0 {
			t.Errorf("%s: the drawing %s is not in ASCII:\n%s", spec.Name, of, text)
		}
	}
	if base == nil {
		return
	}
	for _, l := range []Look{{W: 32, H: 8}, {W: 76, H: 19, Alone: true}, {W: 116, H: 35, Alone: true}} {
		golden.Text(t, fmt.Sprintf("%s: %s, next to a baseline, %d×%d", spec.Name, of, l.W, l.H),
			Draw(spec.New(), NextTo(base, s), l))
	}
}

// Act does the named actions of a pane. It fails the test if one is missing or not ready.
func Act(t *testing.T, p pane.Pane, h *pane.Host, names ...string) {
	t.Helper()
	for _, name := range names {
		act(t, p, h, name)
	}
}

func act(t *testing.T, p pane.Pane, h *pane.Host, name string) {
	t.Helper()
	for _, a := range p.Actions() {
		if a.Name == name {
			if a.Ready != nil && !a.Ready(h) {
				t.Fatalf("%s is not ready", name)
			}
			a.Do(h)
			return
		}
	}
	t.Fatalf("the pane has no action %s", name)
}
