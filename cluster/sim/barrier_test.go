package sim_test

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// A barrier has completed, but a rank continues only later. If a message ends the rank's wait
// before that, the barrier must not end the rank's next wait.
func TestBarrierEndsOnlyItsOwnWait(t *testing.T) {
	simulated(t, clustertest.Spec(clustertest.Priced(), 2, 1), func(r *cluster.Rank) error {
		w, b := r.World(), make([]byte, 8)
		if r.ID() == 1 {
			if err := r.Send(w, 0, 1, cluster.Of(b)); err != nil {
				return err
			}
			if err := r.Barrier(r.All()); err != nil {
				return err
			}
			r.Compute(cluster.Work{Flops: 1e6}, nil)
			return r.Send(w, 0, 2, cluster.Of(b))
		}
		var qs [2]cluster.Request
		if err := r.Notify(&qs[0], r.All()); err != nil {
			return err
		}
		if err := r.Irecv(&qs[1], w, 1, 1, cluster.Of(b)); err != nil {
			return err
		}
		if i, _, err := r.Waitany(qs[:]); err != nil || i != 1 {
			return fmt.Errorf("request %d completes first (%v), want the message", i, err)
		}
		if st, err := r.Recv(w, 1, 2, cluster.Of(b)); err != nil || st.Bytes != 8 {
			return fmt.Errorf("received %+v (%v), want 8 B", st, err)
		}
		_, err := r.Wait(&qs[0])
		return err
	})
}
