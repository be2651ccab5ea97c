package study_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/models"
)

// schemes is the study of a product whose metrics have the names of the study's columns.
var schemes = study.Epsilon(
	selected,
	func(s *engine.Snapshot) (study.Result, bool) {
		value := func(name string) float64 {
			if m, ok := s.Metric(name); ok {
				return m.Value
			}
			return math.NaN()
		}
		f, err := models.FractionsOf(value("f_comm"), value("f_non"), value("f_overlap"))
		_, overlaps := s.Metric("epsilon_model")
		return study.Result{
			Fractions: f, Overlaps: overlaps, CommCost: value("x_comm_over_x_overlap"),
			Masteronly: value("time_masteronly"), Scheme: value("time_scheme"), Epsilon: value("epsilon"),
			Model: value("epsilon_model"),
		}, err == nil
	},
	"reserved", "local-k")

func selected(s *engine.Scenario) study.Selection {
	a := study.Selection{Level: s.Text("threading"), Choice: s.Text("reserved"), Reserved: s.Float("reserved"),
		Planes: int(s.Int("local-k"))}
	switch {
	case a.Level == "funneled":
		a.Reserved = 1
	case a.Choice == "balanced":
		a.Reserved = math.NaN()
	}
	return a
}

// notes is a table of schemes.
type notes struct{ *study.Table }

func newNotes() notes { return notes{study.NewTable(schemes)} }

// look begins a launch for the snapshot, and looks at it.
func (n notes) look(s *engine.Snapshot) engine.StudyView {
	n.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
	v := n.Look(s)
	n.Fold()
	return v
}

// product returns a snapshot of a sparse product on 4 nodes, with one rank of 8 threads each;
// knobs alternate name and value.
func product(threading string, comm, non, epsilon float64, knobs ...string) *engine.Snapshot {
	s := &engine.Snapshot{Kind: engine.Simulated, Iteration: 5, IterationTimes: []float64{1e-3}}
	s.Scenario = engine.NewScenario("product", []engine.Knob{
		{Name: "threading", Default: threading, Role: engine.Scheme}, {Name: "reserved", Default: "1", Role: engine.Scheme},
		{Name: "local-k", Default: "8", Role: engine.Problem},
		{Name: "nodes", Default: "4", Role: engine.Scheme}, {Name: "size", Default: "512", Role: engine.Problem},
		{Name: "ranking", Default: "sequential", Role: engine.Scheme},
	})
	s.Scenario.Values["threads-per-rank"] = "8"
	for i := 0; i < len(knobs); i += 2 {
		s.Scenario.Values[knobs[i]] = knobs[i+1]
	}
	s.Layout = cluster.Layout{Nodes: int(s.Scenario.Int("nodes")), RanksPerNode: 1,
		ThreadsPerRank: int(s.Scenario.Int("threads-per-rank"))}
	put := func(name, unit string, v float64) {
		if !math.IsNaN(v) {
			s.Metrics = append(s.Metrics, engine.Metric{Name: name, Value: v, Unit: unit, Kind: s.Kind})
		}
	}
	put("f_comm", "1", comm)
	put("f_non", "1", non)
	put("f_overlap", "1", 1-comm-non)
	put("epsilon", "1", epsilon)
	if threading != "masteronly" {
		f := models.Fractions{Comm: comm, NonOverlap: non, Overlap: 1 - comm - non}
		if e, err := models.Epsilon(models.Reserved{M: selected(&s.Scenario).Reserved, N: 8}, f); err == nil {
			put("epsilon_model", "1", e.Value)
		}
	}
	put("x_comm_over_x_overlap", "1", comm/(1-comm-non)*8)
	put("time_masteronly", "s", 10e-3)
	put("time_scheme", "s", 10e-3/epsilon)
	return s
}

var unknown = math.NaN()

