package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// Report is the result of the papers' figures.
type Report struct {
	Rows      []Row
	Curves    []Curve
	Constants []Constant
	Missing   []presets.Claim // claims that no figure checks; the caller sets it if it runs all figures
}

// Pass reports whether every row passed.
func (r *Report) Pass() bool {
	return !slices.ContainsFunc(r.Rows, func(row Row) bool { return !row.Pass })
}

// Curve is one line of a figure, as run.
type Curve struct {
	Figure *presets.Figure
	Series *presets.Series
	Unit   string
	// Simulated and Modelled are the figure's Y at the series' X; NaN: did not run.
	Simulated, Modelled []float64
}

// Constant is a fact of a machine, with the claims that depend on it.
type Constant struct {
	Machine string
	presets.Fact
	Claims       []int // claims that depend on it, ascending
	FittedClaims []int // those among them that it is fitted to
}

// Options configures a run of figures.
type Options struct {
	Long  bool   // include the long points
	Sense bool   // also with each assumed constant halved and doubled (sensitivity.go)
	Keep  *Store // store of finished points; nil: none
	// Observers returns an observer, or nil, for each point that is run.
	Observers func(*session.Row) engine.Observer
}

// Run runs the points that the figures need, in parallel on all cores, and judges their checks. A
// failed run refutes the rows that depend on it. A long point that was not requested has its
// recorded row. When ctx ends, Run returns its cause. progress, if not nil, is called regularly
// with the state of the runs.
func Run(ctx context.Context, figures []presets.Figure, o Options, progress func(*session.Progress)) (*Report, error) {
	var plans []*plan
	for i := range figures {
		p, err := newPlan(&figures[i])
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", figures[i].Name, err)
		}
		p.options = o
		plans = append(plans, p)
	}
	all := plans
	if o.Sense {
		for _, p := range plans {
			if err := p.vary(); err != nil {
				return nil, fmt.Errorf("figure %s: %w", p.figure.Name, err)
			}
			for _, v := range p.variants {
				all = append(all, v.plan)
			}
		}
	}
	if err := simulate(ctx, all, o, progress); err != nil {
		return nil, err
	}
	r := &Report{}
	for _, p := range plans {
		r.Rows = append(r.Rows, p.rows()...)
		r.Curves = append(r.Curves, p.curves()...)
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Paper, b.Paper), cmp.Compare(a.Claim, b.Claim))
	})
	r.Constants = constants(plans)
	return r, nil
}

// rows judges all checks.
func (p *plan) rows() []Row {
	var all []Row
	for i := range p.figure.Checks {
		all = append(all, p.addSensitivity(&p.figure.Checks[i], p.judge(&p.figure.Checks[i]))...)
	}
	return all
}

// simulate runs each different scenario of the plans once on each machine, as `hybridtop run
// --iterations 1` would. It does not repeat points in the store.
func simulate(ctx context.Context, plans []*plan, o Options, progress func(*session.Progress)) error {
	var rows []session.Row
	var scenarios []engine.Scenario
	var machines []cluster.Machine
	var shared [][]*Point // the points of a row
	index := make(map[string]int)
	for _, p := range plans {
		if p.experiment.Workload == "" {
			continue
		}
		if p.isVariant() && !slices.ContainsFunc(machines, func(m cluster.Machine) bool { return m.Name == p.machine.Name }) {
			machines = append(machines, p.machine)
		}
		for i := range p.figure.Series {
			for _, at := range p.points[p.figure.Series[i].Name] {
				if !p.mustRun(at) {
					continue
				}
				row, ok := index[at.key]
				if !ok {
					row = len(rows)
					index[at.key], shared = row, append(shared, nil)
					rows = append(rows,
						session.Row{Knobs: []session.Setting{{Knob: at.Series.Label + ",", Value: fmt.Sprint(at.X, " ", p.figure.X)}}})
					scenarios = append(scenarios, at.Scenario)
				}
				shared[row] = append(shared[row], at)
			}
		}
	}
	rows, err := o.Keep.run(ctx, rows, scenarios, session.Options{Machines: machines, Observers: o.Observers}, progress)
	if err != nil {
		return err
	}
	for i := range rows {
		for _, at := range shared[i] {
			at.Snapshot = rows[i].Snapshot
		}
	}
	return nil
}

// curves returns the figure's lines.
func (p *plan) curves() []Curve {
	q, _ := p.experiment.Quantity(p.figure.Y) // newPlan has found it
	var all []Curve
	for i := range p.figure.Series {
		s := &p.figure.Series[i]
		if len(s.X) == 0 {
			continue // it has only long points
		}
		c := Curve{Figure: p.figure, Series: s, Unit: q.Unit}
		for _, at := range p.points[s.Name] {
			if at.Long {
				continue
			}
			other := p.pointAt(q.Against, at)
			v := math.NaN()
			if q.Simulated != nil && q.failure(at, other) == "" {
				v = q.Simulated(at, other)
			}
			c.Simulated, c.Modelled = append(c.Simulated, v), append(c.Modelled, q.Modelled(at, other))
		}
		all = append(all, c)
	}
	return all
}

// constants returns the facts that the plans' checks depend on, in the order of the machines'
// files.
func constants(plans []*plan) []Constant {
	var all []Constant
	var machines []string
	for _, p := range plans {
		if !slices.Contains(machines, p.machine.Name) {
			machines = append(machines, p.machine.Name)
			for _, f := range presets.Facts(&p.machine) {
				all = append(all, Constant{Machine: p.machine.Name, Fact: f})
			}
		}
	}
	for i := range all {
		c := &all[i]
		for _, p := range plans {
			for _, check := range p.figure.Checks {
				if p.machine.Name != c.Machine || !slices.Contains(check.DependsOn, c.Key) {
					continue
				}
				c.Claims = append(c.Claims, check.Claim)
				if slices.Contains(check.Fits, c.Key) {
					c.FittedClaims = append(c.FittedClaims, check.Claim)
				}
			}
		}
		slices.Sort(c.Claims)
		slices.Sort(c.FittedClaims)
		c.Claims, c.FittedClaims = slices.Compact(c.Claims), slices.Compact(c.FittedClaims)
	}
	return slices.DeleteFunc(all, func(c Constant) bool { return len(c.Claims) == 0 })
}
