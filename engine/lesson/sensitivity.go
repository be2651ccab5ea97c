package lesson

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// Sensitivity is an assumed constant that decides an answer.
type Sensitivity struct {
	Line    int // of the question
	Machine string
	Key     string
	Factor  float64 // 0.5 or 2
}

// Sensitivities returns the assumed constants whose half or double changes an answer: another choice is right, or the
// value leaves the factor Near. It runs one iteration of each run that an answer needs, and one more for each constant
// of its machine. A constant without effect when doubled is not halved.
func Sensitivities(ctx context.Context, l *presets.Lesson, o session.Options,
	progress func(*session.Progress)) ([]Sensitivity, error) {
	o.Limits = session.Limits{Iterations: 1}
	base, err := Run(ctx, l, o, progress)
	if err != nil {
		return nil, err
	}
	var all []Sensitivity
	variants, err := variantsOf(l, base)
	for _, factor := range []float64{2, 0.5} {
		if err != nil || len(variants) == 0 {
			break
		}
		if err = runVariants(ctx, l, o, variants, factor, progress); err != nil {
			break
		}
		for _, v := range variants {
			changed := maps.Clone(base)
			maps.Copy(changed, v.results)
			for i := range l.Steps {
				if a := l.Steps[i].Ask; a != nil && !sameAnswer(a, base, changed) {
					all = append(all, Sensitivity{Line: a.Line, Machine: v.machine.Name, Key: v.key, Factor: factor})
				}
			}
		}
		variants = slices.DeleteFunc(variants, func(v *variant) bool {
			return len(v.results) > 0 && !v.hasEffect(l, base)
		})
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int { return a.Line - b.Line })
	return all, err
}

// variant is a machine with one assumed constant to change. results has the runs with the constant changed.
type variant struct {
	machine cluster.Machine
	key     string
	runs    []*presets.LessonRun
	results Results
}

// variantsOf returns a variant for each assumed constant of the machines of the runs that answers need.
func variantsOf(l *presets.Lesson, base Results) ([]*variant, error) {
	needed := map[string]bool{}
	for _, x := range expressions(l) {
		for _, m := range x.Metrics() {
			needed[m[0]] = true
		}
	}
	var all []*variant
	for i := range l.Runs {
		r := &l.Runs[i]
		if !needed[r.Name] || base[r.Name].Kind != engine.Simulated {
			continue
		}
		m, err := presets.Machine(base[r.Name].Machine)
		if err != nil {
			return nil, err
		}
		for _, f := range presets.Facts(&m) {
			if f.Kind() != presets.Assumed || !uses(base[r.Name].Scenario.Workload, f.Key) {
				continue
			}
			at := slices.IndexFunc(all, func(v *variant) bool { return v.machine.Name == m.Name && v.key == f.Key })
			if at < 0 {
				at = len(all)
				all = append(all, &variant{machine: m, key: f.Key})
			}
			all[at].runs = append(all[at].runs, r)
		}
	}
	return all, nil
}

// uses reports whether a workload can depend on a fact of a machine. The efficiency of a library routine matters only to
// workloads that call the routine.
func uses(name, key string) bool {
	routine, kernel := strings.CutPrefix(key, "kernel.")
	if !kernel {
		return true
	}
	w, err := workload.Find(name)
	return err == nil && slices.ContainsFunc(w.Kernels, func(k cluster.Kernel) bool { return k.String() == routine })
}

// expressions returns the expressions of all answers that can be parsed.
func expressions(l *presets.Lesson) []Expression {
	var all []Expression
	for i := range l.Steps {
		if a := l.Steps[i].Ask; a != nil {
			if x, err := ParseExpression(a.Answer + a.Check); err == nil {
				all = append(all, x)
			}
		}
	}
	return all
}

// runVariants runs all variants with their constants multiplied by a factor. A constant that has no such value has no results.
func runVariants(ctx context.Context, l *presets.Lesson, o session.Options, variants []*variant, factor float64,
	progress func(*session.Progress)) error {
	o.Machines = slices.Clone(o.Machines)
	var rows []session.Row
	var scenarios []engine.Scenario
	var owners []*variant
	for i, v := range variants {
		v.results = Results{}
		m, err := presets.Scaled(&v.machine, v.key, factor)
		if err != nil {
			continue
		}
		m.Name = fmt.Sprintf("%s-%d", v.machine.Name, i)
		o.Machines = append(o.Machines, m)
		for _, r := range v.runs {
			sc, err := Scenario(l, r, o.Machines...)
			if err == nil {
				err = sc.Set("machine", m.Name)
			}
			if err != nil {
				return err
			}
			rows = append(rows, session.Row{Knobs: []session.Setting{{Knob: r.Name, Value: v.key}}})
			scenarios, owners = append(scenarios, sc), append(owners, v)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	rows, err := session.RunRows(ctx, rows, scenarios, o, progress)
	if err != nil {
		return err
	}
	for i := range rows {
		owners[i].results[rows[i].Knobs[0].Knob] = rows[i].Snapshot
	}
	return nil
}

// hasEffect reports whether a metric that an answer needs has changed.
func (v *variant) hasEffect(l *presets.Lesson, base Results) bool {
	for _, x := range expressions(l) {
		for _, m := range x.Metrics() {
			s, ok := v.results[m[0]]
			if !ok {
				continue
			}
			before, _ := session.Result(base[m[0]], m[1])
			after, why := session.Result(s, m[1])
			if why != "" || before.Value != after.Value {
				return true
			}
		}
	}
	return false
}

// sameAnswer reports whether an answer stays right with other results.
func sameAnswer(a *presets.Ask, base, changed Results) bool {
	if a.Kind == presets.AskChoice {
		v, err := changed.value(a.Check)
		return err == nil && v == 1
	}
	before, err := base.value(a.Answer)
	after, err2 := changed.value(a.Answer)
	return err == nil && err2 == nil && Right(a, before, after)
}
