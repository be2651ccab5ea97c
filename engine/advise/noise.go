package advise

import (
	"context"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

// seeds is the number of seeds of a noisy candidate: six pairs are the least for an interval of 95 %.
const seeds = 6

// compared is the maximum number of candidates that are simulated with all seeds.
const compared = 6

// isNoisy reports whether times depend on the seed.
func isNoisy(c *Candidate) bool {
	m := &c.Run.Machine
	return m.IsNoisy() || workload.Idle(&c.Scenario, engine.Simulated, "seed") == ""
}

// ties reports whether two candidates share a place: their times are within 2 %, or pairs of equal seeds
// show no difference.
func ties(a, b *Candidate) bool {
	x, y := float64(a.Time), float64(b.Time)
	if max(x, y) <= min(x, y)*(1+tie) {
		return true
	}
	if len(a.Seeds) == 0 || len(a.Seeds) != len(b.Seeds) {
		return false
	}
	d := models.PairedDifference(seconds(a.Seeds), seconds(b.Seeds))
	return !d.Real()
}

func seconds(all []cluster.Time) []float64 {
	out := make([]float64, len(all))
	for i, t := range all {
		out[i] = t.Seconds()
	}
	return out
}

// repeat simulates the fastest candidates with several seeds: the winner, and candidates that are slower by
// at most 2 % plus twice the spread of its times.
func (a *Advice) repeat(ctx context.Context, o session.Options) error {
	if len(a.Candidates) == 0 || a.Candidates[0].Run == nil || !isNoisy(a.Candidates[0]) {
		return nil
	}
	first := a.Candidates[0]
	if err := a.repeatOne(ctx, []*Candidate{first}, o); err != nil {
		return err
	}
	spread := slices.Max(first.Seeds) - slices.Min(first.Seeds)
	var near []*Candidate
	for _, c := range a.Candidates[1:] {
		if c.Run != nil && c.Time <= first.Time+2*spread+cluster.Time(tie*float64(first.Time)) && len(near) < compared-1 {
			near = append(near, c)
		}
	}
	if err := a.repeatOne(ctx, near, o); err != nil {
		return err
	}
	rank(a.Candidates)
	return nil
}

// repeatOne simulates candidates with all seeds. It sets the time of each to the median.
func (a *Advice) repeatOne(ctx context.Context, all []*Candidate, o session.Options) error {
	if len(all) == 0 {
		return nil
	}
	var rows []session.Row
	var scenarios []engine.Scenario
	for _, c := range all {
		for n := 1; n < seeds; n++ {
			sc := c.Scenario.Clone()
			seed := strconv.FormatInt(sc.Int("seed")+int64(n), 10)
			if err := sc.Set("seed", seed); err != nil {
				return err
			}
			row := c.row()
			row.Knobs = append(slices.Clip(row.Knobs), session.Setting{Knob: "seed", Value: seed})
			rows, scenarios = append(rows, row), append(scenarios, sc)
		}
	}
	times := make([]cluster.Time, len(rows))
	err := explain.RunAll(ctx, rows, scenarios, o, a.progress, func(i int, _ *engine.Snapshot, r *explain.Run, err error) {
		if err == nil {
			a.Simulations++
			times[i] = r.Total
		}
	})
	if err != nil {
		return err
	}
	for i, c := range all {
		mine := append([]cluster.Time{c.Run.Total}, times[i*(seeds-1):(i+1)*(seeds-1)]...)
		if slices.Contains(mine, 0) {
			continue // a seed failed: no interval
		}
		c.Seeds = mine
		sorted := slices.Sorted(slices.Values(mine))
		c.Time = (sorted[(seeds-1)/2] + sorted[seeds/2]) / 2
	}
	return nil
}
