package session

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

// product is a snapshot of a sparse product on 4 nodes of a rank with 8 threads:
// knobs alternate name and value.
func product(threading string, comm, non, epsilon float64, knobs ...string) *engine.Snapshot {
	s := &engine.Snapshot{Kind: engine.Simulated, Iteration: 5, IterationTimes: []float64{1e-3}}
	s.Scenario = engine.NewScenario("product", []engine.Knob{
		{Name: "threading", Default: threading, Role: engine.Scheme}, {Name: "reserved", Default: "1", Role: engine.Scheme}, {Name: "local-k", Default: "8", Role: engine.Problem},
		{Name: "nodes", Default: "4", Role: engine.Scheme}, {Name: "size", Default: "512", Role: engine.Problem}, {Name: "ranking", Default: "sequential", Role: engine.Scheme},
	})
	for i := 0; i < len(knobs); i += 2 {
		s.Scenario.Values[knobs[i]] = knobs[i+1]
	}
	s.Layout = cluster.Layout{Nodes: int(s.Scenario.Int("nodes")), RanksPerNode: 1, ThreadsPerRank: 8}
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
		if e, err := models.Epsilon(models.Reserved{M: s.Scenario.Reserved(), N: 8}, f); err == nil {
			put("epsilon_model", "1", e.Value)
		}
	}
	put("x_comm_over_x_overlap", "1", comm/(1-comm-non)*8)
	put("time_masteronly", "s", 10e-3)
	put("time_scheme", "s", 10e-3/epsilon)
	return s
}

var unknown = math.NaN()

