package pane

import (
	"maps"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// Panel is the knobs of the scenario that runs, as the user turns them: the
// selected one, values that the session has not taken over yet, and what was
// wrong with a value. A frozen screen can still turn them.
type Panel struct {
	Scenario engine.Scenario
	Selected string
	Fault    Fault
	Typed    *grid.Line // the value that is typed for the selected knob; nil: none
	Edits    int        // counts changes of all this

	Send func(engine.Command) // to the session
	Say  func(string)

	asked map[string]string
}

// Fault is what was wrong with a value, shown beside its knob.
type Fault struct{ Knob, Text string }

// Load takes over the scenario of another snapshot.
func (p *Panel) Load(sc engine.Scenario) {
	if sc.Workload != p.Scenario.Workload || !maps.Equal(sc.Values, p.Scenario.Values) {
		p.Edits++
	}
	p.Scenario = sc
	for name, v := range p.asked {
		if sc.Values[name] == v {
			p.forget(name)
		}
	}
}

func (p *Panel) forget(name string) {
	delete(p.asked, name)
	p.Edits++
}

// Forget drops what was asked: another scenario takes its place.
func (p *Panel) Forget() {
	clear(p.asked)
	p.Fault = Fault{}
	p.Edits++
}

// At is the number of the selected knob, −1 without any knob.
func (p *Panel) At() int {
	for i := range p.Scenario.Table {
		if p.Scenario.Table[i].Name == p.Selected {
			return i
		}
	}
	return min(0, len(p.Scenario.Table)-1)
}

// Knob is the selected knob, or nil without any.
func (p *Panel) Knob() *engine.Knob {
	if i := p.At(); i >= 0 {
		return &p.Scenario.Table[i]
	}
	return nil
}

// Value is a knob's value as the user has last asked for it.
func (p *Panel) Value(name string) string {
	if v, ok := p.asked[name]; ok {
		return v
	}
	return p.Scenario.Values[name]
}

// Waits says that the session has not taken a knob's value over yet.
func (p *Panel) Waits(name string) bool {
	_, ok := p.asked[name]
	return ok
}

// Select moves to a knob.
func (p *Panel) Select(name string) {
	p.Selected = name
	p.Edits++
}

// Move selects the knob n below; the ends join.
func (p *Panel) Move(n int) {
	if all := len(p.Scenario.Table); all > 0 {
		p.Select(p.Scenario.Table[((p.At()+n)%all+all)%all].Name)
	}
}

// Turn moves the selected knob to its neighbouring choice.
func (p *Panel) Turn(by int) {
	k := p.Knob()
	if k == nil {
		return
	}
	old := p.Value(k.Name)
	if v := k.Turn(old, by); v != old {
		if why := k.Passed(old, by); why != "" {
			p.Say(why)
		}
		p.Set(k.Name, v)
		return
	}
	if len(k.Choices) == 0 {
		p.Say(k.Label + ": press enter and type a value")
	}
}

// Set asks the session to turn a knob. A value that the knob cannot have is
// refused here, with the reason beside the knob.
func (p *Panel) Set(name, text string) bool {
	k, err := p.Scenario.Knob(name)
	if err == nil {
		name = k.Name
		p.Selected = name
		text, err = k.Parse(text)
	}
	if err != nil {
		p.Refuse(name, err)
		return false
	}
	if p.asked == nil {
		p.asked = map[string]string{}
	}
	p.Fault = Fault{}
	p.asked[name] = text
	p.Edits++
	p.Send(engine.Command{Verb: engine.Set, Knob: name, Value: text})
	return true
}

// Return asks the session to turn knobs back: to undo or redo a turn, or to the default
// of a knob, "" being all. What was asked before and is not there yet may never come.
func (p *Panel) Return(verb engine.Verb, knob string) {
	clear(p.asked)
	p.Fault = Fault{}
	p.Edits++
	p.Send(engine.Command{Verb: verb, Knob: knob})
}

// Answered takes in what became of a command.
func (p *Panel) Answered(c engine.Command, err error) {
	if err == nil && p.Scenario.Values[c.Knob] != c.Value {
		return // until a snapshot has taken it over
	}
	if c.Verb == engine.Set && p.asked[c.Knob] == c.Value {
		p.forget(c.Knob)
	}
	if err != nil {
		p.Refuse(c.Knob, err)
	}
}

// Refuse says why a knob cannot be turned, or what else was wrong.
func (p *Panel) Refuse(knob string, err error) {
	if _, known := p.Scenario.Values[knob]; known {
		p.Fault = Fault{knob, err.Error()}
		p.Select(knob)
		return
	}
	p.Say(err.Error())
}
