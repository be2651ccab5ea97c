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

// A cancelled run that has not ended says which ranks it waits for: those that make no
// call. Those that do are gone.
func TestACancelSaysWhatItWaitsFor(t *testing.T) {
	var entered, over atomic.Bool
	run, err := cluster.Start(t.Context(), live.New(), clustertest.Spec(clustertest.Host(), 1, 4), func(r *cluster.Rank) error {
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
	for ; len(w) != 1; w = run.Warnings() { // the others see the cancel
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
