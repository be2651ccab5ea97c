package models_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/models"
)

// Paper 2, table 1: accumulated bandwidths on 12 nodes of 8 CPUs, MB/s.
var table1 = []struct {
	column          string
	hybrid, mpp     float64 // measured
	perNode, perCPU float64
	bandwidths      float64 // b_MPP/b_hybrid
	times           float64 // T_hybrid/T_MPP
}{
	{"b_eff average", 1535, 5299, 128, 55, 3.45, 1.73},
	{"b_eff at Lmax", 5565, 16624, 464, 173, 2.99, 1.49},
	{"3D-cyclic average", 1604, 5000, 134, 52, 3.12, 1.56},
	{"3D-cyclic at Lmax", 5638, 18458, 470, 192, 3.27, 1.64},
}

// The rows of table 1 that follow from the measured ones. s_MPP/s_hybrid = 2 holds for a 2×2×2 cube
// per node.
func TestTable1(t *testing.T) {
	more, err := models.NodeBox{I: 2, J: 2, K: 2}.MoreBytes()
	if err != nil || more != 2 {
		t.Fatalf("s_MPP/s_hybrid = %v, %v, published 2", more, err)
	}
	for _, c := range table1 {
		near(t, c.column+", per node", c.hybrid/12, c.perNode, 1)
		near(t, c.column+", per process", c.mpp/96, c.perCPU, 1)
		bandwidths, err := models.HybridRatio(c.mpp, c.hybrid, 1)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.column+", b_MPP/b_hybrid", bandwidths, c.bandwidths, 0.01)
		times, err := models.HybridRatio(c.mpp, c.hybrid, more)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.column+", T_hybrid/T_MPP", times, c.times, 0.01)
	}
}

// Section 7.2: with the other threads computing "the factor T_hybrid/T_MPP must be
// reduced to the eighth, i.e. from about 1.6 to about 0.2".
func TestOverlappedRatio(t *testing.T) {
	got, err := models.OverlappedRatio(1.6, models.Reserved{M: 1, N: 8})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "T_hybrid/T_MPP", got, 0.2, 1e-12)
	for _, c := range table1 {
		got, err := models.OverlappedRatio(c.times, models.Reserved{M: 1, N: 8})
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.column, got, 0.2, 0.1)
	}
}

// Section 9: 60-100% more communication time at a share of 15% is 9-15% more.
func TestExtraTime(t *testing.T) {
	for _, c := range []struct{ share, ratio, want float64 }{
		{0.15, 1.6, 0.09}, {0.15, 2, 0.15}, {0, 2, 0}, {1, 1, 0},
	} {
		got, err := models.ExtraTime(c.share, c.ratio)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "extra time", got, c.want, 1e-12)
	}
}

// Section 5: of a 2×2×2 cube per node, "each domain has 3 neighbors inside the cube and 3 neighbors
// outside". The faces of any box agree with a count.
func TestFacesOfANode(t *testing.T) {
	if intra, inter, err := (models.NodeBox{I: 2, J: 2, K: 2}).Faces(); err != nil || intra != 8*3 || inter != 8*3 {
		t.Errorf("2×2×2: %d faces inside, %d outside, %v, want 24 and 24", intra, inter, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(1, 6)
		size := [3]int{side.Draw(t, "i"), side.Draw(t, "j"), side.Draw(t, "k")}
		var inside, outside int
		for p := range size[0] * size[1] * size[2] {
			at := [3]int{p % size[0], p / size[0] % size[1], p / size[0] / size[1]}
			for axis := range 3 {
				for _, step := range []int{-1, 1} {
					if x := at[axis] + step; x >= 0 && x < size[axis] {
						inside++
					} else {
						outside++
					}
				}
			}
		}
		box := models.NodeBox{I: size[0], J: size[1], K: size[2]}
		intra, inter, err := box.Faces()
		if err != nil || intra != inside || inter != outside {
			t.Fatalf("%v: %d faces inside and %d outside (%v), counted %d and %d", size, intra, inter, err, inside, outside)
		}
		if more, err := box.MoreBytes(); err != nil || more < 1 || more > 6 {
			t.Fatalf("%v: s_MPP/s_hybrid = %v, %v", size, more, err)
		}
	})
}

func TestHybridRefusesNonsense(t *testing.T) {
	nan := math.NaN()
	ratio := func(a, b, s float64) func() error {
		return func() error { _, err := models.HybridRatio(a, b, s); return err }
	}
	for _, c := range []struct {
		call func() error
		want string
	}{
		{ratio(0, 1, 2), "b_MPP = 0: want a number above 0"},
		{ratio(1, nan, 2), "b_hybrid = NaN: want a number above 0"},
		{ratio(1, 1, math.Inf(1)), "s_MPP/s_hybrid = +Inf: want a number above 0"},
		{func() error { _, err := models.OverlappedRatio(1.6, models.Reserved{M: 8, N: 8}); return err },
			"m = 8 of n = 8 threads reserved for communication: want 0 < m < n"},
		{func() error { _, err := models.OverlappedRatio(nan, models.Reserved{M: 1, N: 8}); return err },
			"T_hybrid/T_MPP = NaN: want a number above 0"},
		{func() error { _, err := models.ExtraTime(1.5, 2); return err }, "share of communication 1.5: want 0 to 1"},
		{func() error { _, err := models.ExtraTime(0.5, 0); return err }, "T_hybrid/T_MPP = 0: want a number above 0"},
		{func() error { _, _, err := models.NodeBox{I: 2, J: 0, K: 2}.Faces(); return err },
			"a node of 2×0×2 domains: want at least 1 along each axis"},
		{func() error { _, err := models.NodeBox{}.MoreBytes(); return err },
			"a node of 0×0×0 domains: want at least 1 along each axis"},
	} {
		if err := c.call(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
