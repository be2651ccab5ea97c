package all_test

import (
	"errors"
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Ping-pong returns the data sent, for every method and for sizes on both sides of the eager limit
// of 8192 bytes.
func TestPingpong(t *testing.T) {
	for _, machine := range []string{"this-host", "demo"} {
		for _, pair := range []string{"in-node", "remote"} {
			for _, method := range []string{"two-sided", "put", "fence", "pscw", "lock"} {
				for _, size := range []string{"0", "1", "8", "8192", "8193", "100000"} {
					tr := trial{workload: "pingpong",
						knobs: map[string]string{"machine": machine, "pair": pair, "method": method, "size": size, "rounds": "3",
							"nodes": "2", "ranks-per-node": "2"}, iterations: 2}
					rec := tr.sound(t)
					class := map[string]cluster.Class{"in-node": cluster.InNode, "remote": cluster.Remote}[pair]
					if rec.accesses[class] != 3*2 || rec.checks != 2*2 || len(rec.reports["latency"]) != 2 {
						t.Errorf("%v: %v accesses, %d checks, %d latencies", tr.knobs, rec.accesses, rec.checks,
							len(rec.reports["latency"]))
					}
				}
			}
		}
	}
}

func TestPingpongPicksAPartnerWhoMay(t *testing.T) {
	base := func(more ...string) *trial {
		k := map[string]string{"nodes": "2", "ranks-per-node": "2"}
		for i := 0; i < len(more); i += 2 {
			k[more[i]] = more[i+1]
		}
		return &trial{workload: "pingpong", knobs: k, iterations: 1}
	}
	for _, c := range []struct {
		trial *trial
		says  []string
	}{
		{base("pair", "in-node", "ranks-per-node", "1"), []string{"alone on its node", "use 2 or more ranks per node"}},
		{base("pair", "remote", "nodes", "1"), []string{"there is only one node", "use 2 or more nodes"}},
		{base("method", "put", "model", "nested-multiple", "group", "2"),
			[]string{"no such rank in rank 0's UPC group", "use larger groups, model = flat"}},
		{base("pair", "in-node", "model", "nested-funneled", "group", "2"),
			[]string{"only UPC thread 0 of a group may call MPI", "use nested-multiple or flat"}},
	} {
		_, _, _, _, err := c.trial.plan(t)
		wantRefusal(t, err, c.says...)
	}
	base("model", "nested-funneled", "group", "2").sound(t) // the other group's master
	base("method", "put", "model", "nested-multiple", "group", "4").sound(t)
	base("method", "put", "model", "nested-multiple", "group", "2", "ranking", "round-robin").sound(t)
}

// One way costs latency + size/bandwidth. Above the eager limit, two-sided messages add the round
// trip of the handshake.
func TestPingpongModel(t *testing.T) {
	for _, c := range []struct {
		method, size, eager string
		want                float64
	}{
		{"two-sided", "8192", "machine", 2e-6 + 8192/10e9},
		{"two-sided", "8193", "machine", 3*2e-6 + 8193/10e9},
		{"two-sided", "8", "0", 3*2e-6 + 8/10e9},
		{"put", "1048576", "machine", 2e-6 + 1048576/10e9},
		{"fence", "8", "machine", 3*2e-6 + 8/10e9},
		{"pscw", "1048576", "machine", 3*2e-6 + 1048576/10e9},
		{"lock", "8", "machine", (2+5*2+2*0.3)*1e-6 + 8/10e9},
	} {
		tr := trial{workload: "pingpong",
			knobs:      map[string]string{"machine": "demo", "method": c.method, "size": c.size, "eager-limit": c.eager},
			iterations: 1}
		w, s, m, _, err := tr.plan(t)
		if err != nil {
			t.Fatal(err)
		}
		got := w.Finish(&engine.Snapshot{Scenario: s, Layout: s.Layout()}, &m)
		latency := metric(t, got, "latency_model")
		if math.Abs(latency.Value-c.want) > 1e-6*c.want || latency.Kind != engine.Modelled {
			t.Errorf("%s %s B, eager limit %s: %+v, want %v s", c.method, c.size, c.eager, latency, c.want)
		}
		if b := metric(t, got, "bandwidth_model").Value; math.Abs(b*latency.Value-float64(s.Int("size"))) > 1e-6 {
			t.Errorf("%s B in %v s: bandwidth %v", c.size, latency.Value, b)
		}
	}
}

// Head to head works up to the eager limit and deadlocks above it.
func TestHeadToHead(t *testing.T) {
	for _, c := range []struct {
		size, eager string
		deadlock    bool
	}{
		{"1024", "machine", false}, {"8192", "machine", false}, {"8193", "machine", true},
		{"64", "64", false}, {"65", "64", true}, {"8", "0", true},
	} {
		for _, machine := range []string{"this-host", "demo"} {
			tr := trial{workload: "headtohead",
				knobs: map[string]string{"machine": machine, "size": c.size, "eager-limit": c.eager, "nodes": "2",
					"ranks-per-node": "2"}, iterations: 2}
			if !c.deadlock {
				if rec := tr.sound(t); rec.checks != 4 {
					t.Errorf("%v: %d checks, want 4", tr.knobs, rec.checks)
				}
				continue
			}
			_, err := tr.run(t)
			var abort *cluster.Abort
			if !errors.As(err, &abort) || abort.Reason != cluster.ReasonDeadlock {
				t.Errorf("%v: %v, want a deadlock", tr.knobs, err)
				continue
			}
			stuck := map[int][]int{}
			for _, w := range abort.Waits {
				stuck[w.Rank] = w.For
			}
			if len(stuck[0]) != 1 || stuck[0][0] != 1 || len(stuck[1]) != 1 || stuck[1][0] != 0 {
				t.Errorf("%v: want ranks 0 and 1 waiting for each other:\n%v", tr.knobs, err)
			}
		}
	}
	tr := trial{workload: "headtohead", knobs: map[string]string{"model": "nested-funneled", "group": "16"}, iterations: 1}
	_, _, _, _, err := tr.plan(t)
	wantRefusal(t, err, "1 rank may call MPI under model = nested-funneled", "smaller groups")
}
