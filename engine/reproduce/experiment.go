package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// Experiment defines how to run the figures that name it.
type Experiment struct {
	Name     string
	Workload string        // "": no workload; the quantities are formulas, or run their own trials
	Knobs    []engine.Knob // of an experiment without a workload
	// SetX sets the knobs for a position on the x axis, on top of the knobs of the figure and of
	// the series.
	SetX       func(s *engine.Scenario, x float64) error
	Quantities []Quantity
	// Terms splits a run's time into terms. The term that differs most between two runs, or
	// between simulation and model, decides. May be nil.
	Terms func(p *Point) []Term
	// Trials returns the hash of the runs that a point's quantities make themselves, on the
	// figure's machine, or 0 if there are none. It is nil if they never make any.
	Trials func(p *Point) uint64
}

// Quantity is a value that a figure shows for one run, or for a pair of runs.
type Quantity struct {
	Name, Unit, Doc string
	// Against names the series that provides the other run, at the same x. "": none; Another: the
	// check names it.
	Against   string
	Simulated func(p, against *Point) float64 // nil: the model is judged
	Modelled  func(p, against *Point) float64 // from scenario and machine only
	// Wrong reports that the quantity shows the effect of a wrong program, so that the
	// verification of its run may fail.
	Wrong bool
	// Sigma returns the standard error of a simulated share, caused by sampling, for its true
	// value. It is nil if the quantity is not a sample.
	Sigma func(p *Point, truth float64) float64
}

// Another is a placeholder for a series that a check must name.
const Another = "*"

// Term is a part of a run's time, in seconds.
type Term struct {
	Name                string
	Simulated, Modelled float64
}

// Point is a run: a series at a position on the x axis.
type Point struct {
	Series   *presets.Series
	X        float64
	Long     bool // only run on request
	Scenario engine.Scenario
	Machine  *cluster.Machine
	Snapshot *engine.Snapshot // nil: not run, or nothing to run
	key      string
}

// metric returns a simulated metric of the run.
func (p *Point) metric(name string) float64 {
	for _, m := range p.Snapshot.Metrics {
		if m.Name == name && m.Kind == engine.Simulated {
			return m.Value
		}
	}
	panic(fmt.Sprintf("reproduce: a run of %s has no metric %s", p.Scenario.Workload, name))
}

var registry []*Experiment

func register(e *Experiment) *Experiment {
	registry = append(registry, e)
	return e
}

