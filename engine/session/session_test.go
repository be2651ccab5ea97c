package session

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

func TestRunIterations(t *testing.T) {
	s := start(t, storyOf(t, "access"), Options{Limits: Limits{Iterations: 5}})
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	snap := s.Load()
	if snap.Phase != engine.Ended || snap.Iteration != 5 || len(snap.IterationTimes) != 5 {
		t.Errorf("phase %s, iteration %d, %d times; want ended after 5", snap.Phase, snap.Iteration, len(snap.IterationTimes))
	}
	if v := snap.Verification; !v.Done || !v.OK || v.Checks != 5*16 || v.Detail != "nothing to be wrong" {
		t.Errorf("verification %+v, want 80 checks that held", v)
	}
	total := int64(0)
	for c := range cluster.Classes {
		q := snap.Latency[c]
		total += q.Count
		if q.Count > 0 && math.Abs(q.Mean-classTime[c].Seconds()) > 1e-15 {
			t.Errorf("%s: mean %g s, want %v", cluster.Class(c), q.Mean, classTime[c])
		}
	}
	if total != 5*16*50 {
		t.Errorf("%d accesses, want %d", total, 5*16*50)
	}
	want := []engine.Metric{
		{Name: "iteration", Value: 2, Unit: "1", Kind: engine.Measured},
		{Name: "accesses", Value: float64(snap.Latency[0].Count), Unit: "1", Kind: engine.Measured},
	}
	if len(snap.Metrics) != 2 || snap.Metrics[0] != want[0] || snap.Metrics[1] != want[1] {
		t.Errorf("metrics %+v, want %+v", snap.Metrics, want)
	}
	if len(snap.Series) == 0 {
		t.Error("no sample")
	}
}

func TestKindAndDilation(t *testing.T) {
	for machine, want := range map[string]engine.Kind{"this-host": engine.Measured, "demo": engine.Emulated} {
		s := start(t, storyOf(t, "silent", "machine", machine, "dilation", "50"), Options{Limits: Limits{Iterations: 1}})
		if err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		dilation := map[engine.Kind]float64{engine.Measured: 1, engine.Emulated: 50}[want]
		if snap := s.Load(); snap.Kind != want || snap.Dilation != dilation {
			t.Errorf("%s: %s, dilation %g; want %s, %g", machine, snap.Kind, snap.Dilation, want, dilation)
		}
	}
}

func TestInvalidScenarios(t *testing.T) {
	tests := []struct{ knob, value, want string }{
		{"speed", "9", `unknown knob "speed" of story: want one of story, segment, machine`},
		{"nodes", "0", `nodes = "0": want a whole number from 1 to 65536`},
		{"nodes", "many", `nodes = "many": want a whole number`},
		{"group", "3", "group = 3 does not divide 16 ranks: use 2 or 4"},
		{"group", "32", "group = 32: want at most the number of ranks, 16"},
		{"model", "nested", `model = "nested": want one of flat, nested-funneled, nested-multiple`},
		{"machine", "abacus", `machine = "abacus": want one of`},
		{"seed", "13", "seed 13: unlucky; take another"},
		{"segment", "1TiB", "GiB available ("},
	}
	s := start(t, storyOf(t, "access"), Options{})
	before := s.until("running", func(s *engine.Snapshot) bool { return s.Phase == engine.Running })
	for _, tt := range tests {
		err := s.Do(engine.Command{Verb: engine.Set, Knob: tt.knob, Value: tt.value})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("set %s %s: %v, want %q", tt.knob, tt.value, err, tt.want)
		}
		sc := storyOf(t, "access")
		if sc.Set(tt.knob, tt.value) == nil {
			if _, err := New(sc, s.options); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("new with %s %s: %v, want %q", tt.knob, tt.value, err, tt.want)
			}
		}
	}
	if err := s.Do(engine.Command{Verb: "dance"}); err == nil {
		t.Error("an unknown verb is accepted")
	}
	s.do(engine.Step)
	after := s.until("paused", func(s *engine.Snapshot) bool { return s.Phase == engine.Paused })
	if len(after.Marks) != 0 || Difference(before, after) != "" {
		t.Errorf("refused commands changed something: marks %v", after.Marks)
	}
	demo := storyOf(t, "access", "machine", "demo")
	for knob, value := range map[string]string{"segment": "4MiB", "nodes": "128"} {
		sc := demo.Clone()
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
		if _, err := New(sc, s.options); err == nil || !strings.Contains(err.Error(), "machine demo has") {
			t.Errorf("%s %s on demo: %v, want an error with the machine", knob, value, err)
		}
	}
	sc := storyOf(t, "access")
	if _, err := New(sc, Options{}); err == nil ||
		!strings.Contains(err.Error(), "fabric live: not built into this program") {
		t.Errorf("without a fabric: %v", err)
	}
}

