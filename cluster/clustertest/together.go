package clustertest

import (
	"context"
	"errors"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// processes is a fabric that runs programs over several processes of a job.
type processes struct {
	cluster.Fabric
	fabrics []cluster.Fabric
}

// Together returns a fabric over the fabrics of all processes of a job. All of them are in this test, so that
// programs can share variables and the race detector sees every process.
func Together(fabrics ...cluster.Fabric) cluster.Fabric { return processes{fabrics[0], fabrics} }

// Process implements cluster.Distributed.
func (processes) Process() int { return 0 }

// Processes implements cluster.Distributed.
func (f processes) Processes() int { return len(f.fabrics) }

// OnHost implements cluster.Distributed.
func (processes) OnHost(l cluster.Layout) cluster.Layout { return l }

// Start implements cluster.Fabric.
func (f processes) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	type started struct {
		run cluster.Run
		err error
	}
	all := make([]chan started, len(f.fabrics))
	for i, one := range f.fabrics {
		all[i] = make(chan started, 1)
		go func() {
			run, err := one.Start(ctx, spec, body)
			all[i] <- started{run, err}
		}()
	}
	runs := processRuns{spec: spec}
	for _, c := range all {
		s := <-c
		if s.err != nil {
			s.run = nil
		}
		runs.runs = append(runs.runs, s.run)
		runs.errs = append(runs.errs, s.err)
	}
	if runs.errs[0] != nil {
		return nil, runs.errs[0]
	}
	return runs, nil
}

// processRuns is the run of all processes.
type processRuns struct {
	spec cluster.Spec
	runs []cluster.Run
	errs []error // of processes that ended before their start returned; their run is nil
}

// Wait implements cluster.Run. The result is the one of process 0.
func (r processRuns) Wait() error {
	var first error
	for i, run := range r.runs {
		err := r.errs[i]
		if err == nil {
			err = run.Wait()
		}
		if i == 0 {
			first = err
		} else if (err == nil) != (first == nil) {
			return errors.Join(first, errors.New("processes differ"), err)
		}
	}
	return first
}

// Cancel implements cluster.Run.
func (r processRuns) Cancel(cause error) { r.runs[0].Cancel(cause) }

// States implements cluster.Run.
func (r processRuns) States(dst []cluster.State) []cluster.State {
	dst = dst[:0]
	for i := range r.spec.Layout.Ranks() {
		state := cluster.Idle
		if run := r.runs[r.spec.Layout.ProcessOf(i, len(r.runs))]; run != nil {
			state = run.States(nil)[i]
		}
		dst = append(dst, state)
	}
	return dst
}

// Dilation implements cluster.Run.
func (r processRuns) Dilation() float64 { return 1 }

// Warnings implements cluster.Run.
func (r processRuns) Warnings() []string {
	var all []string
	for _, run := range r.runs {
		if run != nil {
			all = append(all, run.Warnings()...)
		}
	}
	return slices.Compact(all)
}
