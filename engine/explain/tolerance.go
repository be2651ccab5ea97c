package explain

import (
	"context"
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// The limits of a search for a tolerance.
const (
	tolerancePrecision = 0.01 // of the interval, relative to its ends
	toleranceRuns      = 10   // simulations
	toleranceMost      = 1024 // the largest factor of a time
)

// A Tolerance is the increase of a constant's time that costs a share of the program's time.
type Tolerance struct {
	Key  string
	Loss float64 // share of the time that is lost
	// Low and High are factors of the constant's time, and both ends are simulated: the loss is
	// smaller at Low and larger at High.
	Low, High      float64
	NoLimit        bool // the loss is not reached at High, the largest factor
	ChoicesChange  bool // High makes other choices than Low, so more factors may lose as much
	Simulations    int
	LowRun, EndRun *Run
}

// Change returns the change of the machine for a factor of the constant's time. A rate is divided.
func (t *Tolerance) Change(r *Run, factor float64) presets.Change {
	if isRate(&r.Machine, t.Key) {
		factor = 1 / factor
	}
	return presets.Change{Key: t.Key, Factor: factor}
}

// ToleranceKeys returns the constants L, o, G and the flops of a machine that has them.
func ToleranceKeys(r *Run) []string {
	var all []string
	for _, key := range []string{"remote.latency_s", "remote.overhead_s", "remote.bandwidth_bytes_per_s", "flops_per_core"} {
		if x, _, ok := presets.Value(&r.Machine, key); ok && x > 0 {
			all = append(all, key)
		}
	}
	return all
}

// Tolerate finds the tolerance of a constant for a loss. While no choice changes, the time is convex,
// so a tangent at a larger factor meets the loss above the tolerance, and a chord below it. Steps
// along both close the interval. If choices change, the interval is halved instead.
func Tolerate(ctx context.Context, sc engine.Scenario, base *Run, key string, loss float64,
	o session.Options) (Tolerance, error) {
	t := Tolerance{Key: key, Loss: loss, Low: 1, High: toleranceMost, LowRun: base}
	if _, err := presets.Changed(&base.Machine, []presets.Change{t.Change(base, 1)}); err != nil {
		return t, err
	}
	for { // the largest factor that the number can have
		if _, err := presets.Changed(&base.Machine, []presets.Change{t.Change(base, t.High)}); err == nil || t.High <= 2 {
			break
		}
		t.High /= 2
	}
	target := float64(base.Total) * (1 + loss)
	next := tangentRoot(base, key, 1, target)
	for t.Simulations < toleranceRuns {
		switch {
		case t.EndRun == nil:
			next = min(next*(1+tolerancePrecision/4), t.High)
		case t.High/t.Low-1 <= tolerancePrecision:
			return t, nil
		}
		run, err := After(ctx, sc, []presets.Change{t.Change(base, next)}, o)
		if err != nil {
			return t, err
		}
		t.Simulations++
		if float64(run.Total) <= target {
			t.Low, t.LowRun = next, run
			if t.EndRun == nil && next == t.High {
				t.NoLimit = true
				return t, nil
			}
		} else {
			t.High, t.EndRun = next, run
		}
		if t.EndRun == nil { // the time is not convex, or the tangent is flat
			next = max(8*next, tangentRoot(t.LowRun, key, t.Low, target))
			continue
		}
		t.ChoicesChange = t.EndRun.Path.Choices != t.LowRun.Path.Choices
		next = t.step(target)
	}
	return t, nil
}

// step returns the next factor, strictly between both ends.
func (t *Tolerance) step(target float64) float64 {
	middle := math.Sqrt(t.Low * t.High)
	if t.ChoicesChange || t.Simulations > toleranceRuns/2 {
		return middle
	}
	low, high := float64(t.LowRun.Total), float64(t.EndRun.Total)
	chord := t.Low + (target-low)/(high-low)*(t.High-t.Low)
	tangent := tangentRoot(t.EndRun, t.Key, t.High, target)
	x := tangent // closes the interval from above
	if t.Simulations%2 == 0 || tangent/t.Low-1 <= tolerancePrecision/2 {
		x = chord // from below
	}
	slack := (t.High - t.Low) / 64
	if !(x > t.Low) || !(x < t.High) {
		return middle
	}
	return min(max(x, t.Low+slack), t.High-slack)
}

// tangentRoot returns the factor at which the tangent of a run meets a time.
func tangentRoot(r *Run, key string, factor, time float64) float64 {
	slope := float64(r.spans()[key]) / factor
	if slope <= 0 {
		return toleranceMost
	}
	return factor + (time-float64(r.Total))/slope
}
