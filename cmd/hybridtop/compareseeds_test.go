package main

import (
	"context"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// noisyHeat returns the scenario heat-noise with changed knobs.
func noisyHeat(t *testing.T, knobs map[string]string) engine.Scenario {
	t.Helper()
	p, err := presets.FindScenario("heat-noise")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := session.FromPreset(&p)
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range knobs {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// TestPairsWithoutADifference compares a program with itself 200 times, with 8 pairs each. The runs of a pair have other seeds, so that
// their times differ by chance. At most 5 % of the comparisons may call the difference real.
func TestPairsWithoutADifference(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("3,200 simulations: set CONFORM=1")
	}
	const comparisons, count = 200, 8
	small := map[string]string{"nodes": "3", "ranks-per-node": "1", "size": "24", "steps": "20", "memory": "host"}
	o := session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 1}}
	real, different := 0, 0
	for seed := 1; seed < comparisons*count; seed += pairs.MostSeeds * 4 / 5 {
		v := &variants{names: [2]string{"A", "B"}, scenarios: [2]engine.Scenario{noisyHeat(t, small), noisyHeat(t, small)}}
		for i := range v.scenarios {
			if err := v.scenarios[i].Set("seed", strconv.Itoa(seed+i*1_000_000)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := v.compareSeeds(context.Background(), o, pairs.MostSeeds*4/5, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		for all := r.Pairs; len(all) > 0; all = all[count:] {
			one := pairs.Result{Names: r.Names, Pairs: all[:count]}
			if a, b := one.Columns(); a[0] != b[0] {
				different++
			}
			if one.Conclude().Verdict == pairs.Real {
				real++
			}
		}
	}
	t.Logf("%d of %d comparisons are real", real, comparisons)
	if real > comparisons*5/100 || different < comparisons/2 {
		t.Errorf("%d of %d comparisons are real, and %d begin with different times: want at most 5 %%, and most", real, comparisons, different)
	}
}
