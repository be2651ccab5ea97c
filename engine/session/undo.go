package session

import (
	"errors"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
)

// undoHistory holds the scenarios before the wanted one, and the undone scenarios after it. The
// nearest is last.
type undoHistory struct{ before, after []engine.Scenario }

// maxUndo is the maximum number of changes that can be undone.
const maxUndo = 500

// push stores the scenario before a change, and drops the undone scenarios.
func (p *undoHistory) push(from engine.Scenario) {
	p.before, p.after = appendBounded(p.before, from), nil
}

func appendBounded(all []engine.Scenario, sc engine.Scenario) []engine.Scenario {
	all = append(all, sc)
	if len(all) > maxUndo {
		all = slices.Delete(all, 0, 1)
	}
	return all
}

func (p *undoHistory) undo(from engine.Scenario) {
	p.before, p.after = p.before[:len(p.before)-1], appendBounded(p.after, from)
}

func (p *undoHistory) redo(from engine.Scenario) {
	p.after, p.before = p.after[:len(p.after)-1], appendBounded(p.before, from)
}

// planLast plans the last of some earlier scenarios. If there is none, the error is the text none.
func (o *Options) planLast(all []engine.Scenario, none string) (setup, error) {
	if len(all) == 0 {
		return setup{}, errors.New(none)
	}
	return o.resolve(all[len(all)-1].Clone(), "")
}

func (s *Session) undo() error {
	return s.replaceWanted(func(*engine.Scenario) (setup, error) {
		return s.options.planLast(s.history.before, "nothing to undo: no knob was changed")
	}, s.history.undo)
}

func (s *Session) redo() error {
	return s.replaceWanted(func(*engine.Scenario) (setup, error) {
		return s.options.planLast(s.history.after, "nothing to redo")
	}, s.history.redo)
}

// setDefault sets a knob to its default, which may be specific to the workload, or all knobs if
// knob is "".
func (s *Session) setDefault(knob string) error {
	return s.replaceWanted(func(from *engine.Scenario) (setup, error) {
		defaults, err := Scenario(from.Workload, s.options.Machines...)
		if err != nil {
			return setup{}, err
		}
		if knob == "" {
			return s.options.resolve(defaults, "")
		}
		if _, err := defaults.Knob(knob); err != nil {
			return setup{}, err
		}
		return s.options.planChange(from, knob, defaults.Text(knob))
	}, s.history.push)
}
