package panetest

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

func init() {
	workload.Register(&workload.Workload{Name: "demo-access", Plan: refusePlan, Title: "for tests", Paper: "paper 1", First: "group",
		Studies: []*engine.Study{sizesOfGroups}})
	workload.Register(&workload.Workload{Name: "demo-dot", Plan: refusePlan, Title: "for tests"})
	workload.Register(&workload.Workload{Name: "demo-product", Plan: refusePlan, Title: "for tests of schemes",
		First: "threading", Studies: []*engine.Study{Schemes}})
}

// refusePlan is the Plan of a workload that is only drawn and never run.
func refusePlan(*engine.Scenario, *workload.Site) (workload.Plan, error) {
	return workload.Plan{}, errors.New("this workload is only drawn in tests: it cannot run")
}

var sizesOfGroups = study.Locality("", func(_ *engine.Scenario, g int) int64 { return 64 << 20 / int64(g) })

// groups returns the study of group sizes up to 64. Sizes up to now have run.
func groups(l *cluster.Layout, now int) engine.StudyView {
	v := engine.StudyView{Form: sizesOfGroups.Form, Now: -1, Plots: []engine.Plot{{YRange: engine.Range{Max: 1}}}}
	for g := 1; g <= min(l.Ranks(), 64); g *= 2 {
		near := float64(min(g, l.RanksPerNode)) / float64(g)
		at := make([]float64, len(v.Columns))
		at[study.LocalityGroup] = float64(g)
		at[study.LocalityMemory] = float64(64 << 20 / int64(g) * int64(l.RanksPerNode))
		at[study.LocalityReplicas] = float64(l.Ranks() / g)
		at[study.LocalityLawRank] = 1 / float64(g)
		at[study.LocalityLawNode] = near
		at[study.LocalityLaw] = 12e-9 + (1-1/float64(g))*4e-6
		at[study.LocalityRank] = math.NaN()
		at[study.LocalityNode] = math.NaN()
		at[study.LocalityAccess] = math.NaN()
		at[study.LocalityWhole] = math.NaN()
		r := engine.Row{Key: "group " + itoa(g), Label: itoa(g), Cells: at}
		if g <= now {
			at[study.LocalityRank] = at[study.LocalityLawRank] * 0.99
			at[study.LocalityNode] = near
			at[study.LocalityAccess] = at[study.LocalityLaw] * 1.03
			at[study.LocalityAccesses] = 1e6
		}
		switch g {
		case now:
			v.Now = len(v.Rows)
			fallthrough
		default:
			if g == 2 {
				r.Flag = engine.Best
			}
		case 1:
			r.Flag = engine.Unfit
			if now == 1 {
				v.Now = 0
			}
		}
		v.Rows = append(v.Rows, r)
	}
	if n := len(v.Rows); n > 1 {
		v.Plots[0].XRange = engine.Range{Min: 1 / 1.1, Max: v.Rows[n-1].Cells[study.LocalityGroup] * 1.1}
	}
	return v
}

// Schemes is the study of the product.
var Schemes = study.Epsilon(
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
		return study.Result{
			Fractions: f, Overlaps: s.Scenario.Text("threading") != "masteronly", CommCost: 4.31,
			Masteronly: 11.2e-3, Scheme: 11.2e-3 / value("epsilon"), Epsilon: value("epsilon"), Model: value("epsilon_model"),
		}, err == nil
	},
	"reserved", "local-k")

