package sim_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// stepTime is the time of a step of stepping.
const stepTime = cluster.Microsecond

// stepping is a program of n steps, each a computation and a message to the next rank. It counts
// the steps of rank 0.
func stepping(n int, made *atomic.Int64) func(*cluster.Rank) error {
	return func(r *cluster.Rank) error {
		b := make([]byte, 8)
		right, left := (r.ID()+1)%r.Ranks(), (r.ID()+r.Ranks()-1)%r.Ranks()
		for range n {
			r.Compute(cluster.Work{Flops: float64(stepTime / cluster.Nanosecond)}, nil)
			if _, err := r.Sendrecv(r.World(), right, 0, cluster.Of(b), left, 0, cluster.Of(b)); err != nil {
				return err
			}
			if r.ID() == 0 {
				made.Add(1)
			}
		}
		return nil
	}
}

// begin starts a program that waits for the test.
func begin(t *testing.T, ctx context.Context, s cluster.Spec,
	body func(*cluster.Rank) error) (run *sim.Run, letGo func()) {
	t.Helper()
	gate := make(chan struct{})
	started, err := cluster.Start(ctx, sim.New(), s, func(r *cluster.Rank) error {
		<-gate
		return body(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return started.(*sim.Run), func() { close(gate) }
}

// stands yields until the clock is paused or the run has ended.
func stands(t *testing.T, run *sim.Run) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		run.Wait()
		close(over)
	}()
	for !run.Paused() {
		select {
		case <-over:
			t.Fatal("the run ended without a pause")
		default:
			runtime.Gosched()
		}
	}
}

// eight returns a spec of eight nodes of the conformance suite's machine.
func eight() cluster.Spec { return clustertest.Spec(clustertest.Priced(), 8, 1) }

// A run pauses at a virtual time, continues to the next pause, and then to its end. The result is
// the same as without pauses.
func TestPause(t *testing.T) {
	const steps = 2000
	var whole, made atomic.Int64
	plain := simulated(t, eight(), stepping(steps, &whole))
	each := plain.Total() / steps

	run, letGo := begin(t, t.Context(), eight(), stepping(steps, &made))
	run.PauseAt(each * 500)
	letGo()
	stands(t, run)
	first := made.Load()
	run.PauseAt(each * 1500)
	stands(t, run)
	second := made.Load()
	run.Resume()
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	// The loop checks for a pause after some hundred events, and a step has about twenty events.
	for _, c := range []struct{ got, want int64 }{{first, 500}, {second, 1500}} {
		if c.got < c.want-1 || c.got > c.want+100 {
			t.Errorf("%d steps made at the pause, want about %d", c.got, c.want)
		}
	}
	if run.Hash() != plain.Hash() || run.Total() != plain.Total() || made.Load() != steps {
		t.Errorf("hash %016x, %d ps, %d steps with pauses; %016x, %d ps, %d without", run.Hash(), run.Total(), made.Load(),
			plain.Hash(), plain.Total(), steps)
	}
}

// States works while the clock is paused.
func TestStatesOfAPausedRun(t *testing.T) {
	var made atomic.Int64
	run, letGo := begin(t, t.Context(), eight(), stepping(2000, &made))
	run.PauseAt(cluster.Millisecond)
	letGo()
	stands(t, run)
	if got := run.States(nil); len(got) != 8 {
		t.Errorf("states %v, want eight ranks", got)
	}
	run.Resume()
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := run.States(nil), make([]cluster.State, 8); !slices.Equal(got, want) {
		t.Errorf("states %v after the end, want all idle", got)
	}
}

// A paused run can be cancelled, by Cancel and by its context.
func TestCancelWhilePaused(t *testing.T) {
	why := errors.New("enough")
	for _, way := range []string{"Cancel", "context"} {
		t.Run(way, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var made atomic.Int64
			run, letGo := begin(t, ctx, eight(), stepping(1_000_000, &made))
			run.PauseAt(cluster.Millisecond)
			letGo()
			stands(t, run)
			if way == "Cancel" {
				run.Cancel(why)
			} else {
				cancel(why)
			}
			err := run.Wait()
			var abort *cluster.Abort
			if !errors.As(err, &abort) || abort.Reason != cluster.ReasonCancelled || !errors.Is(err, why) {
				t.Errorf("error %v, want a cancel because of %q", err, why)
			}
		})
	}
}

