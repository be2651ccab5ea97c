package session

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// busy is a live fabric on a host with a given mean lateness in ns.
type busy struct {
	cluster.Fabric
	mean float64
}

func (f busy) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	r, err := f.Fabric.Start(ctx, spec, body)
	if err != nil {
		return nil, err
	}
	return &busyRun{Run: r, f: f, slowdown: max(spec.DilationFactor, 1)}, nil
}

// busyRun simulates the lateness of the host.
type busyRun struct {
	cluster.Run
	f        busy
	slowdown float64
	events   atomic.Int64
}

// Lateness implements cluster.Dilated: each call adds the events of one window.
func (r *busyRun) Lateness() cluster.Lateness {
	n := r.events.Add(windowEvents)
	return cluster.Lateness{Shortest: int64(shortest * r.slowdown), Events: n, Late: int64(float64(n) * r.f.mean)}
}

// onBusyHost starts a session of a workload on such a host.
func onBusyHost(t *testing.T, name string, mean float64) *watched {
	sc, err := Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	fabrics := Fabrics()
	fabrics[engine.Live] = busy{Fabric: fabrics[engine.Live], mean: mean}
	return start(t, sc, Options{Fabrics: fabrics, Linger: true})
}

// checkAccurate fails if a snapshot with inaccurate timings has a best row, a law, a ratio or a
// sentence that uses them.
func checkAccurate(t *testing.T, s *engine.Snapshot) {
	t.Helper()
	if s.Change != "" || strings.Contains(s.Why, "×") {
		t.Errorf("%s, %s: why %q, change %q", s.Scenario.Workload, s.Keeping, s.Why, s.Change)
	}
	for i := range s.Studies {
		v := &s.Studies[i]
		if v.Time != 0 || v.Glance != "" || strings.Contains(v.Why, "×") ||
			v.Gain != "" && strings.ContainsAny(v.Gain, "0123456789") {
			t.Errorf("%s, study %s, %s: time %v, glance %q, why %q, gain %q", s.Scenario.Workload, v.Name, s.Keeping, v.Time,
				v.Glance, v.Why, v.Gain)
		}
		for _, r := range v.Rows {
			if law := slices.IndexFunc(v.Columns, func(c engine.Column) bool { return c.Name == "access_time_law" }); law >=
				0 && r.Cells[law] == r.Cells[law] {
				t.Errorf("%s: law %v s at %s from inaccurate timings", s.Scenario.Workload, r.Cells[law], r.Label)
			}
			if r.Kind == engine.Emulated && r.Flag != engine.Late && r.Flag != engine.Passing && !untimed(v, &r) {
				t.Errorf("%s, study %s, %s: row %s is flagged %q", s.Scenario.Workload, v.Name, s.Keeping, r.Key, r.Flag)
			}
		}
	}
}

// untimed reports whether no cell of a row was measured with a clock.
func untimed(v *engine.StudyView, r *engine.Row) bool {
	for i, c := range v.Columns {
		if x := r.Cells[i]; x == x && c.Kind == "" && (c.Unit == "s" || c.Unit == "B/s") {
			return false
		}
	}
	return true
}

