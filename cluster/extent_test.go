package cluster

import (
	"strings"
	"testing"
)

// Memory that is only modelled has to fit into the machine's nodes, as real memory has.
func TestModelledMemoryFitsTheNode(t *testing.T) {
	spec := Spec{Machine: Machine{Name: "small", MemoryPerNode: 64 << 20}, Segment: 1 << 20,
		Layout: Layout{Nodes: 1, RanksPerNode: 4, ThreadsPerRank: 1, Ranking: Sequential, Model: Flat}}
	for modelled, fits := range map[int64]bool{0: true, 1 << 10: true, 16 << 20: true, 16<<20 + 1: false, -1: false} {
		spec.Modelled = modelled
		err := spec.Check()
		if (err == nil) != fits {
			t.Errorf("4 ranks with %d B modelled each on a node of 64 MiB: %v", modelled, err)
		}
		if want := max(spec.Segment, modelled); spec.Extent() != want {
			t.Errorf("segments of %d B, %d B modelled: an extent of %d B, want %d", spec.Segment, modelled, spec.Extent(), want)
		}
	}
	spec.Modelled = 17 << 20
	if err := spec.Check(); err == nil || !strings.Contains(err.Error(), "4 ranks with segments of 17 MiB do not fit") {
		t.Errorf("refused with %v", err)
	}
	spec.Layout.RanksPerNode, spec.Modelled = 1, 65<<20
	if err := spec.Check(); err == nil || !strings.Contains(err.Error(), "1 rank with a segment of 65 MiB does not fit") {
		t.Errorf("refused with %v", err)
	}
}
