package calibrate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Resampling estimates how much a number would change under other host conditions. The turns of a
// job are drawn again, with replacement. All jobs use the same rounds, because a disturbance of a
// round affects all its measurements:
//
//	for range resamples {
//		rounds := draw
//		times := estimate(batches of these rounds)
//		numbers = append(numbers, Fit(times))
//	}

const (
	resamples   = 200
	predictions = 40 // number of resampled machines for the check programs
	level95     = 0.95
)

// ErrBusy is returned if the host was too busy for useful numbers.
var ErrBusy = errors.New("calibrate: the host is too busy")

// drawer draws rounds.
type drawer struct {
	rng   *rand.Rand
	drawn []float64 // drawn rounds, each as a share of all rounds
}

func newDrawer(rounds int) *drawer {
	return &drawer{rng: rand.New(rand.NewPCG(1, 2)), drawn: make([]float64, rounds)}
}

// draw draws the rounds of another resample.
func (d *drawer) draw() {
	for i := range d.drawn {
		d.drawn[i] = d.rng.Float64()
	}
}

// batches returns the batches of a job in the drawn rounds. If a job had more turns than others,
// the same relative positions are used.
func (d *drawer) batches(turns [][]float64) []float64 {
	var all []float64
	for _, at := range d.drawn {
		all = append(all, turns[int(at*float64(len(turns)))]...)
	}
	return all
}

// rangeOf returns the range of the middle 95 % of the values, extended to contain value.
func rangeOf(value float64, values []float64) Range {
	if len(values) == 0 {
		return Range{Low: value, High: value}
	}
	sorted := slices.Sorted(slices.Values(values))
	cut := int(float64(len(sorted)) * (1 - level95) / 2)
	return Range{Low: min(value, sorted[cut]), High: max(value, sorted[len(sorted)-1-cut])}
}

// resampled holds the results of the resamples.
type resampled struct {
	times  [][]float64 // by trial
	checks [][]float64 // live, by check program
	models []*Model    // models of the resamples with a valid fit
}

// resample draws rounds and fits each draw. fit can be nil: then nothing is fitted.
func resample(trials, checks [][][]float64, rounds int,
	fit func(seconds []float64) (*Model, error)) (*resampled, error) {
	r := &resampled{times: make([][]float64, len(trials)), checks: make([][]float64, len(checks))}
	d := newDrawer(rounds)
	var last error
	for range resamples {
		d.draw()
		seconds := make([]float64, len(trials))
		for i := range trials {
			seconds[i], _ = estimate(d.batches(trials[i]))
			r.times[i] = append(r.times[i], seconds[i])
		}
		for i := range checks {
			live, _ := estimate(d.batches(checks[i]))
			r.checks[i] = append(r.checks[i], live)
		}
		if fit == nil {
			continue
		}
		m, err := fit(seconds)
		if err != nil {
			last = err
			continue
		}
		r.models = append(r.models, m)
	}
	if fit != nil && float64(len(r.models)) < level95*resamples {
		return nil,
			fmt.Errorf("%w: of %d resamples only %d yield a machine; stop other programs on this host: %w", ErrBusy, resamples,
				len(r.models), last)
	}
	return r, nil
}

// ranges sets the range of each number of a model from the resamples.
func (r *resampled) ranges(m *Model) {
	for i := range m.Numbers {
		n := &m.Numbers[i]
		var values []float64
		for _, other := range r.models {
			for k := range other.Numbers {
				if other.Numbers[k].Key == n.Key {
					values = append(values, other.Numbers[k].Value)
				}
			}
		}
		n.Range = rangeOf(n.Value, values)
		m.Machine.Source[n.Key] += fmt.Sprintf("; 95 %% of resamples from %.3g to %.3g %s", n.Low, n.High, n.Unit)
	}
}
