package study_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/models"
)

// groups compares the group sizes of 1 MiB per group.
var groups = study.Locality("", func(_ *engine.Scenario, group int) int64 { return 1 << 20 / int64(group) })

// grouped returns a snapshot of some nodes of ranks in groups. Self, intra-node and inter-node
// accesses took 10 ns, 100 ns and 4 µs.
func grouped(nodes, ranks, group int, accesses ...int64) *engine.Snapshot {
	s := &engine.Snapshot{Kind: engine.Measured, Scenario: engine.NewScenario("groups", engine.Base)}
	for name, n := range map[string]int{"nodes": nodes, "ranks-per-node": ranks, "group": group} {
		s.Scenario.Values[name] = strconv.Itoa(n)
	}
	s.Layout = s.Scenario.Layout()
	for c, n := range accesses {
		s.Accesses[c] = engine.Accesses{Count: n,
			Time: cluster.Time(n) * [...]cluster.Time{10, 100, 4000}[c] * cluster.Nanosecond}
	}
	return s
}

func column(v *engine.StudyView, c int) []float64 {
	var all []float64
	for i := range v.Rows {
		all = append(all, v.Cell(i, c))
	}
	return all
}

var nans = cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })

// Before anything has run, the frame has the law, 1/G and |group ∩ node|/G (paper 1, section
// 4.3.1), and the memory of each group size.
func TestLocalityFrame(t *testing.T) {
	table := study.NewTable(groups)
	s := grouped(4, 4, 4)
	table.Begin(&s.Scenario, &cluster.Machine{MemoryPerNode: 1 << 20}, engine.Measured)
	v := table.Look(s)
	for c, want := range map[int][]float64{
		study.LocalityGroup:    {1, 2, 4, 8, 16},
		study.LocalityReplicas: {16, 8, 4, 2, 1},
		study.LocalityLawRank:  {1, 1. / 2, 1. / 4, 1. / 8, 1. / 16},
		study.LocalityLawNode:  {1, 1, 1, 1. / 2, 1. / 4},
		study.LocalityMemory:   {4 << 20, 2 << 20, 1 << 20, 512 << 10, 256 << 10},
		study.LocalityAccesses: {0, 0, 0, 0, 0},
		study.LocalityRank:     {unknown, unknown, unknown, unknown, unknown},
		study.LocalityAccess:   {unknown, unknown, unknown, unknown, unknown},
		study.LocalityLaw:      {unknown, unknown, unknown, unknown, unknown},
	} {
		if d := cmp.Diff(want, column(&v, c), nans); d != "" {
			t.Errorf("%s (-want +got)\n%s", v.Columns[c].Name, d)
		}
	}
	var flags []engine.Flag
	for _, r := range v.Rows {
		flags = append(flags, r.Flag)
	}
	if d := cmp.Diff([]engine.Flag{engine.Unfit, engine.Unfit, engine.Best, "", ""}, flags); d != "" ||
		v.Present().Label != "4" {
		t.Errorf("present %+v, flags (-want +got)\n%s", v.Present(), d)
	}
}

// The law is each class's mean latency over all rows, weighted by the law's shares. Group sizes
// that have run remain.
func TestLawAccess(t *testing.T) {
	table := study.NewTable(groups)
	law := func(s *engine.Snapshot) []float64 {
		table.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
		v := table.Look(s)
		all := column(&v, study.LocalityLaw)
		for i := range all {
			all[i] = math.Round(all[i]*1e12) / 1e3 // ns
		}
		return all
	}
	if d := cmp.Diff([]float64{10, 55, 77.5, unknown, unknown}, law(grouped(4, 4, 4, 100, 300, 0)), nans); d != "" {
		t.Errorf("with no remote access\n%s", d)
	}
	table.Fold()
	if d := cmp.Diff([]float64{10, 55, 77.5, 2038.75, 3019.375}, law(grouped(4, 4, 16, 100, 300, 1200))); d != "" {
		t.Error(d)
	}
}

