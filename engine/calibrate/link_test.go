package calibrate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/calibrate"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// simulateLink runs a link's run in virtual time.
func simulateLink(_ context.Context, r *calibrate.LinkRun, m *cluster.Machine) (float64, error) {
	settings := []string{"fabric", "sim", "nodes", "2", "ranks-per-node", "1", "model", "flat"}
	for _, k := range r.Knobs {
		settings = append(settings, k[0], k[1])
	}
	s, err := sessiontest.Run(r.Workload, m, 3, settings...)
	if err != nil {
		return 0, err
	}
	t, ok := s.Metric(r.Metric)
	if !ok || !s.Verification.OK {
		return 0, errors.New("not verified: " + s.Verification.Detail + s.Failure)
	}
	return t.Value, nil
}

// linked is a machine with the given link.
func linked(l cluster.Link) cluster.Machine {
	m := cluster.Machine{Name: "linked", Title: "Linked", Emulated: true, CoresPerNode: 4, Flops: 1e9, MemoryRate: 1e10,
		EagerLimit: 8192, Progress: cluster.ProgressCall, ClockTime: new(cluster.Time), Source: map[string]string{"nodes": "kept", "remote.thread_rate_bytes_per_s": "of another link"}}
	m.Classes[cluster.InNode] = cluster.Link{Latency: 100 * cluster.Nanosecond, Overhead: 50 * cluster.Nanosecond, Bandwidth: 1e10}
	m.Classes[cluster.InRank] = m.Classes[cluster.InNode]
	m.Classes[cluster.Remote] = l
	return m
}

// TestFitLink fits the link of a known machine, from simulations of that machine. The checks then agree, also for
// programs and sizes that the fit did not see.
func TestFitLink(t *testing.T) {
	for _, want := range []cluster.Link{
		{Latency: 3 * cluster.Microsecond, Overhead: 400 * cluster.Nanosecond, Gap: 400 * cluster.Nanosecond, Bandwidth: 5e9, Adapters: 1},
		{Latency: 600 * cluster.Nanosecond, Overhead: 900 * cluster.Nanosecond, Gap: 900 * cluster.Nanosecond, Bandwidth: 2e9, Adapters: 1},
	} {
		truth, node := linked(want), linked(cluster.Link{Latency: 1, Bandwidth: 1, Adapters: 1})
		done := map[string]float64{} // all resamples of one round are equal
		r, err := calibrate.CalibrateLink(context.Background(), calibrate.LinkOptions{
			Node: node, Name: "fitted", Rounds: 1,
			Simulate: func(ctx context.Context, r *calibrate.LinkRun, m *cluster.Machine) (t float64, err error) {
				key := fmt.Sprint(*r, m.Classes[cluster.Remote])
				t, ok := done[key]
				if !ok {
					t, err = simulateLink(ctx, r, m)
					done[key] = t
				}
				return t, err
			},
			Measure: func(ctx context.Context, r *calibrate.LinkRun) (float64, error) { return simulateLink(ctx, r, &truth) },
		})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Model.Machine.Classes[cluster.Remote]
		for _, n := range []struct {
			what      string
			got, want float64
		}{
			{"overhead", got.Overhead.Seconds(), want.Overhead.Seconds()},
			{"gap", got.Gap.Seconds(), want.Gap.Seconds()},
			{"latency", got.Latency.Seconds(), want.Latency.Seconds()},
			{"bandwidth", got.Bandwidth, want.Bandwidth},
		} {
			if math.Abs(n.got/n.want-1) > 0.03 {
				t.Errorf("%s %.4g, want %.4g", n.what, n.got, n.want)
			}
		}
		if m := &r.Model.Machine; m.Name != "fitted" || m.Flops != node.Flops || m.Source["nodes"] != "kept" ||
			m.Classes[cluster.InNode] != node.Classes[cluster.InNode] || m.Source["remote.latency_s"] == "" || m.Source["remote.thread_rate_bytes_per_s"] != "" {
			t.Errorf("the machine is %+v", m)
		}
		if len(node.Source) != 2 {
			t.Errorf("the node's machine has changed: %v", node.Source)
		}
		if judged := calibrate.Judge(r.Checks); !judged.Pass() || judged.Worst > 0.05 || judged.Noisy > 0 {
			t.Errorf("checks: %+v", judged)
		}
	}
}

// TestLinkRefuses tests times that yield no link.
func TestLinkRefuses(t *testing.T) {
	flood := func(of func(k float64) float64) (all []calibrate.Time) {
		for _, k := range []float64{16, 64, 256} {
			all = append(all, calibrate.Time{Kind: "flood", X: k, Seconds: of(k)})
		}
		return all
	}
	trips := func(of func(n float64) float64) (all []calibrate.Time) {
		for _, n := range []float64{8, 1024, 1 << 20} {
			all = append(all, calibrate.Time{Kind: "pingpong", X: n, Seconds: of(n)})
		}
		return all
	}
	line := func(k float64) float64 { return 1e-6 + 1e-7*k }
	for _, c := range []struct {
		what  string
		times []calibrate.Time
	}{
		{"no times", nil},
		{"a flood as fast as one message", append(flood(func(float64) float64 { return 1e-6 }), trips(line)...)},
		{"equal times of all sizes", append(flood(line), trips(func(float64) float64 { return 1e-6 })...)},
		{"an invalid time", append(flood(line), trips(func(float64) float64 { return math.NaN() })...)},
	} {
		if m, err := calibrate.FitLink(c.times, linked(cluster.Link{}), "fitted"); err == nil {
			t.Errorf("%s: fits %+v", c.what, m.Machine.Classes[cluster.Remote])
		}
	}
}
