package cluster_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// The error of a deadlock lists the waiting ranks, and has a hint for sends in a circle.
func TestAbortError(t *testing.T) {
	wait := func(rank int, call string, others ...int) cluster.Wait {
		return cluster.Wait{Rank: rank, Call: call, For: others}
	}
	const hint = "post a receive first on one side"
	for _, c := range []struct {
		name  string
		waits []cluster.Wait
		hint  bool
	}{
		{"head to head", []cluster.Wait{wait(0, "send to 1 tag 1 (9 B)", 1), wait(1, "send to 0 tag 1 (9 B)", 0)}, true},
		{"a ring, and one that waits for it", []cluster.Wait{
			wait(9, "recv from 0 tag 1", 0), wait(0, "send to 1 tag 1 (9 B)", 1), wait(1, "send to 2 tag 1 (9 B)", 2),
			wait(2, "send to 0 tag 1 (9 B)", 0),
		}, true},
		{"receives", []cluster.Wait{wait(0, "recv from 1 tag 1", 1), wait(1, "recv from 0 tag 1", 0)}, false},
		{"synchronous sends, which no eager limit helps",
			[]cluster.Wait{wait(0, "ssend to 1 tag 1 (9 B)", 1), wait(1, "ssend to 0 tag 1 (9 B)", 0)}, false},
		{"a send to a rank that has ended", []cluster.Wait{wait(0, "send to 1 tag 1 (9 B)", 1)}, false},
		{"sends that lead into a receive",
			[]cluster.Wait{wait(0, "send to 1 tag 1 (9 B)", 1), wait(1, "recv from 0 tag 2", 0)}, false},
	} {
		a := &cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: c.waits}
		text := a.Error()
		if !strings.HasPrefix(text, "deadlock: no rank below can continue\n") ||
			strings.Count(text, " waits in ") != len(c.waits) {
			t.Errorf("%s:\n%s", c.name, text)
		}
		if strings.Contains(text, hint) != c.hint {
			t.Errorf("%s: the hint is named: %v, want %v\n%s", c.name, !c.hint, c.hint, text)
		}
	}
}

// The text of an error that is too long to read is cut, and states the original length.
func TestLongErrorsAreCut(t *testing.T) {
	long := errors.New("head " + strings.Repeat("é", 1<<20))
	panicked := &cluster.Abort{Reason: cluster.ReasonPanic, Rank: 3, Cause: long}
	returned := cluster.Launch(t.Context(), live.New(), clustertest.Spec(clustertest.Host(), 1, 2),
		func(r *cluster.Rank) error {
			if r.ID() == 1 {
				return long
			}
			return nil
		})
	for name, err := range map[string]error{
		"panicked":  panicked,
		"cancelled": &cluster.Abort{Reason: cluster.ReasonCancelled, Cause: long},
		"returned":  returned,
	} {
		text := err.Error()
		if len(text) > 5000 || !strings.Contains(text, "head é") ||
			!strings.HasSuffix(text, "é… (2093062 bytes more)") || !utf8.ValidString(text) {
			t.Errorf("%s: %d bytes: %.40s … %s", name, len(text), text, text[max(len(text)-40, 0):])
		}
		if !errors.Is(err, long) {
			t.Errorf("%s: the error is no longer the program's", name)
		}
	}
}
