package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

func sortedBars(all []Bar) []Bar {
	slices.SortStableFunc(all, func(a, b Bar) int {
		x, y := a.Span(), b.Span()
		return cmp.Or(cmp.Compare(max(y, -y), max(x, -x)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Note, b.Note))
	})
	return all
}

// Sensitivity is the change of the time, in percent, per percent of a number of the machine.
type Sensitivity struct {
	Key   string
	Share float64 // above 0: the time grows with the number; a faster rate has a negative share
}

// Sensitivities returns the numbers of the machine on which the time depends, the largest share
// first.
func (r *Run) Sensitivities() []Sensitivity {
	spans := r.spans()
	var all []Sensitivity
	for key, span := range spans {
		share := float64(span) / float64(max(r.Total, 1))
		if isRate(&r.Machine, key) {
			share = -share
		}
		all = append(all, Sensitivity{Key: key, Share: share})
	}
	slices.SortFunc(all, func(a, b Sensitivity) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Share), math.Abs(a.Share)), cmp.Compare(a.Key, b.Key))
	})
	return all
}

// spans returns the time that is proportional to each number, or to its inverse.
func (r *Run) spans() map[string]cluster.Time {
	spans := map[string]cluster.Time{}
	for c, span := range r.Path.Spans {
		if span != 0 {
			for _, key := range sim.Constant(c).Keys(&r.Machine) {
				spans[key] += span
			}
		}
	}
	return spans
}

// isRate reports whether times are proportional to the inverse of a number.
func isRate(m *cluster.Machine, key string) bool {
	_, unit, _ := presets.Value(m, key)
	return unit != "s"
}

// Forecast returns the time after changes, from this run alone.
func (r *Run) Forecast(changes []presets.Change) Forecast { return NewOutlook(r).At(changes) }

// WithChanges returns a scenario on a changed machine, and the machines that it can name.
func WithChanges(sc engine.Scenario, changes []presets.Change,
	own []cluster.Machine) (engine.Scenario, []cluster.Machine, error) {
	if len(changes) == 0 {
		return sc, own, nil
	}
	m, err := MachineOf(&sc, own)
	if err != nil {
		return sc, nil, err
	}
	changed, err := presets.Changed(&m, changes)
	if err != nil {
		return sc, nil, err
	}
	own = append(slices.Clone(own), changed)
	next, err := session.Scenario(sc.Workload, own...)
	if err != nil {
		return sc, nil, err
	}
	for _, name := range next.Names(sc.Values) {
		value := sc.Values[name]
		if name == "machine" {
			value = changed.Name
		}
		if err := next.Set(name, value); err != nil {
			return sc, nil, err
		}
	}
	return next, own, nil
}
