package explain

import (
	"context"
	"errors"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// RunAll runs scenarios in traced simulations, in parallel on all cores. It calls each with the number of the
// row and its result, or with an error if the row cannot run. These Runs have lists, but no pieces, so that many of
// them fit into memory. progress may be nil.
//
// When ctx ends, RunAll returns the cause. Rows that have not ended by then have no call of each.
func RunAll(ctx context.Context, rows []session.Row, scenarios []engine.Scenario, o session.Options,
	progress func(*session.Progress), each func(i int, snap *engine.Snapshot, r *Run, err error)) error {
	o.Fabrics = map[string]cluster.Fabric{engine.Sim: &sim.Fabric{Trace: true}}
	o.Limits = session.Limits{Iterations: iterations}
	number := make(map[*session.Row]int, len(rows))
	for i := range rows {
		number[&rows[i]] = i
	}
	tracers := map[*session.Row]*tracer{}
	o.FabricsOf = func(r *session.Row) map[string]cluster.Fabric {
		tracers[r] = &tracer{Fabric: &sim.Fabric{Trace: true}}
		return map[string]cluster.Fabric{engine.Sim: tracers[r]}
	}
	seen := make([]bool, len(rows))
	o.Ended = func(row *session.Row) {
		if ctx.Err() != nil {
			return // the run may have been cancelled
		}
		i := number[row]
		seen[i] = true
		r, err := lightRun(row.Snapshot, tracers[row], o.Machines)
		delete(tracers, row)
		each(i, row.Snapshot, r, err)
	}
	_, err := session.RunRows(ctx, rows, scenarios, o, progress)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i := range rows {
		switch {
		case seen[i]:
		case rows[i].Snapshot == nil:
			return err
		default: // refused
			each(i, rows[i].Snapshot, nil, errors.New(rows[i].Snapshot.Failure))
		}
	}
	return nil
}

// lightRun returns a Run without pieces.
func lightRun(snap *engine.Snapshot, t *tracer, own []cluster.Machine) (*Run, error) {
	switch {
	case snap.Failure != "":
		return nil, errors.New(snap.Failure)
	case t == nil || t.run == nil:
		return nil, errors.New("explain: the simulation did not start")
	}
	m, err := MachineOf(&snap.Scenario, own)
	if err != nil {
		return nil, err
	}
	r, err := explained(&snap.Scenario, &m, t.run.Explained(), snap.Layout)
	if err == nil {
		r.Path.Segments = nil
	}
	return r, err
}
