package algorithm_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/presets"
)

// defaults are the knobs of a collective at their defaults.
type defaults struct{}

func (defaults) Int(knob string) int64 {
	if knob == "segments" {
		return 1
	}
	return -1 // eager-limit: the machine's
}

func (defaults) Text(knob string) string {
	for _, k := range algorithm.Parameters() {
		if k.Name == knob {
			return k.Default
		}
	}
	return algorithm.ByModel
}

// point is a call on a machine.
type point struct {
	machine    string
	what       coll.Collective
	nodes, per int
	bytes      int64
}

func (p point) String() string {
	return fmt.Sprintf("%s, %s, %d×%d, %d B", p.machine, p.what, p.nodes, p.per, p.bytes)
}

func (p point) layout() cluster.Layout {
	return cluster.Layout{Nodes: p.nodes, RanksPerNode: p.per, ThreadsPerRank: 1, Model: cluster.Flat,
		Group: p.nodes * p.per, Ranking: cluster.Sequential}
}

// usualNodes and usualRanks are numbers of nodes and of ranks per node. largeNodes are for teams of which an estimate
// may only walk a part.
var (
	usualNodes = []int{8, 16, 32, 64}
	largeNodes = []int{80, 128, 256, 512, 1024}
	usualRanks = []int{1, 4, 16, 64}
)

// points returns all machines, collectives, layouts and sizes with a number of ranks above least, and up to most. A
// torus has the partition of its nodes.
func points(nodeCounts []int, least, most int) []point {
	var all []point
	for _, name := range presets.Machines() {
		for what := range coll.Collective(coll.Collectives) {
			for _, nodes := range nodeCounts {
				for _, per := range usualRanks {
					for _, bytes := range []int64{8, 1 << 10, 32 << 10, 1 << 20} {
						if what == coll.OpBarrier {
							bytes = 0
						}
						p := point{name, what, nodes, per, bytes}
						ranks := nodes * per
						if name != "this-host" && ranks > least && ranks <= most && !slices.Contains(all[max(0, len(all)-4):], p) {
							all = append(all, p)
						}
					}
				}
			}
		}
	}
	return all
}

func machineOf(t *testing.T, p point) *cluster.Machine {
	t.Helper()
	m, err := presets.Machine(p.machine)
	if err != nil {
		t.Fatal(err)
	}
	if m.Topology.Shape == cluster.Torus {
		m.Topology.Dims = map[int][]int{8: {2, 2, 2}, 16: {4, 2, 2}, 32: {4, 4, 2}, 64: {4, 4, 4}, 128: {8, 4, 4},
			256: {8, 8, 4}, 512: {8, 8, 8}, 1024: {16, 8, 8}}[p.nodes]
	}
	m.Nodes, m.MemoryPerNode = 0, 0
	if n := m.Topology.Nodes(); n > 0 && n < p.nodes {
		m.Topology.Dims = nil
	}
	return &m
}

// judged is a value with its point, for lists of the worst.
type judged struct {
	value float64
	text  string
}

func worst(all []judged) []judged {
	slices.SortFunc(all, func(a, b judged) int { return cmp.Compare(b.value, a.value) })
	return all
}

// TestEstimates compares the cost model with simulations: within 30 % in 95 % of the calls. It also
// compares the default choice with the best algorithm: the slowdown is at most 1.1 in the median, and
// at most 1.5. CONFORM=1 draws more points, of larger teams. CONFORM=all takes all of them, which is
// hours of processor time.
func TestEstimates(t *testing.T) {
	count, maxRanks, maxMessages := 60, 256, 1<<13
	switch {
	case os.Getenv("CONFORM") == "all":
		count, maxRanks, maxMessages = math.MaxInt, math.MaxInt, 1<<25
	case os.Getenv("CONFORM") != "":
		count, maxRanks, maxMessages = 400, math.MaxInt, 1<<17
	case testing.Short():
		count, maxRanks, maxMessages = 30, 128, 1<<11
	}
	seed := rand.Uint64()
	if testing.Short() {
		seed = 1
	}
	compareEstimates(t, seed, points(usualNodes, 0, maxRanks), count, 0.95, func(w algorithm.Team, k *coll.Key) bool {
		return w.Messages(defaults{}, k) > maxMessages
	})
}

