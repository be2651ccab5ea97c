package algorithm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Online is the value of the knob algorithm that tunes in the run (paper 5, section 3.6). Some
// iterations try the algorithms that the table or the cost model rates near the best. All later
// iterations use the fastest of them.
const Online = "online"

// A Cell is a collective of a program for which online tuning chooses the algorithm.
type Cell struct {
	Team
	What  coll.Collective
	Ranks int
	Bytes int64
}

// Times relative to the best up to which an algorithm is tried. At least coll.MaxChoices algorithms are
// tried.
const (
	// nearEstimate is for estimates with the resources that ranks share: 95 % are within 30 % (TestEstimates),
	// and both times may have this error.
	nearEstimate = modelError * modelError
	// nearFormula is for the formulas, which count no contention. For an allreduce of 32 KiB on 4 × 4
	// ranks of the XT4, ring is the fastest algorithm in the simulation, and has 2.7 times the best
	// time by formulas.
	nearFormula = 3.0
)

// Tried returns the values of the knob algorithm that online tuning tries, the first choice of the
// table or of the cost model first. For other values of the knob it returns only this value. If
// there are several cells, a value applies to all of them.
func Tried(s Reader, cells ...Cell) []string {
	name := s.Text("algorithm")
	if name != Online {
		return []string{name}
	}
	var all []string
	same := true // all cells have the same first choice
	for _, c := range cells {
		near := c.near(s)
		same = same && len(near) > 0 && (len(all) == 0 || near[0] == all[0])
		for _, name := range near {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	if !same || len(all) == 0 {
		all = append([]string{ByModel}, all...)
	}
	return all
}

// near returns the choices near the best for a cell: of the table in use, otherwise of the cost
// model.
func (c Cell) near(s Reader) (all []string) {
	if choices, err := c.tableChoices(c.What, c.Ranks, c.Bytes); err == nil {
		for nth := range choices {
			all = append(all, nthName(nth))
		}
		return all
	}
	near := nearFormula
	if _, ok := c.costMachine(); ok {
		near = nearEstimate
	}
	ranked := c.ranked(s, c.What, c.Ranks, c.Bytes)
	for i := range ranked {
		if a := &ranked[i]; i < coll.MaxChoices || float64(a.Time) <= near*float64(ranked[0].Time) {
			all = append(all, a.Key.Algorithm.Name)
		}
	}
	return all
}

// Keys returns the cell's keys for the values that Tried returns. If online tuning tries a value
// that only other cells can run, the cell uses its choice by the cost model.
func (c Cell) Keys(s Reader, tried []string) ([]coll.Key, error) {
	var all []coll.Key
	for _, name := range tried {
		k, err := c.Chosen(As(s, name), c.What, c.Ranks, c.Bytes)
		if err != nil && s.Text("algorithm") == Online {
			k, err = c.Chosen(As(s, ByModel), c.What, c.Ranks, c.Bytes)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// nthName returns the value of the knob algorithm for a choice of a table.
func nthName(nth int) string { return strings.TrimSuffix(fmt.Sprintf("%s:%d", ByTable, nth+1), ":1") }

// nthOf returns the number of the table's choice that a value of the knob algorithm names; −1: it
// names none.
func nthOf(name string) int {
	for nth := range coll.MaxChoices {
		if name == nthName(nth) {
			return nth
		}
	}
	return -1
}

// As returns the knobs of s with another value of the knob algorithm.
func As(s Reader, name string) Reader { return named{s, name} }

type named struct {
	Reader
	name string
}

// Text returns the value of a knob.
func (n named) Text(knob string) string {
	if knob == "algorithm" {
		return n.name
	}
	return n.Reader.Text(knob)
}

// Iterations returns the number of iterations that tuning online takes at most.
func Iterations(s Reader, candidates int) int {
	if candidates < 2 {
		return 0
	}
	return candidates * int(max(s.Int("tries"), 1))
}

// Tuning is a rank's probe in a program whose algorithm may be tuned online. While algorithms are
// tried, it omits metrics, samples and counts, so that the numbers of the run describe the choice.
type Tuning struct {
	engine.Probe
	Names   []string // the values that Tried returns
	refiner *coll.Refiner
	leads   bool // this rank reports the tries
	over    bool // the choice is reported
}

// triedKey is the key of the values that the ranks of a launch try.
type triedKey struct{}

// Tune returns the probe of a member of a team. cells returns the collectives that online tuning
// chooses algorithms for. Every member calls Tune.
func Tune(r *cluster.Rank, team *cluster.Team, p engine.Probe, cells func() []Cell) *Tuning {
	return tune(r, team, p, p, cells)
}

// tune is Tune with the knobs of s.
func tune(r *cluster.Rank, team *cluster.Team, p engine.Probe, s Reader, cells func() []Cell) *Tuning {
	t := &Tuning{Probe: p, leads: team.Rank() == 0}
	if p.Text("algorithm") == Online {
		t.Names = r.Lib().Shared(triedKey{}, func() any { return Tried(s, cells()...) }).([]string)
	} else {
		t.Names = Tried(s)
	}
	t.refiner = coll.NewRefiner(r, team, len(t.Names), int(max(p.Int("tries"), 1)))
	t.over = t.refiner.Settled()
	return t
}

// Now returns the candidate that the current iteration uses.
func (t *Tuning) Now() int { return t.refiner.Now() }

// Report adds a value of a metric.
func (t *Tuning) Report(name string, value float64) {
	if t.refiner.Settled() {
		t.Probe.Report(name, value)
	}
}

// Sample adds a value of a sample.
func (t *Tuning) Sample(name string, value float64) {
	if t.refiner.Settled() {
		t.Probe.Sample(name, value)
	}
}

// Tally adds to a cell of a table of counts.
func (t *Tuning) Tally(name string, row, column int, n int64) {
	if t.refiner.Settled() {
		t.Probe.Tally(name, row, column, n)
	}
}

// TallyIn adds to a cell of a layer of a table of counts.
func (t *Tuning) TallyIn(name string, layer, row, column int, n int64) {
	if t.refiner.Settled() {
		t.Probe.TallyIn(name, layer, row, column, n)
	}
}

// Columns of the table of tries.
const (
	triesColumn = iota
	totalColumn
	fastestColumn
	chosenColumn
)

// Took reports the time of the iteration on this rank, after its metrics. Every member calls it at
// the end of each iteration.
func (t *Tuning) Took(local cluster.Time) error {
	if t.over {
		if t.leads && t.Text("algorithm") == Online {
			t.Probe.Tally(study.TriesName, t.Now(), chosenColumn, 1)
		}
		return nil
	}
	now := t.Now()
	before := t.refiner.Trials()[now]
	if _, err := t.refiner.Took(local); err != nil || !t.leads {
		t.over = t.refiner.Settled()
		return err
	}
	after := &t.refiner.Trials()[now]
	count := func(column int, more cluster.Time) {
		t.Probe.Tally(study.TriesName, now, column, int64(more/cluster.Nanosecond))
	}
	t.Probe.Tally(study.TriesName, now, triesColumn, 1)
	count(totalColumn, after.Total-before.Total)
	count(fastestColumn, after.Fastest-before.Fastest) // the sum is the minimum so far
	if t.over = t.refiner.Settled(); t.over {
		t.Probe.Report("tuning_cost", t.refiner.Cost().Seconds())
	}
	return nil
}

// Metrics returns the metrics of online tuning.
func Metrics() []engine.MetricSpec {
	return []engine.MetricSpec{{Name: "tuning_cost", Phrase: "cost of tuning", Unit: "s", Total: true,
		Doc: "algorithm = online: time of all tries beyond the fastest try of the best algorithm"}}
}

// Tries returns the table of tries of online tuning. cells returns the collectives of a scenario.
func Tries(cells func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) []Cell) engine.TallySpec {
	return triesOf(func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) []string {
		return Tried(s, cells(s, m, kind)...)
	})
}

// triesOf returns the table of tries of the algorithms that tried returns.
func triesOf(tried func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) []string) engine.TallySpec {
	return engine.TallySpec{Name: study.TriesName, Unit: "ns", Row: "algorithm", Column: "of",
		Doc: "algorithm = online: number of tries, their total and shortest time, and iterations after the choice",
		Labels: func(s *engine.Scenario, m *cluster.Machine) (rows, columns []string) {
			if s.Text("algorithm") != Online {
				return nil, nil
			}
			kind := engine.Measured
			switch {
			case s.Text("fabric") == engine.Sim:
				kind = engine.Simulated
			case m.Emulated:
				kind = engine.Emulated
			}
			return tried(s, m, kind), []string{"tries", "time", "fastest", "chosen"}
		}}
}

// Chosen returns the value of the knob algorithm that a run has chosen online; "": none yet, or the
// knob has another value.
func Chosen(snap *engine.Snapshot) string {
	if t := snap.Tally(study.TriesName); t != nil {
		for row, name := range t.Rows {
			if t.At(row, chosenColumn) > 0 {
				return name
			}
		}
	}
	return ""
}
