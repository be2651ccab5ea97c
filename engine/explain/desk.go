package explain

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// A Question asks for the path of a scenario, its difference from a baseline, or the effect of
// changes of its machine.
type Question struct {
	Scenario engine.Scenario
	Baseline *engine.Scenario // nil: none
	Changes  []presets.Change
}

// An Answer has the results so far. It never changes.
type Answer struct {
	Question
	Run      *Run     // of the scenario; nil: not simulated yet
	Before   *Run     // of the baseline; nil: none, or not simulated yet
	Changed  *Run     // on the changed machine; nil: no changes, or not simulated yet
	Forecast Forecast // of the changes, if Run is known
	Same     bool     // Changed makes the choices of Run
	Failure  string   // why a simulation is missing
	Running  bool     // a simulation is in progress
}

// Waterfall returns the difference that the answer explains, with the names of both sides: from the
// machine to the changed one, or from the baseline to the scenario. It returns nil without one.
func (a *Answer) Waterfall() (w *Waterfall, from, to string) {
	switch {
	case a.Run != nil && a.Changed != nil:
		return Compare(a.Run, a.Changed), a.Run.Machine.Name, a.Changed.Machine.Name
	case a.Run != nil && a.Before != nil:
		return Compare(a.Before, a.Run), "baseline", "this run"
	}
	return nil, "", ""
}

// deskRuns is the number of simulations that a Desk keeps.
const deskRuns = 24

// A Desk answers questions in the background, with one simulation at a time. A question that does
// not need the simulation in progress cancels it.
type Desk struct {
	options session.Options
	answer  atomic.Pointer[Answer]
	workers sync.WaitGroup

	mu      sync.Mutex
	runs    []deskRun // the latest ones last
	outlook *Outlook  // of the question's scenario
	current string    // key of the simulation in progress; "": none
	cancel  context.CancelFunc
	working bool
	closed  bool
}

// deskRun is a simulation, or why there is none.
type deskRun struct {
	key     string
	run     *Run
	failure string
}

// task is a simulation that a question needs.
type task struct {
	key      string
	scenario engine.Scenario
	changes  []presets.Change
}

// NewDesk returns a desk without a question. Options have the fabrics and the user's machines.
func NewDesk(o session.Options) *Desk { return &Desk{options: o} }

// Answer returns the latest answer, or nil before the first question. It does not wait.
func (d *Desk) Answer() *Answer { return d.answer.Load() }

// Ask replaces the question. The answer has the forecast at once, if the scenario is simulated
// already. Simulations follow.
func (d *Desk) Ask(q Question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	q.Changes = slices.Clone(q.Changes)
	d.answer.Store(&Answer{Question: q})
	if d.current != "" && !slices.ContainsFunc(q.tasks(), func(t task) bool { return t.key == d.current }) {
		d.cancel()
	}
	d.runs = slices.DeleteFunc(d.runs, func(r deskRun) bool { return r.run == nil })
	if d.publish() && !d.working {
		d.working = true
		d.workers.Go(d.work)
	}
}

// Forget ends the question and cancels its simulation.
func (d *Desk) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer.Store(nil)
	if d.cancel != nil {
		d.cancel()
	}
}

// Wait waits until no simulation is missing.
func (d *Desk) Wait() { d.workers.Wait() }

// Close ends the desk and waits for its simulation.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	if d.cancel != nil {
		d.cancel()
	}
	d.mu.Unlock()
	d.workers.Wait()
}

// work simulates what the question needs, until nothing is missing.
func (d *Desk) work() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		next, ok := d.missing()
		if !ok || d.closed {
			d.working = false
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		d.current, d.cancel = next.key, cancel
		d.mu.Unlock()
		run, err := d.simulate(ctx, &next)
		d.mu.Lock()
		d.current, d.cancel = "", nil
		if ctx.Err() == nil {
			d.keep(next.key, run, err)
		}
		cancel()
		d.publish()
	}
}

