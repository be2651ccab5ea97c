package session

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// simulated returns a stroll on sim.
func simulated(t testing.TB, settings ...string) engine.Scenario {
	t.Helper()
	return storyOf(t, "stroll", append([]string{"fabric", "sim", "machine", "demo"}, settings...)...)
}

// timeless compares the result and all numbers of a simulation, but not the moments of
// observation.
var timeless = cmp.Options{
	cmpopts.IgnoreFields(engine.Snapshot{}, "Seq", "Elapsed", "Recent", "Series", "Marks", "Ranks", "Scenario"),
	cmpopts.EquateNaNs(),
}

func finished(t *testing.T, s *watched) *engine.Snapshot {
	t.Helper()
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	snap := s.Load()
	if snap.Phase != engine.Ended || snap.Kind != engine.Simulated || snap.Virtual == nil || snap.Virtual.Events == 0 ||
		snap.Virtual.Time < snap.Fabric {
		t.Fatalf("%s, %s, %+v, fabric time %v", snap.Phase, snap.Kind, snap.Virtual, snap.Fabric)
	}
	return snap
}

// The same seed produces the same run, regardless of the number of requests for counts and of the
// user's changes to its clock. Another seed produces another run.
func TestSimulationIsReproducible(t *testing.T) {
	const iterations = 40
	limits := Options{Limits: Limits{Iterations: iterations}}
	want := finished(t, start(t, simulated(t), limits))
	if want.Iteration != iterations || len(want.IterationTimes) != iterations ||
		want.Verification.Checks != 16*iterations {
		t.Fatalf("%d iterations, %d times, %+v", want.Iteration, len(want.IterationTimes), want.Verification)
	}
	same := func(how string, got *engine.Snapshot) {
		t.Helper()
		if d := cmp.Diff(want, got, timeless); d != "" {
			t.Errorf("%s:\n%s", how, d)
		}
	}
	same("again", finished(t, start(t, simulated(t), limits)))

	s := start(t, simulated(t), Options{Limits: limits.Limits, unwatched: true})
	same("with few looks", finished(t, s))

	s = start(t, simulated(t, "pace", "0.01"), limits)
	s.do(engine.Pause)
	at := s.until("paused", func(s *engine.Snapshot) bool { return s.Phase == engine.Paused })
	for range 3 {
		s.do(engine.Step)
		next := s.until("a step", func(s *engine.Snapshot) bool {
			return s.Phase == engine.Paused && s.Iteration > at.Iteration
		})
		if next.Iteration != at.Iteration+1 || next.Verification.Checks != int64(next.Iteration)*16 {
			t.Errorf("a step from iteration %d to %d, %d checks", at.Iteration, next.Iteration, next.Verification.Checks)
		}
		at = next
	}
	s.do(engine.Set, "pace", "max")
	s.do(engine.Resume)
	same("paused, stepped and paced", finished(t, s))

	if other := finished(t, start(t, simulated(t, "seed", "2"), limits)); other.Virtual.Hash == want.Virtual.Hash {
		t.Error("another seed has the same hash")
	}
}

