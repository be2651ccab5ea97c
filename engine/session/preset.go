package session

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// FromPreset returns the scenario that a file describes. An error includes the line of the file.
func FromPreset(p *presets.Scenario, userMachines ...cluster.Machine) (engine.Scenario, error) {
	if _, err := workload.Find(p.Workload); err != nil {
		return engine.Scenario{}, p.Wrong("workload", err)
	}
	sc, err := Scenario(p.Workload, userMachines...)
	if err != nil {
		return engine.Scenario{}, err
	}
	for _, k := range p.Knobs {
		if err := sc.Set(k.Name, k.Value); err != nil {
			return engine.Scenario{}, p.Wrong("knobs."+k.Name, err)
		}
	}
	if p.FirstKnob != "" {
		if _, err := sc.Knob(p.FirstKnob); err != nil {
			return engine.Scenario{}, p.Wrong("turn", err)
		}
	}
	return sc, checkExpectations(p, &sc)
}

// Presets returns the built-in scenarios and the user's, and an error for each that was skipped.
func Presets(userMachines ...cluster.Machine) (all []presets.Scenario, skipped []error) {
	for _, s := range presets.SkippedScenarios() {
		skipped = append(skipped, s.Err)
	}
	for _, name := range presets.Scenarios() {
		p, err := presets.FindScenario(name)
		if err == nil {
			_, err = FromPreset(&p, userMachines...)
		}
		if err != nil {
			skipped = append(skipped, err)
			continue
		}
		all = append(all, p)
	}
	return all, skipped
}

// AsPreset converts a scenario for a file: it lists the knobs that are not at their defaults. The number of processes
// belongs to the launcher, and is left out.
func AsPreset(name string, sc *engine.Scenario) (presets.Scenario, error) {
	p := presets.Scenario{Name: name, Workload: sc.Workload}
	w, err := workload.Find(sc.Workload)
	if err != nil {
		return p, err
	}
	defaults := w.Scenario(nil)
	for _, k := range sc.Table {
		if usual, ok := defaults.Values[k.Name]; ok && sc.Values[k.Name] != usual {
			p.Knobs = append(p.Knobs, presets.Knob{Name: k.Name, Value: sc.Values[k.Name]})
		}
	}
	p.Title = w.Title + ", saved scenario"
	return p, nil
}
