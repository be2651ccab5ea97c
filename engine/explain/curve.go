package explain

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// A CurvePoint is a simulated part of changes, with the forecast from the simulations before it.
type CurvePoint struct {
	Part float64 // the factor of each change is its factor to this power: 0 to 1
	Forecast
	Simulated   *Run
	SameChoices bool
}

// Inside reports whether the simulated time is in the interval.
func (p *CurvePoint) Inside() bool { return p.Simulated.Total >= p.Low && p.Simulated.Total <= p.High }

// Curve simulates the changes and n-1 parts of them, each in the middle of the widest interval
// between two simulated parts. It adds them to the outlook and returns them in the order of parts.
func (o *Outlook) Curve(ctx context.Context, sc engine.Scenario, changes []presets.Change, n int,
	opts session.Options) ([]CurvePoint, error) {
	parts := []float64{0}
	var all []CurvePoint
	for range n {
		part := 1.0
		if len(parts) > 1 {
			part = middle(parts)
		}
		p := CurvePoint{Part: part}
		some := partOf(changes, part)
		p.Forecast = o.At(some)
		run, err := After(ctx, sc, some, opts)
		if err != nil {
			return nil, err
		}
		p.Simulated, p.SameChoices = run, o.Add(some, run)
		all = append(all, p)
		parts = append(parts, part)
		slices.Sort(parts)
	}
	slices.SortFunc(all, func(a, b CurvePoint) int {
		if a.Part < b.Part {
			return -1
		}
		return 1
	})
	return all, nil
}

// middle returns the middle of the first widest interval of a sorted list.
func middle(parts []float64) float64 {
	at := 1
	for i := 2; i < len(parts); i++ {
		if parts[i]-parts[i-1] > parts[at]-parts[at-1]+1e-9 {
			at = i
		}
	}
	return (parts[at] + parts[at-1]) / 2
}

// partOf returns a part of changes.
func partOf(changes []presets.Change, part float64) []presets.Change {
	some := slices.Clone(changes)
	for i := range some {
		some[i].Factor = math.Pow(some[i].Factor, part)
	}
	return some
}

// After explains a scenario on a changed machine.
func After(ctx context.Context, sc engine.Scenario, changes []presets.Change, o session.Options) (*Run, error) {
	next, machines, err := WithChanges(sc, changes, o.Machines)
	if err != nil {
		return nil, err
	}
	o.Machines = machines
	r, err := Explain(ctx, next, o)
	if err != nil {
		return nil, fmt.Errorf("after the change: %w", err)
	}
	return r, nil
}