func TestGroupSizes(t *testing.T) {
	tests := []struct {
		ranks, group int
		want         []float64
	}{
		{1, 1, []float64{1}},
		{12, 4, []float64{1, 2, 3, 4, 6, 12}},
		{720, 45, []float64{1, 2, 4, 8, 16, 45, 720}}, // of 30 divisors
		{1 << 15, 64, []float64{64}},
	}
	for _, tt := range tests {
		s := grouped(1, tt.ranks, tt.group)
		v := groups.Frame(&s.Scenario, &cluster.Machine{}, engine.Measured)
		if d := cmp.Diff(tt.want, column(&v, study.LocalityGroup)); d != "" {
			t.Errorf("%d ranks: %s", tt.ranks, d)
		}
	}
}

// A size that is thinned out of a later launch's frame does not return without its law.
func TestThinnedGroupSizes(t *testing.T) {
	table := study.NewTable(groups)
	for _, group := range []int{45, 8} {
		s := grouped(1, 720, group, 100, 100)
		table.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
		v := table.Look(s)
		table.Fold()
		want := []float64{1, 2, 4, 8, 16, 45, 720}
		if group == 8 {
			want = []float64{1, 2, 4, 8, 16, 720}
		}
		if d := cmp.Diff(want, column(&v, study.LocalityGroup)); d != "" || v.Present().Label != strconv.Itoa(group) {
			t.Errorf("group %d, present %+v: %s", group, v.Present(), d)
		}
	}
}

// point returns the row of a group size on 4 nodes of 4 ranks; access and law in ns, 0: none.
func point(group int, access, law float64) engine.Row {
	r := engine.Row{Key: "group " + strconv.Itoa(group), Label: strconv.Itoa(group),
		Cells: make([]float64, len(groups.Columns))}
	at := r.Cells
	at[study.LocalityGroup] = float64(group)
	at[study.LocalityMemory] = float64(16 << 20 / group)
	at[study.LocalityReplicas] = float64(16 / group)
	at[study.LocalityRank], at[study.LocalityNode] = 1/float64(group), math.Min(1, 4/float64(group))
	at[study.LocalityAccess], at[study.LocalityLaw], at[study.LocalityWhole] = unknown, unknown, unknown
	if group == 1 {
		r.Flag = engine.Unfit
	}
	if access > 0 {
		at[study.LocalityAccess], at[study.LocalityAccesses] = access*1e-9, 1000
	}
	if law > 0 {
		at[study.LocalityLaw] = law * 1e-9
	}
	return r
}

