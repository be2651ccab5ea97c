package collective

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

// BenchmarkFrame measures the cost of the model per launch: its lines, its messages and the
// decision map.
func BenchmarkFrame(b *testing.B) {
	m, err := presets.Machine("xt4-franklin")
	if err != nil {
		b.Fatal(err)
	}
	for _, what := range []string{"bcast", "exchange", "allreduce"} {
		for _, ranks := range []int{16, 1024, 8192} {
			s := collective.Scenario([]string{m.Name})
			for _, k := range [][2]string{{"collective", what}, {"nodes", fmt.Sprint(ranks)}, {"ranks-per-node", "1"}} {
				if err := s.Set(k[0], k[1]); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(fmt.Sprintf("%s/ranks=%d", what, ranks), func(b *testing.B) {
				for b.Loop() {
					overSizes.Frame(&s, &m, engine.Simulated)
				}
			})
		}
	}
}