// The pace changes while the run continues. A slow or stopped clock delays neither a knob nor the
// end.
func TestPace(t *testing.T) {
	s := start(t, simulated(t, "pace", "1e-12"), Options{})
	first := s.until("launched", func(s *engine.Snapshot) bool { return s.Phase == engine.Running })
	if first.Iteration > 100 {
		t.Errorf("%d iterations at a picosecond per second", first.Iteration)
	}
	s.do(engine.Set, "pace", "max")
	fast := s.until("many iterations", func(s *engine.Snapshot) bool { return s.Iteration > 100 })
	if len(fast.Marks) != 1 || fast.Marks[0].Label != "pace 1e-12→max" || fast.Scenario.Text("pace") != "max" {
		t.Errorf("marks %v, pace %s", fast.Marks, fast.Scenario.Text("pace"))
	}
	s.do(engine.Set, "pace", "1e-12")
	s.until("the slow pace", func(s *engine.Snapshot) bool { return len(s.Marks) == 2 })
	s.do(engine.Set, "nodes", "2")
	s.until("8 ranks", func(s *engine.Snapshot) bool { return len(s.Ranks) == 8 && s.Phase == engine.Running })
	s.do(engine.Pause)
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// A pause does not wait for an endless iteration, and the run continues unchanged after it.
func TestPauseInIteration(t *testing.T) {
	limits := Limits{Iterations: 40}
	want := finished(t, start(t, simulated(t), Options{Limits: limits}))
	s := start(t, simulated(t, "pace", "1e-12"), Options{Limits: limits})
	s.do(engine.Pause)
	at := s.until("paused", func(s *engine.Snapshot) bool { return s.Phase == engine.Paused })
	if at.Iteration == limits.Iterations {
		t.Errorf("%d iterations at a picosecond per second", at.Iteration)
	}
	s.do(engine.Set, "pace", "max")
	s.do(engine.Step)
	// Counts in the middle of an iteration may belong to an earlier one.
	s.until("the end of the iteration", func(s *engine.Snapshot) bool {
		return s.Phase == engine.Paused && s.Iteration > at.Iteration
	})
	s.do(engine.Resume)
	if d := cmp.Diff(want, finished(t, s), timeless); d != "" {
		t.Error(d)
	}
}

func TestPaceValues(t *testing.T) {
	none, some := frame{}, frame{iterations: 4, stamp: 8 * cluster.Millisecond}
	for _, c := range []struct {
		pace   string
		done   *frame
		screen bool
		want   float64
	}{
		{"max", &some, true, 0},
		{"0.25", &some, true, 0.25},
		{"0.25", &none, false, 0.25},
		{"auto", &some, false, 0},
		{"auto", &none, true, 0},
		{"auto", &some, true, 2e-3 / 0.05},
	} {
		sc := simulated(t, "pace", c.pace)
		if got := pace(&sc, c.done, c.screen); got != c.want {
			t.Errorf("%s, screen %v: %g, want %g", c.pace, c.screen, got, c.want)
		}
	}
}

// A limit in virtual time ends a run before the next iteration, always the same one. A session
// that lingers pauses there.
func TestUntil(t *testing.T) {
	long := finished(t, start(t, simulated(t), Options{Limits: Limits{Iterations: 40}}))
	half := Limits{Until: long.Fabric / 2}
	a, b := finished(t, start(t, simulated(t), Options{Limits: half})),
		finished(t, start(t, simulated(t), Options{Limits: half}))
	if a.Iteration < 10 || a.Iteration > 30 || a.Fabric < half.Until || *a.Virtual != *b.Virtual {
		t.Errorf("until %v: %d of 40 iterations to %v, %+v and %+v", half.Until, a.Iteration, a.Fabric, a.Virtual, b.Virtual)
	}
	s := start(t, simulated(t, "pace", "max"), Options{Limits: half, Linger: true})
	at := s.until("paused", func(s *engine.Snapshot) bool { return s.Phase == engine.Paused })
	if at.Iteration != a.Iteration {
		t.Errorf("paused after %d iterations, want %d", at.Iteration, a.Iteration)
	}
	s.do(engine.Resume)
	s.until("further iterations", func(s *engine.Snapshot) bool { return s.Iteration > at.Iteration+10 })
}

// A run without limits uses the usual one: a count in virtual time, otherwise a duration. Two such
// simulations are the same run.
func TestUsualLimits(t *testing.T) {
	usual := Options{Limits: Limits{Usual: time.Hour}}
	a, b := finished(t, start(t, simulated(t), usual)), finished(t, start(t, simulated(t), usual))
	if d := cmp.Diff(a, b, timeless); d != "" || a.Iteration != storyIterations || !a.Virtual.Whole || a.Virtual.Timed {
		t.Errorf("%d iterations, want %d; %+v\n%s", a.Iteration, storyIterations, a.Virtual, d)
	}
	far := Limits{Usual: time.Hour}
	set := setup{workload: &workload.Workload{Iterations: 7}, fabric: live.New()}
	if got := far.forSetup(&set); got.For != time.Hour || got.Iterations != 0 {
		t.Errorf("live: %+v", got)
	}
	set.fabric = sim.New()
	for want, l := range map[Limits]Limits{
		{Usual: 1, Iterations: 7}: {Usual: 1},
		{Usual: 1, Iterations: 3}: {Usual: 1, Iterations: 3},
		{Usual: 1, For: 2}:        {Usual: 1, For: 2},
		{Usual: 1, Until: 2}:      {Usual: 1, Until: 2},
		{}:                        {},
	} {
		if got := l.forSetup(&set); got != want {
			t.Errorf("%+v on a virtual clock: %+v, want %+v", l, got, want)
		}
	}
}

// A simulation that a time limit ends between two iterations is complete. One that is stopped in
// the middle of an iteration is not reproducible.
func TestWallClockLimit(t *testing.T) {
	s := finished(t, start(t, simulated(t), Options{Limits: Limits{For: time.Millisecond}}))
	if !s.Virtual.Whole || !s.Virtual.Timed || s.Iteration == 0 {
		t.Errorf("%d iterations, %+v", s.Iteration, s.Virtual)
	}
	again := finished(t, start(t, simulated(t), Options{Limits: Limits{Iterations: s.Iteration}}))
	if again.Virtual.Hash != s.Virtual.Hash || again.Virtual.Timed {
		t.Errorf("%+v, want the hash of %+v", again.Virtual, s.Virtual)
	}
	cut := start(t, storyOf(t, "endless", "fabric", "sim", "machine", "demo"), Options{})
	cut.until("it runs", func(s *engine.Snapshot) bool { return s.Phase == engine.Running })
	if err := cut.Stop(); err != nil {
		t.Fatal(err)
	}
	if v := cut.Load().Virtual; v == nil || v.Whole || !v.Timed {
		t.Errorf("stopped in an endless iteration: %+v", v)
	}
}

func TestSimulationErrors(t *testing.T) {
	torus := cluster.Machine{Name: "small-torus", Nodes: 100, EagerLimit: 1,
		Topology: cluster.Topology{Shape: cluster.Torus, Dims: []int{1, 1, 2}}}
	torus.Classes[cluster.Remote].Latency = cluster.Microsecond
	o := Options{Fabrics: Fabrics(), Machines: []cluster.Machine{torus}}
	for _, c := range []struct{ machine, want string }{
		{"this-host", "machine this-host: no costs to simulate with (measure them with hybridtop calibrate, use a machine"},
		{"small-torus", "machine small-torus: "},
	} {
		sc, err := Scenario("story", torus)
		if err != nil {
			t.Fatal(err)
		}
		for knob, value := range map[string]string{"fabric": "sim", "machine": c.machine} {
			if err := sc.Set(knob, value); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := New(sc, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.machine, err, c.want)
		}
	}
}

// Another workload keeps the common knobs if it can run with them, and otherwise uses its own
// defaults. If neither is possible, nothing changes.
func TestAnotherWorkload(t *testing.T) {
	s := start(t, storyOf(t, "access", "group", "2", "segment", "8192"), Options{Linger: true})
	s.until("running", func(s *engine.Snapshot) bool { return s.Phase == engine.Running })
	s.do(engine.Set, "workload", "tale")
	tale := s.until("the tale", func(s *engine.Snapshot) bool {
		return s.Scenario.Workload == "tale" && s.Phase == engine.Running
	})
	for knob, want := range map[string]string{"chapter": "1", "segment": "64", "group": "2", "nodes": "4",
		"machine": "this-host"} {
		if got := tale.Scenario.Text(knob); got != want {
			t.Errorf("%s is %s, want %s", knob, got, want)
		}
	}
	if len(tale.Marks) != 1 || tale.Marks[0].Label != "workload story→tale" || !tale.Marks[0].NewWorkload {
		t.Errorf("marks %v", tale.Marks)
	}
	s.do(engine.Set, "workload", "story")
	s.do(engine.Set, "nodes", "1")
	s.do(engine.Set, "workload", "tale")
	s.until("the tale as it was left", func(s *engine.Snapshot) bool {
		return s.Scenario.Workload == "tale" && s.Layout.Nodes == 4 && s.Phase == engine.Running
	})
	s = start(t, storyOf(t, "access", "nodes", "1"), Options{Linger: true})
	s.until("running", func(s *engine.Snapshot) bool { return s.Phase == engine.Running })
	s.do(engine.Set, "workload", "tale")
	tale = s.until("the tale on its own layout", func(s *engine.Snapshot) bool {
		return s.Scenario.Workload == "tale" && s.Layout.Nodes == 2 && s.Phase == engine.Running
	})
	if got := tale.Scenario.Text("machine"); got != "this-host" {
		t.Errorf("machine %s: want the user's machine", got)
	}
	if err := s.Do(engine.Command{Verb: engine.Set, Knob: "workload", Value: "epic"}); err == nil ||
		!strings.Contains(err.Error(), `unknown workload "epic": want one of `) {
		t.Errorf("workload epic: %v", err)
	}
}

// Simulations run in parallel, and the longest start first. The rows stay in order.
func TestSweepOfSimulations(t *testing.T) {
	const points = 4
	axes := []Axis{{"nodes", []string{"1", "2"}}, {"seed", []string{"1", "2"}}}
	o := Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 10}}
	maxRunning, last := 0, 0
	rows, err := Sweep(t.Context(), simulated(t), axes, o, func(p *Progress) {
		maxRunning = max(maxRunning, len(p.Running))
		if p.Done < last || p.Total != points {
			t.Errorf("%d of %d points are done, after %d", p.Done, p.Total, last)
		}
		last = p.Done
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != points {
		t.Errorf("the last progress is %d of %d", last, points)
	}
	for i, r := range rows {
		alone := finished(t, start(t, simulated(t, "nodes", r.Knobs[0].Value, "seed", r.Knobs[1].Value), o))
		if d := cmp.Diff(alone, r.Snapshot, timeless); d != "" {
			t.Errorf("row %d, %s, differs from a single run:\n%s", i, r.Name(), d)
		}
	}
}

// room decides which points may run in parallel.
func TestParallelPoints(t *testing.T) {
	o := Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1}}
	f := &sweepRun{options: o, cores: 2}
	for _, sc := range []engine.Scenario{simulated(t), simulated(t, "nodes", "8"), storyOf(t, "stroll")} {
		set, err := o.resolve(sc, "")
		if err != nil {
			t.Fatal(err)
		}
		f.setups = append(f.setups, set)
		f.rows = append(f.rows, Row{})
	}
	huge := f.setups[0]
	huge.spec.Segment = 1 << 26
	f.options.Memory = 1 << 30
	f.setups = append(f.setups, huge)
	const small, large, live, hungry = 0, 1, 2, 3
	for _, c := range []struct {
		running []int
		next    int
		want    bool
	}{
		{nil, small, true},
		{nil, live, true},
		{nil, hungry, true},
		{[]int{live}, small, false},
		{[]int{small}, large, true},
		{[]int{small, large}, small, false},
		{[]int{small}, live, false},
		{[]int{small}, hungry, false},
	} {
		f.running = nil
		for _, i := range c.running {
			f.running = append(f.running, Running{index: i})
		}
		if got := f.canStart(c.next); got != c.want {
			t.Errorf("%v run: room for %d is %v", c.running, c.next, got)
		}
	}
	if f.weight(large) != 2*f.weight(small) {
		t.Errorf("8 nodes weigh %g, 4 %g", f.weight(large), f.weight(small))
	}
}

