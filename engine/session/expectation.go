package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// Metrics of every run, for expectations.
const (
	metricIteration = "iteration_time" // mean time of an iteration, in s
	metricVerified  = "verified"       // 1: the run verified its result, 0: not
	metricDeadlock  = "deadlock"       // 1: the run ended in a deadlock, 0: not
)

// An Outcome is the result of an expectation.
type Outcome struct {
	presets.Expectation
	Value  float64 // the metric, or the ratio; NaN: the run has none
	Unit   string
	Kind   engine.Kind
	Failed string // why there is no value
}

// Met reports whether the value is in the range.
func (o *Outcome) Met() bool { return o.Holds(o.Value) }

// Play runs a scenario with the changes that its expectations need, and returns their outcomes in order.
func Play(ctx context.Context, p *presets.Scenario, o Options, progress func(*Progress)) ([]Outcome, error) {
	base, err := FromPreset(p, o.Machines...)
	if err != nil {
		return nil, err
	}
	var rows []Row
	var scenarios []engine.Scenario
	point := func(knobs []presets.Knob) (int, error) {
		var r Row
		sc := base.Clone()
		for _, k := range knobs {
			if err := sc.Set(k.Name, k.Value); err != nil {
				return 0, err
			}
			r.Knobs = append(r.Knobs, Setting{Knob: k.Name, Value: sc.Text(k.Name)})
		}
		at := slices.IndexFunc(rows, func(x Row) bool { return slices.Equal(x.Knobs, r.Knobs) })
		if at < 0 {
			at = len(rows)
			rows, scenarios = append(rows, r), append(scenarios, sc)
		}
		return at, nil
	}
	points := make([][2]int, len(p.Expect))
	for i := range p.Expect {
		for side, knobs := range [...][]presets.Knob{p.Expect[i].Knobs, p.Expect[i].Against} {
			if side == 1 && p.Expect[i].Relation != presets.Times {
				break
			}
			points[i][side], err = point(knobs)
			if err != nil {
				return nil, err
			}
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	rows, err = RunRows(ctx, rows, scenarios, o, progress)
	if err != nil {
		return nil, err
	}
	all := make([]Outcome, len(p.Expect))
	for i, e := range p.Expect {
		x := &all[i]
		x.Expectation = e
		x.take(rows[points[i][0]].Snapshot, rows[points[i][1]].Snapshot)
	}
	return all, nil
}

// take computes the value from the run and the run that Times divides by.
func (o *Outcome) take(run, against *engine.Snapshot) {
	m, why := Result(run, o.Metric)
	o.Value, o.Unit, o.Kind, o.Failed = m.Value, m.Unit, m.Kind, why
	if o.Relation == presets.Times && why == "" {
		base, why := Result(against, o.Metric)
		o.Value, o.Unit, o.Failed = m.Value/base.Value, "1", why
		if why == "" && base.Kind != m.Kind {
			o.Value, o.Failed = math.NaN(), fmt.Sprintf("%s and %s numbers have no ratio", m.Kind, base.Kind)
		}
	}
}

// Result returns a metric of a run that an expectation can name, or why the run does not have it.
func Result(s *engine.Snapshot, name string) (engine.Metric, string) {
	m := engine.Metric{Name: name, Value: math.NaN(), Unit: "1", Kind: s.Kind}
	is := func(yes bool) (engine.Metric, string) {
		m.Value = 0
		if yes {
			m.Value = 1
		}
		return m, ""
	}
	switch name {
	case metricVerified:
		return is(s.Failure == "" && s.Verification.Done && s.Verification.OK)
	case metricDeadlock:
		return is(s.Deadlock != nil)
	}
	if s.Failure != "" {
		failure, _, _ := strings.Cut(s.Failure, "\n")
		return m, failure
	}
	if s.Late() {
		return m, "the host fell behind, so the times are invalid"
	}
	if name == metricIteration {
		x, ok := iterationTime(s)
		if !ok {
			return m, "no iteration ended"
		}
		m.Value, m.Unit = x, "s"
		return m, ""
	}
	found, ok := s.Metric(name)
	if !ok {
		return m, "the run has no value of " + name
	}
	return found, ""
}

// checkExpectations reports the first expectation with an unknown metric or a wrong knob.
func checkExpectations(p *presets.Scenario, sc *engine.Scenario) error {
	w, err := workload.Find(sc.Workload)
	if err != nil {
		return err
	}
	for i := range p.Expect {
		e, at := &p.Expect[i], fmt.Sprintf("expect.%d.", i+1)
		if all := expectable(w); !slices.Contains(all, e.Metric) {
			return p.Wrong(at+"metric", fmt.Errorf("unknown metric %q of %s: want one of %s", e.Metric, w.Name,
				strings.Join(all, ", ")))
		}
		run, against := sc.Clone(), sc.Clone()
		for _, k := range e.Knobs {
			if err := run.Set(k.Name, k.Value); err != nil {
				return p.Wrong(at+"knobs."+k.Name, err)
			}
		}
		for _, k := range e.Against {
			if err := against.Set(k.Name, k.Value); err != nil {
				return p.Wrong(at+"against."+k.Name, err)
			}
		}
	}
	return nil
}

// expectable returns the metrics that an expectation of a workload can name.
func expectable(w *workload.Workload) []string {
	all := []string{metricIteration, metricVerified, metricDeadlock}
	for _, m := range slices.Concat(w.Metrics, w.Derived) {
		all = append(all, m.Name)
	}
	return all
}
