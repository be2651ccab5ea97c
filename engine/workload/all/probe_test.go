package all_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	_ "github.com/hybridtop/hybridtop/engine/workload/ring" // the example of CONTRIBUTING passes the same tests
	"github.com/hybridtop/hybridtop/presets"
)

// record is the data that the probes of a run collected.
type record struct {
	mu       sync.Mutex
	accesses [cluster.Classes]int64
	reports  map[string][]float64
	checks   int
	failures []string
	traffic  cluster.Traffic
}

// probe is an engine.Probe that runs a number of iterations and records everything.
type probe struct {
	engine.Probe
	r      *cluster.Rank
	w      *workload.Workload
	s      *engine.Scenario
	rec    *record
	left   int
	n      int
	before func(r *cluster.Rank, iteration int) // may be nil
}

// Part does nothing: there is no timeline.
func (p *probe) Part(int, string)                     {}
func (p *probe) Place(string, int, float64)           {}
func (p *probe) TallyIn(string, int, int, int, int64) {}
func (p *probe) Step(int, int)                        {}

func (p *probe) Next() bool {
	if err := p.r.Barrier(p.r.All()); err != nil {
		panic(err)
	}
	if p.left == 0 {
		p.rec.mu.Lock()
		defer p.rec.mu.Unlock()
		for c, n := range p.r.Traffic().Ops {
			p.rec.traffic.Ops[c] += n
			p.rec.traffic.Bytes[c] += p.r.Traffic().Bytes[c]
		}
		return false
	}
	if p.before != nil {
		p.before(p.r, p.n)
		if err := p.r.Barrier(p.r.All()); err != nil {
			panic(err)
		}
	}
	p.left--
	p.n++
	return true
}

func (p *probe) Iteration() int { return p.n - 1 }

func (p *probe) Access(to int, n int64, t cluster.Time) {
	p.rec.mu.Lock()
	defer p.rec.mu.Unlock()
	if n < 0 || t < 0 {
		p.rec.failures = append(p.rec.failures, fmt.Sprintf("access of %d B that took %v", n, t))
	}
	p.rec.accesses[p.r.Spec().Layout.ClassOf(p.r.ID(), to)]++
}

func (p *probe) Report(name string, v float64) {
	p.rec.mu.Lock()
	defer p.rec.mu.Unlock()
	if !slices.ContainsFunc(p.w.Metrics, func(m engine.MetricSpec) bool { return m.Name == name }) {
		p.rec.failures = append(p.rec.failures, "report of an undeclared metric "+name)
	}
	p.rec.reports[name] = append(p.rec.reports[name], v)
}

func (p *probe) Sample(name string, v float64) {
	p.rec.mu.Lock()
	defer p.rec.mu.Unlock()
	if !slices.ContainsFunc(p.w.Samples, func(m engine.MetricSpec) bool { return m.Name == name }) || !(v >= 0) {
		p.rec.failures = append(p.rec.failures, fmt.Sprintf("sample %s = %g: undeclared or negative", name, v))
	}
}

func (p *probe) Tally(name string, row, column int, n int64) {
	p.rec.mu.Lock()
	defer p.rec.mu.Unlock()
	for _, t := range p.w.Tallies {
		if t.Name == name {
			rows, columns := t.Labels(p.s, &p.r.Spec().Machine)
			if row < 0 || row >= len(rows) || column < 0 || column >= len(columns) {
				p.rec.failures = append(p.rec.failures,
					fmt.Sprintf("table %s of %d × %d: cell %d, %d", name, len(rows), len(columns), row, column))
			}
			return
		}
	}
	p.rec.failures = append(p.rec.failures, "a count in an undeclared table "+name)
}

func (p *probe) Verify(ok bool, detail string) {
	p.rec.mu.Lock()
	defer p.rec.mu.Unlock()
	p.rec.checks++
	if !ok {
		p.rec.failures = append(p.rec.failures, detail)
	}
}

func (p *probe) Checksum(func() uint64)    {}
func (p *probe) Clock() cluster.Time       { return 20 * cluster.Nanosecond }
func (p *probe) Int(knob string) int64     { return p.s.Int(knob) }
func (p *probe) Float(knob string) float64 { return p.s.Float(knob) }
func (p *probe) Text(knob string) string   { return p.s.Text(knob) }

// trial is a workload with some knobs set.
type trial struct {
	workload   string
	knobs      map[string]string
	iterations int
	before     func(r *cluster.Rank, iteration int)
}

// plan returns the workload, scenario, machine and plan of a trial.
func (tr *trial) plan(t *testing.T) (*workload.Workload, engine.Scenario, cluster.Machine, workload.Plan, error) {
	t.Helper()
	w, err := workload.Find(tr.workload)
	if err != nil {
		t.Fatal(err)
	}
	s := w.Scenario(presets.Machines())
	if err := s.Set("machine", "this-host"); err != nil {
		t.Fatal(err)
	}
	for knob, v := range tr.knobs {
		if err := s.Set(knob, v); err != nil {
			t.Fatal(err)
		}
	}
	m, err := presets.Machine(s.Text("machine"))
	if err != nil {
		t.Fatal(err)
	}
	l := s.Layout()
	if err := l.Validate(); err != nil {
		t.Fatal(err)
	}
	plan, err := w.Plan(&s, workload.SiteOf(live.New(), &m))
	return w, s, m, plan, err
}

// run launches a trial on the live fabric.
func (tr *trial) run(t *testing.T) (*record, error) {
	t.Helper()
	w, s, m, plan, err := tr.plan(t)
	if err != nil {
		return nil, err
	}
	rec := &record{reports: make(map[string][]float64)}
	spec := cluster.Spec{Machine: m, Layout: s.Layout(), Segment: plan.Segment, EagerLimit: s.Int("eager-limit"),
		Seed: uint64(s.Int("seed")), Dilation: s.Float("dilation")}
	err = cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
		return w.Run(r, &probe{r: r, w: w, s: &s, rec: rec, left: tr.iterations, before: tr.before})
	})
	return rec, err
}

// sound runs a trial and fails the test if it does not verify.
func (tr *trial) sound(t *testing.T) *record {
	t.Helper()
	rec, err := tr.run(t)
	if err != nil {
		t.Fatalf("%v: %v", tr.knobs, err)
	}
	if rec.checks == 0 {
		t.Errorf("%v: nothing was verified", tr.knobs)
	}
	for _, f := range rec.failures {
		t.Errorf("%v: %s", tr.knobs, f)
	}
	return rec
}
