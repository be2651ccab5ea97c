package live_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// TestRankWithRunningThreadsComputes tests that a rank computes until the last thread of its region has ended, and
// after the region.
func TestRankWithRunningThreadsComputes(t *testing.T) {
	spec := clustertest.Spec(clustertest.Host(), 1, 1)
	spec.Layout.ThreadsPerRank = 2
	started := make(chan cluster.Run, 1)
	run, err := cluster.Start(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
		if _, err := r.InitThread(cluster.ThreadMasteronly); err != nil {
			return err
		}
		run := <-started
		check := func(when string) error {
			for range 1000 {
				if s := run.States(nil); s[0] != cluster.Computing {
					return fmt.Errorf("%s: %v, want %v", when, s[0], cluster.Computing)
				}
				runtime.Gosched()
			}
			return nil
		}
		for late := range 2 {
			err := r.Fork(2, func(th *cluster.Thread) error {
				if th.Number() != late {
					return nil
				}
				return check(fmt.Sprintf("thread %d runs alone", late))
			})
			if err != nil {
				return err
			}
		}
		return check("after the regions")
	})
	if err != nil {
		t.Fatal(err)
	}
	started <- run
	if err := run.Wait(); err != nil {
		t.Error(err)
	}
}