// The estimate of a sweep uses the weight of the remaining points relative to the finished ones.
func TestTimeLeft(t *testing.T) {
	o := Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1}}
	set, err := o.resolve(simulated(t), "")
	if err != nil {
		t.Fatal(err)
	}
	setups := []setup{set, set, set, set}
	f := &sweepRun{options: o, rows: make([]Row, 4), setups: setups, began: time.Now().Add(-time.Hour)}
	if d := f.left(); d != 0 {
		t.Errorf("nothing done: %v left", d)
	}
	f.load = f.weight(0)
	if d := f.left(); d < 3*time.Hour || d > 4*time.Hour {
		t.Errorf("one of four points took an hour: %v left", d)
	}
	f.refusals = map[int]error{3: errors.New("refused")}
	if d := f.left(); d < 2*time.Hour || d > 3*time.Hour {
		t.Errorf("one of three points took an hour, a fourth is refused: %v left", d)
	}
}

// TestSweepHasFullSpeed: the pace of the screen does not slow down its sweeps. At this pace they would take years.
func TestSweepHasFullSpeed(t *testing.T) {
	rows, err := Sweep(t.Context(), simulated(t, "pace", "1e-12"), []Axis{{"seed", []string{"1", "2"}}},
		Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 3}}, nil)
	if err != nil || len(rows) != 2 || rows[1].Snapshot.Iteration != 3 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A sweep of simulations ends at once with its context.
func TestSweepOfSimulationsIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := Sweep(ctx, simulated(t),
		[]Axis{{"seed", []string{"1", "2", "3", "4", "5", "6", "7", "8"}}},
		Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1 << 30}}, func(*Progress) { cancel() })
	if !errors.Is(err, context.Canceled) || len(rows) > runtime.GOMAXPROCS(0) || len(rows) == 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
