package advise

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// Limits of the search for changes of the order.
const (
	apart      = 1.02 // both candidates are simulated at the factor divided and multiplied by this
	mostTimes  = 64   // the largest and the smallest factor of a constant's time: 64 and 1/64
	mostSteps  = 3    // factors that are tried, per constant
	mostPoints = 8    // changed machines on which both candidates are simulated, for all constants
)

// A Flip is a factor of a number of the machine at which the runner-up overtakes the winner.
type Flip struct {
	Key       string
	Source    string  // sourced, derived, fitted, assumed or unknown
	Predicted float64 // factor of the number, from the paths on the unchanged machine
	Factor    float64 // factor of the number; 0: not confirmed
	Value     float64 // the number times the factor
	Unit      string
	// Near has the times 2 % before Factor, on the side of the unchanged machine. Far has those 2 % after it.
	Near, Far Sides
	Reason    string // why it is not confirmed
}

// Sides are the simulated times at a factor.
type Sides struct {
	Factor           float64
	Winner, RunnerUp cluster.Time
}

// Leads reports whether the winner is still at least as fast.
func (s *Sides) Leads() bool { return s.Winner <= s.RunnerUp }

// duel is the search for changes of the order of two candidates.
type duel struct {
	a       *Advice
	o       session.Options
	w, r    *Candidate
	machine *cluster.Machine
	points  int // simulated machines
}

// findFlips predicts the factors at which the runner-up overtakes the winner, and confirms the nearest
// ones by simulation.
func (a *Advice) findFlips(ctx context.Context, n int, o session.Options) error {
	w, r := a.Winner(), a.RunnerUp()
	switch {
	case n == 0:
		a.NoSearch = "not requested"
	case w == nil:
		a.NoSearch = "no candidate could run"
	case r == nil:
		a.NoSearch = "all candidates share the first place"
	case r.Run.Total <= w.Run.Total:
		a.NoSearch = "noise hides the order of a single seed"
	case w.Run.Machine.Name != r.Run.Machine.Name:
		a.NoSearch = "the winner and the runner-up run on different machines"
	}
	if a.NoSearch != "" {
		return nil
	}
	d := &duel{a: a, o: o, w: w, r: r, machine: &w.Run.Machine}
	for _, f := range d.predicted() {
		if len(a.Flips) == n || d.points >= mostPoints {
			break
		}
		if err := d.confirm(ctx, &f); err != nil {
			return err
		}
		if f.Factor > 0 {
			a.Flips = append(a.Flips, f)
		} else {
			a.Unproven = append(a.Unproven, f)
		}
	}
	slices.SortStableFunc(a.Flips, func(x, y Flip) int {
		return cmp.Compare(math.Abs(math.Log(x.Factor)), math.Abs(math.Log(y.Factor)))
	})
	a.Searched = true
	return nil
}

// predicted returns the factors at which the tangents of both times meet, the nearest first.
func (d *duel) predicted() []Flip {
	spans := map[string][2]float64{}
	for side, c := range []*Candidate{d.w, d.r} {
		for _, s := range c.Run.Sensitivities() {
			x := spans[s.Key]
			x[side] = math.Abs(s.Share) * float64(c.Run.Total)
			spans[s.Key] = x
		}
	}
	kinds := map[string]string{}
	for _, f := range presets.Facts(d.machine) {
		kinds[f.Key] = f.Kind()
	}
	var all []Flip
	for key, s := range spans {
		times := 1 + float64(d.r.Run.Total-d.w.Run.Total)/(s[0]-s[1])
		if !(times >= 1.0/mostTimes && times <= mostTimes) {
			continue
		}
		x, unit, ok := presets.Value(d.machine, key)
		if !ok || x == 0 {
			continue
		}
		all = append(all, Flip{Key: key, Source: kinds[key], Unit: unit, Value: x, Predicted: d.factor(key, times)})
	}
	slices.SortFunc(all, func(a, b Flip) int {
		return cmp.Or(cmp.Compare(math.Abs(math.Log(a.Predicted)), math.Abs(math.Log(b.Predicted))), cmp.Compare(a.Key, b.Key))
	})
	return all
}

