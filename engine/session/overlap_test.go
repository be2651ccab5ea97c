package session

import (
	"math"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

// schemesStudy is ε of a workload whose metrics have the names of the study's columns.
var schemesStudy = study.Epsilon(
	func(s *engine.Scenario) study.Selection {
		return study.Selection{Level: s.Text("threading"), Choice: s.Text("reserved"), Reserved: s.Float("reserved"),
			Planes: int(s.Int("local-k"))}
	},
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

// schemes reports the fractions and ε of a product with local-k planes whose gain is nine tenths
// of the model's.
func init() {
	costs := models.SparseCosts{Comm: models.PaperCommFitted, NonOverlap: models.PaperSplit, Overlap: 1}
	report := func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			f, err := costs.Fractions(int(p.Int("local-k")))
			if err != nil {
				return err
			}
			e, err := models.Epsilon(models.Reserved{M: float64(p.Int("reserved")), N: r.Spec().Layout.ThreadsPerRank}, f)
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
		Defaults: map[string]string{"machine": "xc30-edison", "fabric": "sim", "ranks-per-node": "1",
			"threads-per-rank": "8", "model": "flat", "threading": "masteronly"},
		Plan: func(*engine.Scenario, *workload.Site) (workload.Plan, error) {
			return workload.Plan{Segment: 64}, nil
		},
		Run:     report,
		Studies: []*engine.Study{schemesStudy},
	}
	for _, name := range []string{"f_comm", "f_non", "f_overlap", "epsilon", "epsilon_model", "x_comm_over_x_overlap",
		"time_masteronly", "time_scheme"} {
		w.Metrics = append(w.Metrics, engine.MetricSpec{Name: name, Unit: "1"})
	}
	workload.Register(w)
}

// A session over schemes: masteronly has an explanation and no point, changing the level reports
// the gain, and changing n_k leaves the earlier points unchanged.
func TestOverlapOfASession(t *testing.T) {
	sc, err := Scenario("schemes")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, sc, Options{})
	hasPoints := func(threading string, planes int, points ...int) func(*engine.Snapshot) bool {
		return func(s *engine.Snapshot) bool {
			v := s.Study(study.EpsilonName)
			now := v.Present()
			if now == nil || now.Series != threading || now.Cells[study.EpsilonPlanes] != float64(planes) {
				return false
			}
			var kept []int
			for _, r := range v.Rows {
				if r.Flag == engine.Passing {
					continue
				}
				kept = append(kept, int(r.Cells[study.EpsilonPlanes]))
				if r.Kind != engine.Simulated || !(r.Cells[study.EpsilonValue] > 0.8) {
					return false
				}
			}
			return slices.Equal(kept, points)
		}
	}
	first := s.until("masteronly", hasPoints("masteronly", 8))
	if want := "All threads except one are idle during communication, 33% of the time. With 1 reserved thread, ε " +
		"would be 1.33 (modelled)."; first.Why != want || first.Change != "" {
		t.Errorf("why %q, want %q; change %q", first.Why, want, first.Change)
	}
	s.do(engine.Set, "threading", "multiple")
	now := s.until("multiple", hasPoints("multiple", 8, 8))
	if want := "multiple, m = 1: 1.29× faster: 10.0 → 7.73 ms for an iteration (simulated); 2.27 ms of 3.29 ms " +
		"communication now hidden"; now.Change != want {
		t.Errorf("change %q, want %q", now.Change, want)
	}
	s.do(engine.Set, "local-k", "2")
	s.until("2 planes", hasPoints("multiple", 2, 2, 8))
	s.do(engine.Set, "local-k", "64")
	s.until("64 planes", hasPoints("multiple", 64, 2, 8, 64))
	s.do(engine.Set, "threading", "masteronly")
	s.until("masteronly again", hasPoints("masteronly", 64, 2, 8, 64))
	s.do(engine.Reset)
	s.until("no points", hasPoints("masteronly", 64))
}
