package cluster_test

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// The error of a deadlock says who waits for whom, and how sends in a circle are
// mended.
func TestAbortError(t *testing.T) {
	wait := func(rank int, call string, others ...int) cluster.Wait {
		return cluster.Wait{Rank: rank, Call: call, For: others}
	}
	const mend = "post a receive first on one side"
	for _, c := range []struct {
		name  string
		waits []cluster.Wait
		mend  bool
	}{
		{"head to head", []cluster.Wait{wait(0, "send to 1 tag 1 (9 B)", 1), wait(1, "send to 0 tag 1 (9 B)", 0)}, true},
		{"a ring, and one that waits for it", []cluster.Wait{
			wait(9, "recv from 0 tag 1", 0), wait(0, "send to 1 tag 1 (9 B)", 1), wait(1, "send to 2 tag 1 (9 B)", 2), wait(2, "send to 0 tag 1 (9 B)", 0),
		}, true},
		{"receives", []cluster.Wait{wait(0, "recv from 1 tag 1", 1), wait(1, "recv from 0 tag 1", 0)}, false},
		{"synchronous sends, which no eager limit helps", []cluster.Wait{wait(0, "ssend to 1 tag 1 (9 B)", 1), wait(1, "ssend to 0 tag 1 (9 B)", 0)}, false},
		{"a send to a rank that has ended", []cluster.Wait{wait(0, "send to 1 tag 1 (9 B)", 1)}, false},
		{"sends that lead into a receive", []cluster.Wait{wait(0, "send to 1 tag 1 (9 B)", 1), wait(1, "recv from 0 tag 2", 0)}, false},
	} {
		a := &cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: c.waits}
		text := a.Error()
		if !strings.HasPrefix(text, "deadlock: no rank below can go on\n") || strings.Count(text, " waits in ") != len(c.waits) {
			t.Errorf("%s:\n%s", c.name, text)
		}
		if strings.Contains(text, mend) != c.mend {
			t.Errorf("%s: the mend is named: %v, want %v\n%s", c.name, !c.mend, c.mend, text)
		}
	}
}
