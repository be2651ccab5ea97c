package session

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
)

// The cost of the session itself: sampling the states, a sample and a snapshot.
func BenchmarkPublish(b *testing.B) {
	for _, nodes := range []string{"1", "64", "2048"} {
		sc := storyOf(b, "access", "nodes", nodes, "ranks-per-node", "16", "group", "16", "fabric", "sim", "machine",
			"xc30-edison")
		o := Options{Fabrics: Fabrics()}
		set, err := o.resolve(sc, "")
		if err != nil {
			b.Fatal(err)
		}
		r, err := launch(b.Context(), set, newGate(Limits{Iterations: 2}, false))
		if err != nil {
			b.Fatal(err)
		}
		if err := r.handle.Wait(); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("ranks=%d", set.spec.Layout.Ranks()), func(b *testing.B) {
			h := newHistory(false)
			h.begin(set, 0, nil)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				for range publishEvery {
					n++
					r.sampler.sample(r.handle, n)
				}
				h.states.startWindow()
				h.sample(r, 0)
				if s := h.snapshot(set, r, engine.Running, 0); len(s.Ranks) != set.spec.Layout.Ranks() {
					b.Fatal("ranks are missing")
				}
			}
		})
	}
}
