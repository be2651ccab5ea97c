package all_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// The functions of Comparison compute the same: both verify their results.
func TestComparison(t *testing.T) {
	ran := 0
	for _, w := range workload.All() {
		if w.Comparison == nil {
			continue
		}
		ran++
		for _, ranks := range []int{1, 4} {
			s := w.Scenario([]string{"this-host"})
			for knob, v := range quickly(w,
				map[string]string{"nodes": "1", "ranks-per-node": fmt.Sprint(ranks), "model": string(cluster.Flat)}) {
				if err := s.Set(knob, v); err != nil {
					t.Fatal(err)
				}
			}
			plan, err := w.Plan(&s, &workload.Site{Machine: &cluster.Machine{}})
			if err != nil {
				t.Fatal(err)
			}
			spec := cluster.Spec{Machine: cluster.Machine{Name: "this-host", Progress: cluster.ProgressCall},
				Layout: s.Layout(), Segment: plan.Segment, EagerLimit: -1}
			err = cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
				path, alone, err := w.Comparison(r, workload.IdleProbe{Scenario: &s})
				if err != nil {
					return err
				}
				for range 2 {
					if err := path(); err != nil {
						return err
					}
				}
				if r.ID() > 0 {
					return nil
				}
				return alone()
			})
			if err != nil {
				t.Errorf("%s on %d ranks: %v", w.Name, ranks, err)
			}
		}
	}
	if ran == 0 {
		t.Error("no workload has a Comparison")
	}
}
