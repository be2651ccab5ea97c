package fft

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/network"
)

func init() { workload.Register(&fft) }

// The choices of knobs.
const (
	slabs     = "slabs"
	packed    = "packed"
	planes    = "planes"
	maxPoints = 1 << 16 // along an axis
)

var fft = workload.Workload{
	Name:  "fft",
	Title: "3-D FFT",
	Doc: "NAS FT solves a partial differential equation. A time step is a three-dimensional Fourier transform over a " +
		"grid of processes, with two exchanges of all points. " +
		"Exchanges are either packed, after each pass, or in slabs during the computing: compare many small messages " +
		"that are hidden with few large ones that are not.",
	Paper: "paper 5, section 6.3",
	Knobs: slices.Concat([]engine.Knob{
		{Name: "class", Label: "class", Doc: "size of the box: NAS classes S (64³), W (128² × 32) and A (256² × " +
			"128), with published checksums; own: nx, ny and nz, any lengths that the grid divides", Type: engine.Choice,
			Default: "S",
			Choices: []string{"S", "W", "A", ownSizes}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the time of a step, and the checksum compared with NASA's", Paper: "paper 5, section 6.3"},
		{Name: "nx", Label: "n_x", Doc: "points along x, under class = own", Type: engine.Integer, Default: "64", Min: 1,
			Max:     maxPoints,
			Choices: []string{"16", "64", "256", "1024", "4096"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the length of the first pass's lines"},
		{Name: "ny", Label: "n_y", Doc: "points along y, under class = own", Type: engine.Integer, Default: "64", Min: 1,
			Max:     maxPoints,
			Choices: []string{"16", "64", "256", "1024", "4096"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the length of the second pass's lines"},
		{Name: "nz", Label: "n_z", Doc: "points along z, under class = own", Type: engine.Integer, Default: "64", Min: 1,
			Max:     maxPoints,
			Choices: []string{"16", "64", "256", "1024", "4096"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the planes of a process, and so the slabs"},
		{Name: "rows", Label: "grid TY", Doc: "processes that share a plane of the box (TY of TY × TZ); square: the " +
			"divisor closest to TZ; 1: whole planes and one exchange", Type: engine.Integer, Default: square, Min: 1,
			Max:     coll.MaxRanks,
			Choices: []string{square, "1", "2", "4", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the sizes of the two teams and of the messages: the larger the team, the smaller its messages",
			Paper: "paper 5, figure 15"},
		{Name: "exchange", Label: "exchange", Doc: "form of the exchanges; packed: all points of a pass at once, then " +
			"wait; slabs: slab by slab during the computing", Type: engine.Choice, Default: slabs,
			Choices: []string{packed, slabs}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of communication: an exchange in slabs overlaps with the computing of the next slab",
			Paper: "paper 5, section 6.3, figures 17 and 18"},
		{Name: "slabs", Label: "slabs", Doc: "parts of a pass, each exchanged as soon as it is complete; planes: one " +
			"per plane", Type: engine.Integer, Default: planes, Min: 1, Max: maxPoints,
			Choices: []string{planes, "2", "4", "8", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "more slabs start earlier, with smaller messages", Paper: "paper 5, section 6.3"},
		{Name: "slices", Label: "slices", Doc: "parts of the computing of a slab; a rank polls the exchanges between " +
			"two parts", Type: engine.Integer, Default: "1", Min: 1, Max: 1e6,
			Choices: []string{"1", "4", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the hidden share, on machines where only calls make progress", Paper: "paper 5, section 2.3"},
	}, algorithm.Knobs(coll.OpExchange), []engine.Knob{
		workload.Cores, workload.Partition,
		workload.RealLimit("2097152"),
	}),
	Defaults: map[string]string{"model": "flat", "ranks-per-node": "8"},
	Question: "do fewer and longer messages make an exchange faster?",
	First:    "algorithm", Panes: []string{"locality", "timeline"}, Masteronly: true, Steady: true, Idle: idle,
	Shapes: &workload.Shapes{Problem: map[string]string{"class": ownSizes, "nx": "512", "ny": "512", "nz": "512"},
		Small: map[string]string{"class": "S"}, Time: "step_time",
		Tolerance: "the checksum equals NASA's to 1e-12"},
	Kernels: []cluster.Kernel{cluster.FFT},
	Metrics: append([]engine.MetricSpec{
		{Name: "step_time", Phrase: "time of a step", Unit: "s", Always: true,
			Doc: "time of a time step after a barrier: evolve, transform, barrier, checksum"},
		{Name: "time_fft", Phrase: "transforms of lines", Unit: "s", Always: true,
			Doc: "part of a step: transforms of the passes, mean over ranks (figure 18: local FFT)"},
		{Name: "time_comm", Phrase: "communication not hidden", Unit: "s",
			Doc: "part of a step: starting exchanges and waiting for them (figure 18: synchronous communication)"},
		{Name: "time_memory", Phrase: "packing", Unit: "s",
			Doc: "part of a step: packing for the first exchange (figure 18: in-memory data transfers)"},
		{Name: "time_other", Phrase: "evolve and checksum", Unit: "s",
			Doc: "part of a step: evolve and checksum (figure 18: other)"},
		{Name: "time_barrier", Phrase: "barrier", Unit: "s",
			Doc: "part of a step: barrier after the transform, including the wait for the slowest rank (figure 18)"},
		{Name: "exchange_alone", Phrase: "exchanges without computing", Unit: "s", Total: true,
			Doc: "time of the two exchanges of a slab alone, times the slabs: the time without any overlap"},
		{Name: "flop_rate", Phrase: "rate of the transform", Unit: "1/s", Rate: true, Always: true, Doc: "5·N·log₂ N flops / time of a step"},
		{Name: "checksum_error", Phrase: "error of the checksum", Unit: "1",
			Doc: "relative error of the checksum, compared with the published one or with one process alone"},
	}, algorithm.Metrics()...),
	Derived: []engine.MetricSpec{
		{Name: "bound_half", Phrase: "bisection estimate", Unit: "1/s",
			Doc: "5·N·log₂ N flops / time of the exchanges, if half of the points cross the bisection in both exchanges; " +
				"a run can exceed it if fewer cross by the routes"},
		{Name: "bound_busiest", Phrase: "busiest-link bound", Unit: "1/s",
			Doc: "5·N·log₂ N flops / time of the link that carries the most bytes by the routes: no run exceeds it (up to " +
				"16,384 pairs of ranks)"},
		{Name: "crossing_first", Phrase: "first exchange across the bisection", Unit: "1",
			Doc: "share of its bytes that cross the bisection by the routes (up to 16,384 pairs of ranks)"},
		{Name: "crossing_second", Phrase: "second exchange across the bisection", Unit: "1",
			Doc: "share of its bytes that cross the bisection by the routes (up to 16,384 pairs of ranks)"},
		{Name: "hidden_share", Phrase: "share of exchanges hidden", Unit: "1",
			Doc: "1 − communication not hidden / exchanges without computing; 0 if a step waits longer than that"},
		{Name: "message_first", Phrase: "message of the first exchange", Unit: "B",
			Doc: "bytes from one rank to another in a call of the first exchange"},
		{Name: "message_second", Phrase: "message of the second exchange", Unit: "B",
			Doc: "bytes from one rank to another in a call of the second exchange"},
	},
	Tallies: []engine.TallySpec{algorithm.Tries(func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) []algorithm.Cell {
		l := s.Layout()
		return cellsOf(s, m, kind, &l)
	})},
	Studies:    []*engine.Study{byExchange, network.Links("a step", messagesOf), study.Tries},
	Fit:        workload.FitPartition,
	Bars:       refusedChoices,
	Iterations: 6,
	Quick:      map[string]string{"class": "own", "nx": "16", "ny": "16", "nz": "16"},
	Plan:       plan,
	Run:        run,
	Comparison: compareSequential,
	Finish:     finish,
}

// slabsOf returns the number of slabs that the knobs choose; 0: one slab per plane.
func slabsOf(s algorithm.Reader) int {
	if s.Text("exchange") == packed {
		return 1
	}
	return int(max(s.Int("slabs"), 0))
}

// team returns the ranks of a team of an exchange, by their number in it.
func (g *grid) team(world []int32, e, number int) []int32 {
	at := *g
	numbers := at.plane
	at.z, at.y = number, number
	if e == second {
		numbers = at.row
	}
	var all []int32
	for _, i := range numbers() {
		all = append(all, world[i])
	}
	return all
}

// refusedChoices returns the algorithms that the teams cannot run, with the reason.
func refusedChoices(s *engine.Scenario, on *workload.Site) map[string]map[string]string {
	l := s.Layout()
	g, err := gridOf(s, l.N().MPI, 0)
	if err != nil {
		return nil
	}
	all := map[string]string{}
	for e, members := range []int{g.ty, g.tz} {
		if members == 1 {
			continue
		}
		w := algorithm.Among(on.Machine, on.Kind(), &l, g.team(l.World(), e, 0))
		if _, err := w.FromTable(s, coll.OpExchange, members, 1); err != nil {
			all[algorithm.ByTable] = err.Error()
		}
		w.RefusedLibraries(s, coll.OpExchange, members, 1, all)
		for _, a := range coll.Of(coll.OpExchange) {
			if _, err := w.Key(s, a, members); err != nil {
				all[a.Name] = err.Error()
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return map[string]map[string]string{"algorithm": all}
}

// pointBytes is the number of bytes of a point, a complex number.
const pointBytes = 16

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	if err := workload.CheckThreads(s); err != nil {
		return workload.Plan{}, err
	}
	l := s.Layout()
	whole, err := instanceOf(s, l.N().MPI, 0)
	if err != nil {
		return fail("%w", err)
	}
	b, g := &whole.problem, &whole.grid
	if all := pointBytes * float64(b.n[0]) * float64(b.n[1]) * float64(b.n[2]); all > math.MaxInt {
		return fail("%d × %d × %d points need %s, more than a %d-bit program can address (use fewer points)", b.n[0],
			b.n[1], b.n[2], cluster.SizeText(all), strconv.IntSize)
	}
	for a, name := range []string{"x", "y", "z"} {
		for _, side := range []int{g.ty, g.tz} {
			if b.n[a]%side != 0 {
				return fail("a grid of %d × %d processes: %d does not divide the %d points along %s (use other rows, ranks "+
					"or class)", g.ty, g.tz, side, b.n[a], name)
			}
		}
	}
	if n := whole.slabs; n > 0 && b.n[2]/g.tz%n != 0 {
		return fail("slabs = %d: does not divide the %d planes of a process (use a divisor, or %s)", n, b.n[2]/g.tz, planes)
	}
	if algorithm.Modes(s).Out == coll.NoSync {
		return fail("sync-out = nosync: a pass needs its data when its exchange ends (use mysync or allsync)")
	}
	var memory workload.Memory
	tried := algorithm.Tried(s, cellsOf(s, on.Machine, on.Kind(), &l)...)
	inFlight := int64(0)
	_, verified, err := workload.Parts(on.Store(s, whole.bytes()), func(store cluster.Store, small bool) (need, error) {
		of := whole
		if small {
			of = whole.small()
		}
		part, err := addMemory(s, tried, on, &of, store, &memory)
		inFlight += part.inFlight
		return part, err
	})
	if err != nil {
		return fail("%w", err)
	}
	p := workload.Plan{Items: []workload.Item{
		{Name: "messages in flight", Per: workload.PerRank, Bytes: 4 * on.Eager(s, verified.message)},
		{Name: "operations in flight", Per: workload.PerRank, Bytes: inFlight},
		{Name: "buffers of the exchanges", Per: workload.PerRank, Bytes: verified.library},
		{Name: "points of the sequential program", Per: workload.InAll, Bytes: verified.alone},
	}}
	p.Tries = algorithm.Iterations(s, len(tried))
	memory.Fill(&p)
	return p, nil
}

// need is the memory of a process for a problem without its arrays, in bytes.
type need struct {
	inFlight int64 // of operations
	library  int64 // temporary buffers and packed messages of its calls
	alone    int64 // of the first process, for a checksum
	message  int64 // the longest
}

// perOperation is the memory of a rank for an operation in flight, in bytes.
const perOperation = 200

// addMemory adds the arrays of an instance to the memory of a rank, and returns its other memory.
func addMemory(s *engine.Scenario, tried []string, on *workload.Site, of *instance, store cluster.Store,
	memory *workload.Memory) (need, error) {
	l := s.Layout()
	m := algorithm.Modes(s)
	there, back := of.shapes()
	b, g := &of.problem, &of.grid
	points := pointBytes * int64(back.size())
	memory.Hold(store, workload.Item{Name: "spectrum and lines", Per: workload.PerRank, Bytes: points + int64(l.ThreadsPerRank)<<16})
	for range arrays(m) {
		if m.Transfer.OneSided() {
			memory.Add(store, points)
		} else {
			memory.Hold(store, workload.Item{Name: "points", Per: workload.PerRank, Bytes: points})
		}
	}
	var n need
	if all := b.points(); b.steps == 0 && all <= maxSequential {
		n.alone = 2*16*int64(all) + 1<<16
	}
	for e, members := range []int{g.ty, g.tz} {
		if members == 1 {
			continue
		}
		n.message = max(n.message, back.blocks()[e], there.blocks()[e])
		n.inFlight += perOperation * 2 * int64(members) * int64(max(back.slabs, there.slabs))
		teams := g.tz
		if e == second {
			teams = g.ty
		}
		if !dependsOnNodes(s) {
			teams = 1 // all alike
		}
		var words, bytes int64
		for t := range min(teams, maxTeams) {
			ranks := g.team(l.World(), e, t)
			keys, err := cellFor(algorithm.Among(on.Machine, on.Kind(), &l, ranks), members, back.blocks()[e]).Keys(s, tried)
			if err != nil {
				return n, err
			}
			if m.Transfer.OneSided() {
				r := scratch(keys, e, &back)
				words, bytes = max(words, 8*((r.Words+7)&^7)), max(bytes, (r.Bytes+63)&^63)
				continue
			}
			for i := range keys {
				keys[i].Transfer = coll.Put // which states its temporary buffers
			}
			n.library = max(n.library, 2*int64(back.slabs)*scratch(keys, e, &back).Bytes)
		}
		calls := int64(slots(&back) + 4)
		memory.Add(cluster.Store{}, calls*words)
		memory.Add(store, calls*bytes)
	}
	return n, nil
}

// maxTeams is the maximum number of teams of an exchange that a plan examines.
const maxTeams = 64

// dependsOnNodes reports whether the algorithm depends on which ranks share a node.
func dependsOnNodes(s *engine.Scenario) bool {
	a, err := coll.Find(coll.OpExchange, s.Text("algorithm"))
	return err != nil || a.UsesPlaces
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	s := &snap.Scenario
	l := s.Layout()
	whole, err := instanceOf(s, l.N().MPI, 0)
	if err != nil {
		return nil
	}
	b, g := &whole.problem, &whole.grid
	_, back := whole.shapes()
	var all []engine.Metric
	for e, name := range []string{"message_first", "message_second"} {
		if []int{g.ty, g.tz}[e] > 1 {
			all = append(all, engine.Metric{Name: name, Value: float64(back.blocks()[e]), Unit: "B", Kind: snap.Kind})
		}
	}
	if snap.Kind == engine.Simulated {
		of := BoundOf(b.n, g.ty, g.tz, &l, m, fewPairs)
		model := func(name, unit string, v float64, known bool) {
			if known {
				all = append(all, engine.Metric{Name: name, Value: v, Unit: unit, Kind: engine.Modelled})
			}
		}
		model("bound_half", "1/s", of.Half, of.Half > 0)
		model("bound_busiest", "1/s", of.Busiest, of.Busiest > 0)
		model("crossing_first", "1", of.Share[first], of.Crossing > 0 && g.ty > 1)
		model("crossing_second", "1", of.Share[second], of.Crossing > 0 && g.tz > 1)
	}
	comm, ok := snap.Metric("time_comm")
	alone, too := snap.Metric("exchange_alone")
	if ok && too && alone.Value > 0 {
		all = append(all,
			engine.Metric{Name: "hidden_share", Value: max(1-comm.Value/alone.Value, 0), Unit: "1", Kind: snap.Kind})
	}
	return all
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	if why := algorithm.Idle(s, coll.OpExchange, knob); why != "" {
		return why
	}
	switch {
	case (knob == "nx" || knob == "ny" || knob == "nz") && s.Text("class") != ownSizes:
		return "class " + s.Text("class") + " fixes the size"
	case knob == "slabs" && s.Text("exchange") == packed:
		return "packed exchanges have no slabs"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	if why := workload.MachineIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}
