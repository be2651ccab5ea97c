package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

func onLive() Options {
	return Options{Fabrics: map[string]cluster.Fabric{"live": live.New()}, Limits: Limits{Iterations: 2}}
}

func TestSweep(t *testing.T) {
	axes := []Axis{{"nodes", []string{"1", "02"}}, {"story", []string{"access", "panic"}}}
	var names []string
	rows, err := Sweep(t.Context(), storyOf(t, "access"), axes, onLive(), func(p *Progress) {
		if p.Total != 4 || len(p.Running) > 1 || p.Done < len(names)-1 {
			t.Errorf("%d points running, %d of %d done", len(p.Running), p.Done, p.Total)
		}
		for _, r := range p.Running {
			if name := r.Row.Name(); len(names) == 0 || names[len(names)-1] != name {
				names = append(names, name)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"nodes 1, story access", "nodes 1, story panic", "nodes 2, story access", "nodes 2, story panic"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
	for i, r := range rows {
		failed := i%2 == 1
		if s := r.Snapshot; (s.Failure != "") != failed || s.Layout.Nodes != 1+i/2 || (s.Iteration == 2) == failed {
			t.Errorf("%s: %d iterations on %d nodes, %q", r.Name(), s.Iteration, s.Layout.Nodes, s.Failure)
		}
	}
}

// A refused point is a row with its reason, at any position, and the others run.
func TestRefusedPoint(t *testing.T) {
	for _, values := range [][]string{{"3", "4", "2"}, {"4", "3", "2"}, {"4", "2", "3"}} {
		var last Progress
		rows, err := Sweep(t.Context(), storyOf(t, "access"), []Axis{{"group", values}}, onLive(), func(p *Progress) {
			last = *p
		})
		if err != nil || len(rows) != len(values) {
			t.Fatalf("%v: %d rows, %v", values, len(rows), err)
		}
		for _, r := range rows {
			s := r.Snapshot
			want := ""
			iterations := 2
			if r.Knobs[0].Value == "3" {
				want, iterations = "group = 3 does not divide 16 ranks: use 2 or 4", 0
			}
			if s.Failure != want || (s.Phase == engine.Failed) != (want != "") || s.Iteration != iterations || s.Kind == "" ||
				s.Machine == "" || s.Scenario.Text("group") != r.Knobs[0].Value {
				t.Errorf("%v: %s: %v after %d iterations on %q, %q: %q", values, r.Name(), s.Phase, s.Iteration, s.Machine,
					s.Kind, s.Failure)
			}
		}
		if last.Done != len(values) || last.Total != len(values) {
			t.Errorf("%v: progress ended at %d of %d", values, last.Done, last.Total)
		}
	}
}

// With Options.Whole, one refused point ends the sweep before the first one runs.
func TestRefusedPointEndsWhole(t *testing.T) {
	o := onLive()
	o.Whole = true
	rows, err := Sweep(t.Context(), storyOf(t, "access"), []Axis{{"group", []string{"4", "3"}}}, o, func(*Progress) {
		t.Error("a point ran")
	})
	if err == nil || !strings.Contains(err.Error(), "group 3: group = 3 does not divide 16 ranks") || rows != nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A point is not compared with a failed one.
func TestChangesSkipFailedPoints(t *testing.T) {
	bad := snapOf(t, engine.Simulated, 1)
	bad.Failure, bad.Iteration = "group = 3 does not divide 16 ranks", 0
	first, then := snapOf(t, engine.Simulated, 1), snapOf(t, engine.Simulated, 2)
	for s, group := range map[*engine.Snapshot]string{bad: "3", first: "1", then: "2"} {
		if err := s.Scenario.Set("group", group); err != nil {
			t.Fatal(err)
		}
	}
	got := Changes([]Row{{Snapshot: bad}, {Snapshot: first}, {Snapshot: then}})
	if got[0] != "" || got[1] != "" || !strings.Contains(got[2], "slower") {
		t.Errorf("got %q", got)
	}
}

func TestSweepChecksEveryPointFirst(t *testing.T) {
	tests := []struct {
		axes []Axis
		want string
	}{
		{[]Axis{{"group", []string{"3", "5"}}}, "group 3: group = 3 does not divide 16 ranks"}, // all are refused
		{[]Axis{{"group", []string{"4", "x"}}}, `group = "x"`},
		{[]Axis{{"speed", []string{"4"}}}, `unknown knob "speed"`},
		{[]Axis{{"nodes", []string{"4"}}, {"nodes", []string{"2"}}}, "nodes is swept twice"},
		{[]Axis{{"seed", make([]string, 10001)}}, "more than 10000 points"},
	}
	for _, tt := range tests {
		rows, err := Sweep(t.Context(), storyOf(t, "access"), tt.axes, onLive(), func(*Progress) {
			t.Errorf("%s: a point ran", tt.want)
		})
		if err == nil || !strings.Contains(err.Error(), tt.want) || rows != nil {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

func TestSweepEndsWithItsContext(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	rows, err := Sweep(ctx, storyOf(t, "endless"), []Axis{{"seed", []string{"1", "2", "3"}}}, onLive(), func(*Progress) {
		cancel(why)
	})
	if !errors.Is(err, why) || len(rows) != 1 || rows[0].Snapshot == nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// For a workload without a law, the error names the missing data.
func TestNoLawToFit(t *testing.T) {
	for what, rows := range map[string][]Row{"no rows": nil, "no law": {{Snapshot: snapOf(t, engine.Measured, 1)}}} {
		for i := range rows {
			rows[i].Snapshot.Scenario.Workload = "tale"
		}
		if f, err := FitRows(rows); f != nil || !errors.Is(err, models.ErrUndetermined) {
			t.Errorf("%s: %+v, %v", what, f, err)
		}
	}
}
