package session

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/internal/race"
)

// observedFabric calls begin before a run, and end when the first rank has returned. The other ranks still
// have their stacks.
type observedFabric struct {
	cluster.Fabric
	begin, end func()
}

func (f observedFabric) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	f.begin()
	ended := false
	return f.Fabric.Start(ctx, spec, func(p cluster.Port) error {
		err := body(p)
		if !ended {
			ended = true
			f.end()
		}
		return err
	})
}

// TestASimulatedRankIsSmall limits the stack, the other bytes and the allocations of a simulated rank. The
// bytes include a share of the run's own data, which is large for so few ranks. The collector is off,
// so that it shrinks no stack before the end.
func TestASimulatedRankIsSmall(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector needs larger stacks")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	setSlow(t, nil) // its memory is not the run's
	for _, c := range []struct {
		settings    string
		heap        uint64 // maximum bytes per rank
		allocations uint64 // maximum number per rank
	}{
		{"pingpong fabric sim machine frontier nodes 16 ranks-per-node 32", 7800, 28},
		{"collective collective bcast algorithm knomial fabric sim machine frontier nodes 16 ranks-per-node 32", 11600, 76},
	} {
		var before, stacks, live runtime.MemStats
		fabrics := Fabrics()
		begin := func() {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		end := func() {
			runtime.ReadMemStats(&stacks)
			runtime.GC()
			runtime.ReadMemStats(&live)
		}
		o := Options{Fabrics: fabrics, Limits: Limits{Iterations: 1}}
		fabrics["sim"] = observedFabric{fabrics["sim"], begin, end}
		s, err := New(scenarioOf(t, strings.Fields(c.settings)), o)
		if err != nil {
			t.Fatal(err)
		}
		s.Start(t.Context())
		if err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		ranks := uint64(s.Load().Layout.Ranks())
		stack := (stacks.StackInuse - before.StackInuse) / ranks
		heap := (live.HeapAlloc - before.HeapAlloc) / ranks
		allocations := (stacks.Mallocs - before.Mallocs) / ranks
		t.Logf("%s: per rank %d B of stack, %d B of other data, %d allocations", c.settings, stack, heap, allocations)
		if stack > 4<<10+256 || heap > c.heap || allocations > c.allocations {
			t.Errorf("%s: per rank %d B of stack, %d B of other data, %d allocations: want at most 4352, %d and %d", c.settings,
				stack, heap, allocations, c.heap, c.allocations)
		}
	}
}

// TestGrowth compares the use of resources per rank of two numbers of ranks. Counts have fixed limits.
// The ratio of processor times would be 16 if the time were quadratic.
func TestGrowth(t *testing.T) {
	if os.Getenv("CONFORM") == "" || race.Enabled {
		t.Skip("takes minutes and 4 GiB: CONFORM=1, without the race detector")
	}
	for _, program := range []string{"pingpong", "collective collective bcast"} {
		var perRank [2]struct{ bytes, need, allocations, events, seconds float64 }
		for i, nodes := range []int{128, 2048} {
			settings := fmt.Sprintf("%s fabric sim machine frontier nodes %d ranks-per-node 128", program, nodes)
			need, used := footprint(t, strings.Fields(settings)...)
			x, ranks := &perRank[i], float64(128*nodes)
			x.bytes, x.need, x.allocations = float64(used.Grown)/ranks, need/ranks, float64(used.Allocations)/ranks
			x.events, x.seconds = float64(used.Events)/ranks, used.processor.Seconds()/ranks
			t.Logf("%s: per rank %.0f B (computed %.0f B), %.1f allocations, %.1f events, %.0f µs of processor time; "+
				"%d collections", settings, x.bytes, x.need, x.allocations, x.events, 1e6*x.seconds, used.Collections)
			if used.Collections > 60 {
				t.Errorf("%s: %d collections, want at most 60", settings, used.Collections)
			}
		}
		few, many := perRank[0], perRank[1]
		if most := 12.0 * (1 << 10); many.need > most || many.bytes > most {
			t.Errorf("%s: %.0f B per rank, computed %.0f, want at most %.0f", program, many.bytes, many.need, most)
		}
		if many.allocations > 1.2*few.allocations || many.events > 1.2*few.events {
			t.Errorf("%s: per rank %.1f allocations and %.1f events, with fewer ranks %.1f and %.1f: want at most 1.2 times as "+
				"many", program, many.allocations, many.events, few.allocations, few.events)
		}
		if many.seconds > 3*few.seconds {
			t.Errorf("%s: %.0f µs per rank, with fewer ranks %.0f: want at most 3 times as much", program, 1e6*many.seconds,
				1e6*few.seconds)
		}
	}
}
