package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry of the overlay.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "scenarios", Keys: []string{"O"},
		Doc: "choose a scenario: what it shows, what to watch, and its paper"},
	Changes: true, Mode: "in the scenarios",
	New: func(h *overlay.Host) overlay.Overlay { return newPicker(h) },
}

type picker struct {
	overlay.Picker
	all []presets.Scenario // when the list was opened
}

func newPicker(h *overlay.Host) *picker {
	o := &picker{}
	o.Picker = overlay.Picker{Host: h, Noun: "scenario", Verb: "run", Size: [2]int{110, 36}, All: o.choices,
		Describe: o.describe, Take: o.take}
	return o
}

// Open reads the scenarios.
func (o *picker) Open() bool {
	var skipped []error
	o.all, skipped = o.Host.Scenarios()
	if len(skipped) > 0 {
		o.Host.Say("skipped: " + skipped[0].Error())
	}
	o.Begin()
	return true
}

func (o *picker) choices() []overlay.Choice {
	var all []overlay.Choice
	for _, s := range o.all {
		all = append(all,
			overlay.Choice{Name: s.Name, Search: strings.Join([]string{s.Name, s.Title, s.Workload, s.Paper, s.Text()}, " ")})
	}
	return all
}

func (o *picker) take(name string) {
	if err := o.Host.Load(name); err != nil {
		o.Host.Say(err.Error())
	}
}

// describe writes the description of a scenario.
func (o *picker) describe(f *grid.Flow, name string) {
	th := o.Host.Theme
	i := slices.IndexFunc(o.all, func(s presets.Scenario) bool { return s.Name == name })
	if i < 0 {
		return
	}
	s := &o.all[i]
	f.Text(s.Title, th.Title)
	f.Text(s.Workload+prefixed("; ", s.Paper), th.Dim)
	f.Y++
	if s.Watch != "" {
		f.Text(s.Watch, th.Text)
	}
	for i, step := range s.Steps {
		f.Item(strconv.Itoa(i+1), step, th.Accent, th.Text)
	}
	f.Y++
	for _, k := range s.Knobs {
		f.Pair(k.Name, k.Value, th.Dim, th.Text)
	}
	if s.Pane != "" {
		f.Text("opens the pane "+s.Pane, th.Dim)
	}
}

func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
