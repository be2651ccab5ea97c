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

// Sensitivities returns, for each lesson, the assumed constants whose half or double changes an answer: another choice is
// right, or the value leaves the range of right predictions. It runs one iteration of each run that an answer needs, and more with changed
// constants.
//
// A longer time or a lower rate that changes no event of a run is hidden behind other costs, or the run does not pay it. A
// shorter time or a higher rate then has no effect, too, so only the others run. One run of a machine finds such
// constants. Its other runs change all of them at once, because costs that only grow cannot cancel each other.
func Sensitivities(ctx context.Context, lessons []*presets.Lesson, o session.Options,
	progress func(*session.Progress)) ([][]Sensitivity, error) {
	o.Limits = session.Limits{Iterations: 1}
	programs, err := neededPrograms(lessons, o.Machines)
	if err != nil {
		return nil, err
	}
	if err := runPrograms(ctx, programs, o, progress); err != nil {
		return nil, err
	}
	s := study{options: o, progress: progress, keys: map[string][]string{}}
	for _, p := range programs {
		if p.base.Kind == engine.Simulated && p.base.Virtual != nil {
			if err := s.add(p); err != nil {
				return nil, err
			}
		}
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	all := make([][]Sensitivity, len(lessons))
	for i, l := range lessons {
		all[i] = s.decisive(l)
	}
	return all, nil
}

// neededPrograms returns the programs that the answers of lessons need.
func neededPrograms(lessons []*presets.Lesson, own []cluster.Machine) ([]*program, error) {
	var all []*program
	for _, l := range lessons {
		needed := map[string]bool{}
		for _, x := range expressions(l) {
			for _, m := range x.Metrics() {
				needed[m[0]] = true
			}
		}
		for i := range l.Runs {
			if needed[l.Runs[i].Name] {
				var err error
				if all, err = addProgram(all, l, &l.Runs[i], own); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// change multiplies a constant of a machine.
type change struct {
	key    string
	factor float64
}

// study runs programs with changed constants.
type study struct {
	options  session.Options
	progress func(*session.Progress)
	machines []cluster.Machine
	keys     map[string][]string // assumed constants by machine
	programs []*program
}

// add adds a program whose base has run.
func (s *study) add(p *program) error {
	name := p.base.Machine
	if _, known := s.keys[name]; !known {
		m, err := presets.Machine(name)
		if err != nil {
			return err
		}
		s.machines = append(s.machines, m)
		s.keys[name] = nil
		for _, f := range presets.Facts(&m) {
			if f.Kind() == presets.Assumed {
				s.keys[name] = append(s.keys[name], f.Key)
			}
		}
	}
	s.programs = append(s.programs, p)
	return nil
}

func (s *study) machine(name string) *cluster.Machine {
	return &s.machines[slices.IndexFunc(s.machines, func(m cluster.Machine) bool { return m.Name == name })]
}

// slower returns the factor with which a constant costs more time, or false for a number that is not a cost, such as a limit.
func (s *study) slower(machine, key string) (float64, bool) {
	_, unit, _ := presets.Value(s.machine(machine), key)
	switch {
	case unit == "s":
		return 2, true
	case unit == "B/s" || unit == "flop/s" || strings.HasPrefix(key, "kernel."):
		return 0.5, true
	}
	return 0, false
}

// trial is a program to run with changed constants.
type trial struct {
	program *program
	changes []change
}

// run runs all trials that can have an effect.
func (s *study) run(ctx context.Context) error {
	first := map[string]*program{} // the smallest program of each machine
	for _, p := range s.programs {
		if q := first[p.base.Machine]; q == nil || p.base.Virtual.Events < q.base.Virtual.Events {
			first[p.base.Machine] = p
		}
	}
	var trials, groups []trial
	for _, p := range first {
		for _, key := range s.keysOf(p) {
			if factor, cost := s.slower(p.base.Machine, key); cost {
				trials = append(trials, trial{p, []change{{key, factor}}})
			}
		}
	}
	if err := s.try(ctx, trials); err != nil {
		return err
	}
	trials = nil
	for _, p := range s.programs {
		var idle []change
		for _, key := range s.keysOf(p) {
			factor, cost := s.slower(p.base.Machine, key)
			c := change{key, factor}
			switch {
			case !cost:
				trials = append(trials, trial{p, []change{{key, 2}}}, trial{p, []change{{key, 0.5}}})
			case p.changed[c] != nil:
			case first[p.base.Machine].changed[c] == first[p.base.Machine].base:
				idle = append(idle, c)
			default:
				trials = append(trials, trial{p, []change{c}})
			}
		}
		if len(idle) > 0 {
			groups = append(groups, trial{p, idle})
		}
	}
	if err := s.try(ctx, append(trials, groups...)); err != nil {
		return err
	}
	trials = nil
	for _, g := range groups {
		for _, c := range g.changes {
			if g.program.changed[c] == nil {
				trials = append(trials, trial{g.program, []change{c}})
			}
		}
	}
	if err := s.try(ctx, trials); err != nil {
		return err
	}
	trials = nil
	for _, p := range s.programs {
		for _, key := range s.keysOf(p) {
			if factor, cost := s.slower(p.base.Machine, key); cost && p.changed[change{key, factor}] != p.base {
				trials = append(trials, trial{p, []change{{key, 1 / factor}}})
			}
		}
	}
	return s.try(ctx, trials)
}

// keysOf returns the assumed constants that a program can depend on. The efficiency of a library routine matters only to
// workloads that call the routine.
func (s *study) keysOf(p *program) []string {
	w, err := workload.Find(p.scenario.Workload)
	return slices.DeleteFunc(slices.Clone(s.keys[p.base.Machine]), func(key string) bool {
		routine, kernel := strings.CutPrefix(key, "kernel.")
		return kernel && (err != nil || !slices.ContainsFunc(w.Kernels, func(k cluster.Kernel) bool { return k.String() == routine }))
	})
}

// try runs trials. It stores the result of a trial with one change, and the base as the result of each change if all
// events are equal. A constant that cannot have a value is skipped.
func (s *study) try(ctx context.Context, trials []trial) error {
	o := s.options
	o.Machines = slices.Clone(o.Machines)
	var rows []session.Row
	var scenarios []engine.Scenario
	var owners []trial
	for _, t := range trials {
		m, err := *s.machine(t.program.base.Machine), error(nil)
		for _, c := range t.changes {
			if err == nil {
				m, err = presets.Scaled(&m, c.key, c.factor)
			}
		}
		if err != nil {
			continue
		}
		m.Name = fmt.Sprintf("%s-%d", m.Name, len(rows))
		o.Machines = append(o.Machines, m)
		sc, err := Scenario(t.program.users[0].lesson, t.program.users[0].run, append(slices.Clip(s.options.Machines), m)...)
		if err == nil {
			err = sc.Set("machine", m.Name)
		}
		if err != nil {
			return err
		}
		rows = append(rows, session.Row{Knobs: []session.Setting{{Knob: t.program.users[0].run.Name, Value: t.changes[0].key}}})
		scenarios, owners = append(scenarios, sc), append(owners, t)
	}
	if len(rows) == 0 {
		return nil
	}
	rows, err := session.RunRows(ctx, rows, scenarios, o, s.progress)
	if err != nil {
		return err
	}
	for i, t := range owners {
		snap, base := rows[i].Snapshot, t.program.base
		if snap.Virtual != nil && *snap.Virtual == *base.Virtual {
			snap = base
		} else if len(t.changes) > 1 {
			continue
		}
		for _, c := range t.changes {
			t.program.changed[c] = snap
		}
	}
	return nil
}

// decisive returns the changes after which an answer of a lesson is not right.
func (s *study) decisive(l *presets.Lesson) []Sensitivity {
	base := Results{}
	mine := func(each func(name string, p *program)) {
		for _, p := range s.programs {
			for _, u := range p.users {
				if u.lesson == l {
					each(u.run.Name, p)
				}
			}
		}
	}
	mine(func(name string, p *program) { base[name] = p.base })
	var all []Sensitivity
	for _, factor := range []float64{2, 0.5} {
		for i := range s.machines {
			name := s.machines[i].Name
			for _, key := range s.keys[name] {
				changed, effect := maps.Clone(base), false
				mine(func(run string, p *program) {
					if snap := p.changed[change{key, factor}]; snap != nil && p.base.Machine == name {
						changed[run], effect = snap, effect || snap != p.base
					}
				})
				for k := range l.Steps {
					if a := l.Steps[k].Ask; effect && a != nil && !sameAnswer(a, base, changed) {
						all = append(all, Sensitivity{Line: a.Line, Machine: name, Key: key, Factor: factor})
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int { return a.Line - b.Line })
	return all
}

// expressions returns the expressions of all answers that can be parsed.
func expressions(l *presets.Lesson) []Expression {
	var all []Expression
	for i := range l.Steps {
		if a := l.Steps[i].Ask; a != nil {
			for k := range a.Expect {
				for _, text := range []string{a.Expect[k].Metric, a.Expect[k].Divisor} {
					if x, err := ParseExpression(text); err == nil {
						all = append(all, x)
					}
				}
			}
		}
	}
	return all
}

// sameAnswer reports whether an answer stays right with other results.
func sameAnswer(a *presets.Ask, base, changed Results) bool {
	if a.Kind == presets.AskChoice {
		return changed.checkAnswer(a) == nil
	}
	before, err := base.value(a.Expect[0].Metric)
	after, err2 := changed.value(a.Expect[0].Metric)
	return err == nil && err2 == nil && Right(a, before, after)
}
