package workload

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
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

// sized is a probe with values of knobs that counts failed checks.
type sized struct {
	engine.Probe
	knobs  map[string]int64
	failed int
}

func (s *sized) Int(knob string) int64 { return s.knobs[knob] }

func (s *sized) Verify(ok bool, _ string) {
	if !ok {
		s.failed++
	}
}

// TestVerifySize tests that a timed part is found that is not as large as its knob.
func TestVerifySize(t *testing.T) {
	s := &sized{knobs: map[string]int64{"n": 150}}
	if VerifySize(s, "n", 150); s.failed > 0 {
		t.Error("a part of 150 is refused")
	}
	if VerifySize(s, "n", 34); s.failed == 0 {
		t.Error("a part of 34 instead of 150 is not found")
	}
}
