package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/presets"
)

// small returns a figure that runs in no time.
func small(change func(f *presets.Figure)) []presets.Figure {
	f := presets.Figure{
		Name: "paper1-small", Paper: 1, Experiment: "randomaccess", Machine: "osc-ibm1350", X: "processors",
		Y: "time_per_access",
		Knobs: []presets.Knob{{Name: "ranks-per-node", Value: "4"}, {Name: "elements", Value: "4096"},
			{Name: "accesses", Value: "300"}},
		Series: []presets.Series{
			{Name: "baseline", Label: "baseline", X: []float64{4, 16},
				Knobs: []presets.Knob{{Name: "model", Value: "flat"}, {Name: "replica", Value: "full"}}},
			{Name: "pairs", Label: "pairs", X: []float64{4, 16}, Knobs: []presets.Knob{{Name: "group", Value: "2"}}},
		},
		Checks: []presets.Check{
			{Name: "gain", Claim: 7, Quantity: "speedup", Series: []string{"pairs"}, X: []float64{16}, Use: presets.UseCheck,
				Rule: presets.Within, Tolerance: .1,
				DependsOn: []string{"remote.latency_s", "flops_per_core"}},
			{Name: "share", Claim: 6, Quantity: "rank_local_share", Series: []string{"pairs"}, Use: presets.UseExact,
				Rule: presets.Sampling, Tolerance: 5,
				Published: map[string][]presets.Point{"pairs": {{X: 4, Value: .5}, {X: 16, Value: .5}}}},
		},
	}
	if change != nil {
		change(&f)
	}
	return []presets.Figure{f}
}

func TestRun(t *testing.T) {
	total := 0
	report, err := Run(t.Context(), small(nil), Options{}, func(p *session.Progress) { total = p.Total })
	if err != nil {
		t.Fatal(err)
	}
	if total != 4 || !report.Pass() || len(report.Rows) != 3 || len(report.Curves) != 2 {
		t.Errorf("%d runs, %+v", total, report)
	}
	claims := []int{}
	for _, r := range report.Rows {
		claims = append(claims, r.Claim)
	}
	if !slices.Equal(claims, []int{6, 6, 7}) {
		t.Errorf("claims %v are not in order", claims)
	}
	// 1000 operations at 131.9 Mflop/s, and 124 ns: no access of a pair leaves the node.
	if c := report.Curves[1]; math.Abs(c.Simulated[1]-7.705e-6) > 1e-8 || math.Abs(c.Modelled[1]-7.7055e-6) > 1e-9 {
		t.Errorf("pairs take %v, modelled %v", c.Simulated, c.Modelled)
	}
	var keys []string
	for _, c := range report.Constants {
		keys = append(keys, c.Key)
		if !slices.Equal(c.Claims, []int{7}) || len(c.FittedClaims) > 0 || c.Source == "" {
			t.Errorf("%+v", c)
		}
	}
	if !slices.Equal(keys, []string{"flops_per_core", "remote.latency_s"}) {
		t.Errorf("constants %v", keys)
	}
	again, err := Run(t.Context(), small(nil), Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(report.Rows, again.Rows,
		cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })); d != "" {
		t.Errorf("a second run has different rows:\n%s", d)
	}
}

// Figures that share runs run them once.
func TestSharedRuns(t *testing.T) {
	total := 0
	two := append(small(nil), small(func(f *presets.Figure) { f.Name, f.Y = "paper1-other", "rank_local_share" })...)
	report, err := Run(t.Context(), two, Options{}, func(p *session.Progress) { total = p.Total })
	if err != nil {
		t.Fatal(err)
	}
	if total != 4 || len(report.Rows) != 6 || len(report.Curves) != 4 {
		t.Errorf("%d runs, %d rows, %d curves", total, len(report.Rows), len(report.Curves))
	}
}

