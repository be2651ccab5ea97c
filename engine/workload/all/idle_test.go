package all_test

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// TestIdleOfEveryLayout tests that Idle does not panic for any workload and layout. Some layouts are invalid: their
// groups are larger than the cluster, or do not divide it.
func TestIdleOfEveryLayout(t *testing.T) {
	for _, w := range workload.All() {
		s := w.Scenario(presets.Machines())
		set := func(knob, value string) {
			if err := s.Set(knob, value); err != nil {
				t.Fatal(err)
			}
		}
		for _, model := range []string{"flat", "nested-funneled", "nested-multiple"} {
			for _, ranks := range []int{1, 2, 6} {
				for _, group := range []int{1, 4, 64} {
					set("model", model)
					set("ranks-per-node", fmt.Sprint(ranks))
					set("group", fmt.Sprint(group))
					for _, own := range w.Knobs {
						for _, choice := range own.Choices {
							set(own.Name, choice)
							for i := range s.Table {
								workload.Idle(&s, engine.Simulated, s.Table[i].Name)
							}
						}
						set(own.Name, own.Default)
					}
				}
			}
		}
	}
}
