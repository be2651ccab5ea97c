//go:build unix

package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
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
	case "intruders":
		if err := intrude(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
		os.Exit(jobtest.Launch(os.Args[1:]))
	case "second":
		file := os.Getenv("HYBRIDTOP_JOB_TEST_PID")
		if _, err := os.Stat(file); err == nil {
			os.Exit(jobtest.Launch(os.Args[1:]))
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			panic(err)
		}
		os.Exit(3)
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
	return sessionOf(t, o, "dot", settings...)
}

// sessionOf returns a session of a workload.
func sessionOf(t *testing.T, o session.Options, workload string, settings ...string) *session.Session {
	t.Helper()
	sc, err := o.Scenario(workload)
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
	do(engine.Command{Verb: engine.Set, Knob: "processes", Value: "3"})
	snap = until(t, s, "three processes", func(s *engine.Snapshot) bool { return s.Iteration > 0 && s.Job != nil && s.Job.Processes == 3 })
	if len(snap.Marks) != 2 || !strings.Contains(snap.Marks[1].Label, "processes 2→3") {
		t.Errorf("marks %+v", snap.Marks)
	}
	do(engine.Command{Verb: engine.Set, Knob: "workload", Value: "heat"})
	until(t, s, "another workload in three processes", func(s *engine.Snapshot) bool {
		return s.Iteration > 0 && s.Scenario.Workload == "heat" && s.Job != nil && s.Job.Processes == 3
	})
	do(engine.Command{Verb: engine.Set, Knob: "workload", Value: "dot"})
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

// TestAFailedJobStartsAgain checks that the present value of a knob starts a job again after a failure.
func TestAFailedJobStartsAgain(t *testing.T) {
	t.Setenv("HYBRIDTOP_JOB_TEST_PID", filepath.Join(t.TempDir(), "once"))
	s := newSession(t, "second", session.Options{Linger: true}, onJob...)
	s.Start(t.Context())
	for s.Load().Phase != engine.Failed {
		<-time.After(time.Millisecond)
	}
	if err := s.Do(engine.Command{Verb: engine.Set, Knob: "nodes", Value: "2"}); err != nil {
		t.Fatal(err)
	}
	for snap := s.Load(); snap.Iteration == 0; snap = s.Load() {
		if snap.Phase == engine.Failed && len(snap.Marks) > 0 {
			t.Fatal(snap.Failure)
		}
		<-time.After(time.Millisecond)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// timed collects access times.
type timed struct {
	engine.Observer
	all []*engine.Latencies
}

func (*timed) Launched(*engine.Launch)                        {}
func (*timed) Published(*engine.Snapshot)                     {}
func (x *timed) Timed(l *engine.Latencies)                    { x.all = append(x.all, l) }
func (*timed) Ended(*engine.Outcome)                          {}
func (*timed) Commanded(engine.Command, time.Duration, error) {}
func (*timed) Over()                                          {}

// TestAccessTimesOfAJob checks that an observer receives the access times of all processes.
func TestAccessTimesOfAJob(t *testing.T) {
	var seen timed
	f := newFabric(t, "sockets")
	o := session.Options{Fabrics: session.Fabrics(), Observer: &seen, Limits: session.Limits{Iterations: 3}}
	o.Fabrics[engine.MPI] = f
	s := sessionOf(t, o, "randomaccess", append(onJob[:8:8], "group", "2", "accesses", "64")...)
	s.Start(t.Context())
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	snap := s.Load()
	for c := range cluster.Classes {
		var n int64
		sum := 0.0
		last := time.Duration(0)
		for _, l := range seen.all {
			if l.From < last || l.To <= l.From {
				t.Errorf("interval from %v to %v after %v", l.From, l.To, last)
			}
			last = l.To
			n += l.Class[c].Count
			sum += l.Class[c].Mean * float64(l.Class[c].Count)
		}
		want := snap.Accesses[c]
		if n != want.Count || math.Abs(sum-want.Time.Seconds()) > 1e-6*sum {
			t.Errorf("%s: %d accesses in %g s, want %d in %g s", cluster.Class(c), n, sum, want.Count, want.Time.Seconds())
		}
	}
	if snap.Accesses[cluster.Remote].Count == 0 {
		t.Error("no access of another node")
	}
}

// intrude connects to the front without the token. It returns an error if a connection with a wrong greeting stays open,
// or if the token is on the command line.
func intrude() error {
	token := os.Getenv("HYBRIDTOP_FRONT_TOKEN")
	if len(token) < 26 || strings.Contains(strings.Join(os.Args, " "), token) {
		return fmt.Errorf("token %q on the command line %q", token, os.Args)
	}
	address, ok := strings.CutPrefix(os.Getenv("HYBRIDTOP_FRONT"), "tcp:")
	if !ok {
		return errors.New("no TCP address")
	}
	for range 3 { // they stay silent, and do not hold up process 0
		if _, err := net.Dial("tcp", address); err != nil {
			return err
		}
	}
	for _, greeting := range []string{
		"GET / HTTP/1.1\r\n\r\n",
		"\x00\xff\xff\xff\xff",           // a greeting of 4 GiB
		"\x00\x00\x00\x10\x01",           // one byte more than the limit
		"\x00\x00\x00\x00\x00",           // empty
		"\x00\x00\x00\x00\x04\x01a\x01b", // another token
		"\x01\x00\x00\x00\x00",           // a snapshot
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		if _, err := conn.Write([]byte(greeting)); err != nil {
			return err
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		if n, err := conn.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("%q: the connection stays open: %v", greeting, err)
		}
	}
	return nil
}

// TestAFrontOverTCP checks a job whose process 0 connects over TCP. Connections without the token are closed and counted.
func TestAFrontOverTCP(t *testing.T) {
	f := newFabric(t, "intruders")
	if err := f.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	o := session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 2}}
	o.Fabrics[engine.MPI] = f
	s := sessionOf(t, o, "dot", onJob...)
	s.Start(t.Context())
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	snap := s.Load()
	refused := 0 // the silent ones count after two seconds
	for _, w := range snap.Warnings {
		_, _ = fmt.Sscanf(w, "%d connections to the front without the token were closed", &refused)
	}
	if snap.Iteration != 2 || !snap.Verification.OK || refused < 6 || refused > 9 {
		t.Errorf("%d iterations, %+v, warnings %q, want 6 to 9 connections", snap.Iteration, snap.Verification, snap.Warnings)
	}
}

// TestAddressesOfAFront checks the errors of addresses.
func TestAddressesOfAFront(t *testing.T) {
	f := newFabric(t, "sockets")
	for address, want := range map[string]string{
		"127.0.0.1": "want HOST:PORT", ":0": "want one address", "0.0.0.0:0": "want one address", "[::]:0": "want one address",
		"127.0.0.1:x": "want 0 to 65535", "127.0.0.1:70000": "want 0 to 65535",
	} {
		if err := f.Listen(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}
