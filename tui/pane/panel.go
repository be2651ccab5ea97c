package pane

import (
	"maps"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// Panel holds the knobs of the running scenario. It has the selected knob, the requested values
// that the session has not applied yet, and the error of a rejected value. The knobs can still be
// changed while the screen is frozen.
type Panel struct {
	Scenario engine.Scenario
	Selected string
	Fault    Fault
	Typed    *grid.Line // the value being typed for the selected knob; nil: none
	Edits    int        // number of changes of the panel

	Folded []string // groups that the user folded, or unfolded if they are folded at first

	Send func(engine.Command) // to the session
	Say  func(string)
	// First returns the headline knob, and Idle the reason why a knob has no effect. With First, the knobs
	// are grouped.
	First func() string
	Idle  func(knob string) string

	requested map[string]string
	rows      []Row
	grouped   int // Edits of rows
}

// Fault is the error of a rejected value. It is shown next to its knob.
type Fault struct{ Knob, Text string }

// Load replaces the scenario by the scenario of another snapshot.
func (p *Panel) Load(sc engine.Scenario) {
	if sc.Workload != p.Scenario.Workload || !maps.Equal(sc.Values, p.Scenario.Values) {
		p.Edits++
	}
	p.Scenario = sc
	for name, v := range p.requested {
		if sc.Values[name] == v {
			p.drop(name)
		}
	}
}

func (p *Panel) drop(name string) {
	delete(p.requested, name)
	p.Edits++
}

// Clear drops all requested values, because another scenario replaces this one.
func (p *Panel) Clear() {
	clear(p.requested)
	p.Fault = Fault{}
	p.Edits++
}

// At returns the index of the selected knob, or −1 if there are no knobs.
func (p *Panel) At() int {
	for i := range p.Scenario.Table {
		if p.Scenario.Table[i].Name == p.Selected {
			return i
		}
	}
	return min(0, len(p.Scenario.Table)-1)
}

// Knob returns the selected knob, or nil if there are none.
func (p *Panel) Knob() *engine.Knob {
	if i := p.At(); i >= 0 {
		return &p.Scenario.Table[i]
	}
	return nil
}

// Value returns the knob's value that the user requested last, or the value of the scenario.
func (p *Panel) Value(name string) string {
	if v, ok := p.requested[name]; ok {
		return v
	}
	return p.Scenario.Values[name]
}

// Pending reports whether the session has not applied a requested value yet.
func (p *Panel) Pending(name string) bool {
	_, ok := p.requested[name]
	return ok
}

// Select selects a knob.
func (p *Panel) Select(name string) {
	p.Selected = name
	p.Edits++
}

// Move selects the knob n positions below. It wraps around at both ends.
func (p *Panel) Move(n int) {
	at, rows := p.At(), slices.DeleteFunc(slices.Clone(p.Rows()), func(r Row) bool { return r.Knob < 0 })
	if all := len(rows); all > 0 {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Knob == at })
		p.Select(p.Scenario.Table[rows[((i+n)%all+all)%all].Knob].Name)
	}
}

// Change changes the selected knob to a neighbouring choice: +1 is the next one, −1 the previous one.
func (p *Panel) Change(by int) {
	k := p.Knob()
	if k == nil {
		return
	}
	old := p.Value(k.Name)
	if v := k.Next(old, by); v != old {
		if why := k.SkipReason(old, by); why != "" {
			p.Say(why)
		}
		p.Set(k.Name, v)
		return
	}
	if len(k.Choices) == 0 {
		p.Say(k.Label + ": press enter to type a value")
	}
}

// Set requests a new value of a knob from the session. It rejects a value that the knob does not
// accept and shows the reason next to the knob.
func (p *Panel) Set(name, text string) bool {
	k, err := p.Scenario.Knob(name)
	if err == nil {
		name = k.Name
		p.Selected = name
		text, err = k.Parse(text)
	}
	if err != nil {
		p.ShowError(name, err)
		return false
	}
	if p.requested == nil {
		p.requested = map[string]string{}
	}
	p.Fault = Fault{}
	p.requested[name] = text
	p.Edits++
	p.Send(engine.Command{Verb: engine.Set, Knob: name, Value: text})
	return true
}

// Restore asks the session to undo or redo a change, or to restore the default of a knob ("": of all
// knobs). It drops pending requests, because the session may never apply them.
func (p *Panel) Restore(verb engine.Verb, knob string) {
	clear(p.requested)
	p.Fault = Fault{}
	p.Edits++
	p.Send(engine.Command{Verb: verb, Knob: knob})
}

// HandleResult handles the result of a command.
func (p *Panel) HandleResult(c engine.Command, err error) {
	if err == nil && p.Scenario.Values[c.Knob] != c.Value {
		return // wait for a snapshot with the new value
	}
	if c.Verb == engine.Set && p.requested[c.Knob] == c.Value {
		p.drop(c.Knob)
	}
	if err != nil {
		p.ShowError(c.Knob, err)
	}
}

// ShowError shows an error next to its knob, or in the status line if it is not about a knob.
func (p *Panel) ShowError(knob string, err error) {
	if _, isKnob := p.Scenario.Values[knob]; isKnob {
		p.Fault = Fault{knob, err.Error()}
		p.Select(knob)
		return
	}
	p.Say(err.Error())
}