func TestWhyOfLocality(t *testing.T) {
	tests := []struct {
		name  string
		now   int
		nodes int
		rows  []engine.Row
		want  string
	}{
		{"measured, faster", 0, 4, []engine.Row{point(4, 400, 0), point(8, 600, 0), point(16, 760, 0)},
			"Group 4 keeps every access inside a node: a single access is 1.9× faster than with group 16, at 4× the memory (4 replicas)."},
		{"measured, slower", 1, 4, []engine.Row{point(4, 400, 0), point(16, 8000, 0)},
			"Group 16 sends 75% of its accesses to other nodes. A single access is 20× faster with group 4, at 4× the memory (4 replicas)."},
		{"measured, as fast", 1, 4, []engine.Row{point(1, 400, 0), point(4, 404, 0)},
			"Group 4 keeps every access inside a node: a single access is as fast as with group 1, with 1/4 of the memory (4 replicas)."},
		{"modelled, which must fit", 2, 4, []engine.Row{point(1, 0, 100), point(4, 0, 400), point(16, 700, 800)},
			"Group 16 sends 75% of its accesses to other nodes. A single access is 2× faster with group 4 (modelled), at 4× the memory (4 " +
				"replicas)."},
		{"measured goes before modelled", 1, 4, []engine.Row{point(2, 0, 10), point(4, 400, 400), point(8, 800, 700)},
			"Group 4 keeps every access inside a node: a single access is 2× faster than with group 8, at 2× the memory (4 replicas)."},
		{"alone", 0, 4, []engine.Row{point(1, 400, 400), point(16, 0, 0)},
			"Group 1 keeps every access in the local rank's memory."},
		{"one node", 0, 1, []engine.Row{point(4, 400, 0), point(16, 760, 0)},
			"Group 4 finds 25% of its accesses in the local rank's memory: a single access is 1.9× faster than with group 16, at 4× the memory " +
				"(4 replicas)."},
		{"nothing that stands", 0, 4, []engine.Row{point(4, 0, 400), point(16, 760, 0)}, ""},
	}
	for _, tt := range tests {
		v := engine.StudyView{Rows: tt.rows, Now: tt.now}
		if got := study.WhyLocality(&v, tt.nodes); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// swept returns a run of a sweep over group sizes on some nodes of 4 ranks; times in ns.
func swept(nodes, group int, access float64, knobs ...string) *engine.Snapshot {
	s := grouped(nodes, 4, group)
	for i := 0; i < len(knobs); i += 2 {
		s.Scenario.Values[knobs[i]] = knobs[i+1]
	}
	v := groups.Frame(&s.Scenario, &cluster.Machine{}, engine.Measured)
	v.Name = study.LocalityName
	at := v.Present().Cells
	at[study.LocalityRank], at[study.LocalityNode] = at[study.LocalityLawRank], at[study.LocalityLawNode]
	at[study.LocalityAccess], at[study.LocalityAccesses] = access*1e-9, 1000
	s.Studies = []engine.StudyView{v}
	return s
}

// Paper 1's law with l_l = 100 ns and l_r = 4 µs, fitted to G = 1 and 16.
func TestFit(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	f, err := groups.Fit([]*engine.Snapshot{swept(4, 1, 100), swept(4, 2, 105), swept(4, 4, 95), swept(4, 8, 2100),
		swept(4, 16, 3025)})
	if err != nil {
		t.Fatal(err)
	}
	if f.Within != "node" || !near(f.Constants[0].Value, 100e-9) || !near(f.Constants[1].Value, 4e-6) {
		t.Errorf("within the %s %+v; want node, 100 ns, 4 µs", f.Within, f.Constants)
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
	// On one node the share is that of the rank.
	f, err = groups.Fit([]*engine.Snapshot{swept(1, 1, 100), swept(1, 2, 150), nil, swept(1, 4, 175)})
	if err != nil || f.Within != "rank" || !near(f.Constants[0].Value, 100e-9) || !near(f.Constants[1].Value, 200e-9) ||
		math.Abs(f.Predictions[1].Error) > 1e-9 || f.Predictions[2].Row != 3 {
		t.Errorf("one node: %+v, %v", f, err)
	}
}

func TestFitErrors(t *testing.T) {
	for _, runs := range [][]*engine.Snapshot{nil, {{}}, {swept(4, 4, 100)}, {swept(4, 2, 100), swept(4, 4, 100)}} {
		if _, err := groups.Fit(runs); !errors.Is(err, models.ErrUndetermined) {
			t.Errorf("%d rows: %v", len(runs), err)
		}
	}
	if _, err := groups.Fit([]*engine.Snapshot{swept(4, 1, 100), swept(4, 16, 9, "machine", "other")}); err == nil ||
		!strings.Contains(err.Error(), "more than group and model") {
		t.Errorf("incomparable rows: %v", err)
	}
}

// The locality of accesses is known even if timings are inaccurate. No number uses such timings,
// and the remaining sentence depends only on counts.
func TestLateAccesses(t *testing.T) {
	table := study.NewTable(groups)
	s := grouped(4, 4, 4, 100, 300, 0)
	for _, keeping := range []engine.Keeping{engine.Unproven, engine.Behind, engine.Beyond} {
		s.Keeping = keeping
		table.Begin(&s.Scenario, &cluster.Machine{}, engine.Emulated)
		v := table.Look(s)
		now := v.Present().Cells
		if now[study.LocalityRank] != 0.25 || now[study.LocalityNode] != 1 || !math.IsNaN(now[study.LocalityAccess]) ||
			!math.IsNaN(now[study.LocalityLaw]) {
			t.Errorf("%s: cells %v", keeping, now)
		}
		if want := "Group 4 keeps every access inside a node."; v.Why != want {
			t.Errorf("%s: %q, want %q", keeping, v.Why, want)
		}
		table.Fold()
	}
	s.Keeping = engine.Kept
	table.Begin(&s.Scenario, &cluster.Machine{}, engine.Emulated)
	v := table.Look(s)
	if law := math.Round(v.Present().Cells[study.LocalityLaw] * 1e12); law != 77500 {
		t.Errorf("law %v ps, want 77500 from the kept times only", law)
	}
}
