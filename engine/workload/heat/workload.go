package heat

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
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

// reduction adds the heat of all processes.
var reduction = algorithm.Main{What: coll.OpAllreduce, Bytes: func(algorithm.Reader, *cluster.Layout) int64 { return 8 }}

var heat = workload.Workload{
	Name:  "heat",
	Title: "Heat conduction",
	Doc: "Conducts heat through a cube. Every process has a block of it, and exchanges up to six faces with its " +
		"neighbours in every step. " +
		"Change the variant to see whether puts with remote completion beat messages. Increase the nodes to see when " +
		"the step stops getting shorter.",
	Paper: "paper 4, sections III to V",
	Knobs: slices.Concat([]engine.Knob{
		{Name: "size", Label: "size", Doc: "cells along each side of the cube", Type: engine.Integer, Default: "20", Min: 4,
			Max:     12800,
			Choices: []string{"20", "50", "100", "200", "400", "800", "1600", "3200", "6400", "12800"},
			Scope:   engine.ScopeBody, Role: engine.Problem,
			Watch: "the share of communication: faces grow with the square of the size, computing with the cube",
			Paper: "paper 4, section V, figure 1"},
		{Name: "steps", Label: "steps", Doc: "number of the last step, counted from 0; the source is on for the first " +
			"half (paper 4: 500 after 3)", Type: engine.Integer, Default: "10", Min: 4, Max: 100000,
			Choices: []string{"10", "20", "100", "500", "1000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the time of an iteration, and the accuracy of median and spread of a step", Paper: "paper 4, section V"},
		{Name: "variant", Label: "variant", Doc: "transfer of faces; two-sided: messages; put-rpc: puts that run a " +
			"function at the target; put-signal: puts that change a flag there", Type: engine.Choice, Default: twoSided,
			Choices: []string{twoSided, putRPC, putSignal}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of a step: above the eager limit a put needs no handshake",
			Paper: "paper 4, section IV, listing 2"},
		{Name: "prepost", Label: "prepost", Doc: "order of receives; on: post all before packing; off: post each " +
			"before its send", Type: engine.Choice, Default: "off",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the median and the spread of steps: no message arrives before its receive is posted",
			Paper: "paper 4, section VI"},
		{Name: "overlap", Label: "overlap", Doc: "overlap of inner cells and exchange; on: compute while faces are in " +
			"flight; off: compute after they have arrived", Type: engine.Choice, Default: "on",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the exchange time that computing hides", Paper: "paper 4, section III, listing 1"},
		{Name: "reduce-every", Label: "reduce every",
			Doc: "steps per reduction of the average temperature; the last step always has one", Type: engine.Integer,
			Default: "1", Min: 1, Max: 100000,
			Choices: []string{"1", "10", "100"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of reductions, and the distance that neighbours run ahead of each other without them",
			Paper: "paper 4, section III, listing 1"},
		{Name: "inboxes", Label: "inboxes", Doc: "inboxes for put faces; two: per face one for even and one for odd " +
			"steps, with counters that only grow; one: one per face, and a single counter that is reset to 0 (safe only if " +
			"every step has a reduction)", Type: engine.Choice, Default: twoInboxes,
			Choices: []string{twoInboxes, oneInbox}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the verification: with one inbox and reduce-every > 1, a face of the next step is counted for this step",
			Paper: "paper 4, section IV, listing 2"},
		{Name: "noise-rate", Label: "noise rate",
			Doc: "OS noise: detours (interruptions) per second and processor, at random times; 0: none", Type: engine.Real,
			Default: "0", Min: 0, Max: 1e6, Unit: "1/s",
			Choices: []string{"0", "10", "100", "1000"}, Scope: engine.ScopeBody, Role: engine.Machine,
			Watch: "the tail of the two-step times: a rank that waits for another one also suffers from its detours",
			Paper: "paper 4, section V, figure 2"},
		{Name: "noise-length", Label: "noise length", Doc: "length of a detour", Type: engine.Real, Default: "0.000025",
			Min: 0, Max: 1, Unit: "s",
			Choices: []string{"0.000025", "0.00025", "0.0025"}, Scope: engine.ScopeBody, Role: engine.Machine,
			Watch: "median and spread of two-step times", Paper: "paper 4, section V, figure 2"},
		{Name: "memory", Label: "memory", Doc: "location of blocks and faces; host: host memory; staged: device memory " +
			"(one device per rank), transfers through host memory; direct: device memory, direct transfers; kernels run at " +
			"the device's rates", Type: engine.Choice, Default: memoryHost,
			Choices: []string{memoryHost, memoryStaged, memoryDirect}, Scope: engine.ScopeCluster, Role: engine.Scheme,
			Watch: "the time of the exchange: a staged face is copied twice more", Paper: "paper 4, section V"},
		workload.RealLimit("524288"),
	}, reduction.Knobs()),
	Defaults:  map[string]string{"model": "flat"},
	Question:  "what does a reduction in every step cost?",
	CostModel: "step_time_model",
	First:     "reduce-every", Panes: []string{"locality", "latency"}, Masteronly: true, Idle: idle,
	Metrics: append([]engine.MetricSpec{
		{Name: "step_time", Phrase: "time of a step", Unit: "s", Always: true, Parts: []string{"compute_time", "exchange_time", "reduce_time"},
			Doc: "mean over all steps except up to three at the beginning"},
		{Name: "step_median", Phrase: "median of steps", Unit: "s", Always: true, Doc: "median of the means of two successive steps"},
		{Name: "step_spread", Phrase: "spread of steps", Unit: "1",
			Doc: "(90th − 10th percentile of these means) / median"},
		{Name: "compute_time", Phrase: "computing per step", Unit: "s",
			Doc: "time per step for inner cells, surface and update"},
		{Name: "exchange_time", Phrase: "exchange per step", Unit: "s", Always: true,
			Doc: "packing, starting to send, and waiting for faces that computing did not hide"},
		{Name: "reduce_time", Phrase: "reduction per step", Unit: "s", Always: true,
			Doc: "time per step for the average temperature, including the wait for the slowest process"},
		{Name: "comm_share", Phrase: "share of communication", Unit: "1", Always: true, Doc: "share of exchange and reduction in a step"},
	}, algorithm.Metrics()...),
	Derived: []engine.MetricSpec{
		{Name: "step_time_model", Phrase: "time of a step, model", Unit: "s",
			Doc: "from the machine's constants, all processes in step: computing, the part of the exchange's slowest " +
				"resource that is not hidden, and a reduction tree"},
	},
	Samples: []engine.MetricSpec{
		{Name: "two_steps", Unit: "s", Doc: "times of two successive steps of each process, as in paper 4's figure 2"},
	},
	Shapes: &workload.Shapes{Problem: map[string]string{"size": "800"}, Small: map[string]string{"size": "32", "steps": "10"},
		Time: "step_time"},
	Tallies:    []engine.TallySpec{reduction.Tally()},
	Studies:    []*engine.Study{byVariant, bySpread, study.Tries},
	Fit:        fit,
	Bars:       refusedChoices,
	Accesses:   true,
	Iterations: 3,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// fit sets whether adapters reach the devices' memory directly.
func fit(s *engine.Scenario, m *cluster.Machine) {
	if s.Text("memory") == memoryHost || m.Device.Count == 0 {
		return
	}
	m.Device.Direct = s.Text("memory") == memoryDirect
}

// putsEnd is the reason why puts between UPC groups are refused. Only MPI messages cross groups.
const putsEnd = "a put cannot leave its UPC group: use model = flat, or one group"

// maxCells is the maximum number of cells in a process's block that stores numbers.
const maxCells = 1 << 27

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	if err := workload.CheckThreads(s); err != nil {
		return workload.Plan{}, err
	}
	l := s.Layout()
	processes := l.N().MPI
	n := divide(processes)
	whole := cube{int(s.Int("size")), int(s.Int("steps"))}
	side := whole.side
	if variant := s.Text("variant"); variant != twoSided && l.Groups() > 1 {
		return fail("variant = %s under model = %s with %d groups: %s, or variant = two-sided", variant, l.Model,
			l.Groups(), putsEnd)
	}
	if longest := max(n[0], n[1], n[2]); side < longest {
		return fail("size = %d: %d processes form a grid of %d×%d×%d, and each needs a cell (use size = %d or more, "+
			"or fewer ranks)", side, processes, n[0], n[1], n[2], longest)
	}
	b := blockOf(side, n, 0)
	if memory := s.Text("memory"); memory != memoryHost {
		if why := noDevice(s, on); why != "" {
			return fail("memory = %s: %s", memory, why)
		}
		need := 2*cell*b.cells() + 2*inboxBytes(&b)
		if has := on.Machine.Device.Memory; has > 0 && need > has {
			return fail("memory = %s: a block of %d×%d×%d cells needs %s, but a device of %s has %s (use a smaller size "+
				"or more nodes)",
				memory, b.size[0], b.size[1], b.size[2], cluster.SizeText(float64(need)), on.Machine.Name,
				cluster.SizeText(float64(has)))
		}
	}
	if s.Text("inboxes") == oneInbox && s.Text("variant") != twoSided && s.Int("reduce-every") > 1 && !on.Virtual {
		return fail("inboxes = one with reduce-every = %d: this is a race, and only virtual time can show it (use "+
			"fabric = sim, or inboxes = two)", s.Int("reduce-every"))
	}
	var memory workload.Memory
	_, verified, _ := workload.Parts(on.Store(s, whole.bytes(n)), func(store cluster.Store, small bool) (*cube, error) {
		of := whole.part(small, n)
		b := blockOf(of.side, n, 0)
		memory.Add(cluster.Store{}, counters)
		memory.Add(store, inboxBytes(&b))
		return &of, nil
	})
	b = blockOf(verified.side, n, 0)
	if b.cells() > maxCells {
		return fail("size = %d: got blocks of %d×%d×%d cells, want at most %d (use a smaller size or more nodes, or "+
			"fabric = sim with a lower real-limit)", side, b.size[0], b.size[1], b.size[2], maxCells)
	}
	p := workload.Plan{Items: memoryItems(s, on, &b, verified.steps, processes)}
	p.Tries = reduction.Iterations(s, on.Machine, on.Kind())
	memory.Fill(&p)
	return p, nil
}

// memoryItems lists the memory of a process outside its segment.
func memoryItems(s *engine.Scenario, on *workload.Site, b *block, steps, processes int) []workload.Item {
	faces, inFlight := int64(0), int64(0)
	for d := range directions {
		n := cell * b.face(d)
		faces += n
		if s.Text("variant") == twoSided {
			inFlight += on.Eager(s, n)
		} else {
			inFlight += workload.Copy(n)
		}
	}
	all := []workload.Item{
		{Name: "temperatures", Per: workload.PerRank, Bytes: 2 * cell * b.cells()},
		{Name: "outgoing faces", Per: workload.PerRank, Bytes: 2 * faces},
		{Name: "faces in flight", Per: workload.PerRank, Bytes: 2 * inFlight}, // a neighbour may be a step ahead
		{Name: "times of steps", Per: workload.PerRank, Bytes: 64 * int64(s.Int("steps")+1)},
	}
	if checkable(b, steps, processes) {
		_, size := window(b, steps)
		all = append(all,
			workload.Item{Name: "reference temperatures", Per: workload.PerRank,
				Bytes: cell * (b.cells() + 2*int64(size[0])*int64(size[1])*int64(size[2]))})
	}
	return all
}

// noDevice returns the reason why a scenario's blocks cannot be in devices, or "" if they can.
func noDevice(s *engine.Scenario, on *workload.Site) string {
	switch ranks, devices := s.Int("ranks-per-node"), on.Machine.Device.Count; {
	case devices == 0 && !on.Machine.Emulated && !on.Virtual: // a device is a label
		return ""
	case devices == 0:
		return fmt.Sprintf("machine %s has no devices (use memory = host, or machine = ac922-summit)", on.Machine.Name)
	case ranks > int64(devices):
		return fmt.Sprintf("%d ranks per node, but machine %s has %d devices per node, one per rank (use ranks-per-node "+
			"= %d or fewer)", ranks, on.Machine.Name, devices, devices)
	}
	return ""
}

// refusedChoices returns the choices that cannot run with the present values of the other knobs.
func refusedChoices(s *engine.Scenario, on *workload.Site) map[string]map[string]string {
	all := map[string]map[string]string{"algorithm": reduction.Refused(s, on.Machine, on.Kind())}
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
	return []engine.Metric{{Name: "step_time_model", Value: Model(&snap.Scenario, m).Time(), Unit: "s",
		Kind: engine.Modelled}}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	switch {
	case knob == "seed" && s.Float("noise-rate") == 0:
		return "without noise nothing is random"
	case knob == "noise-length" && s.Float("noise-rate") == 0:
		return "there are no detours: set noise-rate first"
	case (knob == "noise-rate" || knob == "noise-length") && kind == engine.Measured:
		return "on this host only the host's own noise occurs"
	case knob == "memory" && kind == engine.Measured:
		return "on this host a device is only a label: kernels run on the processors"
	case knob == "threads-per-rank" && s.Text("memory") != memoryHost && kind != engine.Measured:
		return "kernels run on the device"
	case knob == "inboxes" && s.Text("variant") == twoSided:
		return "a message needs no inbox"
	case knob == "prepost" && s.Text("variant") != twoSided:
		return "a put needs no receive"
	}
	if why := reduction.Idle(s, knob); why != "" {
		return why
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}
