package heat

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&heat) }

// Choices of the knob memory.
const (
	memoryHost   = "host"
	memoryStaged = "staged"
	memoryDirect = "direct"
)

// Choices of the knob inboxes.
const (
	twoInboxes = "two"
	oneInbox   = "one"
)

var heat = workload.Workload{
	Name:  "heat",
	Title: "Heat conduction",
	Doc: "Heat is conducted through a cube: every process has a block of it, and exchanges up to six faces with its neighbours in every step. " +
		"Turn the variant and see whether puts that complete remotely beat messages; raise the nodes and see when the step stops getting shorter.",
	Paper: "paper 4, sections III to V",
	Knobs: []engine.Knob{
		{Name: "size", Label: "size", Doc: "cells along each side of the cube", Type: engine.Integer, Default: "20", Min: 4, Max: 12800,
			Choices: []string{"20", "50", "100", "200", "400", "800", "1600", "3200", "6400", "12800"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the share of communication: faces grow with the square of it, computing with the cube", Paper: "paper 4, section V, figure 1"},
		{Name: "steps", Label: "steps", Doc: "number of the last step, the first one being 0; the source is on for half of them (paper 4: 500 after 3)", Type: engine.Integer, Default: "10", Min: 4, Max: 100000,
			Choices: []string{"10", "20", "100", "500", "1000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "how long an iteration takes, and how well median and spread of a step are known", Paper: "paper 4, section V"},
		{Name: "variant", Label: "variant", Doc: "how faces go: by messages, by puts that run a function where they have come, or by puts that change a flag there", Type: engine.Choice, Default: twoSided,
			Choices: []string{twoSided, putRPC, putSignal}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of a step: above the eager limit a put has no handshake to wait for", Paper: "paper 4, section IV, listing 2"},
		{Name: "prepost", Label: "prepost", Doc: "receives are posted before packing, not each before its send", Type: engine.Choice, Default: "off",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the median and the spread of steps: a receive that is there already cannot be missed", Paper: "paper 4, section VI"},
		{Name: "overlap", Label: "overlap", Doc: "inner cells are computed while faces are under way, or after they have come", Type: engine.Choice, Default: "on",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of the exchange, which computing hides", Paper: "paper 4, section III, listing 1"},
		{Name: "reduce-every", Label: "reduce every", Doc: "steps for each reduction of the average temperature; the last step has one in any case", Type: engine.Integer, Default: "1", Min: 1, Max: 100000,
			Choices: []string{"1", "10", "100"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of reductions, and how far neighbours run ahead of each other without them", Paper: "paper 4, section III, listing 1"},
		{Name: "inboxes", Label: "inboxes", Doc: "for faces that are put: two a face, for even and odd steps with counters that only grow, or one and a count of all faces that is set to 0, which is safe only if every step has a reduction", Type: engine.Choice, Default: twoInboxes,
			Choices: []string{twoInboxes, oneInbox}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "whether the run verifies: with one inbox and reduce-every over 1 a face of the next step is taken for one of this step", Paper: "paper 4, section IV, listing 2"},
		{Name: "noise-rate", Label: "noise rate", Doc: "detours a second that a processor makes, at random times; 0: none", Type: engine.Real, Default: "0", Min: 0, Max: 1e6, Unit: "1/s",
			Choices: []string{"0", "10", "100", "1000"}, Scope: engine.ScopeBody, Role: engine.Machine,
			Watch: "the tail of the two-step times: a rank that waits for another one shares its detours", Paper: "paper 4, section V, figure 2"},
		{Name: "noise-length", Label: "noise length", Doc: "time of a detour", Type: engine.Real, Default: "0.000025", Min: 0, Max: 1, Unit: "s",
			Choices: []string{"0.000025", "0.00025", "0.0025"}, Scope: engine.ScopeBody, Role: engine.Machine,
			Watch: "median and spread of two-step times", Paper: "paper 4, section V, figure 2"},
		{Name: "memory", Label: "memory", Doc: "where blocks and faces are: in the host's memory, or in that of a device for each rank, reached through the host's or directly; kernels take the device's rates", Type: engine.Choice, Default: memoryHost,
			Choices: []string{memoryHost, memoryStaged, memoryDirect}, Scope: engine.ScopeCluster, Role: engine.Scheme,
			Watch: "the time of the exchange: each face is copied twice more where it is staged", Paper: "paper 4, section V"},
		workload.RealLimit("524288"),
	},
	Defaults: map[string]string{"model": "flat"},
	First:    "variant", Panes: []string{"locality"}, Serial: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "step_time", Phrase: "time of a step", Unit: "s", Doc: "mean over the steps that count: all but up to three at the beginning"},
		{Name: "step_median", Phrase: "median of steps", Unit: "s", Doc: "of the means of two successive steps"},
		{Name: "step_spread", Phrase: "spread of steps", Unit: "1", Doc: "from the tenth to the ninetieth percentile of these, over the median"},
		{Name: "compute_time", Phrase: "of a step computing", Unit: "s", Doc: "inner cells, surface and update"},
		{Name: "exchange_time", Phrase: "of a step exchanging", Unit: "s", Doc: "packing and starting to send, and waiting for faces that computing did not hide"},
		{Name: "reduce_time", Phrase: "of a step reducing", Unit: "s", Doc: "the average temperature, with waiting for the slowest process"},
		{Name: "comm_share", Phrase: "share of communication", Unit: "1", Doc: "of exchanging and reducing in a step"},
	},
	Derived: []engine.MetricSpec{
		{Name: "step_time_model", Phrase: "time of a step, model", Unit: "s", Doc: "out of the machine's constants, all processes in step: computing, the slowest resource of the exchange as far as it is not hidden, and a tree of reductions"},
	},
	Samples: []engine.MetricSpec{
		{Name: "two_steps", Unit: "s", Doc: "of two successive steps of each process, as in paper 4's figure 2"},
	},
	Studies:    []*engine.Study{byVariant, bySpread},
	Fit:        fit,
	Bars:       bars,
	Iterations: 3,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// fit has adapters reach the devices' memory, or not.
func fit(s *engine.Scenario, m *cluster.Machine) {
	if s.Text("memory") == memoryHost || m.Device.Count == 0 {
		return
	}
	m.Device.Direct = s.Text("memory") == memoryDirect
}

// putsEnd is why puts are refused between UPC groups, which MPI messages alone cross.
const putsEnd = "a put ends at its UPC group; use model = flat, or one group"

// mostCells is the most that a process's block has with numbers.
const mostCells = 1 << 27

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	l := s.Layout()
	processes := len(l.World())
	n := divide(processes)
	whole := cube{int(s.Int("size")), int(s.Int("steps"))}
	side := whole.side
	if variant := s.Text("variant"); variant != twoSided && l.Groups() > 1 {
		return fail("variant = %s under model = %s with %d groups: %s, or variant = two-sided", variant, l.Model, l.Groups(), putsEnd)
	}
	if most := max(n[0], n[1], n[2]); side < most {
		return fail("size = %d: %d processes stand %d×%d×%d, and each needs a cell; use size = %d or more, or fewer ranks", side, processes, n[0], n[1], n[2], most)
	}
	b := blockOf(side, n, 0)
	if memory := s.Text("memory"); memory != memoryHost {
		if why := noDevice(s, on); why != "" {
			return fail("memory = %s: %s", memory, why)
		}
		need := 2*cell*b.cells() + 2*boxes(&b)
		if has := on.Machine.Device.Memory; has > 0 && need > has {
			return fail("memory = %s: a block of %d×%d×%d cells takes %s, and a device of %s has %s; use a smaller size or more nodes",
				memory, b.size[0], b.size[1], b.size[2], cluster.SizeText(float64(need)), on.Machine.Name, cluster.SizeText(float64(has)))
		}
	}
	if s.Text("inboxes") == oneInbox && s.Text("variant") != twoSided && s.Int("reduce-every") > 1 && !on.Virtual {
		return fail("inboxes = one with reduce-every = %d: a race, which is shown in virtual time alone; use fabric = sim, or inboxes = two", s.Int("reduce-every"))
	}
	var memory workload.Memory
	_, verified, _ := workload.Parts(on.Store(s, whole.bytes(n)), func(store cluster.Store, small bool) (*cube, error) {
		of := whole.part(small, n)
		b := blockOf(of.side, n, 0)
		memory.Add(cluster.Store{}, counters)
		memory.Add(store, boxes(&b))
		return &of, nil
	})
	b = blockOf(verified.side, n, 0)
	if b.cells() > mostCells {
		return fail("size = %d: a block of %d×%d×%d cells: at most %d have numbers; use a smaller size or more nodes, or fabric = sim with a lower real-limit", side, b.size[0], b.size[1], b.size[2], mostCells)
	}
	p := workload.Plan{Holds: holds(s, on, &b, verified.steps, processes)}
	memory.Fill(&p)
	return p, nil
}

// holds is what a process keeps beside its segment.
func holds(s *engine.Scenario, on *workload.Site, b *block, steps, processes int) []workload.Item {
	faces, underWay := int64(0), int64(0)
	for d := range directions {
		n := cell * b.face(d)
		faces += n
		if s.Text("variant") == twoSided {
			underWay += on.Eager(s, n)
		} else {
			underWay += workload.Copy(n)
		}
	}
	all := []workload.Item{
		{Name: "temperatures", Per: workload.PerRank, Bytes: 2 * cell * b.cells()},
		{Name: "faces to be sent", Per: workload.PerRank, Bytes: 2 * faces},
		{Name: "faces under way", Per: workload.PerRank, Bytes: 2 * underWay}, // a neighbour may be a step ahead
		{Name: "times of steps", Per: workload.PerRank, Bytes: 64 * int64(s.Int("steps")+1)},
	}
	if checkable(b, steps, processes) {
		_, size := window(b, steps)
		all = append(all, workload.Item{Name: "temperatures to compare with", Per: workload.PerRank, Bytes: cell * (b.cells() + 2*int64(size[0])*int64(size[1])*int64(size[2]))})
	}
	return all
}

// noDevice says why a scenario's blocks cannot be in devices; "": they can.
func noDevice(s *engine.Scenario, on *workload.Site) string {
	switch ranks, devices := s.Int("ranks-per-node"), on.Machine.Device.Count; {
	case devices == 0 && !on.Machine.Emulated && !on.Virtual: // a device is a label
		return ""
	case devices == 0:
		return fmt.Sprintf("machine %s has no devices; use memory = host, or machine = ac922-summit", on.Machine.Name)
	case ranks > int64(devices):
		return fmt.Sprintf("%d ranks a node, and machine %s has %d devices a node, one for each rank; use ranks-per-node = %d or fewer", ranks, on.Machine.Name, devices, devices)
	}
	return ""
}

// bars are the choices that cannot be run as the other knobs stand.
func bars(s *engine.Scenario, on *workload.Site) map[string]map[string]string {
	all := map[string]map[string]string{}
	if why := noDevice(s, on); why != "" {
		all["memory"] = map[string]string{memoryStaged: why, memoryDirect: why}
	}
	if l := s.Layout(); l.Groups() > 1 {
		all["variant"] = map[string]string{putRPC: putsEnd, putSignal: putsEnd}
	}
	return all
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	if snap.Kind == engine.Measured || !m.Emulated {
		return nil
	}
	machine := *m
	if snap.Kind == engine.Emulated { // the live fabric's overheads are the host's own, and it has no limit a node
		for c := range machine.Classes {
			machine.Classes[c].Overhead = 0
		}
		machine.NodeRate = 0
	}
	return []engine.Metric{{Name: "step_time_model", Value: Model(&snap.Scenario, &machine).Time(), Unit: "s", Kind: engine.Modelled}}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	switch {
	case knob == "seed" && s.Float("noise-rate") == 0:
		return "heat draws nothing at random without noise"
	case knob == "noise-length" && s.Float("noise-rate") == 0:
		return "there are no detours: turn noise-rate"
	case (knob == "noise-rate" || knob == "noise-length") && kind == engine.Measured:
		return "the host's own time takes no detours but its own"
	case knob == "memory" && kind == engine.Measured:
		return "on this host a device is only a label: kernels run on its processors"
	case knob == "inboxes" && s.Text("variant") == twoSided:
		return "a message needs no inbox"
	case knob == "prepost" && s.Text("variant") != twoSided:
		return "a put needs no receive"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.Ungrouped(s, knob)
}
