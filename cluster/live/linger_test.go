package live_test

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// The report of a cancel lists the polling ranks and the parked ranks, outside and inside parallel
// regions.
func TestACancelNamesWhoAsked(t *testing.T) {
	spec := clustertest.Spec(clustertest.Host(), 1, 5)
	spec.Layout.ThreadsPerRank, spec.Threading = 2, cluster.ThreadMultiple
	var polling atomic.Int32
	run, err := cluster.Start(t.Context(), live.New(), spec, func(r *cluster.Rank) error {
		ask := func(r *cluster.Rank, f func() error) error {
			for i := 0; ; i++ {
				if err := f(); err != nil {
					return err
				}
				if i == 0 {
					polling.Add(1)
				}
				runtime.Gosched()
			}
		}
		iprobe := func(r *cluster.Rank) func() error {
			return func() error { _, _, err := r.Iprobe(r.World(), cluster.AnySource, 1); return err }
		}
		switch r.ID() {
		case 0:
			return ask(r, iprobe(r))
		case 1:
			return ask(r, func() error { _, _, err := r.Improbe(r.World(), 3, 2); return err })
		case 2:
			var q cluster.Request
			if err := r.Irecv(&q, r.World(), 3, 4, cluster.Of(make([]byte, 8))); err != nil {
				return err
			}
			return ask(r, func() error { _, _, err := r.Test(&q); return err })
		case 3:
			polling.Add(1)
			return r.Barrier(r.World())
		}
		return r.Fork(2, func(th *cluster.Thread) error {
			if th.Number() == 0 {
				return nil
			}
			return ask(&th.Rank, iprobe(&th.Rank))
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for waits := 0; waits < 2000; runtime.Gosched() { // rank 3 spins before it parks
		if polling.Load() == 5 && run.States(nil)[3] == cluster.Waiting {
			waits++
		}
	}
	run.Cancel(errors.New("boom"))
	err = run.Wait()
	for _, want := range []string{
		"\n  rank 0 asks by iprobe from any tag 1",
		"\n  rank 1 asks by improbe from 3 tag 2",
		"\n  rank 2 asks by recv from 3 tag 4",
		"\n  rank 3 waits in barrier",
		"\n  rank 4 thread 1 asks by iprobe from any tag 1",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the report lacks %q:\n%v", want, err)
		}
	}
}

// A cancelled run that has not ended names the ranks that it waits for: ranks that make no call.
// Ranks that make a call have ended.
func TestACancelSaysWhatItWaitsFor(t *testing.T) {
	var entered, over atomic.Bool
	run, err := cluster.Start(t.Context(), live.New(), clustertest.Spec(clustertest.Host(), 1, 4),
		func(r *cluster.Rank) error {
			if r.ID() != 2 {
				for {
					if _, _, err := r.Iprobe(r.World(), cluster.AnySource, 1); err != nil {
						return err
					}
				}
			}
			entered.Store(true)
			for !over.Load() {
				runtime.Gosched()
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	for !entered.Load() {
		runtime.Gosched()
	}
	if w := run.Warnings(); len(w) != 0 {
		t.Errorf("warnings before the cancel: %q", w)
	}
	boom := errors.New("boom")
	run.Cancel(boom)
	w := run.Warnings()
	for ; len(w) != 1; w = run.Warnings() { // the others detect the cancel
		runtime.Gosched()
	}
	if !strings.HasPrefix(w[0], "rank 2 computes and has made no call for ") {
		t.Errorf("warnings %q", w)
	}
	over.Store(true)
	if err := run.Wait(); !errors.Is(err, boom) {
		t.Errorf("ended with %v", err)
	}
	if w := run.Warnings(); len(w) != 0 {
		t.Errorf("warnings after the end: %q", w)
	}
}