// TestEstimatesOfLargeTeams is TestEstimates for more than 4096 ranks: within 30 % in 90 % of the calls. It omits
// algorithms that would simulate too long.
func TestEstimatesOfLargeTeams(t *testing.T) {
	count, maxRanks, seed := 10, 1<<13, uint64(1)
	switch {
	case os.Getenv("CONFORM") != "":
		count, maxRanks, seed = 60, 1<<14, rand.Uint64()
	case testing.Short():
		t.Skip("simulates 8,192 ranks")
	}
	compareEstimates(t, seed, points(largeNodes, coll.MaxEstimated, maxRanks), count, 0.9, func(_ algorithm.Team, k *coll.Key) bool {
		return k.Predict(&coll.Cost{L: 1, O: 1, Gap: 1}, 1) > 200
	})
}

// compareEstimates compares the estimates of a number of points with simulations.
func compareEstimates(t *testing.T, seed uint64, all []point, count int, wantWithin float64,
	isTooLong func(algorithm.Team, *coll.Key) bool) {
	t.Helper()
	t.Logf("seed %d", seed)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var errs, slowdowns []judged
	within, skipped, simulated := 0, 0, 0
	for _, p := range all[:min(count, len(all))] {
		m, l := machineOf(t, p), p.layout()
		if m.Topology.Shape != "" && m.Topology.Dims == nil && m.Topology.Shape != cluster.Crossbar {
			continue // the network is smaller
		}
		w := algorithm.Among(m, engine.Simulated, &l, l.World())
		spec := &cluster.Spec{Machine: *m, Layout: l, EagerLimit: -1}
		unit := int64(1)
		if p.what.Combines() {
			unit = 8
		}
		choice, err := w.Choose(defaults{}, p.what, l.Ranks(), p.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if choice.Simulated > 0 {
			simulated++
		}
		chosen, best := math.NaN(), math.Inf(1)
		for _, a := range coll.Of(p.what) {
			k, err := w.Key(defaults{}, a, l.Ranks())
			if err != nil || algorithm.IsDuplicate(a, &k) {
				continue
			}
			if isTooLong(w, &k) {
				skipped++
				continue
			}
			estimate, _ := w.Estimate(defaults{}, &k, p.bytes)
			took, err := algorithm.Simulate(spec, k, p.bytes, unit)
			if err != nil {
				t.Fatalf("%s by %s: %v", p, a.Name, err)
			}
			off := estimate.Seconds()/took.Seconds() - 1
			if math.Abs(off) <= 0.3 {
				within++
			}
			errs = append(errs, judged{math.Abs(off), fmt.Sprintf("%s by %s: simulated %s, model %s", p, a.Name, took,
				estimate)})
			best = min(best, took.Seconds())
			if k == choice.Key {
				chosen = took.Seconds()
			}
		}
		if !math.IsNaN(chosen) {
			slowdowns = append(slowdowns, judged{chosen / best, fmt.Sprintf("%s: %s, %s", p,
				algorithm.Describe(&choice.Key), choice.Words())})
		}
	}
	share := float64(within) / float64(len(errs))
	t.Logf("model against simulation: %d calls (%d longer ones skipped), %.1f %% within 30 %%", len(errs), skipped, 100*share)
	for _, e := range worst(errs)[:min(10, len(errs))] {
		t.Logf("off by %.0f %%: %s", 100*e.value, e.text)
	}
	median, last := worst(slowdowns)[len(slowdowns)/2].value, slowdowns[0].value
	t.Logf("default choice against the best algorithm: %d choices (%d by simulation), slowdown median %.3f, worst %.3f",
		len(slowdowns), simulated, median, last)
	for _, s := range slowdowns[:min(5, len(slowdowns))] {
		t.Logf("slowdown %.3f: %s", s.value, s.text)
	}
	if share < wantWithin || median > 1.1 || last > 1.5 {
		t.Errorf("%.1f %% within 30 %%, slowdown median %.3f, worst %.3f; want %.0f %%, 1.1, 1.5", 100*share, median, last,
			100*wantWithin)
	}
}

// TestChoiceOfLargeTeam checks the choice for 65,536 ranks. Recursive doubling takes 13 times as long, because
// the ranks of a node share its adapters and links. The formulas of separate ranks prefer it.
func TestChoiceOfLargeTeam(t *testing.T) {
	p := point{"frontier", coll.OpAllreduce, 1024, 64, 32 << 10}
	m, l := machineOf(t, p), p.layout()
	w := algorithm.Among(m, engine.Simulated, &l, l.World())
	c, err := w.Choose(defaults{}, p.what, l.Ranks(), p.bytes)
	if err != nil {
		t.Fatal(err)
	}
	doubling, err := coll.Find(p.what, "recursive-doubling")
	if err != nil {
		t.Fatal(err)
	}
	k, err := w.Key(defaults{}, doubling, l.Ranks())
	if err != nil {
		t.Fatal(err)
	}
	slow, _ := w.Estimate(defaults{}, &k, p.bytes)
	if c.Key.Algorithm.Name != "reduce-bcast" || slow < 10*c.Time {
		t.Errorf("%s: %s takes %s, recursive doubling %s", p, algorithm.Describe(&c.Key), c.Time, slow)
	}
}

// TestChoiceOfCrowdedNodes checks the choice for 64 ranks that share one adapter. The formulas of
// separate ranks choose an algorithm that takes 4.7 times as long.
func TestChoiceOfCrowdedNodes(t *testing.T) {
	p := point{"hpc7a", coll.OpAllreduce, 16, 64, 8}
	m, l := machineOf(t, p), p.layout()
	c, err := algorithm.Among(m, engine.Simulated, &l, l.World()).Choose(defaults{}, p.what, l.Ranks(), p.bytes)
	if err != nil {
		t.Fatal(err)
	}
	if c.Key.Algorithm.Name != "hierarchical" || c.Words() != "chosen by simulation of 2 candidates" {
		t.Errorf("%s: %s, %s", p, algorithm.Describe(&c.Key), c.Words())
	}
}

// TestChoiceOnCalibratedHost checks that a live run on a host with costs uses them: all ranks are in
// one node, and candidates are simulated. Without costs, the choice has no simulation.
func TestChoiceOnCalibratedHost(t *testing.T) {
	p := point{"demo", coll.OpAllreduce, 2, 4, 1 << 10}
	m, l := machineOf(t, p), p.layout()
	for _, machine := range []*cluster.Machine{m, {Name: "this-host"}} {
		c, err := algorithm.Among(machine, engine.Measured, &l, l.World()).Choose(defaults{}, p.what, l.Ranks(), p.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := c.Simulated, map[bool]int{true: 2}[machine == m]; got != want {
			t.Errorf("%s: %s, %d candidates simulated, want %d", machine.Name, algorithm.Describe(&c.Key), got, want)
		}
	}
}

// TestChoiceIsTheSameOnFabrics checks that a machine has the same choice in a simulation and emulated.
func TestChoiceIsTheSameOnFabrics(t *testing.T) {
	for _, what := range []coll.Collective{coll.OpBcast, coll.OpAllreduce, coll.OpExchange} {
		p := point{"demo", what, 8, 4, 1 << 10}
		m, l := machineOf(t, p), p.layout()
		var keys []coll.Key
		for _, kind := range []engine.Kind{engine.Simulated, engine.Emulated} {
			c, err := algorithm.Among(m, kind, &l, l.World()).Choose(defaults{}, what, l.Ranks(), p.bytes)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, c.Key)
		}
		if keys[0] != keys[1] {
			t.Errorf("%s: simulated by %s, emulated by %s", what, algorithm.Describe(&keys[0]), algorithm.Describe(&keys[1]))
		}
	}
}
