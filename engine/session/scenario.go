package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// Scenario returns a scenario with every knob of a workload at its default. Its machine knob
// offers the presets, followed by the user's own machines.
func Scenario(name string, userMachines ...cluster.Machine) (engine.Scenario, error) {
	w, err := workload.Find(name)
	if err != nil {
		return engine.Scenario{}, err
	}
	machines := presets.Machines()
	for _, m := range userMachines {
		if slices.Contains(machines, m.Name) {
			return engine.Scenario{}, fmt.Errorf("machine %q: this name is already in use (rename your machine)", m.Name)
		}
		machines = append(machines, m.Name)
	}
	sc := w.Scenario(machines)
	return sc, w.ApplyAlias(name, &sc)
}

// Scenario is like the function Scenario, and also offers the user's machines and every fabric of the options.
func (o *Options) Scenario(name string) (engine.Scenario, error) {
	sc, err := Scenario(name, o.Machines...)
	if err != nil {
		return sc, err
	}
	for _, fabric := range slices.Sorted(maps.Keys(o.Fabrics)) {
		sc.Offer("fabric", fabric)
		if x, ok := o.Fabrics[fabric].(Relay); ok && x.JobSize() > 0 {
			sc.Add(engine.ProcessesKnob(x.JobSize()))
		}
	}
	return sc, nil
}

// machine returns the machine that a scenario names.
func (o *Options) machine(name string) (cluster.Machine, error) {
	for _, m := range o.Machines {
		if m.Name == name {
			return m, nil
		}
	}
	return presets.Machine(name)
}

// resolve plans and checks a scenario before anything is allocated. changed is the knob that
// was changed last, or "".
func (o *Options) resolve(sc engine.Scenario, changed string) (setup, error) {
	set, err := o.plan(sc)
	if err != nil {
		return setup{}, err
	}
	if limit := o.memory(); !set.fitsMemory(limit) {
		return setup{}, o.shortageOf(&set, changed, limit)
	}
	return set, nil
}

// plan is like resolve, but does not check the host's memory.
func (o *Options) plan(sc engine.Scenario) (setup, error) {
	sc, err := composed(sc)
	if err != nil {
		return setup{}, err
	}
	if sc, err = o.searched(sc); err != nil {
		return setup{}, err
	}
	set := setup{scenario: sc, checksums: o.Checksums}
	set.workload, err = workload.Find(sc.Workload)
	if err != nil {
		return setup{}, err
	}
	set.machine, err = o.machine(sc.Text("machine"))
	if err != nil {
		return setup{}, err
	}
	set.workload.Fitted(&sc, &set.machine)
	var ok bool
	set.fabric, ok = o.Fabrics[sc.Text("fabric")]
	if !ok {
		return setup{}, fmt.Errorf("fabric %s: not built into this program", sc.Text("fabric"))
	}
	if _, ok := set.fabric.(Relay); ok && set.kind() != engine.Measured {
		return setup{}, fmt.Errorf("fabric %s: it only measures, but machine %s is emulated (use machine = this-host)",
			set.fabric.Name(), set.machine.Name)
	}
	if _, ok := set.fabric.(Relay); ok && slices.ContainsFunc(o.Machines, func(m cluster.Machine) bool { return m.Name == set.machine.Name }) {
		return setup{}, fmt.Errorf("fabric %s: no job has machine %s of a file (use machine = this-host)", set.fabric.Name(),
			set.machine.Name)
	}
	if n := cluster.ProcessesOf(set.fabric); n > 1 { // otherwise the machine stays equal to the machine of a recording
		set.machine.Processes = n
	}
	layout := sc.Layout()
	if err := layout.Validate(); err != nil {
		return setup{}, err
	}
	site := workload.SiteOf(set.fabric, &set.machine)
	sc = set.workload.WithBars(sc, site)
	set.scenario = sc
	if err := workload.CheckProgress(&sc, site); err != nil {
		return setup{}, err
	}
	set.plan, err = set.workload.Plan(&sc, site)
	if err != nil {
		return setup{}, err
	}
	set.sizeOnly = site.SizeOnly
	set.spec = cluster.Spec{
		Machine:    set.machine,
		Layout:     layout,
		Segment:    set.plan.Segment,
		Modelled:   set.plan.Modelled,
		EagerLimit: sc.Int("eager-limit"),
		Seed:       uint64(sc.Int("seed")),
		Dilation:   sc.Float("dilation"),
		Threading:  sc.Threading(),
	}
	if set.machine.Processes > 1 {
		set.spec.Program = describe(&sc)
	}
	if support := sc.Text("thread-support"); support != "machine" {
		set.machine.Threading, _ = cluster.ParseThreadLevel(support)
		set.spec.Machine.Threading = set.machine.Threading
	}
	if err := set.spec.Check(); err != nil {
		return setup{}, err
	}
	if err := set.checkSimulable(); err != nil {
		return setup{}, err
	}
	return set, nil
}