// TestCancelOfManyRanks tests that a cancelled run ends at the next call of the rank that runs, also if
// no event occurs. Its report lists some thousand waits, not those of all ranks.
func TestCancelOfManyRanks(t *testing.T) {
	const ranks, steps, listed = 6000, 100_000, 4096
	var run cluster.Run
	made, started := 0, make(chan struct{})
	spec := clustertest.Spec(clustertest.Priced(), 1, ranks)
	run, err := cluster.Start(t.Context(), sim.New(), spec, func(r *cluster.Rank) error {
		if r.ID() < ranks-1 {
			return r.Barrier(r.World())
		}
		<-started
		run.Cancel(errors.New("enough"))
		for range steps {
			r.Compute(cluster.Work{}, nil)
			made++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	close(started)
	err = run.Wait()
	var abort *cluster.Abort
	if !errors.As(err, &abort) || abort.Reason != cluster.ReasonCancelled {
		t.Fatalf("error %v, want a cancel", err)
	}
	if made > 0 {
		t.Errorf("%d calls after the cancel", made)
	}
	if len(abort.Waits) != listed {
		t.Errorf("%d waits are listed, want %d", len(abort.Waits), listed)
	}
}

// A pace slows a run down and changes nothing else. It can be removed.
func TestPace(t *testing.T) {
	var made atomic.Int64
	plain := simulated(t, eight(), stepping(1000, &made))
	paced, err := simulate(t, &sim.Fabric{Pace: 1}, eight(), stepping(1000, &made)) // a few ms
	if err != nil {
		t.Fatal(err)
	}
	endless, letGo := begin(t, t.Context(), eight(), stepping(1000, &made))
	endless.SetPace(1e-9) // would take weeks
	letGo()
	endless.SetPace(0)
	if err := endless.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, run := range []*sim.Run{paced, endless} {
		if run.Hash() != plain.Hash() || run.Total() != plain.Total() {
			t.Errorf("hash %016x and %d ps at a pace, %016x and %d ps without", run.Hash(), run.Total(), plain.Hash(),
				plain.Total())
		}
	}
}

// stuck runs a program that cannot end and returns its abort.
func stuck(t *testing.T, s cluster.Spec, body func(*cluster.Rank) error) *cluster.Abort {
	t.Helper()
	_, err := simulate(t, sim.New(), s, body)
	var abort *cluster.Abort
	if !errors.As(err, &abort) || abort.Reason != cluster.ReasonDeadlock {
		t.Fatalf("error %v, want a deadlock", err)
	}
	return abort
}

// If ranks wait and no event is left, the run is deadlocked at once. The error lists exactly the
// waiting ranks and the ranks that they wait for.
func TestDeadlock(t *testing.T) {
	abort := stuck(t, clustertest.Spec(clustertest.Priced(), 5, 1), func(r *cluster.Rank) error {
		switch r.ID() {
		case 4: // ends
			return nil
		case 3: // waits for a rank that has ended
			_, err := r.Recv(r.World(), 4, 9, cluster.Of(make([]byte, 1)))
			return err
		}
		_, err := r.Recv(r.World(), (r.ID()+1)%3, 7, cluster.Of(make([]byte, 1))) // in a circle
		return err
	})
	want := []string{
		"rank 0 waits in recv from 1 tag 7 for rank 1",
		"rank 1 waits in recv from 2 tag 7 for rank 2",
		"rank 2 waits in recv from 0 tag 7 for rank 0",
		"rank 3 waits in recv from 4 tag 9 for rank 4",
	}
	if got := lines(abort); !slices.Equal(got, want) {
		t.Errorf("waits:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func lines(a *cluster.Abort) []string {
	var out []string
	for _, w := range a.Waits {
		out = append(out, w.String())
	}
	return out
}

// A clock beyond the limit ends the run with an error, both for an event and for a rank that runs
// ahead.
func TestOverflow(t *testing.T) {
	huge := cluster.Work{Flops: 1e300}
	for _, c := range []struct {
		name string
		make func(m *cluster.Machine)
		body func(r *cluster.Rank) error
	}{
		{"computing and a message", nil, func(r *cluster.Rank) error {
			r.Compute(huge, nil)
			return r.Send(r.World(), 1-r.ID(), 0, cluster.Data{})
		}},
		{"computing alone", nil, func(r *cluster.Rank) error {
			r.Compute(huge, nil)
			return nil
		}},
		{"computing again and again", nil, func(r *cluster.Rank) error {
			for range 5 {
				r.Compute(huge, nil)
			}
			return nil
		}},
		{"memory", nil, func(r *cluster.Rank) error {
			r.Compute(cluster.Work{Bytes: 1e300}, nil)
			return nil
		}},
		{"latency", func(m *cluster.Machine) { m.Classes[cluster.Remote].Latency = math.MaxInt64 },
			func(r *cluster.Rank) error {
				return r.Send(r.World(), 1-r.ID(), 0, cluster.Data{})
			}},
		{"overhead", func(m *cluster.Machine) { m.Classes[cluster.Remote].Overhead = math.MaxInt64 },
			func(r *cluster.Rank) error {
				return r.Send(r.World(), 1-r.ID(), 0, cluster.Data{})
			}},
		{"barrier", func(m *cluster.Machine) { m.Classes[cluster.Remote].Latency = math.MaxInt64 },
			func(r *cluster.Rank) error {
				return r.Barrier(r.All())
			}},
		{"bytes", func(m *cluster.Machine) { m.Classes[cluster.Remote].Bandwidth = 1 }, func(r *cluster.Rank) error {
			return r.Send(r.World(), 1-r.ID(), 0, cluster.Sized(1<<60))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := clustertest.Priced()
			m.EagerLimit = math.MaxInt64
			if c.make != nil {
				c.make(&m)
			}
			run, err := simulate(t, sim.New(), clustertest.Spec(m, 2, 1), c.body)
			if err == nil || !strings.Contains(err.Error(), "virtual time overflow") {
				t.Errorf("error %v, want a virtual time overflow", err)
			}
			if total := run.Total(); total < 0 {
				t.Errorf("the run took %d ps", total)
			}
		})
	}
}