// On a host that is too busy, no number of any workload uses inaccurate timings, neither before
// this is detected nor while no dilation is enough.
func TestInaccurateTimingsAreUnused(t *testing.T) {
	for _, w := range workload.All() {
		if sc, err := Scenario(w.Name); err != nil || sc.Text("machine") != "demo" {
			continue // a workload of these tests
		}
		if testing.Short() && w.Name != "randomaccess" && w.Name != "spmv" {
			continue // each takes a second of real time
		}
		s := onBusyHost(t, w.Name, 1e9)
		behind := 0
		s.until("the host has been late for a while", func(s *engine.Snapshot) bool {
			if s.Keeping != engine.Kept {
				checkAccurate(t, s)
			}
			if s.Keeping == engine.Behind || s.Keeping == engine.Beyond {
				behind++
			}
			return behind > 3 && s.Iteration > 0 || s.Phase == engine.Ended
		})
		if behind == 0 {
			t.Errorf("%s: no snapshot reported a late host", w.Name)
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// If a larger dilation is enough, the session chooses it and adds a mark, and the numbers count
// from then on. A dilation chosen by the user stays.
func TestDilationFollowsHost(t *testing.T) {
	sc, err := Scenario("pingpong")
	if err != nil {
		t.Fatal(err)
	}
	fabrics := Fabrics()
	fabrics[engine.Live] = busy{Fabric: fabrics[engine.Live], mean: shortest}
	s := start(t, sc, Options{Fabrics: fabrics, Linger: true})
	before := s.until("late", func(s *engine.Snapshot) bool { return s.Keeping == engine.Behind })
	after := s.until("a larger dilation", func(s *engine.Snapshot) bool {
		return s.Dilation > before.Dilation && s.Keeping == engine.Kept
	})
	// This host may be late, too, which increases the dilation.
	if after.Dilation < 20/attendedFactor*before.Dilation || len(after.Marks) == 0 ||
		!after.Marks[0].IsMinor() {
		t.Errorf("dilation %v→%v, marks %v", before.Dilation, after.Dilation, after.Marks)
	}
	if err := s.Do(engine.Command{Verb: engine.Set, Knob: "dilation", Value: "10"}); err != nil {
		t.Fatal(err)
	}
	chosen := s.until("the user's own", func(s *engine.Snapshot) bool {
		return s.Dilation == 10 && s.Keeping == engine.Behind
	})
	for range 20 {
		chosen = s.until("the next", func(n *engine.Snapshot) bool { return n.Seq > chosen.Seq })
	}
	if chosen.Dilation != 10 {
		t.Errorf("got dilation %v, want the chosen 10", chosen.Dilation)
	}
}

// In an unwatched session, a late launch is repeated with a sufficient dilation, and the row lists
// the dilations that were too small. If the sufficient dilation is far too large, or none is
// enough, the row counts as late and runs once.
func TestLateRowRunsAgain(t *testing.T) {
	automatic := 0.0 // this host's choice for auto: more with one core
	for _, c := range []struct {
		mean, factor float64 // lateness in ns, and the expected slowdown
		dilation     string
		keeping      engine.Keeping
		launches     int
	}{
		{shortest / 100, 1, "auto", engine.Kept, 1},
		{shortest / 5, 5, "auto", engine.Kept, 2},
		{shortest, 1, "auto", engine.Behind, 1},
		{1e9, 1, "auto", engine.Beyond, 1},
		{shortest / 5, 1, "10", engine.Behind, 1},
	} {
		sc, err := Scenario("pingpong")
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("dilation", c.dilation); err != nil {
			t.Fatal(err)
		}
		fabrics := Fabrics()
		fabrics[engine.Live] = busy{Fabric: fabrics[engine.Live], mean: c.mean}
		launches := &launchesOf{}
		rows, err := RunRows(t.Context(), []Row{{}}, []engine.Scenario{sc},
			Options{Fabrics: fabrics, Limits: Limits{Iterations: 20}, Observer: launches}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := rows[0].Snapshot
		want := automatic * c.factor
		switch {
		case automatic == 0:
			automatic = s.Dilation
			want = automatic
		case c.dilation != "auto":
			want = 10
		}
		if s.Keeping != c.keeping || s.Dilation != want || s.Iteration != 20 || !s.Verification.OK ||
			launches.n != c.launches || len(rows[0].Late) != c.launches-1 {
			t.Errorf("%v ns late at %s: got %q at dilation %v after %v, %d launches, %d iterations", c.mean, c.dilation,
				s.Keeping, s.Dilation, rows[0].Late, launches.n, s.Iteration)
		}
		for _, late := range rows[0].Late {
			if late != automatic {
				t.Errorf("late at %v, want %v", late, automatic)
			}
		}
	}
}

// launchesOf counts launches.
type launchesOf struct {
	engine.Observer
	n int
}

func (c *launchesOf) Launched(*engine.Launch)    { c.n++ }
func (c *launchesOf) Published(*engine.Snapshot) {}
func (c *launchesOf) Timed(*engine.Latencies)    {}
func (c *launchesOf) Ended(*engine.Outcome)      {}
func (c *launchesOf) Over()                      {}

// The snapshot describes the deadlock of two ranks that both send first. It is the same on both
// fabrics.
func TestDeadlockIsListed(t *testing.T) {
	for _, fabric := range []string{engine.Live, engine.Sim} {
		sc, err := Scenario("headtohead")
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range [][2]string{{"fabric", fabric}, {"size", "65536"}} {
			if err := sc.Set(kv[0], kv[1]); err != nil {
				t.Fatal(err)
			}
		}
		s := start(t, sc, Options{Linger: true})
		failed := s.until("the deadlock", func(s *engine.Snapshot) bool { return s.Phase == engine.Failed })
		d := failed.Deadlock
		if d == nil || !slices.Equal(d.Cycle, []int{0, 1}) || !strings.Contains(d.Hint, "eager limit") {
			t.Fatalf("%s: %+v", fabric, d)
		}
		for i, rank := range d.Cycle {
			at, w := d.Next(rank)
			if at != i || w == nil || w.Verb != "send" || w.Peer != 1-rank || w.Tag != 1 || w.Bytes != 65536 {
				t.Errorf("%s: rank %d waits in %+v", fabric, rank, w)
			}
		}
		if err := s.Do(engine.Command{Verb: engine.Set, Knob: "size", Value: "64"}); err != nil {
			t.Fatal(err)
		}
		s.until("the deadlock is over", func(s *engine.Snapshot) bool {
			return s.Phase == engine.Running && s.Deadlock == nil
		})
	}
}
