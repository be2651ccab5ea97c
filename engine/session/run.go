package session

import (
	"context"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
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

// adapts reports whether the session chooses the dilation: the user has chosen none.
func (s *setup) adapts() bool { return s.spec.Dilation == 0 && s.kind() == engine.Emulated }

// run is one launch, seen by its ranks and by the session.
type run struct {
	process
	setup   setup
	handle  cluster.Run
	gate    *gate
	tables  []table
	virtual *virtual // of a simulation; nil: of another fabric
	pace    float64  // that was set last, by the session alone
	shut    int      // ticks that a pause has waited for the end of an iteration
	frozen  bool     // the simulation's clock stands in the middle of one
	cut     bool     // the session ended the run in the middle of one
	over    bool     // every rank has ended
}

func launch(ctx context.Context, set setup, g *gate) (*run, error) {
	ranks := set.spec.Layout.Ranks()
	if what := set.scenario.Text("timeline"); what != "off" {
		set.spec.Timeline = timeline.NewRecorder(set.spec.Layout, what == "arrows")
	}
	tables, cells := set.lay()
	r := &run{setup: set, gate: g, tables: tables}
	r.reserve(&r.setup.spec.Layout, set.workload, cells)
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
			r.gate.close() // this rank failed: rank 0 must not wait for a user
		}
	}()
	if err := r.setup.workload.Run(rank, p); err != nil {
		return err
	}
	p.flush(true)
	r.left.Add(1)
	ended = true
	return nil
}