// simulate runs a task. A run on an unchanged machine also has a timeline, if it has room.
func (d *Desk) simulate(ctx context.Context, t *task) (*Run, error) {
	if len(t.changes) > 0 {
		return After(ctx, t.scenario, t.changes, d.options)
	}
	timed := t.scenario.Clone()
	if timed.Set("timeline", "on") == nil {
		if r, err := Explain(ctx, timed, d.options); err == nil || ctx.Err() != nil {
			return r, err
		}
	}
	return Explain(ctx, t.scenario, d.options)
}

// keep stores the result of a simulation.
func (d *Desk) keep(key string, run *Run, err error) {
	r := deskRun{key: key, run: run}
	if err != nil {
		r.failure = err.Error()
	}
	if len(d.runs) == deskRuns {
		d.runs = slices.Delete(d.runs, 0, 1)
	}
	for i := range d.runs {
		if old := d.runs[i].run; old != nil && old.Timeline != nil && run != nil && run.Timeline != nil {
			short := *old // only the latest timeline is kept
			short.Timeline = nil
			d.runs[i].run = &short
		}
	}
	d.runs = append(d.runs, r)
}

// find returns a stored simulation, which becomes the latest one.
func (d *Desk) find(key string) *deskRun {
	i := slices.IndexFunc(d.runs, func(r deskRun) bool { return r.key == key })
	if i < 0 {
		return nil
	}
	r := d.runs[i]
	d.runs = append(slices.Delete(d.runs, i, i+1), r)
	return &d.runs[len(d.runs)-1]
}

// missing returns the next simulation that the question needs.
func (d *Desk) missing() (task, bool) {
	if a := d.answer.Load(); a != nil {
		for _, t := range a.tasks() {
			if d.find(t.key) == nil {
				return t, true
			}
		}
	}
	return task{}, false
}

// publish publishes the answer, and reports whether a simulation is missing.
func (d *Desk) publish() bool {
	last := d.answer.Load()
	if last == nil {
		return false
	}
	a := &Answer{Question: last.Question}
	for _, t := range a.tasks() {
		r := d.find(t.key)
		if r == nil {
			a.Running = true
			continue
		}
		if r.run == nil {
			a.Failure = r.failure
			continue
		}
		switch {
		case len(t.changes) > 0:
			a.Changed = r.run
		case a.Baseline != nil && t.key == keyOf(a.Baseline, nil):
			a.Before = r.run
			if t.key == keyOf(&a.Scenario, nil) {
				a.Run = r.run
			}
		default:
			a.Run = r.run
		}
	}
	if a.Run != nil && len(a.Changes) > 0 {
		if d.outlook == nil || d.outlook.Base() != a.Run {
			d.outlook = NewOutlook(a.Run)
		}
		a.Forecast = d.outlook.At(a.Changes)
		if a.Changed != nil {
			a.Same = d.outlook.Add(a.Changes, a.Changed)
		}
	}
	d.answer.Store(a)
	return a.Running
}

// tasks returns the simulations that a question needs, in the order in which they run.
func (q *Question) tasks() []task {
	all := []task{{key: keyOf(&q.Scenario, nil), scenario: q.Scenario}}
	if len(q.Changes) > 0 {
		all = append(all, task{key: keyOf(&q.Scenario, q.Changes), scenario: q.Scenario, changes: q.Changes})
	} else if q.Baseline != nil {
		all = append(all, task{key: keyOf(q.Baseline, nil), scenario: *q.Baseline})
	}
	return all
}

// keyOf returns a text that is unique for a scenario and changes.
func keyOf(sc *engine.Scenario, changes []presets.Change) string {
	var b strings.Builder
	b.WriteString(sc.Workload)
	for _, name := range slices.Sorted(maps.Keys(sc.Values)) {
		if name != "timeline" {
			b.WriteString("\n" + name + "=" + sc.Values[name])
		}
	}
	for _, c := range changes {
		b.WriteString("\n*" + c.String())
	}
	return b.String()
}
