package gemm

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

func init() { workload.Register(&gemm) }

// Choices of the knobs.
const (
	blocking = "blocking"
	prefetch = "prefetch"
	square   = "square"
	maxAhead = 4
)

var gemm = workload.Workload{
	Name:  "gemm",
	Title: "Matrix product (GEMM)",
	Doc: "C = A·B by SUMMA. In every step a panel of A is broadcast along the rows of a grid of ranks, and a panel " +
		"of B along its columns. Each rank multiplies the two. " +
		"Prefetch the next panels, and change the slices: if only calls make progress, nothing is hidden until a core polls.",
	Paper: "paper 5, section 6.1",
	Knobs: slices.Concat([]engine.Knob{
		{Name: "n", Label: "n", Doc: "rows and columns of the matrices", Type: engine.Integer, Default: "150", Min: 1,
			Max:     1 << 22,
			Choices: []string{"150", "512", "1024", "8192", "16384", "32768", "65536", "131072"}, Scope: engine.ScopeBody,
			Role:  engine.Problem,
			Watch: "the share of communication: a panel grows with n, the computation on it with n²",
			Paper: "paper 5, section 6.1, figures 10 and 11"},
		{Name: "block", Label: "block", Doc: "block size nb: rows and columns of the blocks distributed over the grid, " +
			"and width of a panel", Type: engine.Integer, Default: "16", Min: 1, Max: 1 << 14,
			Choices: []string{"16", "32", "64", "128", "256", "512"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the number of steps, and the time of the first panels, which nothing hides", Paper: "paper 5, figure 9"},
		{Name: "rows", Label: "grid rows", Doc: "rows of the grid of ranks (columns = ranks / rows); square: the grid " +
			"closest to a square", Type: engine.Integer, Default: square, Min: 1, Max: 1 << 16,
			Choices: []string{square, "1", "2", "4", "8", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the bytes: a flat grid has long panels in one direction", Paper: "paper 5, figure 9"},
		{Name: "schedule", Label: "schedule", Doc: "schedule of broadcasts; blocking: they block in every step; " +
			"prefetch: later panels are fetched while a step computes", Type: engine.Choice, Default: prefetch,
			Choices: []string{blocking, prefetch}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time spent waiting for panels; prefetching hides it if the broadcasts make progress",
			Paper: "paper 5, section 6.1"},
		{Name: "ahead", Label: "ahead", Doc: "panels fetched ahead, each in its own buffer", Type: engine.Integer,
			Default: "1", Min: 1, Max: maxAhead,
			Choices: []string{"1", "2", "3", "4"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the remaining wait: a broadcast can overlap as many steps as it is ahead, and ranks can run ahead " +
				"of others", Paper: "paper 5, section 6.1"},
		{Name: "slices", Label: "slices", Doc: "parts of a step's product; a rank polls the broadcasts between two parts",
			Type: engine.Integer, Default: "1", Min: 1, Max: 1 << 14,
			Choices: []string{"1", "2", "4", "8", "16", "32"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the hidden share, on machines where only calls make progress", Paper: "paper 5, section 2.3"},
		workload.Cores,
		{Name: "dgemm", Label: "dgemm share", Doc: "share of peak that the library's product reaches; machine: the " +
			"value in the machine file", Type: engine.Real, Default: workload.OfMachine, Min: 0.01, Max: 1,
			Choices: []string{workload.OfMachine, "0.7", "0.8", "0.9", "0.95"}, Scope: engine.ScopeCluster, Role: engine.Machine,
			Watch: "whether a conclusion depends on the share that the library reaches"},
		workload.Partition,
		workload.RealLimit("393216"),
	}, algorithm.Knobs(coll.OpBcast)),
	Defaults:  map[string]string{"model": "flat"},
	Question:  "does fetching panels early hide their time?",
	CostModel: "gemm_time_model",
	First:     "schedule", Panes: []string{"locality", "checkerboard", "latency"}, Masteronly: true, Steady: true, Idle: idle,
	Shapes: &workload.Shapes{Problem: map[string]string{"n": "16384", "block": "512"}, Coupled: true,
		Small: map[string]string{"n": "256", "block": "8"}, Time: "gemm_time"},
	Kernels: []cluster.Kernel{cluster.Dgemm},
	Metrics: append([]engine.MetricSpec{
		{Name: "gemm_time", Phrase: "time of the product", Unit: "s", Always: true, Doc: "time of the whole product on the slowest rank"},
		{Name: "compute_time", Phrase: "time of multiplying", Unit: "s",
			Doc: "local products, with the polls between their slices"},
		{Name: "pack_time", Phrase: "time of packing", Unit: "s", Always: true,
			Doc: "copies of panels into the buffers from which they are broadcast"},
		{Name: "wait_time", Phrase: "wait for panels", Unit: "s", Doc: "broadcast time that computing does not hide"},
		{Name: "panel_time", Phrase: "panels of a step alone", Unit: "s", Always: true,
			Doc: "both broadcasts of a step one after the other, without any other work, on the slowest rank"},
		{Name: "panel_wait", Phrase: "wait of a step", Unit: "s", Doc: "mean wait of a step for its panels"},
		{Name: "longest_wait", Phrase: "longest wait", Unit: "s",
			Doc: "longest wait of a rank for the panels of one step, without the first step"},
		{Name: "longest_step", Phrase: "step of the longest wait", Unit: "1",
			Doc: "number of the step with the longest wait, from 0"},
		{Name: "compute_share", Phrase: "share of compute-only speed", Unit: "1", Always: true,
			Doc: "time of multiplying over time of the product; 1: as fast as without communication"},
		{Name: "hidden_share", Phrase: "share of the panels hidden", Unit: "1",
			Doc: "1 − (waiting + packing) / time of all panels alone"},
	}, algorithm.Metrics()...),
	Derived: []engine.MetricSpec{
		{Name: "node_flops", Phrase: "flop/s per node", Unit: "1/s", Doc: "2n³ / (time of the product · nodes)"},
		{Name: "gemm_time_model", Phrase: "time of the product, model", Unit: "s",
			Doc: "from the machine's constants: all ranks in step, broadcasts by their cost formula; prefetched panels are " +
				"hidden while a step computes"},
	},
	Tallies: []engine.TallySpec{algorithm.Tries(func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) []algorithm.Cell {
		l := s.Layout()
		return cellsOf(s, m, kind, &l)
	})},
	Studies:    []*engine.Study{bySchedule, study.Tries},
	Fit:        fit,
	Bars:       refusedChoices,
	Accesses:   true,
	Iterations: 1,
	Plan:       plan,
	Run:        run,
	Comparison: compareSequential,
	Finish:     finish,
}

// checkerboard returns the grid of a scenario, or nil if there is none.
func checkerboard(s *engine.Scenario) *dense.Checkerboard {
	of, err := problemOf(s)
	if err != nil {
		return nil
	}
	return &dense.Checkerboard{Rows: of.rows, Cols: of.cols, Steps: of.steps(), Ahead: aheadOf(s)}
}

// fit sets the kernel share and the network that the knobs choose.
func fit(s *engine.Scenario, m *cluster.Machine) {
	if share := s.Float("dgemm"); s.Text("dgemm") != workload.OfMachine {
		m.Kernels[cluster.Dgemm] = share
	}
	workload.FitPartition(s, m)
}

// maxElements is the maximum number of elements in a rank's part of C.
const maxElements = 1 << 28

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	if err := workload.CheckThreads(s); err != nil {
		return workload.Plan{}, err
	}
	of, err := problemOf(s)
	if err != nil {
		return workload.Plan{}, err
	}
	if of.block > of.n {
		return fail("block = %d: the matrices have only n = %d rows (use block = %d or less, or a larger n)", of.block,
			of.n, of.n)
	}
	if s.Text("sync-out") == coll.NoSync.String() {
		return fail("sync-out = nosync: a rank could multiply by a panel that has not arrived (use mysync or allsync)")
	}
	kind := on.Kind()
	ahead, l := aheadOf(s), s.Layout()
	tried := algorithm.Tried(s, cellsOf(s, on.Machine, kind, &l)...)
	var memory workload.Memory
	var nodes, eager int64
	_, verified, err := workload.Parts(on.Store(s, unit*of.numbers()),
		func(store cluster.Store, small bool) (problem, error) {
			p := of.part(small)
			memory.Hold(store, workload.Item{Name: "local matrices", Per: workload.PerRank, Bytes: unit * p.numbers()})
			for line := range lines {
				maxBytes := p.maxPanelBytes(line)
				c := algorithm.Cell{Team: teamOf(on.Machine, kind, &l, p.shape, line), What: coll.OpBcast, Ranks: p.size(line),
					Bytes: maxBytes}
				keys, err := c.Keys(s, tried)
				if err != nil {
					return p, err
				}
				addMemory(&memory, store, keys, maxBytes, ahead)
				most := 0
				for _, k := range keys {
					most = max(most, len(k.Make(0).Nodes))
				}
				nodes += int64(most)
				eager += on.Eager(s, maxBytes)
			}
			return p, nil
		})
	if err != nil {
		return workload.Plan{}, err
	}
	if n := verified.numbers(); n > 3*maxElements {
		return fail("n = %d: got %d numbers per rank, want at most %d (use more ranks, or fabric = sim with a lower "+
			"real-limit)", of.n, n, int64(3*maxElements))
	}
	result := workload.Plan{Items: []workload.Item{
		{Name: "tiles of the local product", Per: workload.PerRank,
			Bytes: int64(l.ThreadsPerRank) * dense.Bytes(verified.along(verified.rows).MaxLen(), verified.block)},
		{Name: "panels in flight", Per: workload.PerRank, Bytes: int64(ahead+1) * eager},
		{Name: "operations in flight", Per: workload.PerRank, Bytes: perOperation * nodes * int64(ahead+1)},
		{Name: "members of rows and columns", Per: workload.PerRank, Bytes: 8 * int64(of.rows+of.cols) * 4},
		{Name: "positions in rows and columns", Per: workload.PerRank, Bytes: 2 * 4 * int64(of.rows) * int64(of.cols)},
	}}
	result.Tries = algorithm.Iterations(s, len(tried))
	memory.Fill(&result)
	return result, nil
}

// perOperation is the approximate memory of a rank for an operation in flight, in bytes.
const perOperation = 400

// refusedChoices returns the choices that cannot run, with the reason.
func refusedChoices(*engine.Scenario, *workload.Site) map[string]map[string]string {
	return map[string]map[string]string{
		"sync-out": {coll.NoSync.String(): "a rank could multiply by a panel that has not arrived"},
	}
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	var all []engine.Metric
	if t, ok := snap.Metric("gemm_time"); ok && t.Value > 0 {
		n := float64(snap.Scenario.Int("n"))
		all = append(all,
			engine.Metric{Name: "node_flops", Value: 2 * n * n * n / t.Value / float64(snap.Layout.Nodes), Unit: "1/s",
				Kind: snap.Kind})
	}
	if t, _, ok := Model(&snap.Scenario, m, snap.Kind); ok && snap.Kind != engine.Measured {
		all = append(all, engine.Metric{Name: "gemm_time_model", Value: t, Unit: "s", Kind: engine.Modelled})
	}
	return all
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	blocks := s.Text("schedule") == blocking
	switch {
	case knob == "ahead" && blocks:
		return "only schedule = prefetch fetches panels ahead"
	case knob == "slices" && blocks:
		return "with schedule = blocking no broadcast runs while a step computes"
	case knob == "dgemm" && kind == engine.Measured:
		return "on this host a product takes real time"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	if why := workload.MachineIdle(kind, knob); why != "" {
		return why
	}
	if why := algorithm.Idle(s, coll.OpBcast, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}