// A scenario is taken as a whole, because no order of its single knobs could run.
func TestTakeAScenario(t *testing.T) {
	s := start(t, storyOf(t, "access", "machine", "demo", "group", "16"), Options{})
	before := s.until("running", func(s *engine.Snapshot) bool { return s.Phase == engine.Running })
	want := storyOf(t, "access", "machine", "demo", "nodes", "3", "ranks-per-node", "5", "group", "15")
	for _, knob := range []string{"nodes", "ranks-per-node", "group"} {
		if err := s.Do(engine.Command{Verb: engine.Set, Knob: knob, Value: want.Text(knob)}); err == nil {
			t.Errorf("%s alone is accepted", knob)
		}
	}
	if err := s.Do(engine.Command{Verb: engine.Take, Scenario: &want}); err != nil {
		t.Fatal(err)
	}
	after := s.until("taken", func(s *engine.Snapshot) bool {
		return s.Phase == engine.Running && s.Layout.Nodes == 3 && s.Iteration > 0
	})
	if after.Layout.Group != 15 || len(after.Marks) != len(before.Marks)+1 ||
		!strings.Contains(after.Marks[len(after.Marks)-1].Label, "nodes 4→3, ranks-per-node 4→5, group 16→15") {
		t.Errorf("layout %v, marks %v", after.Layout, after.Marks)
	}
	bad := want.Clone()
	bad.Values["group"] = "4"
	gone := want.Clone()
	gone.Values["speed"] = "9"
	for want, sc := range map[string]*engine.Scenario{"group = 4 does not divide": &bad, `unknown knob "speed"`: &gone,
		"no scenario": nil} {
		if err := s.Do(engine.Command{Verb: engine.Take, Scenario: sc}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("taken: %v, want %q", err, want)
		}
	}
	if s.Load().Layout != after.Layout {
		t.Error("a refused scenario changed something")
	}
}

func TestPauseStepResume(t *testing.T) {
	s := start(t, storyOf(t, "access"), Options{})
	s.do(engine.Pause)
	paused := func(s *engine.Snapshot) bool { return s.Phase == engine.Paused }
	at := s.until("paused", paused)
	for range 3 {
		s.do(engine.Step)
		next := s.until("rank 0 waits after a step", func(s *engine.Snapshot) bool {
			return paused(s) && s.Iteration > at.Iteration && s.Ranks[0].State == cluster.Waiting
		})
		if next.Iteration != at.Iteration+1 {
			t.Fatalf("a step went from iteration %d to %d", at.Iteration, next.Iteration)
		}
		if next.Verification.Checks != int64(next.Iteration)*16 {
			t.Errorf("paused after %d iterations with %d checks, want %d: counts are missing", next.Iteration,
				next.Verification.Checks, next.Iteration*16)
		}
		at = next
	}
	s.do(engine.Resume)
	s.until("running again", func(s *engine.Snapshot) bool {
		return s.Phase == engine.Running && s.Iteration > at.Iteration+3
	})
}