// factor converts a factor of a constant's time to a factor of its number, or back. For a number that is not
// a time, such as a rate, they are inverse.
func (d *duel) factor(key string, times float64) float64 {
	if _, unit, _ := presets.Value(d.machine, key); unit != "s" {
		return 1 / times
	}
	return times
}

// side has the results on one changed machine.
type side struct {
	times float64 // factor of the constant's time
	gap   float64 // time of the runner-up minus the winner's
	slope float64 // derivative of the gap by the factor
	sides Sides
}

// confirm simulates both candidates 2 % before and 2 % after a factor. If the order is the same on both
// sides, it moves the factor along the tangents, or into the middle of an interval with a change.
func (d *duel) confirm(ctx context.Context, f *Flip) error {
	first := d.factor(f.Key, f.Predicted)
	at := func(distance float64) float64 { // factor of the constant's time
		if first > 1 {
			return distance
		}
		return 1 / distance
	}
	distance := at(first)             // from the unchanged machine, at least 1
	before, after := 1.0, math.Inf(1) // largest distance with the old order, smallest with the new one
	for range mostSteps {
		if distance > mostTimes || d.points >= mostPoints {
			break
		}
		s, err := d.simulate(ctx, f.Key, at(distance*apart))
		if err != nil {
			return d.fail(ctx, f, err)
		}
		if s.sides.Leads() {
			before = max(before, distance*apart)
		} else {
			far := s.sides
			if s, err = d.simulate(ctx, f.Key, at(distance/apart)); err != nil {
				return d.fail(ctx, f, err)
			}
			if s.sides.Leads() {
				f.Factor = d.factor(f.Key, at(distance))
				f.Value *= f.Factor
				f.Near, f.Far = s.sides, far
				return nil
			}
			after = min(after, distance/apart)
		}
		root := at(s.times - s.gap/s.slope)
		switch {
		case root > before && root < after:
			distance = root
		case !math.IsInf(after, 1):
			distance = math.Sqrt(before * after)
		default:
			distance = before * before
		}
	}
	f.Reason = "the simulated order does not change at or near this factor"
	return nil
}

// fail ends the confirmation of a factor at which the machine or a run is refused. It returns an error only
// if ctx has ended, which ends the search.
func (d *duel) fail(ctx context.Context, f *Flip, err error) error {
	if ctx.Err() != nil {
		return err
	}
	f.Reason = err.Error()
	return nil
}

// simulate runs both candidates on a changed machine.
func (d *duel) simulate(ctx context.Context, key string, times float64) (side, error) {
	d.points++
	s := side{times: times, sides: Sides{Factor: d.factor(key, times)}}
	changes := []presets.Change{{Key: key, Factor: s.sides.Factor}}
	var rows []session.Row
	var scenarios []engine.Scenario
	o := d.o
	for _, c := range []*Candidate{d.w, d.r} {
		next, machines, err := explain.WithChanges(c.Scenario, changes, d.o.Machines)
		if err != nil {
			return s, err
		}
		o.Machines = machines
		row := c.row()
		row.Knobs = append(slices.Clip(row.Knobs), session.Setting{Knob: key, Value: "×" + strconv.FormatFloat(s.sides.Factor, 'g', 4, 64)})
		rows, scenarios = append(rows, row), append(scenarios, next)
	}
	var runs [2]*explain.Run
	var failure error
	err := explain.RunAll(ctx, rows, scenarios, o, d.a.progress, func(i int, _ *engine.Snapshot, r *explain.Run, err error) {
		d.a.Simulations++
		runs[i] = r
		failure = cmp.Or(failure, err)
	})
	if err = cmp.Or(err, failure); err != nil {
		return s, err
	}
	s.sides.Winner, s.sides.RunnerUp = runs[0].Total, runs[1].Total
	s.gap = float64(runs[1].Total - runs[0].Total)
	s.slope = (spanOf(runs[1], key) - spanOf(runs[0], key)) / times
	return s, nil
}

// spanOf returns the part of a run's time that is proportional to the time of a constant.
func spanOf(r *explain.Run, key string) float64 {
	for _, s := range r.Sensitivities() {
		if s.Key == key {
			return math.Abs(s.Share) * float64(r.Total)
		}
	}
	return 0
}
