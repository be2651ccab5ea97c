package session

import (
	"errors"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
)

// past holds the scenarios before the wanted one, and the undone scenarios after it. The nearest
// is last.
type past struct{ before, after []engine.Scenario }

// mostPast is the maximum number of changes that can be undone.
const mostPast = 500

// turned stores the scenario before a change, and drops the undone scenarios.
func (p *past) turned(from engine.Scenario) {
	p.before, p.after = pushed(p.before, from), nil
}

func pushed(all []engine.Scenario, sc engine.Scenario) []engine.Scenario {
	if all = append(all, sc); len(all) > mostPast {
		all = slices.Delete(all, 0, 1)
	}
	return all
}

func (p *past) undone(from engine.Scenario) {
	p.before, p.after = p.before[:len(p.before)-1], pushed(p.after, from)
}

func (p *past) redone(from engine.Scenario) {
	p.after, p.before = p.after[:len(p.after)-1], pushed(p.before, from)
}

// again plans the last of some earlier scenarios. If there is none, the error is the text none.
func (o *Options) again(all []engine.Scenario, none string) (setup, error) {
	if len(all) == 0 {
		return setup{}, errors.New(none)
	}
	return o.resolve(all[len(all)-1].Clone(), "")
}

func (s *Session) undo() error {
	return s.want(func(*engine.Scenario) (setup, error) {
		return s.options.again(s.past.before, "nothing to undo: no knob was changed")
	}, s.past.undone)
}

func (s *Session) redo() error {
	return s.want(func(*engine.Scenario) (setup, error) {
		return s.options.again(s.past.after, "nothing to redo")
	}, s.past.redone)
}

// byDefault sets a knob to its default, which may be specific to the workload, or all knobs if
// knob is "".
func (s *Session) byDefault(knob string) error {
	return s.want(func(from *engine.Scenario) (setup, error) {
		usual, err := Scenario(from.Workload, s.options.Machines...)
		if err != nil {
			return setup{}, err
		}
		if knob == "" {
			return s.options.resolve(usual, "")
		}
		if _, err := usual.Knob(knob); err != nil {
			return setup{}, err
		}
		return s.options.turned(from, knob, usual.Text(knob))
	}, s.past.turned)
}