// A pause of a minute is not a deadlock, because rank 0 waits outside the fabric.
func TestPauseIsNotADeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, storyOf(t, "naps"), Options{})
		time.Sleep(time.Second)
		s.do(engine.Pause)
		time.Sleep(time.Minute)
		paused := s.Load()
		if paused.Phase != engine.Paused {
			t.Fatalf("after a pause of one minute: %s: %s", paused.Phase, paused.Failure)
		}
		s.do(engine.Resume)
		time.Sleep(time.Second)
		snap := s.Load()
		if snap.Iteration <= paused.Iteration {
			t.Errorf("iteration %d after the pause, %d in it", snap.Iteration, paused.Iteration)
		}
		if lost := (snap.Elapsed - time.Minute).Seconds() - snap.Fabric.Seconds(); math.Abs(lost) > 0.1 {
			t.Errorf("fabric time %v of %v elapsed: want it without the pause of one minute", snap.Fabric, snap.Elapsed)
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// A knob that has no effect with the other values is stored in the scenario. The current launch
// continues without a mark.
func TestKnobWithoutEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, storyOf(t, "naps", "model", "flat"), Options{})
		time.Sleep(time.Second)
		before := s.Load()
		s.do(engine.Set, "group", "8")
		time.Sleep(time.Second)
		snap := s.Load()
		if snap.Scenario.Text("group") != "8" || snap.Iteration < before.Iteration+50 || snap.Fabric < before.Fabric ||
			len(snap.Marks) > 0 {
			t.Errorf("group %s, iteration %d after %d, the fabric's time %v after %v, marks %v",
				snap.Scenario.Text("group"), snap.Iteration, before.Iteration, snap.Fabric, before.Fabric, snap.Marks)
		}
		s.do(engine.Set, "model", "nested-multiple")
		time.Sleep(time.Second)
		if again := s.Load(); again.Iteration > snap.Iteration+50 || again.Layout.Group != 8 {
			t.Errorf("iteration %d with groups of %d: want a new launch after the change of a knob with an effect",
				again.Iteration, again.Layout.Group)
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// If a knob changes while an iteration takes a day, its first new sample appears within 200 ms,
// and no recorded count is lost.
func TestKnobResponseTime(t *testing.T) {
	for _, story := range []string{"naps", "sleepy"} {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, storyOf(t, story, "group", "4"), Options{})
			time.Sleep(3 * time.Second)
			before := s.Load()
			turned := before.Elapsed
			s.do(engine.Set, "group", "2")
			time.Sleep(time.Second)
			snap := s.Load()
			if snap.Layout.Group != 2 || snap.Phase != engine.Running {
				t.Fatalf("%s: group %d, %s: %s", story, snap.Layout.Group, snap.Phase, snap.Failure)
			}
			for i, now := range before.Series {
				if now.Fabric <= 0 || i > 0 && now.Fabric < before.Series[i-1].Fabric {
					t.Fatalf("%s: sample %d is at %v on the fabric's clock", story, i, now.Fabric)
				}
			}
			if len(snap.Marks) != 1 || snap.Marks[0].Label != "group 4→2" || snap.Marks[0].NewWorkload {
				t.Fatalf("%s: marks %v, want one, group 4→2", story, snap.Marks)
			}
			first := time.Duration(0)
			for _, sample := range snap.Series {
				if sample.At > snap.Marks[0].At {
					first = sample.At
					break
				}
			}
			if first == 0 || first-turned > 200*time.Millisecond {
				t.Errorf("%s: changed at %v, first new sample at %v", story, turned, first)
			}
			if len(snap.Series) < len(before.Series) || snap.Series[0] != before.Series[0] {
				t.Errorf("%s: the series did not continue", story)
			}
			for _, r := range snap.Studies[0].Rows {
				if ran := r.Label == "4" || r.Label == "2"; ran != (r.Cells[study.LocalityAccesses] > 0) {
					t.Errorf("%s: group %s has %v accesses", story, r.Label, r.Cells[study.LocalityAccesses])
				}
			}
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEndlessIterationIsStopped(t *testing.T) {
	s := start(t, storyOf(t, "endless"), Options{})
	s.until("samples", func(s *engine.Snapshot) bool { return len(s.Series) > 1 })
	s.do(engine.Set, "ranks-per-node", "2")
	s.until("a rebuilt cluster", func(s *engine.Snapshot) bool {
		return len(s.Ranks) == 8 && s.Phase == engine.Running && s.Series[len(s.Series)-1].At > s.Marks[0].At
	})
	if err := s.Stop(); err != nil {
		t.Errorf("error of a stopped session: %v", err)
	}
	if p := s.Load().Phase; p != engine.Ended {
		t.Errorf("phase of a stopped session: %s", p)
	}
}

func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, storyOf(t, "naps"), Options{Limits: Limits{For: 2 * time.Second}})
		if err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		if snap := s.Load(); snap.Phase != engine.Ended || snap.Elapsed < 2*time.Second ||
			snap.Elapsed > 2100*time.Millisecond || len(snap.Warnings) > 0 {
			t.Errorf("%s after %v, warnings %v", snap.Phase, snap.Elapsed, snap.Warnings)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := start(t, storyOf(t, "sleepy"), Options{Limits: Limits{For: 2 * time.Second}})
		if err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		snap := s.Load()
		if snap.Phase != engine.Ended || snap.Elapsed < 4*time.Second || snap.Elapsed > 4100*time.Millisecond {
			t.Errorf("%s after %v, want the iteration stopped 2 s after the limit", snap.Phase, snap.Elapsed)
		}
		if len(snap.Warnings) != 1 || !strings.Contains(snap.Warnings[0], "time limit 2s") {
			t.Errorf("warnings %v", snap.Warnings)
		}
		if snap.Latency[cluster.InRank].Count == 0 {
			t.Error("recorded counts are lost")
		}
	})
}

