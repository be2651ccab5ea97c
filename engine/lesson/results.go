package lesson

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// Results has the last snapshot of each named run.
type Results map[string]*engine.Snapshot

// LiveTime is the time of a live run of a lesson.
const LiveTime = 3 * time.Second

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
	all, err := RunAll(ctx, []*presets.Lesson{l}, o, progress)
	if err != nil {
		return nil, err
	}
	return all[0].Results, all[0].Err
}

// Outcome has the results of a lesson, or the error of a run that fails, does not verify or cannot start.
type Outcome struct {
	Results Results
	Err     error
}

// RunAll runs the named runs of lessons. Equal runs run once.
func RunAll(ctx context.Context, lessons []*presets.Lesson, o session.Options,
	progress func(*session.Progress)) ([]Outcome, error) {
	all := make([]Outcome, len(lessons))
	var programs []*program
	for i, l := range lessons {
		all[i].Results = Results{}
		for k := range l.Runs {
			var err error
			if programs, err = addProgram(programs, l, &l.Runs[k], o.Machines); err != nil {
				all[i].Err = err
				break
			}
		}
	}
	if err := runPrograms(ctx, programs, o, progress); err != nil {
		return nil, err
	}
	for _, p := range programs {
		failure := failureOf(p.base)
		for _, u := range p.users {
			out := &all[slices.Index(lessons, u.lesson)]
			out.Results[u.run.Name] = p.base
			if failure != "" && out.Err == nil {
				out.Err = u.lesson.Wrong(u.run.Line(), fmt.Errorf("run %s does not verify: %s", u.run.Name, failure))
			}
		}
	}
	return all, nil
}

// failureOf returns why a run has no valid result, or "".
func failureOf(s *engine.Snapshot) string {
	verified, _ := session.Result(s, "verified")
	deadlock, _ := session.Result(s, "deadlock")
	if verified.Value == 1 || deadlock.Value == 1 {
		return ""
	}
	return cmp.Or(s.Failure, s.Verification.Detail, "no check")
}

// program is a scenario that at least one named run of the lessons has.
type program struct {
	scenario engine.Scenario
	users    []user
	base     *engine.Snapshot
	changed  map[change]*engine.Snapshot // with one constant of the machine multiplied
}

// user is a named run of a lesson.
type user struct {
	lesson *presets.Lesson
	run    *presets.LessonRun
}

// addProgram adds a named run to the program with its scenario, or adds a program.
func addProgram(all []*program, l *presets.Lesson, r *presets.LessonRun, own []cluster.Machine) ([]*program, error) {
	sc, err := Scenario(l, r, own...)
	if err != nil {
		return all, err
	}
	at := slices.IndexFunc(all, func(p *program) bool {
		return p.scenario.Workload == sc.Workload && maps.Equal(p.scenario.Values, sc.Values)
	})
	if at < 0 {
		at = len(all)
		all = append(all, &program{scenario: sc, changed: map[change]*engine.Snapshot{}})
	}
	all[at].users = append(all[at].users, user{l, r})
	return all, nil
}

// runPrograms runs the programs and stores their last snapshots.
func runPrograms(ctx context.Context, all []*program, o session.Options, progress func(*session.Progress)) error {
	if len(all) == 0 {
		return nil
	}
	rows, scenarios := make([]session.Row, len(all)), make([]engine.Scenario, len(all))
	for i, p := range all {
		rows[i].Knobs = []session.Setting{{Knob: "run", Value: p.users[0].run.Name}}
		scenarios[i] = p.scenario
	}
	rows, err := session.RunRows(ctx, rows, scenarios, o, progress)
	if err != nil {
		return err
	}
	for i, p := range all {
		p.base = rows[i].Snapshot
	}
	return nil
}

// Value computes an expression in SI base units.
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
	return r.value(a.Expect[0].Metric)
}

// Right reports whether a prediction is right: the same choice, or a value in the range around the answer.
func Right(a *presets.Ask, prediction, answer float64) bool {
	if a.Kind == presets.AskChoice {
		return prediction == answer
	}
	const rounding = 1e-9
	e, ratio := &a.Expect[0], prediction/answer
	return ratio >= e.Low*(1-rounding) && ratio <= e.High*(1+rounding)
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