// A point stays while threading, m, n_k, nodes and fabric turn; the scheme that is
// run again moves its own point; what else turns hides the points until it is
// turned back.
func TestEpsilonPointsAreKept(t *testing.T) {
	var o overlap
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
		if v == nil {
			t.Fatal("the metrics tell nothing")
		}
		for _, p := range v.Points {
			all = append(all, seen{p.Threading, p.Reserved, p.Planes, p.Nodes, p.Kind, p.Epsilon})
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
	o.forget()
	if all := look(product("multiple", 0.4, 0.2, 1.5)); len(all) != 1 {
		t.Errorf("after a reset there are %v", all)
	}
}

func TestEpsilonPointsAreBounded(t *testing.T) {
	var o overlap
	for i := range maxEpsilonPoints + 10 {
		o.look(product("multiple", 0.4, 0.2, 1.5, "local-k", strconv.Itoa(i+1)))
	}
	v := o.look(product("masteronly", 0.4, 0.2, unknown))
	if n := len(v.Points); n != maxEpsilonPoints || v.Points[0].Planes != 11 || v.Points[n-1].Planes != maxEpsilonPoints+10 {
		t.Errorf("%d points from n_k = %d to %d: want the latest %d", n, v.Points[0].Planes, v.Points[n-1].Planes, maxEpsilonPoints)
	}
}

// Without fractions, or before an iteration has ended, there is nothing to tell.
func TestNoOverlap(t *testing.T) {
	var o overlap
	early := product("multiple", 0.4, 0.2, 1.5)
	early.Iteration = 0
	for what, s := range map[string]*engine.Snapshot{
		"no metrics":   {Iteration: 7},
		"early":        early,
		"no fractions": product("multiple", unknown, 0.2, 1.5),
	} {
		if v := o.look(s); v != nil {
			t.Errorf("%s: %+v", what, v)
		}
	}
}

// The example of section 7.2.1, m = 1, n = 8, f_comp,non = 20 %: the model stands
// beside what was found out, the workload's own where it reports one.
func TestEpsilonOfTheModel(t *testing.T) {
	s := product("masteronly", 24./56, 0.2, 1)
	p, _ := epsilonOf(s)
	if math.Abs(p.Model-1.6) > 0.01 || p.Epsilon != 1 || p.Threads != 8 || p.Reserved != 1 || p.Overlaps {
		t.Errorf("%+v: want ε 1 beside 1.60 of the model", p.EpsilonPoint)
	}
	s = product("multiple", 24./56, 0.2, 1.5)
	for i := range s.Metrics {
		if m := &s.Metrics[i]; m.Name == "epsilon_model" {
			m.Value = 1.55
		}
	}
	if p, _ := epsilonOf(s); p.Model != 1.55 || p.Epsilon != 1.5 || !p.Overlaps {
		t.Errorf("%+v: want ε 1.5 beside the workload's model, 1.55", p.EpsilonPoint)
	}
	// With barriers around the master's section funneled is masteronly again (section
	// 4, T1b): the workload has no model of it, and there is no point.
	var o overlap
	s = product("funneled", 24./56, 0.2, 1.01)
	s.Metrics = slices.DeleteFunc(s.Metrics, func(m engine.Metric) bool { return m.Name == "epsilon_model" })
	if v := o.look(s); len(v.Points) != 0 || !strings.HasPrefix(whyOverlap(&v.Now), "all threads but one sleep") {
		t.Errorf("points %+v, why %s", v.Points, whyOverlap(&v.Now))
	}
	// Full load balancing: m is what makes equation (4) hold.
	s = product("multiple", 0.3, 0.2, 1.5, "reserved", "balanced")
	p, _ = epsilonOf(s)
	e, err := models.Epsilon(models.Reserved{M: p.Reserved, N: 8}, models.Fractions{Comm: 0.3, NonOverlap: 0.2, Overlap: 0.5})
	if err != nil || !e.Balanced() || p.Model != e.Value {
		t.Errorf("m = %v is not balanced: %+v, %v", p.Reserved, e, err)
	}
	// One thread communicates under funneled, whatever m is set to.
	if p, _ := epsilonOf(product("funneled", 0.3, 0.2, 1.5, "reserved", "3")); p.Reserved != 1 {
		t.Errorf("funneled has m = %v", p.Reserved)
	}
}

// Which term of the max() rules, and what another m would give (section 7.2.1).
func TestWhyOfOverlap(t *testing.T) {
	for _, c := range []struct {
		what      string
		threading string
		reserved  string
		comm, non float64
		want      string
	}{
		{"communication", "multiple", "1", 0.6, 0.1, "communication rules: the computing threads idle 37% of the time; a second communicating thread would help: ε 2.00 instead of 1.43 (modelled)."},
		{"one more", "multiple", "2", 0.8, 0, "communication rules: the computing threads idle 33% of the time; one more communicating thread would help: ε 3.13 instead of 2.50 (modelled)."},
		{"computing", "multiple", "1", 0.25, 0.2, "computing rules: the reserved thread idles 46% of the time (modelled)."},
		{"too many", "multiple", "3", 0.25, 0.2, "computing rules: the 3 reserved threads idle 74% of the time; one less would give ε 1.07 instead of 0.93 (modelled)."},
		{"not worth it", "funneled", "1", 0.05, 0.2, "computing rules: the reserved thread idles 76% of the time, and masteronly would be faster (modelled)."},
		{"balanced", "multiple", "1", 0.8 / 1.875, 0.2, "communication and computing are balanced: hardly a thread idles (modelled)."},
		{"nearly balanced", "multiple", "1", 0.428, 0.2, "communication and computing are balanced: hardly a thread idles (modelled)."},
		{"no other m", "multiple", "7", 0.99, 0.01, "communication rules: the computing threads idle 93% of the time, and more communicating threads would not help (modelled)."},
		{"masteronly", "masteronly", "1", 24. / 56, 0.2, "all threads but one sleep during communication, 43% of the time: 1 reserved thread would give ε 1.59 (modelled)."},
		{"masteronly is right", "masteronly", "2", 0.1, 0.2, "all threads but one sleep during communication, 10% of the time: too little for 2 reserved threads, which pay from 20% on (modelled)."},
	} {
		var o overlap
		if got := whyOverlap(&o.look(product(c.threading, c.comm, c.non, unknown, "reserved", c.reserved)).Now); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
		}
	}
	alone := product("masteronly", 0.4, 0.2, unknown)
	alone.Layout.ThreadsPerRank = 1
	var o overlap
	if got := whyOverlap(&o.look(alone).Now); got != "" {
		t.Errorf("of a rank with one thread: %s", got)
	}
}