func TestFailures(t *testing.T) {
	tests := []struct{ story, want string }{
		{"error", "rank 1: out of luck"},
		{"panic", "rank 1 panicked: a bug in the program"},
		{"deadlock", "deadlock: no rank below can continue"},
	}
	for _, tt := range tests {
		t.Run(tt.story, func(t *testing.T) {
			s := start(t, storyOf(t, tt.story), Options{Limits: Limits{Iterations: 3}})
			err := s.Wait()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the session ended with %v, want %q", err, tt.want)
			}
			if snap := s.Load(); snap.Phase != engine.Failed || !strings.Contains(snap.Failure, tt.want) {
				t.Errorf("%s: %q", snap.Phase, snap.Failure)
			}
			if err := s.Do(engine.Command{Verb: engine.Pause}); !errors.Is(err, errOver) {
				t.Errorf("a command to an ended session: %v", err)
			}
		})
	}
}

// A lingering session keeps its history after a failure, and the next changed knob starts a new
// run.
func TestKnobRestartsAfterFailure(t *testing.T) {
	s := start(t, storyOf(t, "access"), Options{Linger: true})
	s.until("a sample", func(s *engine.Snapshot) bool { return len(s.Series) > 0 })
	s.do(engine.Set, "story", "panic")
	failed := s.until("the failure", func(s *engine.Snapshot) bool { return s.Phase == engine.Failed })
	if len(failed.Series) == 0 || len(failed.Marks) != 1 {
		t.Errorf("history lost: %d samples, marks %v", len(failed.Series), failed.Marks)
	}
	s.do(engine.Set, "story", "panic")
	s.until("the same again", func(s *engine.Snapshot) bool { return s.Phase == engine.Failed && len(s.Marks) == 2 })
	s.do(engine.Set, "story", "access")
	s.until("running again", func(s *engine.Snapshot) bool {
		return s.Phase == engine.Running && s.Failure == "" && s.Iteration > 0
	})
}

// A knob starts a new run as soon as the failure is published, even with its present value.
func TestKnobAtTheMomentOfTheFailure(t *testing.T) {
	sessions, accepted := make(chan *watched, 1), make(chan bool, 1)
	var first sync.Once
	w := start(t, storyOf(t, "panic"), Options{Linger: true, published: func(s *engine.Snapshot) {
		if s.Phase != engine.Failed {
			return
		}
		first.Do(func() {
			w := <-sessions
			w.do(engine.Set, "story", "panic")
			accepted <- w.changed(0)
		})
	}})
	sessions <- w
	if !<-accepted {
		t.Fatal("a knob set after the failure is lost")
	}
	w.until("the same again", func(s *engine.Snapshot) bool { return s.Phase == engine.Failed && len(s.Marks) == 1 })
}

