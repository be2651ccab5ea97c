package clustertest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// guard is the time on this host after which a run counts as hung.
const guard = time.Minute

var errHung = errors.New("the run hangs")

// tester is the part of testing.TB and rapid.T that launchers need.
type tester interface {
	Helper()
	Context() context.Context
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Spec is a launch of nodes × perNode ranks of one thread, all in one UPC group, with
// segments of 64 KiB and the machine's eager limit.
func Spec(m cluster.Machine, nodes, perNode int) cluster.Spec {
	return cluster.Spec{
		Machine: m,
		Layout: cluster.Layout{
			Nodes: nodes, RanksPerNode: perNode, ThreadsPerRank: 1,
			Ranking: cluster.Sequential, Model: cluster.Flat, Group: nodes * perNode,
		},
		Segment:    64 << 10,
		EagerLimit: -1,
		Seed:       1,
	}
}

// Grouped returns Spec with ranks in UPC groups, two ranks per node if the number is even. A
// worldSeed that is not 0 shuffles MPI_COMM_WORLD.
func Grouped(m cluster.Machine, model cluster.Model, groups, size int, worldSeed uint64) cluster.Spec {
	nodes, perNode := 1, groups*size
	if perNode%2 == 0 {
		nodes, perNode = perNode/2, 2
	}
	s := Spec(m, nodes, perNode)
	s.Layout.Model = model
	s.Layout.Group = size
	s.Layout.WorldSeed = worldSeed
	return s
}

// Launch runs a body on every rank and returns the run's error. A run that hangs fails the test.
func Launch(t tester, f cluster.Fabric, s cluster.Spec, body func(*cluster.Rank) error) error {
	t.Helper()
	_, err := Start(t, f, s, body)
	return err
}

// Must launches body and fails the test on an error. It returns the run.
func Must(t tester, f cluster.Fabric, s cluster.Spec, body func(*cluster.Rank) error) cluster.Run {
	t.Helper()
	run, err := Start(t, f, s, body)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Start launches body, waits for its end, and returns the run and its error. The run is nil if the
// fabric refuses the spec.
func Start(t tester, f cluster.Fabric, s cluster.Spec, body func(*cluster.Rank) error) (cluster.Run, error) {
	t.Helper()
	return guarded(t.Context(), t, func(ctx context.Context) (cluster.Run, error) {
		return cluster.Start(ctx, f, s, body)
	})
}

// guarded starts a run and waits for its end. A run that hangs fails the test.
func guarded(ctx context.Context, t tester, start func(context.Context) (cluster.Run, error)) (cluster.Run, error) {
	t.Helper()
	ctx, stop := context.WithTimeoutCause(ctx, guard, errHung)
	defer stop()
	run, err := start(ctx)
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	select {
	case err = <-ended:
	case <-time.After(2 * guard):
		t.Fatal("the run continues after its cancel")
	}
	if context.Cause(ctx) == errHung {
		t.Fatalf("the run hangs: %v", err)
	}
	return run, err
}

// Refused is nil if an error reads as wanted.
func Refused(err error, want string) error {
	switch {
	case err == nil:
		return fmt.Errorf("not refused; want %q", want)
	case err.Error() != want:
		return fmt.Errorf("refused with\n%q, want\n%q", err, want)
	}
	return nil
}

// refused checks that a call failed with an error, which names the rank first.
func (p *proc) refused(err error, want string) {
	p.ok(Refused(err, fmt.Sprintf("rank %d: %s", p.ID(), want)))
}
