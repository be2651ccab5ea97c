package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// setup is a scenario that was planned and checked, ready to launch.
type setup struct {
	scenario engine.Scenario
	workload *workload.Workload
	machine  cluster.Machine
	fabric   cluster.Fabric
	plan     workload.Plan
	spec     cluster.Spec
}

// kinds are those of the numbers that each clock gives.
var kinds = [...]engine.Kind{cluster.WallClock: engine.Measured, cluster.DilatedClock: engine.Emulated, cluster.VirtualClock: engine.Simulated}

// kind of the numbers that this setup gives.
func (s *setup) kind() engine.Kind { return kinds[s.fabric.Clock(&s.machine)] }

// run is one launch, seen by its ranks and by the session.
type run struct {
	setup   setup
	handle  cluster.Run
	gate    *gate
	ask     atomic.Uint64 // raised when the session wants the counts
	slots   []slot        // by rank
	shards  *shards
	tables  []table
	virtual *virtual // of a simulation; nil: of another fabric
	pace    float64  // that was set last, by the session alone
	shut    int      // ticks that a pause has waited for the end of an iteration
	frozen  bool     // the simulation's clock stands in the middle of one
	cut     bool     // the session ended the run in the middle of one
}

// slot is where a rank leaves its counts.
type slot struct {
	mu         sync.Mutex
	traffic    cluster.Traffic
	counts     counts
	iterations int          // rank 0: done
	active     cluster.Time // the fabric's time that the counts rest on, pauses left out
	times      []float64    // rank 0: the latest iterations, s
}

func launch(ctx context.Context, set setup, g *gate) (*run, error) {
	ranks := set.spec.Layout.Ranks()
	if what := set.scenario.Text("timeline"); what != "off" {
		set.spec.Timeline = cluster.NewRecorder(set.spec.Layout, what == "arrows")
	}
	tables, cells := set.lay()
	r := &run{setup: set, gate: g, slots: make([]slot, ranks), shards: newShards(ranks, len(set.workload.Samples), cells), tables: tables}
	if nodes := set.spec.Layout.Nodes; nodes <= cluster.MaxPairNodes {
		for i := range r.slots {
			r.slots[i].traffic.Nodes = make([]int64, nodes)
		}
	}
	if set.kind() == engine.Simulated {
		r.virtual = &virtual{gate: g, probes: make([]*probe, ranks)}
	}
	handle, err := cluster.Start(ctx, set.fabric, set.spec, r.body)
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", set.scenario.Workload, set.fabric.Name(), err)
	}
	r.handle = handle
	return r, nil
}

// body wraps the workload's own.
func (r *run) body(rank *cluster.Rank) error {
	p := newProbe(r, rank)
	ended := false
	defer func() {
		p.finish()
		if !ended {
			r.gate.close() // this rank failed: rank 0 must not wait for a person
		}
	}()
	if err := r.setup.workload.Run(rank, p); err != nil {
		return err
	}
	p.flush(true)
	ended = true
	return nil
}

// totals are the counts of all ranks.
type totals struct {
	counts
	traffic    cluster.Traffic
	pairs      [][]int64
	iterations int
	active     cluster.Time
	spent      cluster.Time // active, summed over ranks: some leave their counts later than others
	times      []float64
}

// maxPairs is up to how many nodes bytes are told apart by node pair.
const maxPairs = 64

func (r *run) gather() totals {
	l := &r.setup.spec.Layout
	n := len(r.setup.workload.Metrics) + len(r.setup.workload.Samples)
	t := totals{counts: counts{sums: make([]float64, n), reports: make([]int64, n)}}
	if l.Nodes <= cluster.MaxPairNodes {
		t.traffic.Nodes = make([]int64, l.Nodes)
	}
	if l.Nodes <= maxPairs {
		t.pairs = make([][]int64, l.Nodes)
		for i := range t.pairs {
			t.pairs[i] = make([]int64, l.Nodes)
		}
	}
	for rank := range r.slots {
		s := &r.slots[rank]
		s.mu.Lock()
		t.add(s, l.NodeOf(rank))
		s.mu.Unlock()
	}
	return t
}

func (t *totals) add(s *slot, node int) {
	for c := range cluster.Classes {
		t.traffic.Ops[c] += s.traffic.Ops[c]
		t.traffic.Bytes[c] += s.traffic.Bytes[c]
		t.accesses[c] += s.counts.accesses[c]
		t.time[c] += s.counts.time[c]
	}
	for to, b := range s.traffic.Nodes {
		t.traffic.Nodes[to] += b
		if t.pairs != nil {
			t.pairs[node][to] += b
		}
	}
	for i := range s.counts.sums {
		t.sums[i] += s.counts.sums[i]
		t.reports[i] += s.counts.reports[i]
	}
	if t.checks == 0 || s.counts.failures > 0 && t.failures == 0 {
		t.detail = s.counts.detail
	}
	t.checks += s.counts.checks
	t.failures += s.counts.failures
	t.iterations = max(t.iterations, s.iterations)
	t.active = max(t.active, s.active)
	t.spent += s.active
	if len(s.times) > 0 {
		t.times = append([]float64(nil), s.times...)
	}
}

// accessed is how many accesses were recorded, and their time.
func (c *counts) accessed() (n int64, sum cluster.Time) {
	for i := range cluster.Classes {
		n += c.accesses[i]
		sum += c.time[i]
	}
	return n, sum
}
