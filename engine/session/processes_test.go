//go:build unix

package session

import (
	"bytes"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
	"github.com/hybridtop/hybridtop/cluster/live/far/socket"
	"github.com/hybridtop/hybridtop/engine"
)

// overProcesses runs a scenario in one session per process, and returns the last snapshot of process 0.
func overProcesses(t *testing.T, processes int, knobs ...string) *engine.Snapshot {
	t.Helper()
	files, err := socket.Pairs(processes)
	if err != nil {
		t.Fatal(err)
	}
	sc := storyOf(t, "sampled", append([]string{"fabric", "live", "machine", "this-host"}, knobs...)...)
	sessions := make([]*Session, processes)
	var closing sync.WaitGroup // each job waits for the others
	over := make(chan struct{})
	for i := range processes {
		tr, err := socket.New(i, files[i])
		if err != nil {
			t.Fatal(err)
		}
		job := far.Join(tr)
		closing.Go(func() {
			<-over
			job.Close()
		})
		sessions[i], err = New(sc, Options{Fabrics: map[string]cluster.Fabric{engine.Live: live.Over(job)},
			Limits: Limits{Iterations: 4}})
		if err != nil {
			t.Fatal(err)
		}
		sessions[i].Start(t.Context())
	}
	defer closing.Wait()
	defer close(over)
	for i, s := range sessions {
		if err := s.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	return sessions[0].Load()
}

// TestSessionOverProcesses checks that process 0 has the counts of all processes, as a single process has.
func TestSessionOverProcesses(t *testing.T) {
	knobs := []string{"nodes", "4", "ranks-per-node", "2", "group", "4"}
	want := overProcesses(t, 1, knobs...)
	if want.Verification.Checks != 8*4 || want.Iteration != 4 {
		t.Fatalf("one process: %+v after %d iterations", want.Verification, want.Iteration)
	}
	for _, processes := range []int{2, 3, 5} { // the last process of 5 has no rank
		got := overProcesses(t, processes, knobs...)
		if got.Verification != want.Verification || got.Iteration != want.Iteration || got.Failure != "" {
			t.Errorf("%d processes: %+v after %d iterations: %s", processes, got.Verification, got.Iteration, got.Failure)
		}
		for name, pair := range map[string][2]any{
			"traffic": {got.Traffic, want.Traffic}, "bytes by node": {got.NodePairs, want.NodePairs},
			"tables":  {got.Tallies, want.Tallies},
			"samples": {got.Samples, want.Samples}, "profiles": {got.Profiles, want.Profiles},
		} {
			if diff := cmp.Diff(pair[1], pair[0], cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%d processes: %s:\n%s", processes, name, diff)
			}
		}
		m, _ := got.Metric("own")
		if w, _ := want.Metric("own"); m.Value != w.Value {
			t.Errorf("%d processes: metric %g, want %g", processes, m.Value, w.Value)
		}
	}
}

// TestFramesTravel checks that a frame of another process is complete, and that damaged frames are errors.
func TestFramesTravel(t *testing.T) {
	set, err := (&Options{Fabrics: Fabrics()}).resolve(storyOf(t, "sampled", "fabric", "sim", "machine", "demo", "nodes", "2",
		"ranks-per-node", "2", "group", "2"), "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := launch(t.Context(), set, newGate(Limits{Iterations: 3}, false))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.handle.Wait(); err != nil {
		t.Fatal(err)
	}
	b := r.frame().encode()
	f, err := r.decodeFrame(7, b)
	if err != nil || f.process != 7 || f.ranks != 4 || f.checks != 12 || !bytes.Equal(f.encode(), b) {
		t.Errorf("%v: %+v", err, f)
	}
	for n := range b {
		if _, err := r.decodeFrame(7, b[:n]); err == nil {
			t.Errorf("a frame that ends after %d of %d B is accepted", n, len(b))
		}
	}
}

// published is a run whose other process has published bytes.
type published struct {
	cluster.Spread
	bytes []byte
}

// Published implements cluster.Spread.
func (p *published) Published(int) []byte { return p.bytes }

// TestDamagedFrames checks that a run reports only the first damaged frame, and decodes each frame once.
func TestDamagedFrames(t *testing.T) {
	set, err := (&Options{Fabrics: Fabrics()}).resolve(storyOf(t, "sampled", "fabric", "sim", "machine", "demo"), "")
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(set, newGate(Limits{}, false))
	p := &published{bytes: r.frame().encode()}
	r.spread, r.processes, r.collected = p, 2, make([]*byte, 2)
	var c collector
	if err := r.collect(&c); err != nil || len(c.frames) != 1 {
		t.Fatalf("%v: %d frames", err, len(c.frames))
	}
	first := c.frames[0]
	if err := r.collect(&c); err != nil || c.frames[0] != first {
		t.Errorf("%v: the same frame is decoded again", err)
	}
	for i, want := range []bool{true, false, false} {
		p.bytes = []byte("damaged")
		if err := r.collect(&c); (err != nil) != want {
			t.Errorf("damaged frame %d: %v", i, err)
		}
	}
	p.bytes = r.frame().encode()
	if err := r.collect(&c); err != nil || c.frames[0] == first {
		t.Errorf("%v: a frame after a damaged one is ignored", err)
	}
}