// schemes reports fractions and ε as a product of local-k planes does whose gain is
// nine tenths of the model's.
func init() {
	costs := models.SparseCosts{Comm: models.PaperCommFitted, NonOverlap: models.PaperSplit, Overlap: 1}
	report := func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			f, err := costs.Fractions(int(p.Int("local-k")))
			if err != nil {
				return err
			}
			e, err := models.Epsilon(models.Reserved{M: float64(p.Int("reserved")), N: r.Layout().ThreadsPerRank}, f)
			if err != nil {
				return err
			}
			gain := 1.0
			if p.Text("threading") == "multiple" {
				gain += 0.9 * (e.Value - 1)
			}
			r.Compute(cluster.Work{Flops: 1e6 / gain}, nil)
			for name, v := range map[string]float64{
				"f_comm": f.Comm, "f_non": f.NonOverlap, "f_overlap": f.Overlap, "epsilon": gain,
				"x_comm_over_x_overlap": costs.Comm, "time_masteronly": 10e-3, "time_scheme": 10e-3 / gain,
			} {
				p.Report(name, v)
			}
			if p.Text("threading") == "multiple" {
				p.Report("epsilon_model", e.Value)
			}
			p.Verify(true, "nothing to be wrong")
		}
		return nil
	}
	w := &workload.Workload{
		Name: "schemes", Title: "Schemes for tests",
		Knobs: []engine.Knob{
			{Name: "reserved", Type: engine.Integer, Default: "1", Min: 1, Max: 64, Role: engine.Scheme},
			{Name: "local-k", Type: engine.Integer, Default: "8", Min: 1, Max: 64, Role: engine.Problem},
		},
		Defaults: map[string]string{"machine": "xc30-edison", "fabric": "sim", "ranks-per-node": "1", "threads-per-rank": "8", "model": "flat", "threading": "masteronly"},
		Plan: func(*engine.Scenario, *workload.Site) (workload.Plan, error) {
			return workload.Plan{Segment: 64}, nil
		},
		Run: report,
	}
	for _, name := range []string{"f_comm", "f_non", "f_overlap", "epsilon", "epsilon_model", "x_comm_over_x_overlap", "time_masteronly", "time_scheme"} {
		w.Metrics = append(w.Metrics, engine.MetricSpec{Name: name, Unit: "1"})
	}
	workload.Register(w)
}

// A session over schemes: masteronly has its reason and no point, flipping the level
// says what was gained, and turning n_k leaves the earlier points where they are.
func TestOverlapOfASession(t *testing.T) {
	sc, err := Scenario("schemes")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, sc, Options{})
	told := func(threading string, planes int, points ...int) func(*engine.Snapshot) bool {
		return func(s *engine.Snapshot) bool {
			o := s.Overlap
			if o == nil || o.Now.Threading != threading || o.Now.Planes != planes || len(o.Points) != len(points) {
				return false
			}
			for i, p := range o.Points {
				if p.Planes != points[i] || p.Kind != engine.Simulated || !(p.Epsilon > 0.8) {
					return false
				}
			}
			return true
		}
	}
	first := s.until("masteronly", told("masteronly", 8))
	if want := "all threads but one sleep during communication, 33% of the time: 1 reserved thread would give ε 1.33 (modelled)."; first.Why != want || first.Change != "" {
		t.Errorf("why %q, want %q; change %q", first.Why, want, first.Change)
	}
	s.do(engine.Set, "threading", "multiple")
	now := s.until("multiple", told("multiple", 8, 8))
	if want := "multiple, m = 1: 1.29× faster (10.0 ms → 7.73 ms an iteration, simulated); 2.27 ms of 3.29 ms communication now hidden"; now.Change != want {
		t.Errorf("change %q, want %q", now.Change, want)
	}
	s.do(engine.Set, "local-k", "2")
	s.until("2 planes", told("multiple", 2, 2, 8))
	s.do(engine.Set, "local-k", "64")
	s.until("64 planes", told("multiple", 64, 2, 8, 64))
	s.do(engine.Set, "threading", "masteronly")
	s.until("masteronly again", told("masteronly", 64, 2, 8, 64))
	s.do(engine.Reset)
	s.until("no points", told("masteronly", 64))
}
