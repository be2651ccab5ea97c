package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Workload is a program that can be run on any fabric, with what it declares of
// itself.
type Workload struct {
	Name  string // "randomaccess"
	Title string // "Random access"
	Doc   string // a sentence or two: what it does, and what there is to see
	Paper string // "paper 1, section 4.1"

	Aliases []Alias // names of it with some of its knobs set

	Knobs    []engine.Knob        // its own, beyond engine.Base
	Defaults map[string]string    // of base knobs that it wants otherwise
	Metrics  []engine.MetricSpec  // that Run reports
	Derived  []engine.MetricSpec  // that Finish adds
	Samples  []engine.MetricSpec  // whose distributions Run gives
	Tallies  []engine.TallySpec   // tables of counts that Run fills
	Profiles []engine.ProfileSpec // lists of numbers that Run reports by place

	// First is the knob that its story begins with.
	First string
	// Panes are those that its story is told in, by name: each comes before the others of
	// its place. A screen that has none of a name does without.
	Panes []string
	// Serial says that its ranks are one thread each, Steady that it draws nothing at
	// random: the knobs of these have no effect.
	Serial, Steady bool
	// Kernels are the library routines that it computes with: a machine's shares of others
	// do not concern it.
	Kernels []cluster.Kernel
	// Idle says why turning a knob has no effect as the others stand; "": it has. May be
	// nil.
	Idle func(s *engine.Scenario, kind engine.Kind, knob string) string

	// Fit changes the machine to what the scenario has of it. May be nil.
	Fit func(s *engine.Scenario, m *cluster.Machine)
	// Bars gives, by knob and choice, why a choice cannot be run as the others stand.
	// May be nil.
	Bars func(s *engine.Scenario, on *Site) map[string]map[string]string

	// Studies are what its runs are compared by; the first has the screen.
	Studies []*engine.Study

	// Iterations is how many a simulated run makes that is given no limit: equal runs
	// then print equal digits.
	Iterations int
	// Quick are settings of a short run, for tests of every workload. Nil: its defaults are.
	Quick map[string]string
	// Plan says what a scenario needs, before anything is taken, and refuses what
	// cannot be run.
	Plan func(s *engine.Scenario, on *Site) (Plan, error)
	// Run is the body: it loops while p.Next(), and verifies what it computed.
	Run func(r *cluster.Rank, p engine.Probe) error
	// Beside is for measurements: what a rank does of the program's hot path, and what one
	// process does for the same with no cluster, which rank 0 alone may call. Both check what
	// they computed. May be nil.
	Beside func(r *cluster.Rank, p engine.Probe) (path, alone func() error, err error)
	// Doubt says which result of a snapshot cannot be, and the likely reason; "": none.
	// May be nil.
	Doubt func(snap *engine.Snapshot) string
	// Finish computes metrics out of a snapshot's counters: measured ones of the
	// snapshot's kind, and modelled ones. May be nil.
	Finish func(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric
}

// Alias is another name of a workload, which turns one of its knobs.
type Alias struct {
	Name, Title string
	Knob, Value string
}

// Site is what a scenario is to run on.
type Site struct {
	Machine *cluster.Machine
	Virtual bool // the clock is virtual: a program may keep only sizes of its data
}

// SiteOf is a machine on a fabric.
func SiteOf(f cluster.Fabric, m *cluster.Machine) *Site {
	return &Site{Machine: m, Virtual: f.Clock(m) == cluster.VirtualClock}
}

// Kind is that of the numbers that a run there gives.
func (on *Site) Kind() engine.Kind {
	switch {
	case on.Virtual:
		return engine.Simulated
	case on.Machine.Emulated:
		return engine.Emulated
	}
	return engine.Measured
}

// Plan is what a scenario needs.
type Plan struct {
	Segment  int64 // bytes of segment a rank
	Modelled int64 // bytes that it has on the machine, where phantoms stand for more than there are; 0: as many
	// Holds is everything else that the program keeps: its own arrays, its messages'
	// buffers, and what the fabric copies of those under way.
	Holds    []Item
	Replicas int // copies of the shared data in the cluster; 0: the question does not arise
}

var registry []*Workload

// Register adds a workload; each one's package does so once.
func Register(w *Workload) {
	registry = append(registry, w)
	slices.SortFunc(registry, func(a, b *Workload) int { return strings.Compare(a.Name, b.Name) })
}

// All lists the workloads by name.
func All() []*Workload { return registry }

// Find gives a workload by name or alias.
func Find(name string) (*Workload, error) {
	names := make([]string, len(registry))
	for i, w := range registry {
		if w.Name == name || w.alias(name) != nil {
			return w, nil
		}
		names[i] = w.Name
	}
	for _, w := range registry {
		for i := range w.Aliases {
			names = append(names, w.Aliases[i].Name)
		}
	}
	return nil, fmt.Errorf("unknown workload %q: want one of %s", name, strings.Join(names, ", "))
}

// alias is one of the workload's by name; nil: it has none of that name.
func (w *Workload) alias(name string) *Alias {
	for i := range w.Aliases {
		if w.Aliases[i].Name == name {
			return &w.Aliases[i]
		}
	}
	return nil
}

// Named turns the knob that a name of the workload stands for.
func (w *Workload) Named(name string, s *engine.Scenario) error {
	if a := w.alias(name); a != nil {
		return s.Set(a.Knob, a.Value)
	}
	return nil
}

// Barred is the scenario with what cannot be run of it marked in its table.
func (w *Workload) Barred(s engine.Scenario, on *Site) engine.Scenario {
	if w.Bars == nil {
		return s
	}
	bars := w.Bars(&s, on)
	s.Table = slices.Clone(s.Table)
	for i := range s.Table {
		s.Table[i].Barred = bars[s.Table[i].Name]
	}
	return s
}

// Phrase is a metric's name for a screen.
func (w *Workload) Phrase(metric string) string {
	if w != nil {
		for _, all := range [...][]engine.MetricSpec{w.Metrics, w.Derived} {
			for i := range all {
				if all[i].Name == metric && all[i].Phrase != "" {
					return all[i].Phrase
				}
			}
		}
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// Scenario has every knob of the workload at its default, and the machine knob
// offers the given machines.
func (w *Workload) Scenario(machines []string) engine.Scenario {
	table := slices.Concat(w.Knobs, engine.Base)
	for i := range table {
		if table[i].Name == "machine" {
			table[i].Choices = machines
		}
	}
	s := engine.NewScenario(w.Name, table)
	for k, v := range w.Defaults {
		if err := s.Set(k, v); err != nil {
			panic(err)
		}
	}
	return s
}
