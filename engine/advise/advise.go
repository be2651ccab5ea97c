package advise

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
)

// A Request asks for advice on a scenario.
type Request struct {
	Scenario engine.Scenario
	Axes     []session.Axis // knobs that may change
	Late     []session.Axis // knobs that change only at the winners of Axes, one at a time
	// Most is the maximum number of combinations. If there are more, the last axes become late ones. 0
	// means no maximum.
	Most int
	All  bool // simulates the candidates that the workload's cost model puts far behind, too
	// Flips is the number of constants for which a change of the order is confirmed by simulation.
	Flips    int
	Options  session.Options
	Progress func(*session.Progress) // may be nil
}

// Advice is the ranking of the candidates of a scenario.
type Advice struct {
	Scenario    engine.Scenario
	Candidates  []*Candidate   // by place, then the pruned ones, then the ones that could not run
	Axes        []session.Axis // all combinations are candidates
	Late        []session.Axis // varied at the winners of Axes, one at a time
	Simulations int

	// Difference explains the time of the runner-up minus the time of the winner. It is nil without a
	// runner-up, or if ctx ended before.
	Difference *explain.Waterfall

	Flips    []Flip // confirmed, the nearest first
	Unproven []Flip // predicted changes of the order that a simulation did not confirm
	Searched bool   // the search for changes of the order ended
	NoSearch string // why there was no search; "": there was one

	progress func(*session.Progress)
	all      bool
}

// Winner returns the fastest candidate, or nil if none could run.
func (a *Advice) Winner() *Candidate {
	if len(a.Candidates) == 0 || a.Candidates[0].Run == nil {
		return nil
	}
	return a.Candidates[0]
}

// RunnerUp returns the fastest candidate of the second place, or nil if all share the first one.
func (a *Advice) RunnerUp() *Candidate {
	for _, c := range a.Candidates {
		if c.Place > 1 {
			return c
		}
	}
	return nil
}

// OwnChoice returns the scenario itself.
func (a *Advice) OwnChoice() *Candidate {
	for _, c := range a.Candidates {
		if c.Own {
			return c
		}
	}
	return nil
}

// Advise simulates the candidates of a scenario and ranks them. When ctx ends, it returns the results
// so far with the error.
func Advise(ctx context.Context, q Request) (*Advice, error) {
	sc := q.Scenario.Clone()
	for knob, value := range map[string]string{"fabric": engine.Sim, "timeline": "off"} {
		if err := sc.Set(knob, value); err != nil {
			return nil, err
		}
	}
	if len(q.Axes) == 0 {
		return nil, errors.New("advise: no knob may change (name some: --vary KNOB,...)")
	}
	a := &Advice{Scenario: sc, Axes: q.Axes, Late: q.Late, progress: q.Progress, all: q.All}
	q.Options.Fabrics = session.Fabrics()
	all, err := candidates(sc, a.Axes)
	for err == nil && q.Most > 0 && len(all) > q.Most && len(a.Axes) > 1 {
		n := len(a.Axes) - 1
		a.Late = append([]session.Axis{a.Axes[n]}, a.Late...)
		a.Axes = a.Axes[:n]
		all, err = candidates(sc, a.Axes)
	}
	if err != nil {
		return nil, err
	}
	defer func() { rank(a.Candidates) }()
	if err := a.simulate(ctx, all, q.Options); err != nil {
		return a, err
	}
	if err := a.varyAtWinners(ctx, q.Options); err != nil {
		return a, err
	}
	if err := a.repeat(ctx, q.Options); err != nil {
		return a, err
	}
	a.compare()
	return a, a.findFlips(ctx, q.Flips, q.Options)
}

// compare explains the difference between the winner and the runner-up.
func (a *Advice) compare() {
	if w, r := a.Winner(), a.RunnerUp(); w != nil && r != nil {
		a.Difference = explain.Compare(w.Run, r.Run)
	}
}

// simulate adds candidates, and runs all that the cost model does not put far behind.
func (a *Advice) simulate(ctx context.Context, all []*Candidate, o session.Options) error {
	a.Candidates = append(a.Candidates, all...)
	if !a.all {
		predict(a.Candidates, o)
	}
	again := slices.DeleteFunc(slices.Clone(all), func(c *Candidate) bool { return c.Pruned })
	for len(again) > 0 {
		rows, scenarios := make([]session.Row, len(again)), make([]engine.Scenario, len(again))
		for i, c := range again {
			rows[i], scenarios[i] = c.row(), c.Scenario
		}
		err := explain.RunAll(ctx, rows, scenarios, o, a.progress, func(i int, snap *engine.Snapshot, r *explain.Run, err error) {
			again[i].take(snap, r, err)
			if err == nil {
				a.Simulations++
				again[i].MemoryPerNode, _ = session.ProgramMemory(again[i].Scenario, o)
			}
		})
		if err != nil {
			return err
		}
		again = unprune(a.Candidates)
	}
	rank(a.Candidates)
	return nil
}

// varyAtWinners adds candidates that differ from a winner in the value of one late axis.
func (a *Advice) varyAtWinners(ctx context.Context, o session.Options) error {
	every := slices.Concat(a.Axes, a.Late)
	for _, c := range a.Candidates {
		c.name(every)
	}
	for _, axis := range a.Late {
		for _, first := range a.winners() {
			more, err := candidates(first.Scenario, []session.Axis{axis})
			if err != nil {
				return err
			}
			for _, c := range more {
				c.name(every)
			}
			if err := a.simulate(ctx, more[1:], o); err != nil { // without the winner itself
				return err
			}
		}
	}
	return nil
}

// winners returns the winner and the candidates that tie with it, the best one for each combination of the axes.
func (a *Advice) winners() (all []*Candidate) {
	seen := map[string]bool{}
	for _, c := range a.Candidates {
		var values []string
		for _, x := range a.Axes {
			for knob := range strings.SplitSeq(x.Knob, ",") {
				values = append(values, c.Scenario.Text(knob))
			}
		}
		if key := strings.Join(values, " "); c.Place == 1 && !seen[key] {
			seen[key] = true
			all = append(all, c)
		}
	}
	return all
}

// Ratio returns the time of a candidate relative to the winner, or 0.
func (a *Advice) Ratio(c *Candidate) float64 {
	w := a.Winner()
	if w == nil || c.Run == nil || w.Time == 0 {
		return 0
	}
	return float64(c.Time) / float64(max(w.Time, cluster.Picosecond))
}
