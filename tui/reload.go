package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// rereadEvery is the interval in which the screen reads the file of a composition again.
const rereadEvery = time.Second

// reread is the composition of the run, read again from its file.
type reread struct {
	from, to string // values of the knob composition
	err      error
}

// rereadComposition returns the command that reads the file of the run's composition again, so that
// the screen does not wait for it.
func (p *program) rereadComposition(now time.Time) tea.Cmd {
	if p.past == nil || p.reading || now.Sub(p.read) < rereadEvery {
		return nil
	}
	p.read = now
	sc := p.app.latest.Scenario
	from := sc.Values["composition"]
	if from == "" {
		return nil
	}
	p.reading = true
	return func() tea.Msg {
		to, err := session.Composition(&sc)
		return reread{from: from, to: to, err: err}
	}
}

// recompose runs the composition that its file has now. If the file is broken, the run continues,
// and the screen shows the error.
func (a *app) recompose(r reread) {
	switch {
	case r.err != nil && r.err.Error() != a.broken:
		a.broken = r.err.Error()
		a.notice = a.broken
	case r.err == nil:
		a.broken = ""
		if r.to != "" && r.to != r.from && r.from == a.latest.Scenario.Values["composition"] {
			a.do(engine.Command{Verb: engine.Set, Knob: "composition", Value: r.to})
			a.notice = "composition read again: " + r.to
		}
	}
}
