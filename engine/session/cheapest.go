package session

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// maxMapped is the maximum number of ranks whose pairs are counted for ranking = cheapest.
const maxMapped = 1024

// maxCounting is the maximum time in which the bytes of one iteration are counted.
const maxCounting = 20 * time.Second

// mapped has the values of ranking = cheapest of the last scenarios.
var mapped struct {
	sync.Mutex
	values map[string]string // by the scenario's other knobs
}

// maxMappings is the maximum number of values in mapped.
const maxMappings = 256

// searched returns the scenario with the positions of ranking = cheapest. A simulation of one
// iteration with sequential ranking counts the bytes between ranks. Sizes are enough for it, if the
// workload can do without data.
func (o *Options) searched(sc engine.Scenario) (engine.Scenario, error) {
	if !engine.IsCheapest(sc.Text("ranking")) {
		return sc, nil
	}
	sc = sc.Clone()
	if m, err := o.machine(sc.Text("machine")); err == nil && !hasChoice(&m, sc.Layout()) {
		sc.Values["ranking"] = engine.Unplaced
		return sc, nil
	}
	counted := sc.Clone()
	counted.Values["ranking"] = string(cluster.Sequential)
	counted.Values["fabric"], counted.Values["timeline"] = engine.Sim, "off"
	if _, err := sc.Knob("real-limit"); err == nil {
		counted.Values["real-limit"] = "0"
	}
	key := counted.Workload + fmt.Sprint(counted.Values) // sorted by knob
	mapped.Lock()
	value, isKnown := mapped.values[key]
	mapped.Unlock()
	if isKnown {
		sc.Values["ranking"] = value
		return sc, nil
	}
	set, err := o.resolve(counted, "")
	if err != nil {
		return sc, fmt.Errorf("ranking = cheapest: counting the bytes between ranks on sim: %w", err)
	}
	if value, err = cheapest(o.searchContext(), cmp.Or(o.counting, maxCounting), &set); err != nil {
		return sc, fmt.Errorf("ranking = cheapest: %w", err)
	}
	mapped.Lock()
	defer mapped.Unlock()
	if mapped.values == nil || len(mapped.values) >= maxMappings {
		mapped.values = map[string]string{}
	}
	mapped.values[key] = value
	sc.Values["ranking"] = value
	return sc, nil
}

// hasChoice reports whether positions differ in their costs: there are several nodes and several ranks
// of each, or distances between nodes or sockets.
func hasChoice(m *cluster.Machine, l cluster.Layout) bool {
	hasRoutes := m.Topology.Shape != "" && m.Topology.Shape != cluster.Crossbar
	return l.Nodes > 1 && (l.RanksPerNode > 1 || hasRoutes) || m.Sockets > 1 && l.RanksPerNode > m.Sockets
}

// cheapest returns the value of the knob ranking with the cheapest positions for a setup.
func cheapest(ctx context.Context, limit time.Duration, set *setup) (string, error) {
	l := &set.spec.Layout
	if l.Ranks() > maxMapped {
		return "", fmt.Errorf("%d ranks: want at most %d (use cubes, or a list)", l.Ranks(), maxMapped)
	}
	counting, stop := context.WithTimeout(ctx, limit)
	defer stop()
	bytes, err := bytesOfPairs(counting, set)
	if err != nil {
		if counting.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("counting the bytes of an iteration takes over %v (use fewer ranks, a shorter iteration, cubes, or a list)",
				limit)
		}
		return "", err
	}
	var starts [][]int
	var before int64
	for _, ranking := range []cluster.Ranking{cluster.Sequential, cluster.Cubes, cluster.RoundRobin} {
		as := *l
		as.Ranking = ranking
		node := make([]int, l.Ranks())
		for rank := range node {
			node[rank] = as.NodeOf(rank)
		}
		starts = append(starts, node)
	}
	for i := range bytes {
		for j, b := range bytes[i] {
			if starts[0][i] != starts[0][j] {
				before += b
			}
		}
	}
	positions, after, err := cheapestMapping(ctx, bytes, l.RanksPerNode, starts...)
	if err != nil {
		return "", err
	}
	if positions, err = byDistance(ctx, bytes, positions, &set.machine, l); err != nil {
		return "", err
	}
	return engine.Cheapest(cluster.ListOf(positions), after, before), nil
}

// bytesOfPairs counts the bytes from rank to rank in one iteration of a setup.
func bytesOfPairs(ctx context.Context, set *setup) ([][]int64, error) {
	set.spec.PairRanks = true
	bytes := make([][]int64, set.spec.Layout.Ranks())
	r := newRun(*set, newGate(Limits{Iterations: 1}, false))
	handle, err := cluster.Start(ctx, set.fabric, r.setup.spec, func(rank *cluster.Rank) error {
		if err := r.body(rank); err != nil {
			return err
		}
		bytes[rank.ID()] = append([]int64(nil), rank.Traffic().Nodes...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return bytes, handle.Wait()
}
