//go:build unix

package live_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// TestDeadlockAfterBodies checks that a deadlock is found after long, short, empty and synchronous messages of one batch.
func TestDeadlockAfterBodies(t *testing.T) {
	spec := clustertest.Spec(clustertest.Host(), 2, 1)
	spec.EagerLimit = 4096
	f := newProcesses(t, 2)
	for round := range 12 {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Second, errors.New("hangs"))
		err := cluster.Launch(ctx, f, spec, func(r *cluster.Rank) error {
			q := make([]cluster.Request, 30)
			few := q[:len(q)-2] // two messages have no receive
			if r.ID() == round%2 {
				for i := range q {
					size := []int{8, 8000, 0, 5000}[i%4]
					send := r.Isend
					if i%3 == 0 {
						send = r.Issend
					}
					if err := send(&q[i], r.World(), 1-r.ID(), i, cluster.Of(make([]byte, size))); err != nil {
						return err
					}
				}
				return r.Waitall(q, nil)
			}
			for i := range few {
				if err := r.Irecv(&q[i], r.World(), 1-r.ID(), i, cluster.Of(make([]byte, 8000))); err != nil {
					return err
				}
			}
			if err := r.Waitall(few, nil); err != nil {
				return err
			}
			_, err := r.Recv(r.World(), 1-r.ID(), 99, cluster.Of(make([]byte, 8)))
			return err
		})
		cancel()
		var a *cluster.Abort
		if !errors.As(err, &a) || a.Reason != cluster.ReasonDeadlock {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}
