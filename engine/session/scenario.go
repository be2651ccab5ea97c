package session

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// Scenario has every knob of a workload at its default; its machine knob offers
// the presets, and after them the machines of the person's own.
func Scenario(name string, own ...cluster.Machine) (engine.Scenario, error) {
	w, err := workload.Find(name)
	if err != nil {
		return engine.Scenario{}, err
	}
	machines := presets.Machines()
	for _, m := range own {
		if slices.Contains(machines, m.Name) {
			return engine.Scenario{}, fmt.Errorf("machine %q: another machine has that name; give yours another", m.Name)
		}
		machines = append(machines, m.Name)
	}
	return w.Scenario(machines), nil
}

// machine finds the machine that a scenario names.
func (o *Options) machine(name string) (cluster.Machine, error) {
	for _, m := range o.Machines {
		if m.Name == name {
			return m, nil
		}
	}
	return presets.Machine(name)
}

// rankMemory is about what a rank takes of the host beside its segment: stack,
// rings, probe.
const rankMemory = 64 << 10

// resolve plans a scenario and checks it, before anything is taken.
func (o *Options) resolve(sc engine.Scenario) (setup, error) {
	set := setup{scenario: sc}
	var err error
	if set.workload, err = workload.Find(sc.Workload); err != nil {
		return setup{}, err
	}
	if set.machine, err = o.machine(sc.Text("machine")); err != nil {
		return setup{}, err
	}
	var ok bool
	if set.fabric, ok = o.Fabrics[sc.Text("fabric")]; !ok {
		return setup{}, fmt.Errorf("fabric %s is not built into this program", sc.Text("fabric"))
	}
	layout := sc.Layout()
	if err := layout.Validate(); err != nil {
		return setup{}, err
	}
	if set.plan, err = set.workload.Plan(&sc, &set.machine); err != nil {
		return setup{}, err
	}
	set.spec = cluster.Spec{
		Machine:    set.machine,
		Layout:     layout,
		Segment:    set.plan.Segment,
		EagerLimit: sc.Int("eager-limit"),
		Seed:       uint64(sc.Int("seed")),
		Dilation:   sc.Float("dilation"),
	}
	if err := set.spec.Check(); err != nil {
		return setup{}, err
	}
	if err := fitsHost(layout.Ranks(), set.plan.Segment, hostMemory()); err != nil {
		return setup{}, err
	}
	return set, nil
}

// fitsHost refuses what this host cannot hold.
func fitsHost(ranks int, segment, host int64) error {
	if host == 0 {
		return nil
	}
	need := float64(ranks) * (float64(segment) + rankMemory)
	if need > float64(host) {
		return fmt.Errorf("%d ranks with segments of %d bytes take %.3g GB, and this host has %.3g GB: use a smaller problem, larger groups or fewer ranks",
			ranks, segment, need/1e9, float64(host)/1e9)
	}
	return nil
}
