//go:build unix

package live_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
	"github.com/hybridtop/hybridtop/cluster/live/far/socket"
)

// several is a fabric that runs programs over several processes of a job. All of them are in this test,
// so that programs can share variables and the race detector sees every process.
type several struct {
	*live.Fabric
	fabrics []*live.Fabric
}

func newSeveral(t *testing.T, processes int) several {
	t.Helper()
	files, err := socket.Pairs(processes)
	if err != nil {
		t.Fatal(err)
	}
	f := several{}
	for i := range processes {
		tr, err := socket.New(i, files[i])
		if err != nil {
			t.Fatal(err)
		}
		job := far.Join(tr)
		t.Cleanup(func() { job.Close() })
		f.fabrics = append(f.fabrics, live.Over(job))
	}
	f.Fabric = f.fabrics[0]
	return f
}

// Start implements cluster.Fabric.
func (f several) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
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
	runs := severalRuns{spec: spec}
	var failed error
	for _, c := range all {
		s := <-c
		failed = errors.Join(failed, s.err)
		runs.runs = append(runs.runs, s.run)
	}
	if failed != nil {
		return nil, failed
	}
	return runs, nil
}

// severalRuns is the run of all processes.
type severalRuns struct {
	spec cluster.Spec
	runs []cluster.Run
}

// Wait implements cluster.Run. The result is the one of process 0.
func (r severalRuns) Wait() error {
	var first error
	for i, run := range r.runs {
		if err := run.Wait(); i == 0 {
			first = err
		} else if (err == nil) != (first == nil) {
			return errors.Join(first, errors.New("processes differ"), err)
		}
	}
	return first
}

// Cancel implements cluster.Run.
func (r severalRuns) Cancel(cause error) { r.runs[0].Cancel(cause) }

// States implements cluster.Run.
func (r severalRuns) States(dst []cluster.State) []cluster.State {
	dst = dst[:0]
	for i := range r.spec.Layout.Ranks() {
		dst = append(dst, r.runs[r.spec.Layout.ProcessOf(i, len(r.runs))].States(nil)[i])
	}
	return dst
}

// Dilation implements cluster.Run.
func (r severalRuns) Dilation() float64 { return 1 }

// Warnings implements cluster.Run.
func (r severalRuns) Warnings() []string {
	var all []string
	for _, run := range r.runs {
		all = append(all, run.Warnings()...)
	}
	return slices.Compact(all)
}

// quickParts are the parts of the suite that run in every test. Together they send each kind of frame.
var quickParts = []string{"order", "probe", "one-sided", "signals", "atomics", "rpc", "barrier", "deadlock", "random programs"}

// TestConformanceOverProcesses runs the conformance suite over several processes with sockets.
// It omits two parts, because a recorder of timelines belongs to one process, and clocks of processes differ.
func TestConformanceOverProcesses(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		clustertest.Run(t, newSeveral(t, 2), clustertest.Host(), clustertest.Smaller(4), clustertest.Only(quickParts...))
		return
	}
	for _, processes := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("%d processes", processes), func(t *testing.T) {
			clustertest.Run(t, newSeveral(t, processes), clustertest.Host(), clustertest.Smaller(4),
				clustertest.Without("timeline", "devices"))
		})
	}
}

// TestProcessWithoutRanks checks that a run also ends in processes without ranks.
func TestProcessWithoutRanks(t *testing.T) {
	f := newSeveral(t, 4)
	for range 3 {
		clustertest.Must(t, f, clustertest.Spec(clustertest.Host(), 2, 2), func(r *cluster.Rank) error {
			return r.Barrier(r.World())
		})
	}
}

// TestRunAfterAbortedRuns checks a run after 50 aborted runs with unmatched messages of 1 MiB.
func TestRunAfterAbortedRuns(t *testing.T) {
	f := newSeveral(t, 2)
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	failed := errors.New("on purpose")
	for round := range 50 {
		err := clustertest.Launch(t, f, spec, func(r *cluster.Rank) error {
			q := make([]cluster.Request, 8)
			for i := range q {
				if err := r.Isend(&q[i], r.World(), 1-r.ID(), i, cluster.Of(make([]byte, 1<<20))); err != nil {
					return err
				}
			}
			if r.ID() == round%2 {
				return failed
			}
			return r.Waitall(q, nil)
		})
		if !errors.Is(err, failed) {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	clustertest.Must(t, f, spec, func(r *cluster.Rank) error {
		in, out := make([]byte, 1<<20), make([]byte, 1<<20)
		for i := range out {
			out[i] = byte(i * (3 + r.ID()))
		}
		_, err := r.Sendrecv(r.World(), 1-r.ID(), 0, cluster.Of(out), 1-r.ID(), 0, cluster.Of(in))
		for i := range in {
			if err == nil && in[i] != byte(i*(4-r.ID())) {
				return fmt.Errorf("rank %d: byte %d is %d", r.ID(), i, in[i])
			}
		}
		return err
	})
}

// TestRunsThatDiffer checks that a job refuses processes with different runs, and emulated machines.
func TestRunsThatDiffer(t *testing.T) {
	f := newSeveral(t, 2)
	specs := []cluster.Spec{clustertest.Spec(clustertest.Host(), 2, 1), clustertest.Spec(clustertest.Host(), 2, 2)}
	failures := make(chan error)
	for i, one := range f.fabrics {
		go func() {
			failures <- cluster.Launch(t.Context(), one, specs[i], func(*cluster.Rank) error { return nil })
		}()
	}
	for range f.fabrics {
		if err := <-failures; err == nil || !strings.Contains(err.Error(), "starts another run") {
			t.Errorf("different runs: %v", err)
		}
	}
	_, err := f.Start(t.Context(), clustertest.Spec(clustertest.Emulated(), 2, 1), func(cluster.Port) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "runs in one process") {
		t.Errorf("an emulated machine: %v", err)
	}
}
