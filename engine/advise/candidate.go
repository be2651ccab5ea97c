package advise

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Limits of the ranking.
const (
	// tie is the share by which times may differ and still share a place.
	tie = 0.02
	// farBehind is the ratio of modelled times above which a candidate is not simulated.
	farBehind = 3
)

// A Candidate is a combination of values of the knobs that may change.
type Candidate struct {
	Scenario engine.Scenario
	Knobs    []session.Setting // knobs that may change and have an effect
	Own      bool              // the scenario itself

	Modelled float64 // predicted by the workload's cost model in s; 0: no prediction
	Pruned   bool    // the model puts it far behind, so it was not simulated

	Run           *explain.Run   // nil: not simulated
	Time          cluster.Time   // simulated; with noise, the median over Seeds
	Seeds         []cluster.Time // by seed; nil: without noise
	MemoryPerNode int64          // bytes of the program's segments, arrays and message buffers
	Place         int            // from 1; 0: not simulated
	Refusal       string         // why it could not run
}

// Name returns the values of the knobs that may change.
func (c *Candidate) Name() string {
	r := session.Row{Knobs: c.Knobs}
	return r.Name()
}

// name sets Knobs: the knobs of the axes that have an effect.
func (c *Candidate) name(axes []session.Axis) {
	c.Knobs = nil
	for _, a := range axes {
		for _, knob := range strings.Split(a.Knob, ",") {
			if workload.Idle(&c.Scenario, engine.Simulated, knob) == "" {
				c.Knobs = append(c.Knobs, session.Setting{Knob: knob, Value: c.Scenario.Text(knob)})
			}
		}
	}
}

// row returns the row of a simulation.
func (c *Candidate) row() session.Row { return session.Row{Knobs: c.Knobs} }

// take stores the result of a simulation.
func (c *Candidate) take(snap *engine.Snapshot, r *explain.Run, err error) {
	switch {
	case err != nil:
		c.Refusal, _, _ = strings.Cut(err.Error(), "\n")
	case !snap.Verification.Done || !snap.Verification.OK:
		c.Refusal = "not verified: " + snap.Verification.Detail
	default:
		c.Run, c.Time = r, r.Total
	}
}

// predict sets the modelled times, and prunes the candidates that are far behind.
func predict(all []*Candidate, o session.Options) {
	best := 0.0
	for _, c := range all {
		w, err := workload.Find(c.Scenario.Workload)
		if err != nil || w.CostModel == "" {
			return
		}
		if m, ok := session.Modelled(&c.Scenario, w.CostModel, o); ok {
			c.Modelled = m.Value
			if best == 0 || m.Value < best {
				best = m.Value
			}
		}
	}
	for _, c := range all {
		c.Pruned = !c.Own && c.Modelled > farBehind*best
	}
}

// unprune returns the pruned candidates that could still win, and marks them as not pruned. It assumes that
// the model overestimates no time by a larger factor than it does for a simulated candidate.
func unprune(all []*Candidate) (again []*Candidate) {
	var best cluster.Time
	ratio := 0.0 // smallest ratio of a simulated to a modelled time
	for _, c := range all {
		if c.Run == nil {
			continue
		}
		if best == 0 || c.Time < best {
			best = c.Time
		}
		if x := c.Time.Seconds() / c.Modelled; c.Modelled > 0 && (ratio == 0 || x < ratio) {
			ratio = x
		}
	}
	for _, c := range all {
		if c.Pruned && c.Modelled*ratio < best.Seconds()*(1+tie) {
			c.Pruned = false
			again = append(again, c)
		}
	}
	return again
}

// standsIn returns 1 if a candidate's algorithm stands for another one, otherwise 0. Candidates with 0 come
// first, because on a changed machine the choice may stand for a different algorithm.
func standsIn(c *Candidate) int {
	if slices.Contains(tuned, c.Scenario.Values["algorithm"]) {
		return 1
	}
	return 0
}

// rank sorts the candidates by time, and sets their places. A place begins with the fastest candidate that
// has none yet. The candidates that tie with it share the place.
func rank(all []*Candidate) {
	group := func(c *Candidate) int {
		switch {
		case c.Run != nil:
			return 0
		case c.Pruned:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(a.Time, b.Time), cmp.Compare(standsIn(a), standsIn(b)),
			cmp.Compare(a.Modelled, b.Modelled))
	})
	for _, c := range all {
		c.Place = 0
	}
	for i, first := range all {
		if first.Run == nil || first.Place > 0 {
			continue
		}
		for _, c := range all[i:] {
			if c.Run != nil && c.Place == 0 && (c == first || ties(first, c)) {
				c.Place = i + 1
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(a.Place, b.Place))
	})
}