func TestRunErrors(t *testing.T) {
	for _, c := range []struct {
		change func(f *presets.Figure)
		want   string
	}{
		{func(f *presets.Figure) { f.Experiment = "sorting" }, `figure paper1-small: experiment "sorting": want one of `},
		{func(f *presets.Figure) { f.Machine = "abacus" }, `unknown machine "abacus"`},
		{func(f *presets.Figure) { f.Y = "colour" }, `quantity "colour": not in experiment randomaccess`},
		{func(f *presets.Figure) { f.Knobs[0].Name = "colour" }, `baseline at 4: unknown knob "colour"`},
		{func(f *presets.Figure) { f.Series[0].X[0] = 6 }, "baseline at 6: 6 processors do not fill nodes of 4"},
		{func(f *presets.Figure) { f.Series[1].Knobs[0].Value = "3" },
			"pairs, 4 processors: group = 3 does not divide 4 ranks"},
		{func(f *presets.Figure) { f.Checks[0].Quantity = "colour" }, `check gain: quantity "colour"`},
		{func(f *presets.Figure) { f.Checks[0].Rule = presets.Sampling }, "check gain: quantity speedup is not a sample"},
		{func(f *presets.Figure) { f.Series[0].X = []float64{4} },
			"check gain: quantity speedup is relative to series baseline, which has no run at 16"},
		{func(f *presets.Figure) { f.Checks[1].Against = "baseline" },
			"check share: quantity rank_local_share is not relative to a series: remove against"},
	} {
		_, err := Run(t.Context(), small(c.change), Options{}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// Run ends with its context.
func TestCancel(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Run(ctx, small(nil), Options{}, func(*session.Progress) { cancel(enough) })
	if !errors.Is(err, enough) {
		t.Errorf("error %v, want %v", err, enough)
	}
}

// Every figure can run: its experiment, knobs, positions and quantities exist. Its checks list
// exactly those constants of the machine that affect the model.
func TestFiguresAreValid(t *testing.T) {
	if testing.Short() {
		t.Skip("models every figure with each constant changed")
	}
	figures, err := presets.Figures()
	if err != nil {
		t.Fatal(err)
	}
	for i := range figures {
		f := &figures[i]
		p, err := newPlan(f)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		for _, fact := range presets.Facts(&p.machine) {
			if _, ok := fact.Value.(float64); !ok || fact.Unit == "" || fact.Unit == "B" {
				continue
			}
			q, err := newPlan(f)
			if err != nil {
				t.Fatal(err)
			}
			q.machine = doubled(t, p, fact.Key)
			for k := range f.Checks {
				if c := &f.Checks[k]; slices.Contains(c.DependsOn, fact.Key) != moves(p, q, c) {
					t.Errorf("%s: %s: leans = %v, but doubling %s changes the model: %v", f.Name, c.Name, c.DependsOn, fact.Key,
						moves(p, q, c))
				}
			}
		}
	}
}

// doubled returns a plan's machine with one fact doubled.
func doubled(t *testing.T, p *plan, key string) cluster.Machine {
	t.Helper()
	var text strings.Builder
	if err := presets.WriteMachine(&text, p.machine); err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(text.String(), "["+key+"]\nvalue = ")
	if !ok {
		t.Fatalf("no %s in\n%s", key, &text)
	}
	number, rest, _ := strings.Cut(rest, "\n")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), p.machine.Name+".toml")
	if err := os.WriteFile(file, []byte(head+"["+key+"]\nvalue = "+fmt.Sprint(2*x)+"\n"+rest), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := presets.LoadMachine(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// moves reports whether the model of a check differs between two machines.
func moves(a, b *plan, c *presets.Check) bool {
	q, _ := a.experiment.Quantity(c.Quantity)
	for _, s := range c.Series {
		one, two := a.pointsOf(c, s), b.pointsOf(c, s)
		for i := range one {
			x, y := q.Modelled(one[i], a.pointAt(q.against(c), one[i])), q.Modelled(two[i], b.pointAt(q.against(c), two[i]))
			if math.Abs(x/y-1) > roundingError {
				return true
			}
		}
	}
	return false
}

// The models of b_eff and of the Cartesian exchange include a node's message server. If the server
// is the bottleneck, the exchange is close to the simulation, and b_eff is lower.
func TestModelsIncludeMessageServer(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates two figures")
	}
	served := func(figure, quantity string) (before, after *plan, q *Quantity) {
		t.Helper()
		figures, err := presets.FindFigures(figure)
		if err != nil {
			t.Fatal(err)
		}
		before, err = newPlan(&figures[0])
		if err != nil {
			t.Fatal(err)
		}
		m := before.machine
		m.Name = "served"
		m.Classes[cluster.Remote].Gap = 0
		m.Topology = cluster.Topology{}
		m.Server = cluster.Server{Send: 2 * cluster.Millisecond, Receive: 3 * cluster.Millisecond,
			Handshake: 100 * cluster.Microsecond}
		after, err = before.onMachine(m)
		if err != nil {
			t.Fatal(err)
		}
		q, err = after.experiment.Quantity(quantity)
		if err != nil {
			t.Fatal(err)
		}
		return before, after, q
	}
	_, p, q := served("paper2-fig2", "exchange_time")
	if err := simulate(context.Background(), []*plan{p}, Options{}, nil); err != nil {
		t.Fatal(err)
	}
	for name, s := range p.points {
		if got, want := q.Simulated(s[0], nil), q.Modelled(s[0], nil); !(math.Abs(want/got-1) <= .1) {
			t.Errorf("%s: simulated %g, modelled %g", name, got, want)
		}
	}
	without, with, q := served("paper2-table1", "average")
	for name, s := range with.points {
		if a, b := q.Modelled(without.points[name][0], nil), q.Modelled(s[0], nil); !(b < a/2) {
			t.Errorf("%s: %g without a server, %g with one of 5 ms per message", name, a, b)
		}
	}
}
