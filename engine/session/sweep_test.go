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
	rows, err := Sweep(t.Context(), told(t, "access"), axes, onLive(), func(p *Progress) {
		if p.Total != 4 || len(p.Running) > 1 || p.Done < len(names)-1 {
			t.Errorf("%d points run, %d of %d are done", len(p.Running), p.Done, p.Total)
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

func TestSweepChecksEveryPointFirst(t *testing.T) {
	tests := []struct {
		axes []Axis
		want string
	}{
		{[]Axis{{"group", []string{"4", "3"}}}, "group 3: group = 3 does not divide 16 ranks"},
		{[]Axis{{"group", []string{"4", "x"}}}, `group = "x"`},
		{[]Axis{{"speed", []string{"4"}}}, `unknown knob "speed"`},
		{[]Axis{{"nodes", []string{"4"}}, {"nodes", []string{"2"}}}, "nodes is swept twice"},
		{[]Axis{{"seed", make([]string, 10001)}}, "more than 10000 points"},
	}
	for _, tt := range tests {
		rows, err := Sweep(t.Context(), told(t, "access"), tt.axes, onLive(), func(*Progress) {
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
	rows, err := Sweep(ctx, told(t, "endless"), []Axis{{"seed", []string{"1", "2", "3"}}}, onLive(), func(*Progress) { cancel(why) })
	if !errors.Is(err, why) || len(rows) != 1 || rows[0].Snapshot == nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A workload without a law says what is missing.
func TestNoLawToFit(t *testing.T) {
	for what, rows := range map[string][]Row{"no rows": nil, "no law": {{Snapshot: took(t, engine.Measured, 1)}}} {
		for i := range rows {
			rows[i].Snapshot.Scenario.Workload = "tale"
		}
		if f, err := FitRows(rows); f != nil || !errors.Is(err, models.ErrUndetermined) {
			t.Errorf("%s: %+v, %v", what, f, err)
		}
	}
}
