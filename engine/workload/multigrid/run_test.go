package multigrid_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

var variants = []string{"mpi", "bulk", "natural", "shm", "local", "vis", "groupsync"}

// try runs multigrid with some knobs set.
func try(knobs ...string) (*engine.Snapshot, error) {
	return sessiontest.Run("multigrid", nil, 1, knobs...)
}

func run(t *testing.T, knobs ...string) *engine.Snapshot {
	t.Helper()
	snap, err := try(knobs...)
	if err != nil {
		t.Fatalf("%v: %v", knobs, err)
	}
	if v := snap.Verification; !v.OK {
		t.Fatalf("%v: %+v %v", knobs, v, snap.Failure)
	}
	return snap
}

// u equals the sequential program's bit for bit, in every variant on any number of ranks, after
// the F-cycle and after a V-cycle.
func TestVariantsAgree(t *testing.T) {
	layouts := []struct{ nodes, per, boxes, side int }{{1, 1, 2, 4}, {1, 2, 2, 8}, {3, 1, 3, 4}, {2, 4, 2, 8},
		{4, 4, 4, 4}, {9, 3, 3, 4}}
	cycles := []string{"0", "1"}
	if testing.Short() { // each variant with one of both
		layouts = layouts[2:4]
	}
	if os.Getenv("CONFORM") != "" {
		layouts = append(layouts,
			[]struct{ nodes, per, boxes, side int }{{9, 3, 3, 8}, {9, 3, 6, 4}, {5, 1, 3, 8}, {2, 8, 2, 16}}...)
	}
	for _, fabric := range []string{"sim", "live"} {
		for _, l := range layouts {
			for i, v := range variants {
				for k, n := range cycles {
					if testing.Short() && k != i%2 {
						continue
					}
					t.Run(fmt.Sprintf("%s %dx%d boxes=%d box=%d %s vcycles=%s", fabric, l.nodes, l.per, l.boxes, l.side, v, n),
						func(t *testing.T) {
							machine := "this-host"
							if fabric == "sim" {
								machine = "demo"
							}
							run(t, "fabric", fabric, "machine", machine, "nodes", fmt.Sprint(l.nodes), "ranks-per-node", fmt.Sprint(l.per),
								"boxes", fmt.Sprint(l.boxes), "box", fmt.Sprint(l.side), "variant", v, "vcycles", n, "real-limit", "1073741824")
						})
				}
			}
		}
	}
}

// TestThreadsShareLoops tests that two threads share all loops on the boxes, on a machine on which only loops take
// time. The master alone has the loops of the coarsest grid.
func TestThreadsShareLoops(t *testing.T) {
	m := &cluster.Machine{Name: "loops", LoopTime: cluster.Microsecond, Emulated: true}
	m.Classes[cluster.InRank].Access = 1
	solve := func(threads string) float64 {
		snap, err := sessiontest.Run("multigrid", m, 1, "fabric", "sim", "nodes", "1", "ranks-per-node", "1", "boxes", "4",
			"box", "8", "threads-per-rank", threads)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := snap.Metric("solve_time")
		return x.Value
	}
	if ratio := solve("2") / solve("1"); ratio < 0.5 || ratio > 0.51 {
		t.Errorf("two threads take %.3f of the time of one, want 0.5 to 0.51", ratio)
	}
}

// Refused scenarios name the cause and what to use.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ knob, value, want string }{
		{"box", "12", "want a power of two, because boxes are halved (use 8 or 16)"},
		{"smoother-degree", "3", "want an even number, so that a pass ends in u (use 2 or 4)"},
		{"boxes", "13", "the coarsest grid has 13 cells per side, want at most 11"},
		{"agglomerate", "6", "want a power of two"},
		{"box", "2", "from 4"},
		{"model", "nested-multiple", "with 4 groups: a put cannot reach a rank of another group (use model = flat"},
	} {
		_, err := try("fabric", "sim", "machine", "demo", c.knob, c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: %v, want %q", c.knob, c.value, err, c.want)
		}
	}
	// A node of 64 GB cannot hold 16 ranks with boxes of 512³. The memory of this host does not matter.
	_, err := try("fabric", "sim", "machine", "xc30-edison", "nodes", "1", "ranks-per-node", "8", "boxes", "2", "box",
		"512", "real-limit", "1")
	if err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("memory: %v", err)
	}
}
