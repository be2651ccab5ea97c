package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	panereg "github.com/hybridtop/hybridtop/tui/pane/all"
	"github.com/hybridtop/hybridtop/tui/state"
)

// markerNames are the words for the marks of curves.
var markerNames = map[grid.Markers]string{grid.Braille: "dots", grid.Blocks: "blocks", grid.Lines: "lines"}

// restore begins as what is remembered says, and tells what of it is not known.
func (a *app) restore(k state.Kept) (skipped []string) {
	if k.Theme != "" && !a.chooseTheme(k.Theme) {
		skipped = append(skipped, fmt.Sprintf("theme %q is not known: skipped", k.Theme))
	}
	if k.Units != "" {
		u, known := grid.UnitsByName(k.Units)
		if !known {
			skipped = append(skipped, fmt.Sprintf("units %q are not known: skipped", k.Units))
		}
		a.Units = u
	}
	if k.Mouse != nil {
		a.mouse = *k.Mouse
	}
	if k.Markers != "" {
		known := false
		for m, name := range markerNames {
			if name == k.Markers {
				a.Markers, known = m, true
			}
		}
		if !known {
			skipped = append(skipped, fmt.Sprintf("markers %q are not known: skipped", k.Markers))
		}
	}
	for name, w := range k.Workloads {
		a.left[name] = w
	}
	return skipped
}

// kept is what is to be remembered of the screen as it stands.
func (a *app) kept() state.Kept {
	k := state.Kept{Units: a.Units.String(), Markers: markerNames[a.Markers], Mouse: &[]bool{a.mouse}[0], Workloads: make(map[string]state.Workload, len(a.left)+1)}
	if a.chosen {
		k.Theme = a.Theme.Name
	}
	for name, w := range a.left {
		k.Workloads[name] = w
	}
	if name := a.Snap.Scenario.Workload; name != "" {
		w := k.Workloads[name]
		w.Layout = a.layout()
		k.Workloads[name] = w
	}
	return k
}

// leave remembers a scenario that runs. One that failed is not worth beginning with.
func (a *app) leave(s *engine.Snapshot) {
	if s.Scenario.Workload == "" || s.Phase == engine.Failed || s.Phase == engine.Starting {
		return
	}
	w := a.left[s.Scenario.Workload]
	w.Knobs = s.Scenario.Values // of a snapshot, which never changes
	a.left[s.Scenario.Workload] = w
}

// layout is how the panes are looked at.
func (a *app) layout() *state.Layout {
	l := &state.Layout{Focus: a.specs[a.focus].Name, Zoomed: a.zoomed}
	for _, last := range a.last {
		if last > 0 {
			l.Panes = append(l.Panes, a.specs[last-1].Name)
		}
	}
	return l
}

// lookAs looks at the panes as a layout says, as far as there are such panes.
func (a *app) lookAs(l *state.Layout) {
	a.last = [pane.Places]int{}
	for _, name := range append(slices.Clone(l.Panes), l.Focus) {
		if p := a.paneOf(name); p >= 0 {
			a.setFocus(p)
		}
	}
	a.zoomed = l.Zoomed
}

// paneOf is the number of the pane of a name; −1: there is none.
func (a *app) paneOf(name string) int {
	return slices.IndexFunc(a.specs, func(s pane.Spec) bool { return s.Name == name })
}

// openPane focuses the pane of a name.
func (a *app) openPane(name string) error {
	if err := CheckPane(name); err != nil {
		return err
	}
	a.setFocus(a.paneOf(name))
	return nil
}

// CheckPane refuses what is no pane's name.
func CheckPane(name string) error {
	if all := PaneNames(); !slices.Contains(all, name) {
		return fmt.Errorf("no pane %q: there are %s", name, strings.Join(all, ", "))
	}
	return nil
}

// PaneNames are the names of the panes.
func PaneNames() []string {
	var names []string
	for _, s := range panereg.Panes {
		names = append(names, s.Name)
	}
	return names
}

// remembered is what became of what was to be kept.
type remembered struct{ err error }

// keepEvery is how often the screen looks whether there is anything to keep.
const keepEvery = time.Second

// lastKeep is how long the end of the screen waits for the files.
const lastKeep = time.Second

// keep writes what has changed, without the screen waiting for a file.
func (p *program) keep(now time.Time) tea.Cmd {
	if p.store == nil || p.keeping || now.Sub(p.kept) < keepEvery {
		return nil
	}
	p.keeping, p.kept = true, now
	k := p.app.kept()
	return func() tea.Msg { return remembered{p.store.Keep(p.ctx, k)} }
}

// keepLast writes what has changed at the end.
func (p *program) keepLast(ctx context.Context) error {
	if p.store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastKeep)
	defer cancel()
	done, k := make(chan error, 1), p.app.kept()
	go func() { done <- p.store.Keep(ctx, k) }() // after one that is under way
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.New("not remembered: the file system does not answer")
	}
}
