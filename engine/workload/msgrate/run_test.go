package msgrate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/msgrate"
)

// run runs the program, which must verify.
func run(t *testing.T, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := sessiontest.Run("msgrate", nil, 2, knobs...)
	if err != nil {
		t.Fatalf("%v: %v", knobs, err)
	}
	if s.Failure != "" || !s.Verification.OK || !s.Verification.Done {
		t.Errorf("%v: failure %q, verification %+v", knobs, s.Failure, s.Verification)
	}
	return s
}

func metric(t *testing.T, s *engine.Snapshot, name string) float64 {
	t.Helper()
	m, ok := s.Metric(name)
	if !ok {
		t.Fatalf("no metric %s: %s", name, s.Failure)
	}
	return m.Value
}

// TestSettingsVerify tests that each message arrives once: on both fabrics, in every model, on every
// channel and with every receiver. Some messages need a rendezvous, and a rank may have no partner.
func TestSettingsVerify(t *testing.T) {
	for _, where := range [][]string{
		{"fabric", "live", "machine", "demo"},
		{"fabric", "live", "machine", "this-host"},
		{"fabric", "sim", "machine", "demo", "vcis", "2"},
	} {
		for _, channels := range []string{"shared", "communicators", "endpoints"} {
			for _, receive := range []string{"posted", "own-tasks", "any-tasks"} {
				for _, more := range [][]string{
					{"model", "flat", "nodes", "1", "ranks-per-node", "2"},
					{"model", "flat", "nodes", "5", "ranks-per-node", "1", "world-seed", "7", "eager-limit", "0"},
					{"model", "nested-funneled", "nodes", "2", "ranks-per-node", "2", "group", "2", "size", "1001"},
					{"model", "nested-multiple", "nodes", "2", "ranks-per-node", "2", "group", "2", "threads-per-rank", "1"},
				} {
					run(t, slices.Concat([]string{"threads-per-rank", "3", "channels", channels, "receive", receive, "task", "2",
						"window", "5", "rounds", "2"}, where, more)...)
				}
			}
		}
	}
}

// TestEndsDoNotOvertake tests that workers that watch all channels take every message before they end. With few
// messages, the last one and the end arrive almost at the same time.
func TestEndsDoNotOvertake(t *testing.T) {
	for _, knobs := range [][]string{
		{"fabric", "sim", "machine", "demo", "vcis", "64", "size", "1024", "threads-per-rank", "2"},
		{"fabric", "sim", "machine", "demo", "vcis", "64", "size", "1024", "threads-per-rank", "3"},
		{"fabric", "sim", "machine", "lumi-c", "vcis", "64", "size", "8192", "threads-per-rank", "2"},
		{"fabric", "live", "machine", "this-host", "threads-per-rank", "2"},
	} {
		all := append([]string{"nodes", "2", "ranks-per-node", "1", "receive", "any-tasks", "channels", "communicators",
			"window", "1", "rounds", "1"}, knobs...)
		s, err := sessiontest.Run("msgrate", nil, 200, all...)
		if err != nil || s.Failure != "" || !s.Verification.OK {
			t.Errorf("%v: %v, failure %q, verification %+v", knobs, err, s.Failure, s.Verification)
		}
	}
}

// TestRefusals tests the settings that cannot run.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ knobs, says string }{
		{"nodes 1 ranks-per-node 1", "1 MPI rank has no partner (use 2 or more)"},
		{"threading funneled", "threading = funneled: every thread of msgrate sends (use threading = multiple, or threads-per-rank = 1)"},
	} {
		_, err := sessiontest.Run("msgrate", nil, 1, strings.Fields("fabric sim "+c.knobs)...)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.knobs, err, c.says)
		}
	}
}

