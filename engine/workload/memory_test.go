package workload

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func TestItemsInAll(t *testing.T) {
	l := cluster.Layout{Nodes: 4, RanksPerNode: 8}
	for _, c := range []struct {
		item Item
		want float64
	}{
		{Item{Name: "segments", Per: PerRank, Bytes: 1 << 40}, 32 << 40},
		{Item{Name: "tables", Per: PerNode, Bytes: 10}, 40},
		{Item{Name: "players' messages", Per: InAll, Bytes: 7}, 7},
	} {
		if got := c.item.All(&l); got != c.want {
			t.Errorf("%+v: total of %g, want %g", c.item, got, c.want)
		}
	}
}

func TestCopiesComeInAFewSizes(t *testing.T) {
	for _, c := range [][2]int64{{0, 64}, {64, 64}, {65, 256}, {256, 256}, {257, 1024}, {16385, 65536}, {65536, 65536},
		{65537, 131072}, {1 << 30, 1 << 30}} {
		if got := Copy(c[0]); got != c[1] {
			t.Errorf("Copy(%d) = %d, want %d", c[0], got, c[1])
		}
	}
}

// knobs are the values of knobs.
type knobs map[string]int64

func (k knobs) Int(knob string) int64 { return k[knob] }

// TestWrongSize tests that a timed part is found that is not as large as its knob.
func TestWrongSize(t *testing.T) {
	k := knobs{"n": 150}
	if wrong := WrongSize(k, "n", 150); wrong != "" {
		t.Error(wrong)
	}
	if WrongSize(k, "n", 34) == "" {
		t.Error("a part of 34 in place of 150 is not found")
	}
}
