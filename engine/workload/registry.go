package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// A Workload is a program that runs on any fabric, with its declarations.
type Workload struct {
	Name  string // "randomaccess"
	Title string // "Random access"
	Doc   string // one or two sentences: what the program does and what to watch
	Paper string // "paper 1, section 4.1"

	Aliases []Alias // other names, each with one knob set

	Knobs    []engine.Knob        // in addition to engine.Base
	Defaults map[string]string    // changed defaults of base knobs
	Metrics  []engine.MetricSpec  // reported by Run
	Derived  []engine.MetricSpec  // added by Finish
	Samples  []engine.MetricSpec  // distributions reported by Run
	Tallies  []engine.TallySpec   // tables of counts filled by Run
	Profiles []engine.ProfileSpec // lists of numbers by position, reported by Run

	// Accesses reports whether every complete run records accesses.
	Accesses bool

	// First is the knob that the workload's explanation begins with. A change of this
	// knob answers Question.
	First, Question string
	// Alike has, by knob, the reason why a change of that knob alone may leave the time as it is. May be nil.
	Alike map[string]string
	// Panes are the names of the preferred panes. In its place on the screen, each comes before the
	// other panes. A screen ignores names that it does not have.
	Panes []string
	// Serial reports whether each rank has one thread, Steady whether the program draws no random
	// numbers. The knobs for threads or the seed then have no effect.
	Serial, Steady bool
	// Masteronly reports whether the threads of a rank only share loops, and only the master communicates,
	// outside of parallel regions (see Loops).
	Masteronly bool
	// CostModel is the name of the derived metric that predicts the reported time. Advice does not simulate
	// choices that it puts far behind. "" means that no model has the whole time.
	CostModel string
	// PerRank are the knobs of the problem that count per rank. The problem stays the same if the number of
	// ranks doubles and the values of these knobs halve.
	PerRank []string
	// Shapes is the problem for a comparison of shapes: ranks × threads on the cores of a node. nil: no thread has work.
	Shapes *Shapes
	// Kernels are the library routines that the program computes with. A machine's efficiencies of
	// other kernels do not matter to it.
	Kernels []cluster.Kernel
	// Idle returns the reason why changing a knob has no effect with the other knobs as they are,
	// or "". May be nil.
	Idle func(s *engine.Scenario, kind engine.Kind, knob string) string

	// Fit changes the machine to match the workload's own knobs. May be nil.
	Fit func(s *engine.Scenario, m *cluster.Machine)
	// Bars returns, by knob and choice, the reasons why choices cannot be run with the other knobs
	// as they are. May be nil.
	Bars func(s *engine.Scenario, on *Site) map[string]map[string]string

	// Studies are the tables that compare the workload's runs. The first one is shown on the
	// screen.
	Studies []*engine.Study

	// Iterations is the number of iterations of a simulated run without a limit. Equal runs then
	// print equal digits.
	Iterations int
	// Quick has the knobs of a short run, for tests of all workloads. If nil, the defaults are
	// short enough.
	Quick map[string]string
	// Plan computes the resources that a scenario needs before any are allocated. It rejects
	// scenarios that cannot run.
	Plan func(s *engine.Scenario, on *Site) (Plan, error)
	// Run is the body of each rank: it loops while p.Next() is true, and verifies its results.
	Run func(r *cluster.Rank, p engine.Probe) error
	// Comparison returns two functions for measurements. path is a rank's hot path. alone is the
	// same computation in one process without a cluster, and only rank 0 may call it. Both check
	// their results. May be nil.
	Comparison func(r *cluster.Rank, p engine.Probe) (path, alone func() error, err error)
	// Doubt returns a message about an impossible result of a snapshot and its likely reason, or
	// "". May be nil.
	Doubt func(snap *engine.Snapshot) string
	// Finish computes metrics from a snapshot's counters: metrics of the snapshot's own kind, and
	// modelled ones. May be nil.
	Finish func(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric
}

// Shapes is a problem for a comparison of shapes.
type Shapes struct {
	Problem map[string]string // knobs of the simulated problem; a knob of PerRank counts per node
	Coupled bool              // if the user sets a knob of Problem, the others keep their defaults
	Small   map[string]string // knobs of a problem that stores bytes on every shape; a knob of PerRank counts per core
	Time    string            // metric of a step, for shapes in real time
	// Tolerance describes the comparison of results that have no checksum, because the order of their operations
	// depends on the shape. "": all shapes have the same checksum.
	Tolerance string
}

// An Alias is another name of a workload, which sets one of its knobs.
type Alias struct {
	Name, Title string
	Knob, Value string
}

// A Site is the machine and the clock that a scenario runs on.
type Site struct {
	Machine *cluster.Machine
	Virtual bool // virtual clock: data may be size-only

	SizeOnly *engine.SizeOnly // set by Store; nil: data have bytes
}

// SiteOf returns the site of a machine on a fabric.
func SiteOf(f cluster.Fabric, m *cluster.Machine) *Site {
	return &Site{Machine: m, Virtual: f.Clock(m) == cluster.VirtualClock}
}

// Kind returns the kind of numbers that a run on the site has.
func (on *Site) Kind() engine.Kind {
	switch {
	case on.Virtual:
		return engine.Simulated
	case on.Machine.Emulated:
		return engine.Emulated
	}
	return engine.Measured
}

// A Plan lists the resources that a scenario needs.
type Plan struct {
	Segment  int64 // bytes of segment per rank
	Modelled int64 // bytes of segment on the machine, if size-only data need more than Segment; 0: Segment
	// Items is everything else that the program keeps: its own arrays, message buffers, and the
	// fabric's copies of messages in progress.
	Items    []Item
	Replicas int // copies of the shared data in the cluster; 0: no shared data
	// Tries is the number of iterations that online tuning needs before it has chosen. A simulated
	// run without a limit has them in addition to the workload's number of iterations.
	Tries int
}

var registry []*Workload

// Register adds a workload. The package of each workload calls it once.
func Register(w *Workload) {
	registry = append(registry, w)
	slices.SortFunc(registry, func(a, b *Workload) int { return strings.Compare(a.Name, b.Name) })
}

// All returns the workloads, sorted by name.
func All() []*Workload { return registry }

// Find returns a workload by name or alias.
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

// alias returns the alias with a name, or nil.
func (w *Workload) alias(name string) *Alias {
	for i := range w.Aliases {
		if w.Aliases[i].Name == name {
			return &w.Aliases[i]
		}
	}
	return nil
}

// ApplyAlias sets the knob of the alias name, if name is an alias.
func (w *Workload) ApplyAlias(name string, s *engine.Scenario) error {
	if a := w.alias(name); a != nil {
		return s.Set(a.Knob, a.Value)
	}
	return nil
}

// WithBars returns the scenario with all choices that cannot be run marked in its table.
func (w *Workload) WithBars(s engine.Scenario, on *Site) engine.Scenario {
	var bars map[string]map[string]string
	if w.Bars != nil {
		bars = w.Bars(&s, on)
	}
	s.Table = slices.Clone(s.Table)
	for i := range s.Table {
		k := &s.Table[i]
		k.Blocked = bars[k.Name]
		if k.Name == "progress" && !on.Virtual {
			k.Blocked = map[string]string{string(cluster.ProgressOffload): noAdapter}
		}
	}
	return s
}

// Phrase returns a metric's name for a screen.
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

// Scenario returns a scenario with every knob at its default. The knob machine offers the given
// machines.
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
