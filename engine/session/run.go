package session

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// setup is a planned and checked scenario, ready to launch.
type setup struct {
	scenario engine.Scenario
	workload *workload.Workload
	machine  cluster.Machine
	fabric   cluster.Fabric
	plan     workload.Plan
	spec     cluster.Spec
	sizeOnly *engine.SizeOnly // nil: data have bytes

	checksums bool // the run wants the checksum of its results
}

// kinds maps a clock to the kind of its numbers.
var kinds = [...]engine.Kind{cluster.WallClock: engine.Measured, cluster.DilatedClock: engine.Emulated,
	cluster.VirtualClock: engine.Simulated}

// kind returns the kind of this setup's numbers.
func (s *setup) kind() engine.Kind { return kinds[s.fabric.Clock(&s.machine)] }

// launchLine returns paper 1's launch command, or "" for a workload of another paper.
func (s *setup) launchLine() string {
	if !strings.Contains(s.workload.Paper, "paper 1,") {
		return ""
	}
	return engine.LaunchLine(&s.spec.Layout, "myapp")
}

// adaptsDilation reports whether the session chooses the dilation, because the user did not.
func (s *setup) adaptsDilation() bool { return s.spec.Dilation == 0 && s.kind() == engine.Emulated }

// run is one launch, as its ranks and the session see it.
type run struct {
	process
	setup       setup
	handle      cluster.Run
	gate        *gate
	tables      []table
	virtual     *virtual // nil on other fabrics than the simulation
	pace        float64  // last pace, used only by the session
	pausedTicks int      // ticks that a pause has waited for the end of an iteration
	frozen      bool     // the simulation's clock is stopped in the middle of an iteration
	cut         bool     // the session ended the run in the middle of an iteration
	over        bool     // every rank has ended

	spread     cluster.Spread // the handle of a run over several processes, or nil
	launched   chan struct{}  // closed when the handle is set
	publishing sync.Mutex     // held while a frame is published
	collected  []*byte        // first byte of the latest decoded frame of each process
	damaged    bool           // a frame could not be decoded
}

func launch(ctx context.Context, set setup, g *gate) (*run, error) {
	if what := set.scenario.Text("timeline"); what != "off" {
		set.spec.Timeline = timeline.NewRecorder(set.spec.Layout, what == "arrows")
	}
	r := newRun(set, g)
	handle, err := cluster.Start(ctx, set.fabric, set.spec, r.body)
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", set.scenario.Workload, set.fabric.Name(), err)
	}
	r.handle = handle
	r.spread, _ = handle.(cluster.Spread)
	close(r.launched)
	return r, nil
}

// newRun returns a run that is not launched yet.
func newRun(set setup, g *gate) *run {
	tables, cells := set.layOutTables()
	r := &run{setup: set, gate: g, tables: tables, launched: make(chan struct{})}
	if d, ok := set.fabric.(cluster.Distributed); ok {
		r.number, r.processes = d.Process(), d.Processes()
		r.collected = make([]*byte, r.processes)
	}
	r.reserve(&r.setup.spec.Layout, set.workload, cells)
	if set.kind() == engine.Simulated {
		r.virtual = &virtual{gate: g, probes: make([]*probe, set.spec.Layout.Ranks())}
	}
	return r
}

// body wraps the workload's body.
func (r *run) body(rank *cluster.Rank) error {
	p := newProbe(r, rank)
	ended := false
	defer func() {
		p.finish()
		if !ended {
			r.gate.close() // this rank failed: rank 0 must not wait for a user
		}
		if r.left.Add(-1) == 0 && r.processes > 1 {
			<-r.launched
			r.publish()
		}
	}()
	if err := r.setup.workload.Run(rank, p); err != nil {
		return err
	}
	p.flush(true)
	r.endedRanks.Add(1)
	ended = true
	return nil
}

// publish sends the counts of this process to process 0.
func (r *run) publish() {
	if r.spread != nil && r.number != 0 {
		r.publishing.Lock()
		defer r.publishing.Unlock()
		r.spread.Publish(r.frame().encode())
	}
}

// collect adds the new counts that other processes have published. It returns an error only for the first damaged
// counts of a run.
func (r *run) collect(c *collector) error {
	if r.spread == nil || r.number != 0 {
		return nil
	}
	var failed error
	for i := 1; i < r.processes; i++ {
		b := r.spread.Published(i)
		if len(b) == 0 || &b[0] == r.collected[i] {
			continue
		}
		r.collected[i] = &b[0]
		f, err := r.decodeFrame(i, b)
		if err == nil {
			c.take(f)
		} else if !r.damaged {
			r.damaged = true
			failed = fmt.Errorf("counts of process %d: %w", i, err)
		}
	}
	return failed
}