func TestFailedCheckIsKept(t *testing.T) {
	s := start(t, storyOf(t, "wrong"), Options{Limits: Limits{Iterations: 4}})
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	want := engine.Verification{Done: true, OK: false, Checks: 64, Detail: "rank 2 counted 7, want 8"}
	if v := s.Load().Verification; v != want {
		t.Errorf("%+v, want %+v", v, want)
	}
}

// The traffic is the program's own: it excludes the agreement on the next iteration.
func TestTrafficIsTheProgramsOwn(t *testing.T) {
	for story, want := range map[string]int64{"silent": 0, "send": 10 * 15 * 100} {
		s := start(t, storyOf(t, story), Options{Limits: Limits{Iterations: 10}})
		if err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		snap := s.Load()
		var bytes, pairs int64
		for c := range cluster.Classes {
			bytes += snap.Traffic.Bytes[c]
		}
		for from := range snap.NodePairs {
			for _, b := range snap.NodePairs[from] {
				pairs += b
			}
		}
		if bytes != want || pairs != want {
			t.Errorf("%s: %d B by class and %d B by node pair, want %d", story, bytes, pairs, want)
		}
		if story == "send" && snap.NodePairs[0][3] != 4*10*100 {
			t.Errorf("node 0 sent %d B to node 3, want %d", snap.NodePairs[0][3], 4*10*100)
		}
	}
}

func TestReset(t *testing.T) {
	s := start(t, storyOf(t, "access"), Options{})
	s.until("running", func(s *engine.Snapshot) bool { return s.Iteration > 0 })
	s.do(engine.Set, "group", "2")
	full := s.until("history", func(s *engine.Snapshot) bool {
		return len(s.Marks) > 0 && len(s.Series) > 2 && s.Studies[0].Cell(1, study.LocalityAccesses) > 0
	})
	s.do(engine.Reset)
	s.until("no history", func(s *engine.Snapshot) bool { return len(s.Marks) == 0 && len(s.Series) < len(full.Series) })
	s.do(engine.Pause)
	snap := s.until("paused", func(s *engine.Snapshot) bool { return s.Phase == engine.Paused })
	all := int64(0)
	for c := range cluster.Classes {
		all += snap.Latency[c].Count
	}
	if at := snap.Studies[0].Rows[1].Cells; at[study.LocalityGroup] != 2 || at[study.LocalityAccesses] >= float64(all) {
		t.Errorf("row of group %v has %v accesses of %d: cleared accesses count again", at[study.LocalityGroup],
			at[study.LocalityAccesses], all)
	}
}

// Rows remain while group and model change. If other knobs change, the rows are hidden until these
// knobs return to their values.
func TestComparablePoints(t *testing.T) {
	s := start(t, storyOf(t, "access"), Options{})
	ran := func(groups ...int) func(*engine.Snapshot) bool {
		return func(s *engine.Snapshot) bool {
			n := 0
			for _, r := range s.Studies[0].Rows {
				if r.Cells[study.LocalityAccesses] == 0 {
					continue
				}
				n++
				if !slices.Contains(groups, int(r.Cells[study.LocalityGroup])) {
					return false
				}
			}
			return n == len(groups)
		}
	}
	s.until("group 4", ran(4))
	s.do(engine.Set, "group", "2")
	s.until("groups 2 and 4", ran(2, 4))
	s.do(engine.Set, "model", "flat")
	s.until("and all 16", ran(2, 4, 16))
	s.do(engine.Set, "nodes", "2")
	s.until("8 ranks anew", func(s *engine.Snapshot) bool { return len(s.Ranks) == 8 && ran(8)(s) })
	s.do(engine.Set, "nodes", "4")
	s.until("16 ranks again", ran(2, 4, 16))
}

func TestStopBeforeRun(t *testing.T) {
	s := start(t, storyOf(t, "endless"), Options{})
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

func TestContextEndsSession(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New(storyOf(t, "endless"), Options{Fabrics: map[string]cluster.Fabric{"live": live.New()}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(ctx)
	cancel()
	if err := s.Wait(); err != nil {
		t.Errorf("cancelled: %v, want no failure", err)
	}
	if p := s.Load().Phase; p != engine.Ended {
		t.Errorf("cancelled: %s", p)
	}
}
