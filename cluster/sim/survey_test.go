package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// The check for stuck ranks finds none in a long run in which every event belongs to the rank
// itself: the next event counts.
func TestALongRunIsNotStuck(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds under the race detector")
	}
	m := cluster.Machine{Name: "one rank", EagerLimit: 8192, Progress: cluster.ProgressOffload}
	m.Classes[cluster.InRank] = cluster.Link{Latency: 100 * cluster.Nanosecond, Bandwidth: 1e10}
	layout := cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1, Model: cluster.Flat,
		Ranking: cluster.Sequential}
	run, err := cluster.Start(t.Context(), sim.New(), cluster.Spec{Machine: m, Layout: layout, Segment: 8},
		func(r *cluster.Rank) error {
			buf := make([]byte, 8)
			for range 600_000 {
				if err := r.Get(cluster.At(0, 0), cluster.Of(buf)); err != nil {
					return err
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Error(err)
	}
	if events := run.(*sim.Run).Events(); events < 1<<20 {
		t.Errorf("%d events are too few for a check", events)
	}
}

// TestLateMembersAreNotMissing tests that ranks do not count as stuck while another one has not begun, or
// has not made a team in whose barrier they wait. The check takes place at the event 16,384.
func TestLateMembersAreNotMissing(t *testing.T) {
	const survey = 1 << 14
	m := cluster.Machine{Name: "some ranks", EagerLimit: 8192, Progress: cluster.ProgressOffload}
	m.Classes[cluster.InRank] = cluster.Link{Latency: 100 * cluster.Nanosecond, Bandwidth: 1e10}
	m.Classes[cluster.InNode] = m.Classes[cluster.InRank]
	for name, c := range map[string]struct {
		ranks int
		body  func(*cluster.Rank) error
	}{
		"the last rank begins": {survey, func(r *cluster.Rank) error { return r.Barrier(r.World()) }},
		"the last rank makes the team": {4, func(r *cluster.Rank) error {
			buf := make([]byte, 8)
			for i := 0; r.ID() == 3 && i < 2*survey; i++ {
				if err := r.Get(cluster.At(3, 0), cluster.Of(buf)); err != nil {
					return err
				}
			}
			team, err := r.Dup(r.World())
			if err != nil {
				return err
			}
			return r.Barrier(team)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			layout := cluster.Layout{Nodes: 1, RanksPerNode: c.ranks, ThreadsPerRank: 1, Model: cluster.Flat,
				Ranking: cluster.Sequential}
			run, err := cluster.Start(t.Context(), sim.New(), cluster.Spec{Machine: m, Layout: layout, Segment: 8}, c.body)
			if err == nil {
				err = run.Wait()
			}
			if err != nil {
				t.Errorf("%.200s", err)
			}
		})
	}
}