// find returns an experiment by name.
func find(name string) (*Experiment, error) {
	var names []string
	for _, e := range registry {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("experiment %q: want one of %s", name, strings.Join(names, ", "))
}

// Quantity returns a quantity by name.
func (e *Experiment) Quantity(name string) (*Quantity, error) {
	i := slices.IndexFunc(e.Quantities, func(q Quantity) bool { return q.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("quantity %q: not in experiment %s", name, e.Name)
	}
	return &e.Quantities[i], nil
}

// plan is a figure with its experiment and its points.
type plan struct {
	figure     *presets.Figure
	experiment *Experiment
	machine    cluster.Machine
	points     map[string][]*Point // by series, in the order of its x, the long ones last
	options    Options
	variants   []variant // the same figure on machines with one assumed constant changed
}

// newPlan resolves all names of a figure.
func newPlan(f *presets.Figure) (*plan, error) {
	m, err := presets.Machine(f.Machine)
	if err != nil {
		return nil, err
	}
	return planOn(f, m)
}

// onMachine plans the same figure on another machine.
func (p *plan) onMachine(m cluster.Machine) (*plan, error) { return planOn(p.figure, m) }

func planOn(f *presets.Figure, m cluster.Machine) (*plan, error) {
	p := &plan{figure: f, machine: m, points: make(map[string][]*Point)}
	var err error
	p.experiment, err = find(f.Experiment)
	if err != nil {
		return nil, err
	}
	for i := range f.Series {
		s := &f.Series[i]
		for k, x := range slices.Concat(s.X, s.Long) {
			point, err := p.point(s, x)
			if err != nil {
				return nil, fmt.Errorf("%s at %v: %w", s.Name, x, err)
			}
			point.Long = k >= len(s.X)
			p.points[s.Name] = append(p.points[s.Name], point)
		}
	}
	y, err := p.experiment.Quantity(f.Y)
	if err != nil {
		return nil, err
	}
	if y.Against == Another {
		return nil, fmt.Errorf("y: quantity %s is relative to a series, which only a check can name", f.Y)
	}
	for i := range f.Checks {
		if err := p.validateCheck(&f.Checks[i]); err != nil {
			return nil, fmt.Errorf("check %s: %w", f.Checks[i].Name, err)
		}
	}
	return p, nil
}

// point sets the knobs of a run.
func (p *plan) point(s *presets.Series, x float64) (*Point, error) {
	sc, err := p.scenario()
	if err != nil {
		return nil, err
	}
	for _, k := range slices.Concat(p.figure.Knobs, s.Knobs) {
		if err := sc.Set(k.Name, k.Value); err != nil {
			return nil, err
		}
	}
	if err := p.experiment.SetX(&sc, x); err != nil {
		return nil, err
	}
	key, err := sc.MarshalJSON()
	return &Point{Series: s, X: x, Scenario: sc, Machine: &p.machine, key: string(key)}, err
}

// scenario returns the experiment's scenario before the figure's knobs are set.
func (p *plan) scenario() (engine.Scenario, error) {
	e := p.experiment
	if e.Workload == "" {
		return engine.NewScenario(e.Name, e.Knobs), nil
	}
	var machines []cluster.Machine
	if p.isVariant() {
		machines = append(machines, p.machine)
	}
	sc, err := session.Scenario(e.Workload, machines...)
	if err == nil {
		err = sc.Set("machine", p.machine.Name)
	}
	if err == nil {
		err = sc.Set("fabric", engine.Sim)
	}
	return sc, err
}

// validateCheck returns an error if a check cannot be judged.
func (p *plan) validateCheck(c *presets.Check) error {
	q, err := p.experiment.Quantity(c.Quantity)
	if err != nil {
		return err
	}
	if c.Rule == presets.Sampling && q.Sigma == nil {
		return fmt.Errorf("quantity %s is not a sample", q.Name)
	}
	if q.Simulated == nil && c.Rule == presets.Within && c.Published == nil {
		return fmt.Errorf("quantity %s is only modelled: add published values", q.Name)
	}
	against := q.against(c)
	switch {
	case against == Another:
		return fmt.Errorf("quantity %s is relative to another series: add against = its name", q.Name)
	case q.Against == "" && c.Against != "":
		return fmt.Errorf("quantity %s is not relative to a series: remove against", q.Name)
	case c.Decides != "" && p.experiment.Terms == nil:
		return fmt.Errorf("decides: experiment %s has no terms", p.experiment.Name)
	}
	for _, s := range c.Series {
		for _, at := range p.pointsOf(c, s) {
			if against != "" && p.pointAt(against, at) == nil {
				return fmt.Errorf("quantity %s is relative to series %s, which has no run at %v", q.Name, against, at.X)
			}
		}
	}
	return nil
}

// against returns the series that a quantity is relative to, in a check or, for nil, in the chart.
func (q *Quantity) against(c *presets.Check) string {
	if c != nil && c.Against != "" {
		return c.Against
	}
	return q.Against
}

// pointsOf returns the points of a series that a check uses. A rule for a whole series does not use
// long points.
func (p *plan) pointsOf(c *presets.Check, series string) []*Point {
	var points []*Point
	for _, at := range p.points[series] {
		if c.Uses(series, at.X) && !(at.Long && c.Rule.Whole()) {
			points = append(points, at)
		}
	}
	return points
}

// pointAt returns a series' run at the same x, or nil if there is none.
func (p *plan) pointAt(series string, at *Point) *Point {
	for _, other := range p.points[series] {
		if other.X == at.X {
			return other
		}
	}
	return nil
}
