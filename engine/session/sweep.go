package session

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

// Axis is a knob and its values in a sweep.
type Axis struct {
	Knob   string
	Values []string
}

// Setting is a knob at one value.
type Setting struct{ Knob, Value string }

// Row is one point of a sweep: its knob settings and its last snapshot.
type Row struct {
	Knobs    []Setting
	Snapshot *engine.Snapshot
	Late     []float64 // dilations at which the host fell behind and the point was repeated
}

// Name returns the name of the point: "group 4, nodes 2".
func (r *Row) Name() string {
	parts := make([]string, len(r.Knobs))
	for i, k := range r.Knobs {
		parts[i] = k.Knob + " " + k.Value
	}
	return strings.Join(parts, ", ")
}

// maxPoints is the maximum number of points of a sweep.
const maxPoints = 10000

// Sweep runs the scenario at every combination of the axes' values, each in its own session. The
// last axis varies fastest. Simulations run in parallel on all cores. Points on other fabrics run
// one after another, because they would disturb each other.
//
// All points are planned and checked before the first one runs. The rows have the order of the
// points. A refused or failed point is a row with Snapshot.Failure, and the others run. If every
// point is refused, or one with Options.Whole, the error is the first refusal. When ctx ends,
// Sweep returns its error and the rows that started or were refused.
//
// progress, if not nil, is called regularly with the state of the sweep.
func Sweep(ctx context.Context, base engine.Scenario, axes []Axis, o Options, progress func(*Progress)) ([]Row, error) {
	rows, scenarios, err := Combinations(base, axes)
	if err != nil {
		return nil, err
	}
	return RunRows(ctx, rows, scenarios, o, progress)
}

// RunRows runs a scenario for each row, as Sweep does, and fills in the results.
func RunRows(ctx context.Context, rows []Row, scenarios []engine.Scenario, o Options,
	progress func(*Progress)) ([]Row, error) {
	o.Linger = false
	f := &sweepRun{options: o, cores: runtime.GOMAXPROCS(0), rows: rows, setups: make([]setup, len(rows)),
		refusals: make(map[int]error), began: time.Now()}
	all := o
	all.Context = ctx
	all.Memory = o.memory() // looked up once for all points
	for i := range rows {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var err error
		f.setups[i], err = all.resolve(scenarios[i], "")
		if err != nil {
			f.refuse(i, scenarios[i], err)
		}
	}
	if err := f.refused(); err != nil {
		return nil, err
	}
	f.run(ctx, progress)
	if err := f.refused(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return slices.DeleteFunc(rows, func(r Row) bool { return r.Snapshot == nil }), context.Cause(ctx)
	}
	return rows, nil
}

func withRowName(r *Row, err error) error {
	if len(r.Knobs) == 0 {
		return err
	}
	return fmt.Errorf("%s: %w", r.Name(), err)
}

// set sets the knobs of an axis to a value, and returns them with their canonical values. If the
// last knob is not a number, its value may contain an x, as in xc30-edison.
func (a *Axis) set(sc *engine.Scenario, value string) ([]Setting, error) {
	knobs, values := strings.Split(a.Knob, ","), []string{value}
	if len(knobs) > 1 {
		values = strings.Split(value, "x")
		if last, err := sc.Knob(knobs[len(knobs)-1]); err == nil && !last.IsNumber() {
			values = strings.SplitN(value, "x", len(knobs))
		}
	}
	if len(values) != len(knobs) {
		return nil, fmt.Errorf("%s %s: want %d values with x between them, such as 1x8", a.Knob, value, len(knobs))
	}
	var all []Setting
	for i, name := range knobs {
		if err := sc.Set(name, values[i]); err != nil {
			return nil, err
		}
		k, err := sc.Knob(name)
		if err != nil {
			return nil, err
		}
		all = append(all, Setting{Knob: k.Name, Value: sc.Text(k.Name)})
	}
	return all, nil
}

// Combinations returns the rows of a sweep and their scenarios, with values in their canonical spelling. An axis may
// change several knobs together: its name lists them with commas, and x separates their values.
func Combinations(base engine.Scenario, axes []Axis) ([]Row, []engine.Scenario, error) {
	rows, scenarios := []Row{{}}, []engine.Scenario{base.Clone()}
	seen := make(map[string]bool)
	for _, axis := range axes {
		if seen[axis.Knob] {
			return nil, nil, fmt.Errorf("%s is swept twice (list all its values once)", axis.Knob)
		}
		seen[axis.Knob] = true
		if len(axis.Values)*len(rows) > maxPoints {
			return nil, nil, fmt.Errorf("more than %d points (sweep fewer values)", maxPoints)
		}
		var nextRows []Row
		var next []engine.Scenario
		for i := range rows {
			for _, v := range axis.Values {
				sc := scenarios[i].Clone()
				set, err := axis.set(&sc, v)
				if err != nil {
					return nil, nil, err
				}
				knobs := append(slices.Clip(rows[i].Knobs), set...)
				nextRows, next = append(nextRows, Row{Knobs: knobs}), append(next, sc)
			}
		}
		rows, scenarios = nextRows, next
	}
	return rows, scenarios, nil
}

// FitRows fits the law of the workload's first study that has one. The error names the missing
// data.
func FitRows(rows []Row) (*engine.Fit, error) {
	runs := make([]*engine.Snapshot, len(rows))
	name := ""
	for i := range rows {
		runs[i] = rows[i].Snapshot
		if runs[i] != nil {
			name = runs[i].Scenario.Workload
		}
	}
	if w, err := workload.Find(name); err == nil {
		for _, st := range w.Studies {
			if st.Fit != nil {
				return st.Fit(runs)
			}
		}
	}
	return nil, errNoLaw
}

// errNoLaw is the error of a workload without a law to fit.
var errNoLaw = fmt.Errorf("no accesses recorded: %w", models.ErrUndetermined)
