package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// TestVCIs sends messages from two threads, by each way to expose their independence. Threads on one VCI wait for its
// lock. Threads with own communicators or endpoints on two VCIs take the time of one thread, and threads that share a
// communicator do not.
func TestVCIs(t *testing.T) {
	const (
		o, lock  = 300 * cluster.Nanosecond, 100 * cluster.Nanosecond
		messages = 50
	)
	var m cluster.Machine
	m.Classes[cluster.Remote] = cluster.Link{Latency: cluster.Microsecond, Overhead: o}
	m.LockTime, m.EagerLimit = lock, 1<<20
	m.ClockTime = new(cluster.Time)

	shared := func(r *cluster.Rank) ([]*cluster.Team, error) { return []*cluster.Team{r.World(), r.World()}, nil }
	own := func(r *cluster.Rank) ([]*cluster.Team, error) {
		a, err := r.Dup(r.World())
		if err != nil {
			return nil, err
		}
		b, err := r.Dup(r.World())
		return []*cluster.Team{a, b}, err
	}
	endpoints := func(r *cluster.Rank) ([]*cluster.Team, error) { return r.Endpoints(r.World(), 2) }

	for _, c := range []struct {
		what    string
		vcis    int
		threads int
		teams   func(*cluster.Rank) ([]*cluster.Team, error)
		each    cluster.Time // of a message of every thread, without transfers of the lock
	}{
		{"one thread", 0, 1, shared, o},
		{"own communicators, one lock", 0, 2, own, 2 * o},
		{"own communicators, one VCI", 1, 2, own, 2 * o},
		{"own communicators, two VCIs", 2, 2, own, o},
		{"endpoints, two VCIs", 2, 2, endpoints, o},
		{"own communicators, 64 VCIs", cluster.MaxVCIs, 2, own, o},
		{"one communicator, two VCIs", 2, 2, shared, 2 * o},
	} {
		m.VCIs = c.vcis
		var took cluster.Time
		spec := clustertest.Spec(m, 2, 1)
		spec.Layout.ThreadsPerRank = 2
		clustertest.Must(t, sim.New(), spec, func(r *cluster.Rank) error {
			teams, err := c.teams(r)
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
		least, most := messages*c.each, messages*c.each
		if c.each > o {
			least, most = least+lock, most+2*messages*lock
		}
		if took < least || took > most {
			t.Errorf("%s: %d messages take %s, want %s to %s", c.what, messages, took, least, most)
		}
	}
}