// A point remains while threading, m, n_k, nodes and fabric change. A scheme that runs again moves
// its own point. Other knobs hide the points until they return to their values.
func TestEpsilonPointsAreKept(t *testing.T) {
	o := newNotes()
	type seen struct {
		Threading string
		Reserved  float64
		Planes    int
		Nodes     int
		Kind      engine.Kind
		Epsilon   float64
	}
	look := func(s *engine.Snapshot) (all []seen) {
		v := o.look(s)
		if v.Present() == nil {
			t.Fatal("no values from the metrics")
		}
		for _, r := range v.Rows {
			if at := r.Cells; r.Flag != engine.Passing {
				all = append(all,
					seen{r.Series, at[study.EpsilonReserved], int(at[study.EpsilonPlanes]), int(at[study.EpsilonNodes]), r.Kind,
						at[study.EpsilonValue]})
			}
		}
		return all
	}
	one := seen{"multiple", 1, 8, 4, engine.Simulated, 1.5}
	two := seen{"multiple", 2, 8, 4, engine.Simulated, 1.2}
	small := seen{"multiple", 1, 2, 4, engine.Simulated, 1.4}
	funneled := seen{"funneled", 1, 8, 4, engine.Simulated, 1.45}
	wide := seen{"multiple", 1, 8, 16, engine.Simulated, 1.3}
	live := seen{"multiple", 1, 8, 4, engine.Emulated, 1.1}
	emulated := product("multiple", 0.4, 0.2, 1.1)
	emulated.Kind = engine.Emulated
	for _, step := range []struct {
		what string
		s    *engine.Snapshot
		want []seen
	}{
		{"the first", product("multiple", 0.4, 0.2, 1.3), []seen{{"multiple", 1, 8, 4, engine.Simulated, 1.3}}},
		{"its mean moves", product("multiple", 0.4, 0.2, 1.5), []seen{one}},
		{"m", product("multiple", 0.4, 0.2, 1.2, "reserved", "2"), []seen{one, two}},
		{"n_k", product("multiple", 0.4, 0.2, 1.4, "local-k", "2"), []seen{small, one, two}},
		{"masteronly has no ε of its own", product("masteronly", 0.4, 0.2, 1), []seen{small, one, two}},
		{"threading", product("funneled", 0.4, 0.2, 1.45), []seen{small, one, two, funneled}},
		{"nodes", product("multiple", 0.4, 0.2, 1.3, "nodes", "16"), []seen{small, one, two, funneled, wide}},
		{"kind", emulated, []seen{small, one, two, funneled, wide, live}},
		{"another problem", product("multiple", 0.4, 0.2, unknown, "size", "64"), nil},
		{"and back", product("masteronly", 0.4, 0.2, unknown), []seen{small, one, two, funneled, wide, live}},
	} {
		if d := cmp.Diff(step.want, look(step.s)); d != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, d)
		}
	}
	o.Forget()
	if all := look(product("multiple", 0.4, 0.2, 1.5)); len(all) != 1 {
		t.Errorf("after a reset: %v", all)
	}
}

func TestEpsilonPointsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	const maxPoints = 1024
	o := newNotes()
	for i := range maxPoints + 10 {
		o.look(product("multiple", 0.4, 0.2, 1.5, "local-k", strconv.Itoa(i+1)))
	}
	v := o.look(product("masteronly", 0.4, 0.2, unknown))
	v.Rows = slices.DeleteFunc(v.Rows, func(r engine.Row) bool { return r.Flag == engine.Passing })
	n := len(v.Rows)
	if n != maxPoints || v.Cell(0, study.EpsilonPlanes) != 11 || v.Cell(n-1, study.EpsilonPlanes) != maxPoints+10 {
		t.Errorf("%d points from n_k = %v to %v: want the latest %d", n, v.Cell(0, study.EpsilonPlanes),
			v.Cell(n-1, study.EpsilonPlanes), maxPoints)
	}
}

// Without fractions, or before the first iteration has ended, there is no point: only the model's
// curves.
func TestNoOverlap(t *testing.T) {
	early, none := product("multiple", 0.4, 0.2, 1.5), product("multiple", 0.4, 0.2, 1.5)
	early.Iteration, none.Metrics = 0, nil
	for what, s := range map[string]*engine.Snapshot{
		"no metrics":   none,
		"early":        early,
		"no fractions": product("multiple", unknown, 0.2, 1.5),
	} {
		v := newNotes().look(s)
		if len(v.Rows) != 0 || v.Present() != nil || v.Why != "" || v.Glance != "" {
			t.Errorf("%s: %+v", what, v)
		}
		if n := len(v.Plots[0].Lines); n != 5 || len(v.Missing) != 0 {
			t.Errorf("%s: %d curves of the model, missing %v", what, n, v.Missing)
		}
	}
}