// TestThreadsNeedTheirOwnVCI tests with which channels and VCIs eight threads per rank send as fast as eight
// processes.
// Threads that share a VCI are slower than one thread.
func TestThreadsNeedTheirOwnVCI(t *testing.T) {
	rate := func(knobs ...string) float64 {
		return metric(t, run(t, append([]string{"fabric", "sim", "machine", "lumi-c", "nodes", "2"}, knobs...)...), "message_rate")
	}
	one := rate("threads-per-rank", "1")
	processes := rate("threads-per-rank", "1", "ranks-per-node", "8")
	if ratio := processes / one; ratio < 7.9 || ratio > 8.1 {
		t.Errorf("eight processes have %.2f times the rate of one", ratio)
	}
	for _, c := range []struct {
		channels, vcis string
		least, most    float64 // times the rate of one thread
	}{
		{"shared", "1", 0.2, 0.3},
		{"shared", "64", 0.2, 0.3},
		{"communicators", "1", 0.2, 0.3},
		{"endpoints", "1", 0.2, 0.3},
		{"communicators", "4", 2.5, 3.3},
		{"communicators", "8", 7.8, 8.1},
		{"communicators", "64", 7.8, 8.1},
		{"endpoints", "8", 7.8, 8.1},
	} {
		got := rate("threads-per-rank", "8", "channels", c.channels, "vcis", c.vcis) / one
		if got < c.least || got > c.most {
			t.Errorf("%s, %s VCIs: %.2f times the rate of one thread, want %v to %v", c.channels, c.vcis, got, c.least, c.most)
		}
	}
}

// TestModel tests the model: processes, threads with and without a shared VCI, long messages and tasks.
func TestModel(t *testing.T) {
	for _, more := range [][]string{
		{"threads-per-rank", "1"},
		{"threads-per-rank", "1", "window", "1"},
		{"threads-per-rank", "1", "ranks-per-node", "16"},
		{"threads-per-rank", "1", "ranks-per-node", "64", "size", "8192"},
		{"threads-per-rank", "1", "nodes", "3", "ranks-per-node", "64", "size", "8192"},
		{"threads-per-rank", "1", "ranks-per-node", "16", "receive", "own-tasks", "task", "100", "rounds", "1"},
		{"threads-per-rank", "8", "channels", "endpoints", "vcis", "8"},
		{"threads-per-rank", "8", "channels", "endpoints", "vcis", "3"},
		{"threads-per-rank", "2"},
		{"threads-per-rank", "16"},
		{"threads-per-rank", "16", "channels", "communicators"},
		{"threads-per-rank", "16", "receive", "own-tasks"},
		{"threads-per-rank", "16", "receive", "own-tasks", "task", "100"},
		{"threads-per-rank", "16", "receive", "own-tasks", "task", "100", "channels", "communicators", "vcis", "16"},
		{"threads-per-rank", "16", "receive", "any-tasks", "task", "100", "channels", "communicators", "vcis", "16"},
	} {
		s := run(t, append([]string{"fabric", "sim", "machine", "lumi-c", "nodes", "2"}, more...)...)
		rate, model := metric(t, s, "message_rate"), metric(t, s, "message_rate_model")
		if rate > 1.1*model || rate < 0.9*model {
			t.Errorf("%v: %.4g messages per second, model %.4g", more, rate, model)
		}
	}
}

// TestAttentiveness tests when one VCI per thread is slower than a shared channel. Without tasks its workers are fastest. With
// long tasks, messages wait for the worker of their channel while others are idle. Workers that share a
// channel, or watch all of them, are then faster.
func TestAttentiveness(t *testing.T) {
	rate := func(task, channels, receive string) float64 {
		return metric(t, run(t, "fabric", "sim", "machine", "lumi-c", "nodes", "2", "threads-per-rank", "16", "rounds", "1",
			"vcis", "16", "task", task, "channels", channels, "receive", receive), "message_rate")
	}
	for _, c := range []struct {
		task        string
		least, most float64 // times the rate of a shared channel, with own channels
		all         float64 // at least, if the workers watch all channels
	}{
		{"0", 100, 300, 60},
		{"100", 0.7, 0.95, 0.98},
	} {
		shared := rate(c.task, "shared", "own-tasks")
		own, all := rate(c.task, "communicators", "own-tasks")/shared, rate(c.task, "communicators", "any-tasks")/shared
		if own < c.least || own > c.most || all < c.all {
			t.Errorf("tasks of %s µs: own channels %.2f and all channels %.2f times the rate of a shared channel", c.task, own, all)
		}
	}
}
