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

// TestRegionsInARow tests that each thread runs each region once, and that the master waits for all. With more threads
// than cores, threads park and wake at any time.
func TestRegionsInARow(t *testing.T) {
	const regions = 100_000
	for _, threads := range []int{2, 3, 8} {
		spec := clustertest.Spec(clustertest.Host(), 1, 1)
		spec.Layout.ThreadsPerRank = threads
		err := cluster.Launch(t.Context(), live.New(), spec, func(r *cluster.Rank) error {
			if _, err := r.InitThread(cluster.ThreadMasteronly); err != nil {
				return err
			}
			runs := make([]int, threads)
			for k := range regions {
				n := threads
				if k%8 == 0 {
					n = 1 + k/8%threads
				}
				if err := r.Fork(n, func(th *cluster.Thread) error {
					runs[th.Number()]++
					return nil
				}); err != nil {
					return err
				}
			}
			for thread, n := range runs {
				want := 0
				for k := range regions {
					if k%8 != 0 || thread <= k/8%threads {
						want++
					}
				}
				if n != want {
					return fmt.Errorf("thread %d of %d ran %d times, want %d", thread, threads, n, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