// describe returns the workload and the knobs of a scenario, one per line.
func describe(sc *engine.Scenario) string {
	lines := []string{"workload " + sc.Workload}
	for _, name := range slices.Sorted(maps.Keys(sc.Values)) {
		lines = append(lines, name+" "+sc.Values[name])
	}
	return strings.Join(lines, "\n")
}

// checkSimulable returns an error if the simulator lacks costs or a network for the setup.
func (s *setup) checkSimulable() error {
	if s.kind() != engine.Simulated {
		return nil
	}
	m := &s.machine
	if m.Classes == [cluster.Classes]cluster.Link{} {
		return fmt.Errorf("machine %s: no costs to simulate with (measure them with hybridtop calibrate, use a machine "+
			"such as demo, or fabric = live)", m.Name)
	}
	if _, err := topology.New(m.Topology, s.spec.Layout.Nodes); err != nil {
		return fmt.Errorf("machine %s: %w", m.Name, err)
	}
	return nil
}

// planChange plans a scenario with one knob changed. The workload counts as a knob. A new workload
// starts with its own knobs at their defaults. It keeps the values of the common knobs if it can
// run with them.
func (o *Options) planChange(from *engine.Scenario, knob, value string) (setup, error) {
	if knob != "workload" {
		next := from.Clone()
		if err := next.Set(knob, value); err != nil {
			return setup{}, err
		}
		return o.resolve(next, knob)
	}
	next, err := o.Scenario(value)
	if err != nil {
		return setup{}, err
	}
	kept := next.Clone()
	for _, k := range from.Common() {
		kept.Values[k.Name] = from.Text(k.Name)
	}
	set, err := o.resolve(kept, "")
	if err == nil {
		return set, nil
	}
	// Use the workload's own defaults for the scheme, but keep the user's choice of where it runs.
	for _, k := range from.Common() {
		if k.Role != engine.Scheme {
			next.Values[k.Name] = from.Text(k.Name)
		}
	}
	if set, again := o.resolve(next, ""); again == nil {
		return set, nil
	}
	return setup{}, fmt.Errorf("workload %s: %w", value, err)
}

// planTaken plans a complete scenario from another source, such as a file. Its values are parsed
// again with the knob tables of this program.
func (o *Options) planTaken(sc *engine.Scenario) (setup, error) {
	if sc == nil {
		return setup{}, errors.New("take: no scenario given")
	}
	next, err := o.Scenario(sc.Workload)
	if err != nil {
		return setup{}, err
	}
	for _, name := range next.Names(sc.Values) {
		if err := next.Set(name, sc.Values[name]); err != nil {
			return setup{}, err
		}
	}
	return o.resolve(next, "")
}

// planReturn plans the last scenario of a workload that the user returns to. It runs where the user
// chose last, if possible there.
func (o *Options) planReturn(from, left *engine.Scenario) (setup, error) {
	next := left.Clone()
	for _, k := range from.Common() {
		if k.Role == engine.Machine {
			next.Values[k.Name] = from.Text(k.Name)
		}
	}
	if set, err := o.resolve(next, ""); err == nil {
		return set, nil
	}
	return o.resolve(left.Clone(), "")
}
