package algorithm

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// ByDefault is the value of the knob algorithm for the library's own choice.
const ByDefault = "default"

// A Main is the main collective of a workload that has only the knobs algorithm and tries. The other
// parameters have their defaults.
type Main struct {
	What coll.Collective
	// Bytes returns the number of bytes of a call: of one block if each member has its own, else of
	// all data. 0: the scenario makes no call between processes.
	Bytes func(s Reader, l *cluster.Layout) int64
	All   bool // all ranks call, not only MPI processes
}

// Knobs returns the knobs.
func (m *Main) Knobs() []engine.Knob {
	what := m.What
	name := engine.Knob{Name: "algorithm", Label: "algorithm",
		Doc: "algorithm of the " + what.String() + "; default: the library's own choice; model: fastest by the cost " +
			"model; tuned: from a table (--table); online: the fastest of those near the best, tried in the run. The name of " +
			"an MPI library selects by its rules",
		Type: engine.Choice, Default: ByDefault, Choices: []string{ByDefault}, Scope: engine.ScopeBody,
		Role: engine.Scheme, Watch: "the time of the " + what.String() + ", and its share of an iteration",
		Paper: "paper 5, section 3.6"}
	for _, choice := range Names(what) {
		if choice != Composed {
			name.Choices = append(name.Choices, choice)
		}
	}
	all := Parameters()
	return []engine.Knob{name, all[len(all)-1]}
}

// parameterDefaults has the defaults of the parameters that Main.Knobs omits.
var parameterDefaults = func() map[string]string {
	all := map[string]string{}
	for _, k := range Parameters() {
		if k.Name != "tries" {
			all[k.Name] = k.Default
		}
	}
	return all
}()

// withDefaults reads the omitted parameters as their defaults.
type withDefaults struct{ Reader }

// Text returns the value of a knob.
func (d withDefaults) Text(knob string) string {
	if v, isOmitted := parameterDefaults[knob]; isOmitted {
		return v
	}
	return d.Reader.Text(knob)
}

// Int returns the value of a numeric knob.
func (d withDefaults) Int(knob string) int64 {
	switch knob {
	case "radix":
		return -1 // own
	case "segments":
		return 1
	}
	return d.Reader.Int(knob)
}

// cells returns the cell of the collective, if several processes call it.
func (m *Main) cells(s Reader, on *cluster.Machine, kind engine.Kind, l *cluster.Layout) []Cell {
	ranks := l.World()
	if m.All {
		ranks = nil
		for i := range l.Ranks() {
			ranks = append(ranks, int32(i))
		}
	}
	n := m.Bytes(s, l)
	if n == 0 || len(ranks) < 2 {
		return nil
	}
	return []Cell{{Among(on, kind, l, ranks), m.What, len(ranks), n}}
}

// Tally returns the table of tries.
func (m *Main) Tally() engine.TallySpec {
	return triesOf(m.tried)
}

// tried returns the values of the knob algorithm that a scenario tries.
func (m *Main) tried(s *engine.Scenario, on *cluster.Machine, kind engine.Kind) []string {
	l := s.Layout()
	return Tried(withDefaults{s}, m.cells(s, on, kind, &l)...)
}

// Iterations returns the number of iterations that tuning online takes at most.
func (m *Main) Iterations(s *engine.Scenario, on *cluster.Machine, kind engine.Kind) int {
	return Iterations(s, len(m.tried(s, on, kind)))
}

// Refused returns the values of the knob algorithm that cannot run, with the reason.
func (m *Main) Refused(s *engine.Scenario, on *cluster.Machine, kind engine.Kind) map[string]string {
	l, r := s.Layout(), withDefaults{s}
	all := map[string]string{}
	for _, c := range m.cells(r, on, kind, &l) {
		if _, err := c.FromTable(r, c.What, c.Ranks, c.Bytes); err != nil {
			all[ByTable] = err.Error()
		}
		c.RefusedLibraries(r, c.What, c.Ranks, c.Bytes, all)
		for _, a := range coll.Of(c.What) {
			if _, err := c.Key(r, a, c.Ranks); err != nil {
				all[a.Name] = err.Error()
			}
		}
	}
	return all
}

// Idle returns why one of the knobs has no effect, or "".
func (m *Main) Idle(s *engine.Scenario, knob string) string {
	switch l := s.Layout(); {
	case knob == "algorithm" && len(m.cells(withDefaults{s}, nil, engine.Simulated, &l)) == 0:
		return "no data leaves a process by " + m.What.String()
	case knob == "tries":
		return Idle(withDefaults{s}, m.What, knob)
	}
	return ""
}

// A Caller makes the calls of the main collective on a rank. A nil Caller makes the library's call.
type Caller struct {
	*Tuning
	comm *coll.Comm // nil: the library's call
	keys []coll.Key
}

// Caller returns the Caller of a rank. Every rank of all calls it. Members of team make the calls.
func (m *Main) Caller(r *cluster.Rank, p engine.Probe, all, team *cluster.Team) (*Caller, error) {
	spec := r.Spec()
	cells := m.cells(withDefaults{p}, &spec.Machine, KindOf(r), &spec.Layout)
	c := &Caller{Tuning: tune(r, all, p, withDefaults{p}, func() []Cell { return cells })}
	if p.Text("algorithm") == ByDefault || len(cells) == 0 || team.Rank() < 0 {
		return c, nil
	}
	var err error
	if c.keys, err = cells[0].Keys(withDefaults{p}, c.Names); err != nil {
		return nil, err
	}
	c.comm, err = coll.New(r, team)
	return c, err
}

// Comm returns the Comm and the key of the current iteration, or false for the library's choice.
func (c *Caller) Comm() (*coll.Comm, coll.Key, bool) {
	if c == nil || c.comm == nil {
		return nil, coll.Key{}, false
	}
	return c.comm, c.keys[c.Now()], true
}

// Time returns the time on the rank's clock, or 0 for the library's choice: a reading has a cost.
func (c *Caller) Time(r *cluster.Rank) cluster.Time {
	if c == nil || c.comm == nil {
		return 0
	}
	return r.Now()
}

// Reduce is coll.Reduce by the algorithm of the knob. in and out must not overlap.
func Reduce[T cluster.Number](c *Caller, r *cluster.Rank, t *cluster.Team, root int, op cluster.ReduceOp,
	in, out []T) error {
	if _, _, ok := c.Comm(); !ok {
		return coll.Reduce(r, t, root, op, in, out)
	}
	if t.Rank() != root {
		out = nil
	}
	return combine(c, r, root, op, in, out)
}

// Allreduce is coll.Allreduce by the algorithm of the knob. in and out must not overlap.
func Allreduce[T cluster.Number](c *Caller, r *cluster.Rank, t *cluster.Team, op cluster.ReduceOp, in, out []T) error {
	if _, _, ok := c.Comm(); !ok {
		return coll.Allreduce(r, t, op, in, out)
	}
	return combine(c, r, 0, op, in, out)
}

func combine[T cluster.Number](c *Caller, r *cluster.Rank, root int, op cluster.ReduceOp, in, out []T) error {
	comm, key, _ := c.Comm()
	x := coll.Call{Key: key, Root: root, In: cluster.Of(in), Out: cluster.Of(out)}
	x.Blocks = key.Blocks(x.In.Len(), x.In.Len()/int64(max(len(in), 1)))
	var err error
	if x.Combine, err = coll.Combining[T](r, key.Algorithm.Collective.String(), op); err != nil {
		return err
	}
	if x.CombineAll, err = coll.CombiningAll[T](r, key.Algorithm.Collective.String(), op); err != nil {
		return err
	}
	return comm.Do(x)
}
