package algorithm_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/presets"
)

// estimates returns the time of a call of 32 KiB by each algorithm of some collectives. If alone, no estimate knows
// earlier ones.
func estimates(t *testing.T, m *cluster.Machine, nodes, per int, alone bool) map[coll.Key]cluster.Time {
	t.Helper()
	l := cluster.Layout{Nodes: nodes, RanksPerNode: per, ThreadsPerRank: 1, Model: cluster.Flat, Group: nodes * per,
		Ranking: cluster.Sequential}
	w := algorithm.World(m, engine.Simulated, &l)
	all := map[coll.Key]cluster.Time{}
	for _, what := range []coll.Collective{coll.OpAllreduce, coll.OpReduceScatter} {
		for _, a := range coll.Of(what) {
			k, err := w.Key(defaults{}, a, nodes*per)
			if err != nil || algorithm.IsDuplicate(a, &k) {
				continue
			}
			if alone {
				algorithm.ForgetSites()
			}
			all[k], _ = w.Estimate(defaults{}, &k, 32<<10)
		}
	}
	return all
}

// TestEstimatesDoNotDependOnHistory checks that an estimate is the same after others on the same machine. Otherwise the
// processes of a job could choose different algorithms.
func TestEstimatesDoNotDependOnHistory(t *testing.T) {
	for _, c := range []struct {
		machine    string
		nodes, per int
	}{{"ac922-summit", 512, 4}, {"frontier", 64, 16}} {
		m, err := presets.Machine(c.machine)
		if err != nil {
			t.Fatal(err)
		}
		alone := estimates(t, &m, c.nodes, c.per, true)
		for k, after := range estimates(t, &m, c.nodes, c.per, false) {
			if alone[k] != after {
				t.Errorf("%s, %d×%d, %s by %s: alone %s, after others %s", c.machine, c.nodes, c.per, k.Algorithm.Collective,
					k.Algorithm.Name, alone[k], after)
			}
		}
	}
}

// TestChoiceOfUnusualTeams checks that teams of more than 4,096 ranks in all kinds of layouts have a choice.
func TestChoiceOfUnusualTeams(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 14 s")
	}
	m, err := presets.Machine("frontier")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ nodes, per int }{{1, 5000}, {2, 5000}, {3, 1367}, {70, 63}, {4097, 1}} {
		for _, ranking := range []cluster.Ranking{cluster.Sequential, cluster.RoundRobin} {
			l := cluster.Layout{Nodes: c.nodes, RanksPerNode: c.per, ThreadsPerRank: 1, Model: cluster.Flat,
				Group: c.nodes * c.per, Ranking: ranking}
			w := algorithm.World(&m, engine.Simulated, &l)
			for what := range coll.Collective(coll.Collectives) {
				choice, err := w.Choose(defaults{}, what, l.Ranks(), 1<<10)
				if err != nil || choice.Time <= 0 {
					t.Errorf("%d×%d, %s, %s: %s by %s, error %v", c.nodes, c.per, ranking, what, choice.Time, algorithm.Describe(&choice.Key), err)
				}
			}
		}
	}
}
