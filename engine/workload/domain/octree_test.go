package domain

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// A profile over octants is a tree: the deepest level first, cells by Morton number. Cells without
// a rank do not exist.
func TestOctree(t *testing.T) {
	none := math.NaN()
	values := []float64{2, 0, none, 1, none, none, 2, 4, 0, 3} // the root, eight octants, and the first one's first
	s := &engine.Snapshot{Layout: cluster.Layout{Nodes: 2, RanksPerNode: 3, Model: cluster.Flat},
		Profiles: []engine.Profile{{Name: "owners", Over: Octants, Values: values}}}
	d := OctreeOf(s)
	if d == nil || len(d.Grids) != 3 || d.Grids[0].Name != "depth 2" || d.Grids[2].Boxes != [3]int{1, 1, 1} ||
		d.Ranks != 6 {
		t.Fatalf("%+v", d)
	}
	for z := range 2 {
		for y := range 2 {
			for x := range 2 {
				want := -1
				if v := values[1+x+2*y+4*z]; !math.IsNaN(v) {
					want = int(v)
				}
				if got := d.Owner(1, x, y, z); got != want {
					t.Errorf("octant %d, %d, %d is rank %d's, want %d", x, y, z, got, want)
				}
			}
		}
	}
	if a, b := d.Owner(0, 0, 0, 0), d.Owner(0, 1, 0, 0); a != 3 || b != -1 {
		t.Errorf("depth 2: ranks %d and %d, want 3 and none", a, b)
	}
	if n := d.Owners(1); n != 4 || d.Owns(1, 3) || !d.Owns(1, 2) {
		t.Errorf("depth 1: %d owners, want ranks 0, 1, 2 and 4", n)
	}
	if all, z := d.Cells(1); all != 5 || z != 1 {
		t.Errorf("depth 1: %d cells, most in plane %d; want 5, and 3 of them in plane 1", all, z)
	}
	if OctreeOf(&engine.Snapshot{Profiles: []engine.Profile{{Name: "residuals", Over: "cycle", Values: values}}}) != nil {
		t.Error("a profile over cycles is a tree")
	}
}
