package multigrid

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// A face reaches the ghosts of its neighbour, and no other cell changes.
func TestFacePut(t *testing.T) {
	const side = 8
	b := shape{1, side}
	for _, variant := range []string{"local", "natural"} {
		spec := clustertest.Spec(clustertest.Priced(), 1, 2)
		spec.Segment = b.vectorBytes()
		err := cluster.Launch(t.Context(), sim.New(), spec, func(r *cluster.Rank) error {
			cells := cluster.View[float64](r.Segment())
			if r.ID() == 0 {
				for i := range cells {
					cells[i] = float64(i)
				}
				if err := FacePut(r, 1, side, variant)(); err != nil {
					return err
				}
			}
			if err := r.Barrier(r.All()); err != nil || r.ID() == 0 {
				return err
			}
			for i, x := range cells {
				at, want := [3]int{i % b.stride(), i / b.stride() % b.stride(), i / b.stride() / b.stride()}, 0.
				if at[0] == 0 && min(at[1], at[2]) > 0 && max(at[1], at[2]) <= side {
					want = float64(i + side)
				}
				if x != want {
					t.Errorf("%s: cell %v holds %g, want %g", variant, at, x, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
