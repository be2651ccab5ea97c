package workload

import (
	"context"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// TestPartsBeginTogether starts timed parts on machines whose computations end at different times. All ranks of a
// team begin at the same time.
func TestPartsBeginTogether(t *testing.T) {
	for name, change := range map[string]func(*cluster.Machine){
		"quiet":        func(*cluster.Machine) {},
		"noise":        func(m *cluster.Machine) { m.ComputeNoise = 0.3 },
		"detours":      func(m *cluster.Machine) { m.DetourRate, m.DetourLength = 1e4, 20*cluster.Microsecond },
		"slow node":    func(m *cluster.Machine) { m.Slow = []cluster.Slow{{Node: 1, Adapter: -1, Factor: 8}} },
		"slow adapter": func(m *cluster.Machine) { m.Slow = []cluster.Slow{{Node: 1, Adapter: 0, Factor: 8}} },
	} {
		m := clustertest.Priced()
		change(&m)
		const ranks, parts = 12, 20
		var begins [parts][ranks]cluster.Time
		err := cluster.Launch(context.Background(), sim.New(), clustertest.Spec(m, 4, ranks/4), func(r *cluster.Rank) error {
			start := NewStart(r, r.World())
			for i := range parts {
				r.Compute(cluster.Work{Flops: 1e4 * float64(1+(r.ID()*7+i)%5)}, nil)
				begin, err := start.Together()
				if err != nil {
					return err
				}
				begins[i][r.ID()] = begin
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, of := range begins {
			for rank, begin := range of {
				if begin != of[0] || i > 0 && begin <= begins[i-1][0] {
					t.Errorf("%s: part %d begins at %v on rank %d, at %v on rank 0, part %d at %v", name, i, begin, rank, of[0],
						i-1, begins[max(i-1, 0)][0])
				}
			}
		}
	}
}