// The example of section 7.2.1, m = 1, n = 8, f_comp,non = 20 %: the model is shown next to the
// result. If the workload reports its own model, that one is used.
func TestEpsilonOfTheModel(t *testing.T) {
	present := func(s *engine.Snapshot) ([]float64, engine.Flag) {
		v := newNotes().look(s)
		return v.Present().Cells, v.Present().Flag
	}
	s := product("masteronly", 24./56, 0.2, 1)
	at, flag := present(s)
	if math.Abs(at[study.EpsilonModel]-1.6) > 0.01 || at[study.EpsilonValue] != 1 || at[study.EpsilonThreads] != 8 ||
		at[study.EpsilonReserved] != 1 || flag != engine.Passing {
		t.Errorf("%v, %s: want ε 1 next to the modelled 1.60, and no kept point", at, flag)
	}
	s = product("multiple", 24./56, 0.2, 1.5)
	for i := range s.Metrics {
		if m := &s.Metrics[i]; m.Name == "epsilon_model" {
			m.Value = 1.55
		}
	}
	if at, flag := present(s); at[study.EpsilonModel] != 1.55 || at[study.EpsilonValue] != 1.5 || flag != "" {
		t.Errorf("%v, %s: want ε 1.5 next to the workload's model, 1.55", at, flag)
	}
	// With barriers around the master's section, funneled is the same as masteronly (section 4,
	// T1b): the workload has no model of it, and there is no point.
	s = product("funneled", 24./56, 0.2, 1.01)
	s.Metrics = slices.DeleteFunc(s.Metrics, func(m engine.Metric) bool { return m.Name == "epsilon_model" })
	if v := newNotes().look(s); v.Present().Flag != engine.Passing ||
		!strings.HasPrefix(v.Why, "All threads except one are idle") {
		t.Errorf("%+v, why %s", v.Rows, v.Why)
	}
	// Full load balancing: m satisfies equation (4).
	at, _ = present(product("multiple", 0.3, 0.2, 1.5, "reserved", "balanced"))
	e, err := models.Epsilon(models.Reserved{M: at[study.EpsilonReserved], N: 8},
		models.Fractions{Comm: 0.3, NonOverlap: 0.2, Overlap: 0.5})
	if err != nil || !e.Balanced() || at[study.EpsilonModel] != e.Value {
		t.Errorf("m = %v is not balanced: %+v, %v", at[study.EpsilonReserved], e, err)
	}
	// Under funneled, one thread communicates regardless of m.
	if at, _ := present(product("funneled", 0.3, 0.2, 1.5, "reserved", "3")); at[study.EpsilonReserved] != 1 {
		t.Errorf("funneled has m = %v", at[study.EpsilonReserved])
	}
}

// The bottleneck term of the max(), and the effect of another m (section 7.2.1).
func TestWhyOfOverlap(t *testing.T) {
	for _, c := range []struct {
		what      string
		threading string
		reserved  string
		comm, non float64
		want      string
	}{
		{"communication", "multiple", "1", 0.6, 0.1,
			"Communication is the bottleneck: compute threads are idle 37% of the time. A second communication thread " +
				"would raise ε from 1.43 to 2.00 (modelled)."},
		{"one more", "multiple", "2", 0.8, 0, "Communication is the bottleneck: compute threads are idle 33% of the " +
			"time. Another communication thread would raise ε from 2.50 to 3.13 (modelled)."},
		{"computing", "multiple", "1", 0.25, 0.2,
			"Computation is the bottleneck: the reserved thread is idle 46% of the time (modelled)."},
		{"too many", "multiple", "3", 0.25, 0.2,
			"Computation is the bottleneck: the 3 reserved threads are idle 74% of the time. One reserved thread fewer " +
				"would raise ε from 0.93 to 1.07 (modelled)."},
		{"not worth it", "funneled", "1", 0.05, 0.2,
			"Computation is the bottleneck: the reserved thread is idle 76% of the time. Masteronly would be faster " +
				"(modelled)."},
		{"balanced", "multiple", "1", 0.8 / 1.875, 0.2,
			"Communication and computation are balanced: threads are hardly ever idle (modelled)."},
		{"nearly balanced", "multiple", "1", 0.428, 0.2,
			"Communication and computation are balanced: threads are hardly ever idle (modelled)."},
		{"no other m", "multiple", "7", 0.99, 0.01,
			"Communication is the bottleneck: compute threads are idle 93% of the time. More communication threads would " +
				"not help (modelled)."},
		{"masteronly", "masteronly", "1", 24. / 56, 0.2,
			"All threads except one are idle during communication, 43% of the time. With 1 reserved thread, ε would be " +
				"1.59 (modelled)."},
		{"masteronly is right", "masteronly", "2", 0.1, 0.2,
			"All threads except one are idle during communication, 10% of the time. This is too little for 2 reserved " +
				"threads to pay off: at least 20% is needed (modelled)."},
	} {
		if got := newNotes().look(product(c.threading, c.comm, c.non, unknown, "reserved", c.reserved)).Why; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
		}
	}
	alone := product("masteronly", 0.4, 0.2, unknown, "threads-per-rank", "1")
	if v := newNotes().look(alone); v.Why != "" || len(v.Missing) != 2 || v.Missing[1].Command != "threads-per-rank 8" {
		t.Errorf("rank with one thread: %s, missing %v", v.Why, v.Missing)
	}
}
