package sim_test

import (
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// TestVCIs sends messages from several threads, with each way to separate them. Threads on one VCI wait for
// its lock, and each message costs one transfer of the lock per other thread. Threads with their own communicators or
// endpoints on as many VCIs take the time of one thread, and threads that share a communicator do not.
func TestVCIs(t *testing.T) {
	const (
		o, lock  = 300 * cluster.Nanosecond, 100 * cluster.Nanosecond
		messages = 50
	)
	var m cluster.Machine
	m.Classes[cluster.Remote] = cluster.Link{Latency: cluster.Microsecond, Overhead: o}
	m.LockTime, m.EagerLimit = lock, 1<<20
	m.ClockTime = new(cluster.Time)

	shared := func(r *cluster.Rank, n int) ([]*cluster.Team, error) {
		return slices.Repeat([]*cluster.Team{r.World()}, n), nil
	}
	own := func(r *cluster.Rank, n int) (teams []*cluster.Team, err error) {
		for range n {
			t, err := r.Dup(r.World())
			if err != nil {
				return nil, err
			}
			teams = append(teams, t)
		}
		return teams, nil
	}
	endpoints := func(r *cluster.Rank, n int) ([]*cluster.Team, error) { return r.Endpoints(r.World(), n) }

	for _, c := range []struct {
		what    string
		vcis    int
		threads int
		teams   func(*cluster.Rank, int) ([]*cluster.Team, error)
		sharing int // threads that share a VCI
	}{
		{"one thread", 0, 1, shared, 1},
		{"own communicators, one lock", 0, 2, own, 2},
		{"own communicators, one VCI", 1, 2, own, 2},
		{"own communicators, two VCIs", 2, 2, own, 1},
		{"endpoints, two VCIs", 2, 2, endpoints, 1},
		{"own communicators, 64 VCIs", cluster.MaxVCIs, 2, own, 1},
		{"one communicator, two VCIs", 2, 2, shared, 2},
		{"one communicator, eight threads", 8, 8, shared, 8},
		{"own communicators, eight threads, two VCIs", 2, 8, own, 4},
		{"endpoints, eight threads, four VCIs", 4, 8, endpoints, 2},
		{"endpoints, eight threads, eight VCIs", 8, 8, endpoints, 1},
	} {
		m.VCIs = c.vcis
		var took cluster.Time
		spec := clustertest.Spec(m, 2, 1)
		spec.Layout.ThreadsPerRank = c.threads
		clustertest.Must(t, sim.New(), spec, func(r *cluster.Rank) error {
			teams, err := c.teams(r, c.threads)
			if err != nil {
				return err
			}
			begin := r.Now()
			err = r.Fork(c.threads, func(t *cluster.Thread) error {
				team, tag, b := teams[t.Number()], t.Number(), make([]byte, 8)
				for range messages {
					if r.ID() == 0 {
						if err := t.Send(team, 1, tag, cluster.Of(b)); err != nil {
							return err
						}
					} else if _, err := t.Recv(team, 0, tag, cluster.Of(b)); err != nil {
						return err
					}
				}
				return nil
			})
			if r.ID() == 0 {
				took = r.Now() - begin
			}
			return err
		})
		calls, others := cluster.Time(messages*c.sharing), cluster.Time(c.sharing-1)
		most := calls * (o + others*lock)
		least := most - 2*others*others*lock // fewer threads contend for the first and the last calls
		if took < least || took > most {
			t.Errorf("%s: %d messages of each thread take %s, want %s to %s", c.what, messages, took, least, most)
		}
	}
}