// product returns a run of a sparse product on 4 nodes with one rank each. m of the n threads of a
// rank are reserved. The run reaches a fraction, gain, of the predicted gain.
func product(m, n, planes int, gain float64) *engine.Snapshot {
	s := Demo(4, 1, 4)
	machines := slices.IndexFunc(s.Scenario.Table, func(k engine.Knob) bool { return k.Name == "machine" })
	sc := engine.NewScenario("demo-product", append([]engine.Knob{
		{Name: "local-k", Label: "local planes", Doc: "planes of a rank, n_k", Type: engine.Integer, Default: "8", Min: 1,
			Max: 4096, Choices: []string{"1", "2", "4", "8", "16", "32", "64"}},
		{Name: "reserved", Label: "reserved", Doc: "threads reserved for communication, m", Type: engine.Integer,
			Default: "1", Min: 1, Max: 64, Choices: []string{"1", "2", "4"}},
	}, s.Scenario.Table[machines:]...))
	for k, v := range map[string]string{"nodes": "4", "ranks-per-node": "1", "threads-per-rank": itoa(n),
		"threading": "multiple", "fabric": "sim", "reserved": itoa(m), "local-k": itoa(planes)} {
		sc.Values[k] = v
	}
	s.Scenario, s.Layout = sc, sc.Layout()
	s.Machine = "sr8000-f1"
	s.Kind = engine.Simulated
	s.Dilation = 1
	s.Fabric = 12 * cluster.Millisecond
	s.Studies, s.Replicas = nil, 0
	s.Verification.Detail = "the product of every rank"
	s.Marks = []engine.Mark{{At: 24 * time.Second, Label: "threading masteronly→multiple"}}
	x, _ := models.SparseCosts{Comm: 4.31, NonOverlap: models.PaperSplit, Overlap: 1}.Fractions(planes)
	e, _ := models.Epsilon(models.Reserved{M: float64(m), N: n}, x)
	s.Metrics = nil
	for _, x := range []engine.Metric{{Name: "f_comm", Value: x.Comm}, {Name: "f_non", Value: x.NonOverlap},
		{Name: "f_overlap", Value: x.Overlap}, {Name: "epsilon", Value: 1 + (e.Value-1)*gain}} {
		x.Unit, x.Kind = "1", engine.Simulated
		s.Metrics = append(s.Metrics, x)
	}
	s.Metrics = append(s.Metrics, engine.Metric{Name: "epsilon_model", Value: e.Value, Unit: "1", Kind: engine.Modelled})
	s.Why = "Computation is the bottleneck: the reserved thread is idle 43% of the time (modelled)."
	s.Change = "multiple, m = 1: 1.18× faster: 11.2 → 9.48 ms for an iteration (simulated); 1.72 ms of 3.53 ms " +
		"communication now hidden"
	return s
}

// addRun adds a run to the table and sets the study's view of the run.
func addRun(t *study.Table, s *engine.Snapshot) *engine.Snapshot {
	t.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
	s.Studies = []engine.StudyView{t.Look(s)}
	return s
}

// Scheme returns a product of 8 planes per rank: the example of figure 5, with a slightly lower
// gain than predicted. Earlier runs have other numbers of planes, the level funneled, or m = 2 on 8
// nodes. Edits change the run before the study sees it.
func Scheme(m, n int, edits ...func(*engine.Snapshot)) *engine.Snapshot {
	t := study.NewTable(Schemes)
	for planes := 2; planes <= 64; planes *= 2 {
		addRun(t, product(m, n, planes, 0.85))
	}
	funneled, live := product(m, n, 8, 0.8), product(m, n, 16, 0.5)
	funneled.Scenario.Values["threading"], live.Kind = "funneled", engine.Emulated
	for _, s := range []*engine.Snapshot{funneled, live} {
		addRun(t, s)
	}
	for _, planes := range []int{4, 8} {
		wide := product(2, n, planes, 0.9)
		Knob("nodes", "8")(wide)
		addRun(t, wide)
	}
	return edited(t, m, n, edits)
}

// FirstScheme returns the same run as Scheme, without earlier runs.
func FirstScheme(m, n int, edits ...func(*engine.Snapshot)) *engine.Snapshot {
	return edited(study.NewTable(Schemes), m, n, edits)
}

func edited(t *study.Table, m, n int, edits []func(*engine.Snapshot)) *engine.Snapshot {
	s := product(m, n, 8, 0.85)
	for _, edit := range edits {
		edit(s)
	}
	return addRun(t, s)
}

// Knob returns an edit that changes a knob.
func Knob(name, value string) func(*engine.Snapshot) {
	return func(s *engine.Snapshot) {
		s.Scenario.Values[name] = value
		s.Layout = s.Scenario.Layout()
	}
}

// Masteronly is an edit that makes a run without a scheme. Such a run has no ε.
func Masteronly(s *engine.Snapshot) {
	Knob("threading", "masteronly")(s)
	s.Metrics = slices.DeleteFunc(s.Metrics, func(m engine.Metric) bool { return m.Name == "epsilon" })
	s.Why = "All threads except one are idle during communication, 31% of the time. With 1 reserved thread, ε would " +
		"be 1.21 (modelled)."
	s.Change = "masteronly: 1.18× slower: 9.48 → 11.2 ms for an iteration (simulated); 3.53 ms communication not hidden"
}

// Starting is an edit that makes a run in which no iteration has ended.
func Starting(s *engine.Snapshot) {
	s.Change = ""
	s.Why = ""
	s.Iteration = 0
}
