//go:build unix

package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/job"
	"github.com/hybridtop/hybridtop/engine/job/jobtest"
	"github.com/hybridtop/hybridtop/engine/session"
)

// modeVariable makes this test program a launcher.
const modeVariable = "HYBRIDTOP_JOB_TEST"

// TestMain runs the tests. As a launcher it runs a job of two processes, or fails.
func TestMain(m *testing.M) {
	switch os.Getenv(modeVariable) {
	case "":
		os.Exit(m.Run())
	case "sockets":
		os.Exit(jobtest.Launch(os.Args[1:]))
	case "failure":
		fmt.Fprintln(os.Stderr, "no such host\x1b[2J")
		os.Exit(3)
	case "silence":
		if err := os.WriteFile(os.Getenv("HYBRIDTOP_JOB_TEST_PID"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		select {}
	}
}

// newFabric returns a fabric whose launcher is this program.
func newFabric(t *testing.T, mode string) *job.Fabric {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(modeVariable, mode)
	t.Setenv(job.ProgramVariable, program)
	f, err := job.New(program + " -n 2")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// newSession returns a session of dot in a job with one rank per process.
func newSession(t *testing.T, mode string, o session.Options, settings ...string) *session.Session {
	t.Helper()
	o.Fabrics = session.Fabrics()
	o.Fabrics[engine.MPI] = newFabric(t, mode)
	sc, err := o.Scenario("dot")
	for i := 0; err == nil && i < len(settings); i += 2 {
		err = sc.Set(settings[i], settings[i+1])
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(sc, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// onJob are the settings of a run with one rank per process.
var onJob = []string{"fabric", "mpi", "machine", "this-host", "nodes", "2", "ranks-per-node", "1", "group", "1"}

// until waits until a snapshot of the session satisfies a condition.
func until(t *testing.T, s *session.Session, what string, met func(*engine.Snapshot) bool) *engine.Snapshot {
	t.Helper()
	for {
		snap := s.Load()
		if met(snap) {
			return snap
		}
		select {
		case <-s.Done():
			if snap = s.Load(); met(snap) {
				return snap
			}
			t.Fatalf("the session ended before: %s; failure %q", what, snap.Failure)
		case <-time.After(time.Millisecond):
			if snap.Phase == engine.Failed {
				t.Fatalf("the run failed before: %s: %s", what, snap.Failure)
			}
		}
	}
}

// TestAJobRunsAScenario checks the result of a run in a job.
func TestAJobRunsAScenario(t *testing.T) {
	s := newSession(t, "sockets", session.Options{Limits: session.Limits{Iterations: 3}}, onJob...)
	s.Start(t.Context())
	err := s.Wait()
	snap := s.Load()
	if err != nil || snap.Phase != engine.Ended || snap.Iteration != 3 || !snap.Verification.OK || snap.Kind != engine.Measured {
		t.Errorf("%v: %s after %d iterations, %+v, %s", err, snap.Phase, snap.Iteration, snap.Verification, snap.Kind)
	}
	if snap.Job == nil || snap.Job.Processes != 2 || snap.Job.Library == "" {
		t.Errorf("job: %+v", snap.Job)
	}
	if snap.Traffic.Bytes[cluster.Remote] == 0 || len(snap.Series) == 0 {
		t.Errorf("%d bytes between nodes, %d samples", snap.Traffic.Bytes[cluster.Remote], len(snap.Series))
	}
}

// TestCommandsReachTheJob checks pauses, steps, a change of a knob, and a change to another fabric. Series continue.
func TestCommandsReachTheJob(t *testing.T) {
	s := newSession(t, "sockets", session.Options{Linger: true}, onJob...)
	do := func(c engine.Command) {
		t.Helper()
		if err := s.Do(c); err != nil {
			t.Fatal(err)
		}
	}
	do(engine.Command{Verb: engine.Pause})
	s.Start(t.Context())
	until(t, s, "paused before the first iteration", func(s *engine.Snapshot) bool { return s.Phase == engine.Paused && s.Iteration == 0 })
	do(engine.Command{Verb: engine.Step})
	do(engine.Command{Verb: engine.Step})
	until(t, s, "paused after two iterations", func(s *engine.Snapshot) bool { return s.Phase == engine.Paused && s.Iteration == 2 })
	do(engine.Command{Verb: engine.Resume})
	snap := until(t, s, "ten iterations", func(s *engine.Snapshot) bool { return s.Iteration >= 10 })
	samples := len(snap.Series)
	do(engine.Command{Verb: engine.Set, Knob: "ranks-per-node", Value: "2"})
	snap = until(t, s, "four ranks", func(s *engine.Snapshot) bool { return s.Iteration > 0 && s.Layout.Ranks() == 4 })
	if len(snap.Series) <= samples || len(snap.Marks) != 1 || !strings.Contains(snap.Marks[0].Label, "ranks-per-node 1→2") {
		t.Errorf("%d samples after %d, marks %+v", len(snap.Series), samples, snap.Marks)
	}
	do(engine.Command{Verb: engine.Set, Knob: "fabric", Value: engine.Live})
	until(t, s, "a run in this process", func(s *engine.Snapshot) bool { return s.Iteration > 0 && s.Job == nil })
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// TestALauncherThatFails checks the failure of a launcher. The error has its last lines without control characters.
func TestALauncherThatFails(t *testing.T) {
	s := newSession(t, "failure", session.Options{}, onJob...)
	s.Start(t.Context())
	err := s.Wait()
	want := "the job has ended without a result: launcher: exit status 3; its last lines:\nno such host�[2J"
	if err == nil || err.Error() != want || s.Load().Phase != engine.Failed {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestARefusalOfAJob checks that the failure is the reason of process 0: loads do not reach other processes.
func TestARefusalOfAJob(t *testing.T) {
	s := newSession(t, "sockets", session.Options{}, append(onJob, "algorithm", "direct")...)
	s.Start(t.Context())
	if err := s.Wait(); err == nil || !strings.Contains(err.Error(), "needs loads from all ranks") {
		t.Error(err)
	}
}

// TestAStopEndsALauncher checks that a stop leaves no process, even if no process answers.
func TestAStopEndsALauncher(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	t.Setenv("HYBRIDTOP_JOB_TEST_PID", file)
	s := newSession(t, "silence", session.Options{}, onJob...)
	ctx, stop := context.WithCancel(t.Context())
	s.Start(ctx)
	var pid int
	for pid == 0 {
		b, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(string(b))
		<-time.After(time.Millisecond)
	}
	stop()
	_ = s.Wait()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the launcher is still there: %v", err)
	}
}
