package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// scenarios returns the scenarios that can run, and the errors of the others.
func (a *app) scenarios() ([]presets.Scenario, []error) {
	return session.Presets(a.overHost.Machines...)
}

// loadScenario asks the session to run a scenario, and opens its pane.
func (a *app) loadScenario(name string) error {
	p, err := presets.FindScenario(name)
	if err != nil {
		return err
	}
	sc, err := session.FromPreset(&p, a.overHost.Machines...)
	if err != nil {
		return err
	}
	if err := a.runScenario(&p, sc); err != nil {
		return p.Wrong("pane", err)
	}
	a.guide.show(&p, sc.Workload)
	a.notice = "loaded " + p.Name + ": " + p.Title
	return nil
}

// runScenario asks the session to run a scenario, and opens the pane and selects the knob of its preset.
func (a *app) runScenario(p *presets.Scenario, sc engine.Scenario) error {
	if p.Pane != "" {
		if err := a.openPane(p.Pane); err != nil {
			return err
		}
		a.zoomed = false
		if w := a.workloads[sc.Workload]; sc.Workload != a.Snap.Scenario.Workload {
			w.Layout = a.layout() // used when the workload starts
			a.workloads[sc.Workload] = w
		}
	}
	a.selectKnob(sc.Workload, p.FirstKnob)
	a.Panel.Clear()
	a.do(engine.Command{Verb: engine.Take, Scenario: &sc})
	return nil
}

// selectKnob selects the knob that a scenario changes first, now or when its workload starts.
func (a *app) selectKnob(of, knob string) {
	a.first = knob
	if knob != "" && of == a.latest.Scenario.Workload {
		a.Panel.Selected, a.first = knob, ""
	}
}

// saveScenario requests that the current scenario is written to a file of the user.
func (a *app) saveScenario(name string) error {
	p, err := session.AsPreset(name, &a.latest.Scenario)
	if err != nil {
		return err
	}
	p.Pane, p.FirstKnob = a.specs[a.focus].Name, a.Panel.Selected
	if err := presets.CheckName(name); err != nil {
		return err
	}
	a.saving = &p
	return nil
}

// saved is the result of writing a scenario.
type saved struct {
	name, file string
	err        error
}

// saveScenario returns the command that writes the file, so that the screen does not wait for it.
func (p *program) saveScenario() tea.Cmd {
	s := *p.app.saving
	p.app.saving = nil
	return func() tea.Msg {
		file, err := presets.SaveScenario(p.ctx, s)
		return saved{name: s.Name, file: file, err: err}
	}
}

// copies returns the texts that can be copied, by name.
func (a *app) copies() map[string]string {
	all := map[string]string{
		"command":      a.repeat(),
		"launch paper": a.latest.LaunchLine,
	}
	if l := &a.latest.Layout; l.Nodes > 0 {
		lines := engine.Launches(l, "myapp")
		all["launch"] = lines[0].Command
		for _, c := range lines {
			all["launch "+c.Name] = c.Command
		}
	}
	return all
}

// repeat returns the command that repeats the run. For a simulation it has the same number of
// iterations, because they are exact.
func (a *app) repeat() string {
	sc := a.latest.Scenario.Clone()
	if slices.ContainsFunc(a.overHost.Machines, func(m cluster.Machine) bool { return m.Name == sc.Values["machine"] }) {
		sc.Values["machine"] = "./" + sc.Values["machine"] + ".toml" // it was loaded from a file
	}
	n := 0
	if a.latest.Kind == engine.Simulated {
		n = a.latest.Iteration
	}
	return session.Command(&sc, n)
}

// copyText requests that a text is copied to the clipboard.
func (a *app) copyText(what string) {
	a.copied = a.copies()[what]
	if a.copied == "" {
		a.notice = "nothing to copy yet"
		return
	}
	a.notice = "copied (if the terminal supports OSC 52): " + a.copied
}
