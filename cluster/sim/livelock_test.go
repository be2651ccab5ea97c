package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Loops that only poll are detected if no event can end them.
func TestLivelock(t *testing.T) {
	for _, c := range []struct {
		name   string
		within int // loads
		look   func(r *cluster.Rank, q *cluster.Request) (bool, error)
	}{
		{"test", 150_000, func(r *cluster.Rank, q *cluster.Request) (bool, error) {
			_, done, err := r.Test(q)
			return done, err
		}},
		{"iprobe", 150_000, func(r *cluster.Rank, _ *cluster.Request) (bool, error) {
			_, found, err := r.Iprobe(r.World(), cluster.AnySource, 1)
			return found, err
		}},
		{"improbe", 150_000, func(r *cluster.Rank, _ *cluster.Request) (bool, error) {
			_, found, err := r.Improbe(r.World(), cluster.AnySource, 1)
			return found, err
		}},
		{"load", 15_000_000, func(r *cluster.Rank, _ *cluster.Request) (bool, error) {
			return r.Reach(r.ID())[0] != 0, nil
		}},
		{"load and a read of the clock", 1_000_000, func(r *cluster.Rank, _ *cluster.Request) (bool, error) {
			r.Now()
			return r.Reach(r.ID())[0] != 0, nil
		}},
		{"atomic load", 150_000, func(r *cluster.Rank, _ *cluster.Request) (bool, error) {
			v, err := r.Atomic(cluster.At(1-r.ID(), 0), cluster.AtomicLoad, 0)
			return v != 0, err
		}},
		{"atomic load of a local word", 150_000, func(r *cluster.Rank, _ *cluster.Request) (bool, error) {
			v, err := r.Atomic(cluster.At(r.ID(), 0), cluster.AtomicLoad, 0)
			return v != 0, err
		}},
		{"progress", 150_000, func(r *cluster.Rank, _ *cluster.Request) (bool, error) {
			r.Progress()
			return false, nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.within > 500_000 && testing.Short() {
				t.Skip("seconds under the race detector")
			}
			abort := stuck(t, clustertest.Spec(clustertest.Priced(), 3, 1), func(r *cluster.Rank) error {
				var q cluster.Request
				if err := r.Irecv(&q, r.World(), cluster.AnySource, 0, cluster.Data{}); err != nil {
					return err
				}
				if r.ID() == 2 { // waits and does not poll
					_, err := r.Wait(&q)
					return err
				}
				for range c.within {
					if done, err := c.look(r, &q); done || err != nil {
						return err
					}
				}
				return errors.New("nobody noticed")
			})
			if text := strings.Join(lines(abort), "\n"); !strings.Contains(text, "livelock") ||
				!strings.Contains(text, "rank 2 waits in recv from any tag 0") {
				t.Errorf("waits:\n%s\nwant a livelock, and the receive of rank 2", text)
			}
			for _, who := range []string{"rank 0", "rank 1"} {
				if text := strings.Join(lines(abort), "\n"); !strings.Contains(text, who+" waits in ") {
					t.Errorf("waits:\n%s\nwant %s, which also polls", text, who)
				}
			}
		})
	}
}

// A polling loop is not a livelock as long as any event is left, however late.
func TestLongPolling(t *testing.T) {
	simulated(t, clustertest.Spec(clustertest.Priced(), 2, 1), func(r *cluster.Rank) error {
		if r.ID() == 0 {
			r.Compute(cluster.Work{Flops: 1e7}, nil) // 10 ms: half a million polls
			return r.Send(r.World(), 1, 0, cluster.Data{})
		}
		for {
			if _, found, err := r.Iprobe(r.World(), 0, 0); found || err != nil {
				_, err := r.Recv(r.World(), 0, 0, cluster.Data{})
				return err
			}
		}
	})
}

// A polling loop is not a livelock if another thread will do something after a poll: here a rank
// that polls late and then ends the loops of the others.
func TestLateLook(t *testing.T) {
	for name, look := range map[string]func(r *cluster.Rank) (bool, error){
		"iprobe": func(r *cluster.Rank) (bool, error) {
			_, found, err := r.Iprobe(r.World(), 0, 0)
			return found, err
		},
		"atomic load": func(r *cluster.Rank) (bool, error) {
			v, err := r.Atomic(cluster.At(1, 0), cluster.AtomicLoad, 0)
			return v != 0, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := clustertest.Spec(clustertest.Priced(), 2, 1)
			s.Machine.Classes[cluster.InRank].Access = 5 * cluster.Nanosecond
			simulated(t, s, func(r *cluster.Rank) error {
				if r.ID() == 0 {
					r.Compute(cluster.Work{Flops: 1e7}, nil) // 10 ms: half a million polls
					if _, _, err := r.Iprobe(r.World(), 1, 0); err != nil {
						return err
					}
					if _, err := r.Atomic(cluster.At(1, 0), cluster.AtomicStore, 1); err != nil {
						return err
					}
					return r.Send(r.World(), 1, 0, cluster.Data{})
				}
				for {
					if found, err := look(r); err != nil {
						return err
					} else if found {
						_, err := r.Recv(r.World(), 0, 0, cluster.Data{})
						return err
					}
				}
			})
		})
	}
}

// A rank that reads a word repeatedly while others wait for it is not in a livelock if it does
// something between the reads.
func TestLoadsAmongWork(t *testing.T) {
	simulated(t, clustertest.Spec(clustertest.Priced(), 2, 1), func(r *cluster.Rank) error {
		if r.ID() == 0 {
			for range 150_000 {
				if _, err := r.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0); err != nil {
					return err
				}
				r.Compute(cluster.Work{Flops: 1}, nil)
			}
		}
		return r.Barrier(r.All())
	})
}
