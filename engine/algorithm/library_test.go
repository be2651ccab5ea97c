package algorithm

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

// TestEveryTeamRunsLibraries looks up every library, collective and size on teams of many shapes. Each team can run
// an algorithm of hybridtop.
func TestEveryTeamRunsLibraries(t *testing.T) {
	m, err := presets.Machine("lumi-c")
	if err != nil {
		t.Fatal(err)
	}
	s := withDefaults{nil}
	for _, name := range Libraries() {
		l, err := presets.FindLibrary(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range l.Collectives {
			what, err := coll.CollectiveOf(c.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, shape := range [][2]int{{2, 1}, {3, 1}, {7, 1}, {8, 1}, {2, 2}, {1, 5}, {4, 8}, {3, 6}, {64, 1}, {100, 3}} {
				layout := cluster.Layout{Nodes: shape[0], RanksPerNode: shape[1], ThreadsPerRank: 1, Model: cluster.Flat}
				w := Among(&m, engine.Simulated, &layout, layout.World())
				for n := int64(8); n < 1<<25; n *= 3 {
					if _, err := w.FromLibrary(s, name, what, layout.Ranks(), n); err != nil {
						t.Errorf("%d nodes × %d ranks, %s, %d B: %v", shape[0], shape[1], what, n, err)
					}
				}
			}
		}
	}
}

// TestLibraryWords compares the words with the library, its algorithm, and a mark for a similar algorithm.
func TestLibraryWords(t *testing.T) {
	m, err := presets.Machine("lumi-c")
	if err != nil {
		t.Fatal(err)
	}
	layout := cluster.Layout{Nodes: 2, RanksPerNode: 64, ThreadsPerRank: 1, Model: cluster.Flat}
	w := Among(&m, engine.Simulated, &layout, layout.World())
	for n, want := range map[int64]string{
		8:      "Open MPI 4.1, component tuned: nonoverlapping, run as a similar algorithm",
		131072: "Open MPI 4.1, component tuned: recursive_doubling",
	} {
		c, err := w.FromLibrary(withDefaults{nil}, "openmpi-4.1", coll.OpAllreduce, 128, n)
		if err != nil || c.Words() != want {
			t.Errorf("%d B: %q, %v; want %q", n, c.Words(), err, want)
		}
	}
}
