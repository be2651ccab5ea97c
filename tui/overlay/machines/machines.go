package machines

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry of the overlay.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "machines", Keys: []string{"o"}, Doc: "choose a machine: its facts and their sources",
		Hint: "machines"},
	Mode: "in the machines", Changes: true, Knob: knob,
	New: func(h *overlay.Host) overlay.Overlay { return newPicker(h) },
}

const knob = "machine"

type picker struct {
	overlay.Picker
	read map[string]*described // the machines when the list was opened
}

func newPicker(h *overlay.Host) *picker {
	o := &picker{}
	o.Picker = overlay.Picker{Host: h, Noun: knob, Verb: "choose", Size: [2]int{110, 44}, All: o.choices,
		Describe: o.describe,
		Take:     func(name string) { h.Set(knob, name) }}
	return o
}

// described is the content of a machine file, or the error in it.
type described struct {
	machine cluster.Machine
	tally   presets.Tally
	err     error
}

// sketchWarning follows the name of a machine with more than a third of assumed numbers.
const sketchWarning = " sketch"

// readMachine reads the file of a machine.
func (o *picker) readMachine(name string) *described {
	for i := range o.Host.Machines {
		if o.Host.Machines[i].Name == name {
			return &described{machine: o.Host.Machines[i], tally: presets.Count(&o.Host.Machines[i])}
		}
	}
	m, err := presets.Machine(name)
	return &described{machine: m, tally: presets.Count(&m), err: err}
}

// Open selects the current machine.
func (o *picker) Open() bool {
	if _, err := o.Host.Panel.Scenario.Knob(knob); err != nil {
		return false
	}
	if skipped := presets.SkippedMachines(); len(skipped) > 0 {
		o.Host.Say("skipped: " + skipped[0].Err.Error())
	}
	o.read = map[string]*described{}
	o.Begin()
	return true
}

func (o *picker) choices() []overlay.Choice {
	k, err := o.Host.Panel.Scenario.Knob(knob)
	if err != nil {
		return nil
	}
	var all []overlay.Choice
	for _, name := range k.Choices {
		d := o.read[name]
		if d == nil { // new since the list was opened
			d = o.readMachine(name)
			o.read[name] = d
		}
		c := overlay.Choice{Name: name, Search: name + " " + d.machine.Title, Now: name == o.Host.Requested(knob)}
		if d.tally.Sketch() {
			c.Warning = sketchWarning
		}
		all = append(all, c)
	}
	return all
}

// describe writes the facts of a machine.
func (o *picker) describe(f *grid.Flow, name string) {
	if d := o.read[name]; d != nil {
		drawFacts(f, d, o.Host.Units, o.Host.Theme)
	}
}

func drawFacts(f *grid.Flow, d *described, u grid.Units, th *grid.Theme) {
	if d.err != nil {
		f.Text(d.err.Error(), th.Error)
		return
	}
	m := &d.machine
	f.Text(m.Title, th.Title)
	live := "live: measured on this host"
	if m.Emulated {
		live = "live: emulated"
	}
	f.Text(live+", progress by "+string(m.Progress), th.Dim)
	t, tallyStyle := &d.tally, th.Dim
	text := fmt.Sprintf("%d sourced, %d derived, %d fitted, %d assumed", t.Sourced, t.Derived, t.Fitted, t.Assumed)
	if t.Sketch() {
		text, tallyStyle = text+": a sketch (more than 1/3 assumed)", th.Warning
	}
	f.Text(text, tallyStyle)
	f.Y++
	for _, fact := range presets.Facts(m) {
		st := th.Text
		if fact.Value == nil {
			st = th.Dim
		}
		f.Pair(fact.Key, factText(&fact, u), th.Dim, st)
		source := th.Dim
		text := fact.Source
		switch fact.Kind() {
		case presets.Assumed:
			source = th.Warning
		case presets.Unknown:
			text = fact.Words()
		}
		f.Text("  "+text, source)
	}
}

// factText returns the value of a fact with its unit.
func factText(f *presets.Fact, u grid.Units) string {
	switch v := f.Value.(type) {
	case nil:
		return "unknown"
	case float64:
		return factUnit(f.Unit, u).String(v)
	case []float64:
		return strings.Trim(fmt.Sprint(v), "[]")
	}
	return fmt.Sprint(f.Value)
}

func factUnit(symbol string, u grid.Units) grid.Unit {
	if symbol == "" {
		return pane.Integer
	}
	return u.Of(symbol)
}
