package all_test

import (
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	"github.com/hybridtop/hybridtop/presets"
)

const (
	emulationAccuracy = 0.05
	emulationRounds   = 7
	emulationAttempts = 4
	emulationMessage  = 2 * time.Millisecond // host's time of a message at the first attempt
)

// pairPattern is a round of a pair of ranks that exchanges out and in.
type pairPattern struct {
	name string
	body func(r *cluster.Rank, peer, round int, out, in cluster.Data) error
}

var pairPatterns = []pairPattern{
	{"ping-pong", func(r *cluster.Rank, peer, _ int, out, in cluster.Data) error {
		if r.ID() > peer {
			if _, err := r.Recv(r.All(), peer, 0, in); err != nil {
				return err
			}
			return r.Send(r.All(), peer, 0, out)
		}
		if err := r.Send(r.All(), peer, 0, out); err != nil {
			return err
		}
		_, err := r.Recv(r.All(), peer, 0, in)
		return err
	}},
	{"exchange", func(r *cluster.Rank, peer, _ int, out, in cluster.Data) error {
		_, err := r.Sendrecv(r.All(), peer, 0, out, peer, 0, in)
		return err
	}},
	{"put with signal", func(r *cluster.Rank, peer, round int, out, _ cluster.Data) error {
		put := cluster.Put{To: cluster.At(peer, 64), Data: out, Until: cluster.Source,
			Signal: cluster.Signal{Op: cluster.SigSet, Value: uint64(round)}}
		if r.ID() > peer {
			if _, err := r.Await(0, cluster.CmpEqual, uint64(round)); err != nil {
				return err
			}
			return r.PutWith(&put, nil, nil)
		}
		if err := r.PutWith(&put, nil, nil); err != nil {
			return err
		}
		_, err := r.Await(0, cluster.CmpEqual, uint64(round))
		return err
	}},
}

// roundTime returns the median time of a round on rank 0, after a first round that is not timed.
func roundTime(t *testing.T, f cluster.Fabric, spec cluster.Spec, size int64, p *pairPattern) cluster.Time {
	t.Helper()
	spec.Segment = size + 64
	spec.Machine.ClockTime = new(cluster.Time) // reading the clock is free
	var times []cluster.Time
	clustertest.Must(t, f, spec, func(r *cluster.Rank) error {
		peer := 1 - r.ID()
		if peer < 0 {
			return r.Barrier(r.All())
		}
		out, in := cluster.Of(make([]byte, size)), cluster.Of(make([]byte, size))
		if err := r.Barrier(r.All()); err != nil {
			return err
		}
		var begin cluster.Time
		for round := range 1 + emulationRounds {
			if err := p.body(r, peer, 1+round, out, in); err != nil {
				return err
			}
			end := r.Now()
			if r.ID() == 0 && round > 0 {
				times = append(times, end-begin)
			}
			begin = end
		}
		return nil
	})
	slices.Sort(times)
	return times[len(times)/2]
}

// An emulation charges the costs of a simulation: a round of each pattern takes the same time within 5 %. A difference
// may be due to a host that fell behind. The test then measures again at four times the dilation, which does not shrink
// the error of a wrong cost.
func TestEmulationEqualsSimulation(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("takes minutes, and needs a host that keeps up: CONFORM=1 runs it")
	}
	worst, points := 0.0, 0
	for _, name := range presets.Machines() {
		m, err := presets.Machine(name)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Emulated {
			continue
		}
		for _, place := range []struct {
			name           string
			nodes, perNode int
		}{
			{"in a node", 1, 2},
			{"in a socket", 1, 4},
			{"between nodes", 2, 1},
		} {
			if m.Nodes > 0 && place.nodes > m.Nodes || place.perNode > m.CoresPerNode {
				continue
			}
			sizes := []int64{8, min(m.EagerLimit, 16<<10), 256 << 10}
			for _, size := range slices.Compact(sizes) {
				for i := range pairPatterns {
					p := &pairPatterns[i]
					spec := clustertest.Spec(m, place.nodes, place.perNode)
					want := roundTime(t, sim.New(), spec, size, p)
					spec.Dilation = max(1, 2*float64(emulationMessage)*float64(cluster.Nanosecond)/float64(want))
					apart := math.Inf(1)
					for n := 0; n < emulationAttempts && math.Abs(apart) > emulationAccuracy; n++ {
						got := roundTime(t, live.New(), spec, size, p)
						if off := float64(got)/float64(want) - 1; math.Abs(off) < math.Abs(apart) {
							apart = off
						}
						spec.Dilation *= 4
					}
					points++
					worst = max(worst, math.Abs(apart))
					if math.Abs(apart) > emulationAccuracy {
						t.Errorf("%s, %s, %s of %d B: the emulation takes %+.1f %% of %v more than the simulation, want at most %g %%",
							m.Name, place.name, p.name, size, 100*apart, want, 100*emulationAccuracy)
					}
				}
			}
		}
	}
	t.Logf("%d points, largest difference %.1f %%", points, 100*worst)
}

// TestEmulatedStepsEqualSimulatedSteps compares steps of an FFT, which take the same time within 5 %. Its ranks compute
// while messages and copies of progress threads use the node's memory and cores.
func TestEmulatedStepsEqualSimulatedSteps(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("needs a host that keeps up: CONFORM=1 runs it")
	}
	step := func(settings ...string) float64 {
		s, err := sessiontest.Run("fft", nil, 3, append(settings, "machine", "demo")...)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := s.Metric("step_time")
		if !ok {
			t.Fatalf("%v: no step_time: %s", settings, s.Failure)
		}
		return m.Value
	}
	for _, name := range []string{"pairwise", "bruck"} {
		want := step("fabric", "sim", "algorithm", name)
		apart := math.Inf(1)
		for _, dilation := range []string{"2000", "5000", "20000"} {
			if off := step("fabric", "live", "dilation", dilation, "algorithm", name)/want - 1; math.Abs(off) < math.Abs(apart) {
				apart = off
			}
			if math.Abs(apart) <= emulationAccuracy {
				break
			}
		}
		t.Logf("%s: %+.1f %% of %.3g s", name, 100*apart, want)
		if math.Abs(apart) > emulationAccuracy {
			t.Errorf("%s: the emulation takes %+.1f %% of %.3g s more than the simulation, want at most %g %%", name,
				100*apart, want, 100*emulationAccuracy)
		}
	}
}
