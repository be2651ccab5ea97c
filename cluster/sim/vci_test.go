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

// TestVCIsOfPolls tests that threads that poll one VCI wait for its lock, and that threads with a VCI each do not.
func TestVCIsOfPolls(t *testing.T) {
	const (
		threads = 4
		polls   = 50
		lock    = 100 * cluster.Nanosecond
		poll    = 10 * cluster.Nanosecond
	)
	for vcis, want := range map[int]cluster.Time{
		1:       threads * polls * (threads - 1) * lock,
		threads: polls * poll,
	} {
		m := cluster.Machine{VCIs: vcis, LockTime: lock, PollTime: poll, ClockTime: new(cluster.Time)}
		var took cluster.Time
		spec := clustertest.Spec(m, 1, 1)
		spec.Layout.ThreadsPerRank = threads
		clustertest.Must(t, sim.New(), spec, func(r *cluster.Rank) error {
			teams, err := r.Endpoints(r.World(), threads)
			if err != nil {
				return err
			}
			begin := r.Now()
			err = r.Fork(threads, func(t *cluster.Thread) error {
				for range polls {
					if _, _, err := t.Improbe(teams[t.Number()], cluster.AnySource, cluster.AnyTag); err != nil {
						return err
					}
				}
				return nil
			})
			took = r.Now() - begin
			return err
		})
		if took < want*9/10 || took > want*11/10 {
			t.Errorf("%d VCIs: %d polls of each thread take %s, want %s", vcis, polls, took, want)
		}
	}
}
