package cluster_test

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// The hint of a deadlock follows from its waits.
func TestHint(t *testing.T) {
	wait := func(k cluster.Kind, rank, other int) cluster.Wait {
		w := cluster.Wait{Rank: rank, Call: k.String() + " ", For: []int{other}}
		w.Of(k, int32(other), 7, 9)
		return w
	}
	for _, c := range []struct {
		what, want string
		waits      []cluster.Wait
	}{
		{"sends", "raise the eager limit", []cluster.Wait{wait(cluster.KindSend, 0, 1), wait(cluster.KindSend, 1, 0)}},
		{"synchronous sends", "one side receive first",
			[]cluster.Wait{wait(cluster.KindSsend, 0, 1), wait(cluster.KindSsend, 1, 0)}},
		{"receives", "post the receives first", []cluster.Wait{wait(cluster.KindRecv, 0, 1), wait(cluster.KindRecv, 1, 0)}},
		{"a rank that has ended", "differs", []cluster.Wait{wait(cluster.KindRecv, 0, 5)}},
		{"a barrier that not all enter", "every rank of its team",
			[]cluster.Wait{wait(cluster.KindBarrier, 0, 1), wait(cluster.KindRecv, 1, 0)}},
	} {
		a := &cluster.Abort{Reason: cluster.ReasonDeadlock, Waits: c.waits}
		if got := a.Hint(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.what, got)
		}
		if a.Reason = cluster.ReasonCancelled; a.Hint() != "" {
			t.Errorf("%s, cancelled: %q", c.what, a.Hint())
		}
	}
}
