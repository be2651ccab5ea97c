package lesson

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// Results has the last snapshot of each named run.
type Results map[string]*engine.Snapshot

// Scenario returns the scenario of a named run.
func Scenario(l *presets.Lesson, r *presets.LessonRun, machines ...cluster.Machine) (engine.Scenario, error) {
	p, err := presets.FindScenario(r.Preset)
	if err != nil {
		return engine.Scenario{}, l.Wrong(r.Line(), fmt.Errorf("run %s: %w", r.Name, err))
	}
	sc, err := session.FromPreset(&p, machines...)
	for _, k := range r.Knobs {
		if err == nil {
			err = sc.Set(k.Name, k.Value)
		}
	}
	if err != nil {
		return sc, l.Wrong(r.Line(), fmt.Errorf("run %s: %w", r.Name, err))
	}
	return sc, nil
}

// Run runs the named runs of a lesson. A run that fails or does not verify is an error.
func Run(ctx context.Context, l *presets.Lesson, o session.Options, progress func(*session.Progress)) (Results, error) {
	var scenarios []engine.Scenario
	for i := range l.Runs {
		sc, err := Scenario(l, &l.Runs[i], o.Machines...)
		if err != nil {
			return nil, err
		}
		scenarios = append(scenarios, sc)
	}
	return run(ctx, l, scenarios, o, progress)
}

func run(ctx context.Context, l *presets.Lesson, scenarios []engine.Scenario, o session.Options,
	progress func(*session.Progress)) (Results, error) {
	if len(scenarios) == 0 {
		return Results{}, nil
	}
	rows := make([]session.Row, len(scenarios))
	for i := range rows {
		rows[i].Knobs = []session.Setting{{Knob: "run", Value: l.Runs[i].Name}}
	}
	rows, err := session.RunRows(ctx, rows, scenarios, o, progress)
	if err != nil {
		return nil, err
	}
	results := Results{}
	for i := range rows {
		s, r := rows[i].Snapshot, &l.Runs[i]
		verified, _ := session.Result(s, "verified")
		deadlock, _ := session.Result(s, "deadlock")
		if verified.Value != 1 && deadlock.Value != 1 {
			reason := s.Failure
			if reason == "" {
				reason = s.Verification.Detail
			}
			return nil, l.Wrong(r.Line(), fmt.Errorf("run %s does not verify: %s", r.Name, reason))
		}
		results[r.Name] = s
	}
	return results, nil
}

// Value computes an expression in SI base units. A check is 1 if it is true, otherwise 0.
func (r Results) Value(x *Expression) (float64, error) {
	v, err := x.root.eval(func(run, metric string) (float64, error) {
		s, ok := r[run]
		if !ok {
			return math.NaN(), fmt.Errorf("there is no run %q (want one of %v)", run, r.names())
		}
		m, why := session.Result(s, metric)
		if why != "" {
			return math.NaN(), fmt.Errorf("%s.%s: %s", run, metric, why)
		}
		if s.Kind != engine.Simulated && m.Kind != engine.Modelled && metric != "verified" && metric != "deadlock" {
			return math.NaN(), fmt.Errorf("%s.%s is %s and differs from run to run (use a simulated run)", run, metric, m.Kind)
		}
		return m.Value, nil
	})
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("expression %q has no finite value", x.text)
	}
	return v, err
}

func (r Results) names() []string {
	var all []string
	for name := range r {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// value parses and computes an expression.
func (r Results) value(text string) (float64, error) {
	x, err := ParseExpression(text)
	if err != nil {
		return math.NaN(), err
	}
	return r.Value(&x)
}

// Answer returns the answer to a question: the number of the right choice, or a value in SI base units.
func (r Results) Answer(a *presets.Ask) (float64, error) {
	if a.Kind == presets.AskChoice {
		return float64(a.Right), nil
	}
	return r.value(a.Answer)
}

// Right reports whether a prediction is right: the same choice, or a value within the factor Near.
func Right(a *presets.Ask, prediction, answer float64) bool {
	if a.Kind == presets.AskChoice {
		return prediction == answer
	}
	return Factor(prediction, answer) <= a.Near*(1+1e-9)
}

// Factor returns the factor between a prediction and an answer, at least 1, and +Inf for different signs or zero.
func Factor(prediction, answer float64) float64 {
	switch {
	case prediction == answer:
		return 1
	case prediction <= 0 || answer <= 0:
		return math.Inf(1)
	}
	return max(prediction/answer, answer/prediction)
}
