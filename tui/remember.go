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

// markerNames holds the names of the markers of curves.
var markerNames = map[grid.Markers]string{grid.Braille: "dots", grid.Blocks: "blocks", grid.Lines: "lines"}

// restore applies the remembered settings, and returns a message for each unknown one.
func (a *app) restore(k state.Kept) (skipped []string) {
	if k.Theme != "" && !a.chooseTheme(k.Theme) {
		skipped = append(skipped, fmt.Sprintf("unknown theme %q: skipped", k.Theme))
	}
	if k.Units != "" {
		u, ok := grid.UnitsByName(k.Units)
		if !ok {
			skipped = append(skipped, fmt.Sprintf("unknown units %q: skipped", k.Units))
		}
		a.Units = u
	}
	if k.Mouse != nil {
		a.mouse = *k.Mouse
	}
	if k.Markers != "" {
		found := false
		for m, name := range markerNames {
			if name == k.Markers {
				a.Markers, found = m, true
			}
		}
		if !found {
			skipped = append(skipped, fmt.Sprintf("unknown markers %q: skipped", k.Markers))
		}
	}
	for name, w := range k.Workloads {
		a.workloads[name] = w
	}
	a.recent = k.Recent
	return skipped
}

// used remembers a command as the newest one.
func (a *app) used(command string) {
	all := []string{command}
	for _, c := range a.recent {
		if c != command && len(all) < state.MaxRecent {
			all = append(all, c)
		}
	}
	a.recent = all
}

// kept returns the settings and layouts to remember.
func (a *app) kept() state.Kept {
	k := state.Kept{Units: a.Units.String(), Markers: markerNames[a.Markers], Mouse: &[]bool{a.mouse}[0],
		Recent: a.recent, Workloads: make(map[string]state.Workload, len(a.workloads)+1)}
	if a.chosen {
		k.Theme = a.Theme.Name
	}
	for name, w := range a.workloads {
		k.Workloads[name] = w
	}
	if name := a.Snap.Scenario.Workload; name != "" {
		w := k.Workloads[name]
		w.Layout = a.layout()
		k.Workloads[name] = w
	}
	return k
}

// rememberScenario remembers the running scenario of a workload. It skips a failed run.
func (a *app) rememberScenario(s *engine.Snapshot) {
	if s.Scenario.Workload == "" || s.Phase == engine.Failed || s.Phase == engine.Starting {
		return
	}
	w := a.workloads[s.Scenario.Workload]
	w.Knobs = s.Scenario.Values // a snapshot never changes
	a.workloads[s.Scenario.Workload] = w
}

// layout returns the current layout of the panes.
func (a *app) layout() *state.Layout {
	l := &state.Layout{Focus: a.specs[a.focus].Name, Zoomed: a.zoomed, Folded: a.Panel.Folded}
	for _, last := range a.last {
		if last > 0 {
			l.Panes = append(l.Panes, a.specs[last-1].Name)
		}
	}
	return l
}

// applyLayout applies a layout. It ignores unknown panes.
func (a *app) applyLayout(l *state.Layout) {
	a.last = [pane.Places]int{}
	for _, name := range append(slices.Clone(l.Panes), l.Focus) {
		if p := a.paneOf(name); p >= 0 {
			a.setFocus(p)
		}
	}
	a.zoomed = l.Zoomed
	a.Panel.Folded = l.Folded
	a.Panel.Edits++
}

// paneOf returns the number of the pane with a name, or −1.
func (a *app) paneOf(name string) int {
	return slices.IndexFunc(a.specs, func(s pane.Spec) bool { return s.Name == name })
}

// openPane focuses the pane with a name.
func (a *app) openPane(name string) error {
	if err := CheckPane(name); err != nil {
		return err
	}
	a.setFocus(a.paneOf(name))
	return nil
}

// CheckPane returns an error if no pane has the name.
func CheckPane(name string) error {
	if all := PaneNames(); !slices.Contains(all, name) {
		return fmt.Errorf("unknown pane %q: want one of %s", name, strings.Join(all, ", "))
	}
	return nil
}

// PaneNames returns the names of the panes.
func PaneNames() []string {
	var names []string
	for _, s := range panereg.Panes {
		names = append(names, s.Name)
	}
	return names
}

// remembered is the result of writing the store.
type remembered struct{ err error }

// keepEvery is the interval at which the screen writes changed settings.
const keepEvery = time.Second

// lastKeep is the longest time that the screen waits for the files when it ends.
const lastKeep = time.Second

// keep returns the command that writes changed settings, so that the screen does not wait for a
// file.
func (p *program) keep(now time.Time) tea.Cmd {
	if p.store == nil || p.keeping || now.Sub(p.kept) < keepEvery {
		return nil
	}
	p.keeping, p.kept = true, now
	k := p.app.kept()
	return func() tea.Msg { return remembered{p.store.Keep(p.ctx, k)} }
}

// keepLast writes changed settings when the screen ends.
func (p *program) keepLast(ctx context.Context) error {
	if p.store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastKeep)
	defer cancel()
	done, k := make(chan error, 1), p.app.kept()
	go func() { done <- p.store.Keep(ctx, k) }() // after a write in progress
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.New("settings not saved: the file system does not respond")
	}
}
