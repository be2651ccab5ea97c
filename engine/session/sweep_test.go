package session

import (
	"context"
	"errors"
	"math"
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

// swept is a row of a sweep over group sizes on some nodes of 4 ranks, ns.
func swept(t *testing.T, nodes, group int, access float64) Row {
	l := cluster.Layout{Nodes: nodes, RanksPerNode: 4, Ranking: cluster.Sequential, Model: cluster.NestedMultiple, Group: group}
	s := models.PlacedShares(l.Ranks(), l.NodeOf, l.GroupOf)
	return Row{
		Knobs: []Setting{{"group", ""}},
		Snapshot: &engine.Snapshot{
			Scenario: told(t, "access"), Layout: l,
			Locality: []engine.LocalityPoint{{
				Group: group, RankLocal: s.Rank, NodeLocal: s.Node, LawRank: s.Rank, LawNode: s.Node, Access: access * 1e-9, Accesses: 1000,
			}},
		},
	}
}

// Paper 1's law with l_l = 100 ns and l_r = 4 µs, fitted to G = 1 and 16.
func TestFitRows(t *testing.T) {
	rows := []Row{swept(t, 4, 1, 100), swept(t, 4, 2, 105), swept(t, 4, 4, 95), swept(t, 4, 8, 2100), swept(t, 4, 16, 3025)}
	f, err := FitRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if f.Within != "node" || !near(f.Local, 100e-9) || !near(f.Remote, 4e-6) {
		t.Errorf("within the %s l_l = %g s, l_r = %g s; want node, 100 ns, 4 µs", f.Within, f.Local, f.Remote)
	}
	for i, want := range []float64{100e-9, 100e-9, 100e-9, 2050e-9, 3025e-9} {
		p := f.Predictions[i]
		if p.Row != i || !near(p.Predicted, want) || p.Fitted != (i == 0 || i == 4) {
			t.Errorf("row %d: %+v, want %g s", i, p, want)
		}
	}
	if e := f.Predictions[3].Error; math.Abs(e-(2050.-2100)/2100) > 1e-9 {
		t.Errorf("relative error %g", e)
	}
	// On one node the question is rank or not.
	f, err = FitRows([]Row{swept(t, 1, 1, 100), swept(t, 1, 2, 150), swept(t, 1, 4, 175)})
	if err != nil || f.Within != "rank" || !near(f.Local, 100e-9) || !near(f.Remote, 200e-9) || math.Abs(f.Predictions[1].Error) > 1e-9 {
		t.Errorf("one node: %+v, %v", f, err)
	}
}

func TestWhatCannotBeFitted(t *testing.T) {
	other := swept(t, 4, 16, 9)
	if err := other.Snapshot.Scenario.Set("segment", "8192"); err != nil {
		t.Fatal(err)
	}
	for _, rows := range [][]Row{nil, {{Snapshot: &engine.Snapshot{}}}, {swept(t, 4, 4, 100)}, {swept(t, 4, 2, 100), swept(t, 4, 4, 100)}} {
		if _, err := FitRows(rows); !errors.Is(err, models.ErrUndetermined) {
			t.Errorf("%d rows: %v", len(rows), err)
		}
	}
	if _, err := FitRows([]Row{swept(t, 4, 1, 100), other}); err == nil || !strings.Contains(err.Error(), "more than group and model") {
		t.Errorf("rows that do not compare: %v", err)
	}
}
