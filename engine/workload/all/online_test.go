package all_test

import (
	"maps"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/race"
)

// run returns the last snapshot of a run with the workload's number of iterations.
func run(t *testing.T, name string, knobs map[string]string, limits session.Limits) *engine.Snapshot {
	t.Helper()
	s, err := session.Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, knob := range []string{"machine", "fabric", "collective"} { // others depend on them
		if v, has := knobs[knob]; has {
			if err := s.Set(knob, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for knob, v := range knobs {
		if err := s.Set(knob, v); err != nil {
			t.Fatal(err)
		}
	}
	x, err := session.New(s, session.Options{Fabrics: session.Fabrics(), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	x.Start(t.Context())
	if err := x.Wait(); err != nil {
		t.Fatalf("%s %v: %v", name, knobs, err)
	}
	snap := x.Load()
	if !snap.Verification.OK {
		t.Fatalf("%s %v: %+v", name, knobs, snap.Verification)
	}
	return snap
}

// TestOnlineTuning runs every workload whose algorithm is a knob. A run tries several algorithms, at
// most as often as the knob tries permits. It chooses the fastest one, uses it to the end, and
// reports the cost.
func TestOnlineTuning(t *testing.T) {
	tuned := 0
	for _, w := range workload.All() {
		sc := w.Scenario(nil)
		if _, err := sc.Knob("tries"); err != nil {
			continue
		}
		tuned++
		for _, fabric := range []string{engine.Live, engine.Sim} {
			if testing.Short() && fabric == engine.Sim {
				continue
			}
			transfers := []string{"two-sided", "put"}
			if _, err := sc.Knob("transfer"); err != nil || testing.Short() {
				transfers = transfers[:1]
			}
			for _, transfer := range transfers {
				knobs := map[string]string{"algorithm": algorithm.Online, "tries": "3", "fabric": fabric,
					"nodes": "2", "ranks-per-node": "4", "machine": "this-host"}
				if len(transfers) > 1 {
					knobs["transfer"] = transfer
				}
				if fabric == engine.Sim {
					knobs["machine"] = "ranger"
				}
				maps.Copy(knobs, w.Quick)
				s := run(t, w.Name, knobs, session.Limits{Iterations: 40})
				tries := s.Tally(study.TriesName)
				chosen, least, tried, after := -1, int64(1<<62), 0, int64(0)
				for row := range tries.Rows {
					n, total, fastest := tries.At(row, 0), tries.At(row, 1), tries.At(row, 2)
					if n > 3 || n < 1 || fastest <= 0 || total < n*(fastest-1) {
						t.Errorf("%s on %s: %d tries of %s took %d ns, the fastest %d ns", w.Name, fabric, n, tries.Rows[row], total,
							fastest)
					}
					tried += int(n)
					if least = min(least, fastest); tries.At(row, 3) > 0 {
						chosen, after = row, tries.At(row, 3)
					}
				}
				if chosen < 0 || tries.At(chosen, 2) != least || len(tries.Rows) < 2 {
					t.Fatalf("%s on %s by %s: chose %d of %v with %v", w.Name, fabric, transfer, chosen, tries.Rows, tries.Counts)
				}
				if tried+int(after) != s.Iteration {
					t.Errorf("%s on %s: %d tries and %d iterations after them, of %d", w.Name, fabric, tried, after, s.Iteration)
				}
				if m, ok := s.Metric("tuning_cost"); !ok || m.Value < 0 || m.Kind != s.Kind {
					t.Errorf("%s on %s: the cost of tuning is %+v", w.Name, fabric, m)
				}
			}
		}
	}
	if tuned < 8 {
		t.Errorf("%d workloads tune online, want at least 8", tuned)
	}
}

// TestAlgorithmsOfMainCollectives runs the workloads that have the knob algorithm without its
// parameters, with each algorithm of their collective, on 3 and 4 nodes. Each run verifies.
func TestAlgorithmsOfMainCollectives(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulation runs one goroutine at a time")
	}
	for _, w := range workload.All() {
		sc := w.Scenario(nil)
		k, err := sc.Knob("algorithm")
		if err != nil || k.Default != algorithm.ByDefault {
			continue
		}
		for _, name := range k.Choices {
			if name == algorithm.Online || name == algorithm.ByTable {
				continue
			}
			if a, err := coll.Find(mainCollectives[w.Name], name); err == nil && a.Needs&(coll.Reach|coll.Network) != 0 {
				continue
			}
			for _, nodes := range []string{"3", "4"} {
				a, err := coll.Find(mainCollectives[w.Name], name)
				if err == nil && nodes == "3" && a.Needs&(coll.PowerOfTwo|coll.EvenRanks) != 0 {
					continue
				}
				knobs := map[string]string{"algorithm": name, "fabric": engine.Sim, "machine": "ranger", "nodes": nodes, "group": "1",
					"ranks-per-node": "1"}
				maps.Copy(knobs, w.Quick)
				run(t, w.Name, knobs, session.Limits{Iterations: 2})
			}
		}
	}
}

// mainCollectives are the collectives of these workloads.
var mainCollectives = map[string]coll.Collective{"barneshut": coll.OpAllgather, "dot": coll.OpReduce,
	"heat": coll.OpAllreduce, "multigrid": coll.OpAllreduce}

// TestOnlineTuningFindsTheBest checks that a run on the machines of paper 5 ends within 5 % of the
// best algorithm.
func TestOnlineTuningFindsTheBest(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute under the race detector")
	}
	for _, machine := range []string{"xt4-franklin", "ranger"} {
		for _, c := range []struct{ size, nodes string }{{"8", "4"}, {"32768", "4"}, {"8", "16"}, {"1048576", "8"}} {
			knobs := map[string]string{"machine": machine, "fabric": engine.Sim, "size": c.size, "nodes": c.nodes,
				"ranks-per-node": "4", "algorithm": algorithm.Online}
			at := func(name string) float64 {
				knobs["algorithm"] = name
				m, _ := run(t, "allreduce", knobs, session.Limits{Usual: 1}).Metric("call_time")
				return m.Value
			}
			online, best, by := at(algorithm.Online), 0.0, ""
			for _, a := range coll.Of(coll.OpAllreduce) {
				if a.Needs&(coll.Reach|coll.Network) != 0 {
					continue
				}
				if took := at(a.Name); best == 0 || took < best {
					best, by = took, a.Name
				}
			}
			if !(online <= 1.05*best) || online == 0 {
				t.Errorf("%s, %s B on %s nodes: online %g s, %s %g s", machine, c.size, c.nodes, online, by, best)
			}
		}
	}
}
